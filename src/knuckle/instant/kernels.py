"""The answer at one instant, compiled. `solve_instant` is the page to read: one call per stage."""
from knuckle.compiled.kernel import Vector, inner, kernel
from knuckle.complementarity import cone_kernels, energy_kernels
from knuckle.contact import closest_kernels, rows_kernels
from knuckle.instant import judge_kernels, mode_kernels, pose_kernels, set_kernels, space_kernels
from knuckle.instant.mode_kernels import CONE, DRY, PYRAMID
from knuckle.instant.pose_kernels import Scene
from knuckle.instant.space_kernels import Problem, Work
from knuckle.model import joint_kernels
from knuckle.model import kernels as model_kernels

BY_MODES, BY_ENERGY, OPEN, NO_INERTIA = 0, 1, 2, 3      # how `every_answer` proved its answers complete, or not
CONTRADICTION = 16          # and more: 1 + the bilateral row that contradicts the others


@kernel
def newton_answer(problem: Problem, work: Work, units: int, rows: int) -> bool:
    """One answer by the cone solver, whatever the number of contacts."""
    for i in range(units):
        dry = problem.kind[i] == DRY
        work.bound[i] = problem.mu[i] / (work.scale[problem.first[i]] * work.load[problem.first[i]]) if dry else problem.mu[i]
    status = cone_kernels.cone_newton(work.B, work.c[:rows], problem.kind[:units], problem.first[:units + 1], work.bound, problem.factor,
                                      work.f, work.a, work.modes, work.cone, 1e-12, 7, False)
    if status != cone_kernels.SOLVED:
        return False
    mode_kernels.acceleration(work, rows)
    mode_kernels.keep_answer(work, units, rows)
    return True


@inner
def every_answer(problem: Problem, work: Work, units: int, rows: int) -> int:
    """Answers of the scaled problem into `work.answers`; how they were proved complete, or OPEN."""
    for k in range(work.counts.shape[0]):
        work.counts[k] = 0
    cones, pyramids = 0, 0
    for i in range(units):
        cones += problem.kind[i] == CONE
        pyramids += problem.kind[i] == PYRAMID
    if cones > 1 and energy_kernels.unique_by_energy(work.B, problem.kind[:units], problem.first[:units + 1], problem.mu, problem.factor,
                                                     work.cone) > 0.0 and newton_answer(problem, work, units, rows):
        return BY_ENERGY
    mode_kernels.every_regular_answer(problem, work, units, rows)
    if work.counts[2] + work.counts[3] + work.counts[4] == 0:
        return BY_MODES
    if pyramids == 0:
        newton_answer(problem, work, units, rows)
    return OPEN


@kernel
def solve_contacts(problem: Problem, work: Work, units: int, free_rows: int, rows: int, nv: int) -> int:
    """From M, h, W on: contact space, bilateral rows out, scaling, every answer, the judge, the P-test."""
    work.counts[0] = 0
    if not space_kernels.contact_space(problem, work, rows, nv):
        return NO_INERTIA
    contradiction = space_kernels.eliminate_bilateral(problem, work, free_rows, rows, nv)
    space_kernels.scale_units(problem, work, units, rows, nv)
    if contradiction > 0:
        return CONTRADICTION + contradiction
    status = every_answer(problem, work, units, free_rows)
    judge_kernels.report_answers(problem, work, units, free_rows, rows, nv)
    if status != OPEN:
        set_kernels.p_test(problem, work, units)
    return status


@kernel
def solve_instant(scene: Scene, q: Vector, v: Vector, torque: Vector, problem: Problem, work: Work) -> int:
    """The answer at one instant: rigid-body terms, contact geometry, rows, matrices, every mode, verdict. Below zero: see Scene.trouble."""
    model_kernels.rigid_body_terms(scene.plant, q, v, problem.M, problem.h)
    for j in range(v.size):
        problem.h[j] += torque[j]
    found = closest_kernels.find_contacts(scene.plant, scene.shapes, scene.search, scene.contacts)
    if found < 0:
        return pose_kernels.NO_GEOMETRY
    rows_kernels.contact_rows(scene.plant, v, scene.contacts, scene.room, found)
    if not pose_kernels.pose_contacts(scene, problem, found, v.size):
        return pose_kernels.TROUBLE
    joints = joint_kernels.joint_rows(scene.plant, scene.joints, v, scene.tolerance[pose_kernels.STOP], scene.joint_rows)
    if not pose_kernels.pose_joints(scene, problem, joints, v.size):
        return pose_kernels.TROUBLE
    sizes = scene.sizes
    return solve_contacts(problem, work, sizes[0], sizes[1], sizes[2], v.size)
