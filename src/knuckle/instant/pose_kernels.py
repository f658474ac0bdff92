"""From contacts as the geometry finds them to the contact problem: who is in it, with which label, in which rows."""
import math
from typing import NamedTuple

from knuckle.compiled.kernel import Integers, Vector, inner
from knuckle.contact.closest_kernels import Contacts, Search
from knuckle.contact.rows_kernels import RowSpace
from knuckle.contact.shape_kernels import ShapeTable
from knuckle.instant.mode_kernels import DRY, PLANAR, SLIDING, UNILATERAL
from knuckle.instant.space_kernels import Problem
from knuckle.model.joint_kernels import BILATERAL, LIMIT, JointRowsWork, JointTable
from knuckle.model.kernels import Plant

NO_GEOMETRY, TROUBLE = -2, -1                           # of solve_instant; what the trouble is stands in Scene.trouble
GAP, DRIFT, SLIP, RESIDUAL, STOP, RATE = range(6)       # Scene.tolerance
AUTO, ROLLS, SLIDES = 0, 1, 2                           # Scene.label
PENETRATES, APPROACHES, TIPS, IS_SLIDING, IS_ROLLING = range(1, 6)      # Scene.trouble, of contacts
HITS_STOP, BEYOND_STOP, IS_BROKEN, IS_DRIFTING = range(6, 10)           # of joint rows


class Scene(NamedTuple):
    """A system and its question: what kernels need from state to problem."""
    plant: Plant
    shapes: ShapeTable
    search: Search
    contacts: Contacts
    room: RowSpace
    joints: JointTable
    joint_rows: JointRowsWork
    mu: Vector              # pairs of the search
    mu_of_slot: Vector      # contacts, from a friction law; below 0 where the pair's coefficient holds
    label: Integers         # pairs: AUTO, ROLLS, SLIDES
    tolerance: Vector       # see above
    law: Integers           # 1: kind of a contact at zero slip (CONE, PLANAR, PYRAMID)
    slot: Integers          # contacts of the problem: slot in `contacts`
    joint_slot: Integers    # joint rows of the problem: row in `joint_rows`
    known: Integers         # rows of `joint_rows` whose force is known (moving dry friction, put into h)
    sizes: Integers         # units, free rows, rows, contacts, joint rows with known force
    trouble: Vector         # 3: what, which pair or joint row, how much


@inner
def refuse(scene: Scene, what: int, which: int, value: float) -> bool:
    scene.trouble[0], scene.trouble[1], scene.trouble[2] = what, which, value
    return False


@inner
def slip_of(scene: Scene, k: int, dim: int) -> float:
    v_T, v_U = scene.contacts.velocity[3 * k + 1], scene.contacts.velocity[3 * k + 2]
    return abs(v_T) if dim == 2 else math.sqrt(v_T * v_T + v_U * v_U)


@inner
def touches(scene: Scene, k: int) -> int:
    """1: the contact is part of the problem, 0: it is not (apart, or leaving), -1: the state is impossible (see trouble)."""
    pair, gap, drift = scene.contacts.pair[k], scene.contacts.gap[k], scene.contacts.velocity[3 * k]
    if gap > scene.tolerance[GAP] or drift > scene.tolerance[DRIFT]:
        return 0
    if gap < -scene.tolerance[GAP]:
        refuse(scene, PENETRATES, pair, gap)
        return -1
    if drift < -scene.tolerance[DRIFT]:
        refuse(scene, APPROACHES, pair, drift)
        return -1
    if not scene.contacts.residual[k] <= scene.tolerance[RESIDUAL]:
        refuse(scene, TIPS, pair, scene.contacts.residual[k])
        return -1
    return 1


@inner
def pose_contacts(scene: Scene, problem: Problem, found: int, nv: int) -> bool:
    """Rows and units of the contacts that touch. False when the state is no instant of contact: Scene.trouble says why."""
    dim, count, contacts = 2 if scene.law[0] == PLANAR else 3, 0, scene.contacts
    for k in range(found):
        inside = touches(scene, k)
        if inside < 0:
            return False
        if inside == 0:
            continue
        pair, slip = contacts.pair[k], slip_of(scene, k, dim)
        slides, label, mu = slip > scene.tolerance[SLIP], scene.label[pair], scene.mu[pair]
        if scene.mu_of_slot[k] >= 0.0:
            mu = scene.mu_of_slot[k]
        if label != AUTO and (label == SLIDES) != slides:
            return refuse(scene, IS_SLIDING if slides else IS_ROLLING, pair, slip)
        problem.kind[count] = SLIDING if slides or mu == 0.0 else scene.law[0]
        problem.first[count], problem.size[count], problem.mu[count] = dim * count, dim, mu
        for axis in range(dim):
            row = dim * count + axis
            problem.bias[row] = contacts.bias[3 * k + axis]
            for j in range(nv):
                problem.W[row, j] = contacts.W[3 * k + axis, j]
            if axis > 0:
                problem.factor[count, axis - 1] = -mu * contacts.velocity[3 * k + axis] / slip if slides else 0.0
        scene.slot[count] = k
        count += 1
    scene.sizes[3], scene.sizes[0], scene.sizes[1] = count, count, dim * count
    return True


@inner
def copy_joint_row(scene: Scene, problem: Problem, k: int, row: int, nv: int) -> None:
    problem.bias[row] = scene.joint_rows.bias[k]
    for j in range(nv):
        problem.W[row, j] = scene.joint_rows.W[k, j]


@inner
def pose_joints(scene: Scene, problem: Problem, joints: int, nv: int) -> bool:
    """Rows of joints behind those of the contacts: stops and dry friction first, bilateral rows last; known friction goes into h."""
    rows, units, work, placed = scene.sizes[1], scene.sizes[0], scene.joint_rows, 0
    scene.sizes[4] = 0
    for k in range(joints):
        kind, rate = scene.joints.kind[work.entry[k]], work.rate[k]
        if kind == BILATERAL:
            continue
        if kind == LIMIT:
            if work.gap[k] < -scene.tolerance[STOP]:
                return refuse(scene, BEYOND_STOP, k, work.gap[k])
            if rate < -scene.tolerance[RATE]:
                return refuse(scene, HITS_STOP, k, rate)
            if rate > scene.tolerance[RATE]:
                continue
        elif abs(rate) > scene.tolerance[RATE]:
            force = -work.bound[k] if rate > 0.0 else work.bound[k]
            for j in range(nv):
                problem.h[j] += force * work.W[k, j]
            scene.known[scene.sizes[4]] = k
            scene.sizes[4] += 1
            continue
        copy_joint_row(scene, problem, k, rows, nv)
        problem.kind[units], problem.first[units], problem.size[units] = UNILATERAL if kind == LIMIT else DRY, rows, 1
        problem.mu[units] = 0.0 if kind == LIMIT else work.bound[k]
        scene.joint_slot[placed] = k
        placed, units, rows = placed + 1, units + 1, rows + 1
    scene.sizes[0], scene.sizes[1], problem.first[units] = units, rows, rows
    for k in range(joints):
        if scene.joints.kind[work.entry[k]] == BILATERAL:
            if not abs(work.gap[k]) <= scene.tolerance[STOP]:
                return refuse(scene, IS_BROKEN, k, work.gap[k])
            if not abs(work.rate[k]) <= scene.tolerance[RATE]:
                return refuse(scene, IS_DRIFTING, k, work.rate[k])
            copy_joint_row(scene, problem, k, rows, nv)
            scene.joint_slot[placed] = k
            placed, rows = placed + 1, rows + 1
    scene.sizes[2] = rows
    return True
