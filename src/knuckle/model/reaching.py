"""Inverse kinematics: joint positions that bring points of bodies to places in the world, turned as is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from knuckle.errors import InputError
from knuckle.model import structure
from knuckle.model.system import System

TOLERANCE = 1e-10           # m and rad; what is farther from its target has not reached it
STARTS = 32                 # the state that is given, and others spread over the ranges of the joints
MOST_STEPS = 200            # of one start
STRIDE = 0.5                # rad, or arm lengths: a longer step leaves what the Jacobian knows
FIRST_DAMPING = 1e-3        # of the largest curvature
LEAST_DAMPING = 1e-15       # with joints to spare the step is then the shortest
MOST_DAMPING = 1e8
STALLED = 1e-4              # relative gain of a step below which a start is given up
ROUND_OFF = 1e-24           # squared error from which on only the last digits are gained
STOPS = 1e-9                # rad or m; a stop or equality constraint passed by less holds
FAR = 1e30                  # rad or m, the range of a joint without one
ORTHOGONAL = 1e-9
IRRATIONAL = np.sqrt([2.0, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0, 23.0, 29.0, 31.0, 37.0, 41.0, 43.0, 47.0, 53.0])


@dataclass(frozen=True)
class Target:
    """A point of a body and where it shall be. `direction` (with `axis`) or `rotation` says how the body shall be turned, too."""

    body: int | str
    position: Sequence[float]                   # 3, m, world
    point: Sequence[float] = (0.0, 0.0, 0.0)    # 3, m, frame of the body
    axis: Sequence[float] = (0.0, 0.0, 1.0)     # 3, of a tool, frame of the body
    direction: Sequence[float] | None = None    # 3, where the axis shall point, world
    rotation: np.ndarray | None = None          # 3 x 3, orientation of the body, world


@dataclass(frozen=True)
class Reached:
    """The nearest state that was found. `reached` is judged from q alone: every target, stop and equality constraint holds."""

    reached: bool
    q: np.ndarray               # nq; joints that carry no target stay as they were given
    position_error: np.ndarray  # targets, m
    angle_error: np.ndarray     # targets, rad; 0 where no direction is wanted
    stop_error: float           # rad or m beyond a stop, or off an equality constraint
    start: int                  # 0: found from the state that was given; the largest of all limbs
    steps: int                  # of all starts together

    @property
    def residual(self) -> float:
        """The largest error, m or rad."""
        return float(max(self.position_error.max(initial=0.0), self.angle_error.max(initial=0.0), self.stop_error))


@dataclass(frozen=True)
class _Aim:
    """A checked target."""

    body: int
    point: np.ndarray
    position: np.ndarray
    axis: np.ndarray
    direction: np.ndarray | None
    rotation: np.ndarray | None


@dataclass(frozen=True)
class _Search:
    """What all starts share."""

    system: System
    aims: tuple[_Aim, ...]
    moving: np.ndarray          # dofs that carry a target, and those coupled to them
    place: np.ndarray           # nv, index in q of a dof with a range, else -1
    low: np.ndarray             # nv, range of hinges and slides
    high: np.ndarray
    length: float               # m that weigh as much as a radian: the longest lever


def reach(system: System, q: np.ndarray, targets: Sequence[Target], tolerance: float = TOLERANCE, starts: int = STARTS) -> Reached:
    """Damped Gauss-Newton from q and, if need be, from other states spread evenly over the ranges of the joints; limbs that share no joint one
    after the other.

    The first start from which everything is reached wins, and the same call gives the same answer; failing that the best state is returned with
    its errors. Ranges of hinges and slides are respected all along; equality constraints (coupled joints) are equations like the targets; stops
    of tendons and ball joints are judged at the end. Moves `plant`.
    """
    if starts < 1:
        raise InputError("must be at least 1", key="starts", got=starts)
    q = system.checked_state(q).q
    aims = tuple(_aim(system, number, target) for number, target in enumerate(targets))
    moves = [_moves(system, q, aim) for aim in aims]
    steps = start = 0
    for limb in _limbs(moves):
        search = _prepared(system, q, tuple(aims[k] for k in limb), np.logical_or.reduce([moves[k] for k in limb]))
        best, more = _best(search, q, tolerance, starts)
        q, start, steps = best.q, max(start, best.start), steps + more
    return _judged(system, aims, np.flatnonzero(np.logical_or.reduce(moves, axis=0)), q, tolerance, start, steps)


def _best(search: _Search, q: np.ndarray, tolerance: float, starts: int) -> tuple[Reached, int]:
    """The first start that reaches everything, else the one that comes nearest; and the steps of all."""
    found, steps = [], 0
    for number in range(starts):
        end, more = _descend(search, _start(search, q, number))
        steps += more
        found.append(_judged(search.system, search.aims, search.moving, end, tolerance, number, steps))
        if found[-1].reached:
            return found[-1], steps
    return min(found, key=lambda one: one.residual), steps


def _limbs(moves: list[np.ndarray]) -> list[list[int]]:
    """Targets together that have a joint in common."""
    limbs: list[tuple[list[int], np.ndarray]] = []
    for number, own in enumerate(moves):
        mine, dofs = [number], own
        for limb in [limb for limb in limbs if (limb[1] & own).any()]:
            limbs.remove(limb)
            mine, dofs = limb[0] + mine, limb[1] | dofs
        limbs.append((mine, dofs))
    return [limb for limb, _ in limbs]


def _aim(system: System, number: int, target: Target) -> _Aim:
    at = f"targets.{number}"
    body = system.body(target.body) if isinstance(target.body, str) else int(target.body)
    if not 0 <= body < system.model.nbody:
        raise InputError("no such body", key=f"{at}.body", got=body, todo=f"0 to {system.model.nbody - 1}")
    rotation = None if target.rotation is None else np.array(target.rotation, np.float64)
    if rotation is not None and target.direction is not None:
        raise InputError("cannot stand beside `rotation`", key=f"{at}.direction", todo="keep one of the two")
    if rotation is not None and not _is_rotation(rotation):
        raise InputError("is no rotation matrix", key=f"{at}.rotation", got=target.rotation, todo="give three orthonormal columns")
    return _Aim(
        body, _vector(f"{at}.point", target.point), _vector(f"{at}.position", target.position), _unit(f"{at}.axis", target.axis),
        None if target.direction is None else _unit(f"{at}.direction", target.direction), rotation)


def _vector(key: str, given: Sequence[float]) -> np.ndarray:
    x = np.array(given, np.float64)
    if x.shape != (3,) or not np.isfinite(x).all():
        raise InputError("must be 3 finite numbers", key=key, got=given)
    return x


def _unit(key: str, given: Sequence[float]) -> np.ndarray:
    x = _vector(key, given)
    if not x.any():
        raise InputError("must not be zero", key=key, got=given)
    return np.asarray(x / np.linalg.norm(x))


def _is_rotation(R: np.ndarray) -> bool:
    return R.shape == (3, 3) and bool(np.abs(R @ R.T - np.eye(3)).max() < ORTHOGONAL and np.linalg.det(R) > 0.0)


def _moves(system: System, q: np.ndarray, aim: _Aim) -> np.ndarray:
    """Which dofs carry the target, or are coupled to one that does."""
    moves = np.isin(system.model.dof_bodyid, _chain(system.model, aim.body))
    coupled = _held(system, q)[0] != 0.0
    for _ in range(len(coupled)):
        moves |= coupled[coupled[:, moves].any(axis=1)].any(axis=0)
    return np.asarray(moves)


def _prepared(system: System, q: np.ndarray, aims: tuple[_Aim, ...], moves: np.ndarray) -> _Search:
    m = system.model
    place, low, high = np.full(system.nv, -1), np.full(system.nv, -FAR), np.full(system.nv, FAR)
    for joint in np.flatnonzero(m.jnt_limited).tolist():
        if m.jnt_type[joint] in (structure.HINGE, structure.SLIDE):
            dof = m.jnt_dofadr[joint]
            place[dof], (low[dof], high[dof]) = m.jnt_qposadr[joint], m.jnt_range[joint]
    levers = [_point(system, aim, q)[2] for aim in aims]
    length = max((float(np.linalg.norm(J, axis=0).max(initial=0.0)) for J in levers), default=0.0)
    return _Search(system, aims, np.flatnonzero(moves), place, low, high, length or 1.0)


def _chain(m: mujoco.MjModel, body: int) -> list[int]:
    """A body and those that carry it."""
    chain = [body]
    while chain[-1]:
        chain.append(int(m.body_parentid[chain[-1]]))
    return chain


def _held(system: System, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows and errors of the equality constraints."""
    if not system.model.neq:
        return np.zeros((0, system.nv)), np.zeros(0)
    joints = system.joint_rows(q, np.zeros(system.nv))
    held = [k for k, kind in enumerate(joints.kind) if kind == "bilateral"]
    return joints.W[held].reshape(-1, system.nv), joints.gap[held]


def _point(system: System, aim: _Aim, q: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rotation of the body, place of the point, and the Jacobians of its motion and of its turning; at q, or where `plant` is."""
    m, d = system.model, system.data
    if q is not None:
        d.qpos[:] = q
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
    R = d.xmat[aim.body].reshape(3, 3).copy()
    point, J, turn = d.xpos[aim.body] + R @ aim.point, np.zeros((3, m.nv)), np.zeros((3, m.nv))
    mujoco.mj_jac(m, d, J, turn, point, aim.body)
    return R, point, J, turn


def _errors(search: _Search, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What is still wrong (metres over `length`, directions, constraints) and its derivative by the dofs that move."""
    W, off = _held(search.system, q)
    errors, rows = [off], [W]
    for number, aim in enumerate(search.aims):
        R, point, J, turn = _point(search.system, aim, None if number else q)
        errors.append((point - aim.position) / search.length)
        rows.append(J / search.length)
        if aim.direction is not None:
            axis = R @ aim.axis
            errors.append(axis - aim.direction)
            rows.append(np.cross(turn.T, axis).T)
        elif aim.rotation is not None:
            errors.append(_turn(R @ aim.rotation.T))
            rows.append(turn)                                  # that of the logarithm is the identity at the target
    return np.concatenate(errors), np.vstack(rows)[:, search.moving]


def _turn(R: np.ndarray) -> np.ndarray:
    """The rotation vector of R, at most half a turn long."""
    quaternion, vector = np.zeros(4), np.zeros(3)
    mujoco.mju_mat2Quat(quaternion, R.ravel())
    mujoco.mju_quat2Vel(vector, quaternion, 1.0)
    return vector


def _room(search: _Search, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How far the moving dofs may go down and up."""
    dofs = search.moving
    here = np.where(search.place[dofs] >= 0, q[search.place[dofs]], 0.0)
    return search.low[dofs] - here, search.high[dofs] - here


def _moved(search: _Search, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    """q after a step of the moving dofs, not beyond their ranges by a last digit."""
    full = np.zeros(search.system.nv)
    full[search.moving] = step
    q = search.system.integrate(q, full)
    dofs = search.moving[search.place[search.moving] >= 0]
    q[search.place[dofs]] = np.clip(q[search.place[dofs]], search.low[dofs], search.high[dofs])
    return q


def _start(search: _Search, q: np.ndarray, number: int) -> np.ndarray:
    """The given state; then multiples of irrational numbers put the joints all over their ranges, or half a turn to either side."""
    low, high = _room(search, q)
    if number == 0:
        return _moved(search, q, np.clip(0.0, low, high))
    limited = (low > -FAR / 2) & (high < FAR / 2)
    low, high = np.where(limited, low, -np.pi), np.where(limited, high, np.pi)
    count = np.arange(len(low))
    part = (0.5 + number * IRRATIONAL[count % len(IRRATIONAL)] * (1 + count // len(IRRATIONAL))) % 1.0
    return _moved(search, q, low + part * (high - low))


def _descend(search: _Search, q: np.ndarray) -> tuple[np.ndarray, int]:
    """One start, until only the last digits would change or nothing is to be gained; and its steps."""
    errors, J = _errors(search, q)
    cost, damping = float(errors @ errors), FIRST_DAMPING
    for number in range(MOST_STEPS):
        new_q = _moved(search, q, _step(J, errors, damping, *_room(search, q)))
        new_errors, new_J = _errors(search, new_q)
        new_cost = float(new_errors @ new_errors)
        if new_cost < cost:
            gain = cost - new_cost
            q, errors, J, cost, damping = new_q, new_errors, new_J, new_cost, max(0.1 * damping, LEAST_DAMPING)
            if gain < STALLED * cost and cost > ROUND_OFF:
                return q, number + 1
        else:
            damping *= 10.0
            if cost <= ROUND_OFF or damping > MOST_DAMPING:
                return q, number + 1
    return q, MOST_STEPS


def _step(J: np.ndarray, errors: np.ndarray, damping: float, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The damped step of the joints that are not pressed against their stops, at most a stride."""
    n = J.shape[1]
    curvature = float((J * J).sum(axis=0).max(initial=0.0))
    free, step = np.full(n, True), np.zeros(n)
    for _ in range(n):
        count = int(free.sum())
        damped = np.vstack([J[:, free], np.sqrt(damping * curvature) * np.eye(count)])
        step[:] = 0.0
        step[free] = np.linalg.lstsq(damped, np.append(-errors, np.zeros(count)), rcond=None)[0]
        pressed = ((low >= 0.0) & (step < 0.0)) | ((high <= 0.0) & (step > 0.0))
        if not pressed.any():
            break
        free &= ~pressed
    longest = float(np.abs(step).max(initial=0.0))
    return np.clip(step * min(1.0, STRIDE / longest if longest else 1.0), np.minimum(low, 0.0), np.maximum(high, 0.0))


def _judged(system: System, aims: Sequence[_Aim], moving: np.ndarray, q: np.ndarray, tolerance: float, start: int, steps: int) -> Reached:
    """The errors of a state, from its kinematics alone."""
    distances, angles, joints = [], [], system.joint_rows(q, np.zeros(system.nv))
    for number, aim in enumerate(aims):
        R, point, _, _ = _point(system, aim, None if number else q)
        distances.append(float(np.linalg.norm(point - aim.position)))
        axis, rotation = R @ aim.axis, None if aim.rotation is None else R @ aim.rotation.T
        if aim.direction is not None:
            angles.append(float(np.arctan2(np.linalg.norm(np.cross(axis, aim.direction)), axis @ aim.direction)))
        else:
            angles.append(0.0 if rotation is None else float(np.linalg.norm(_turn(rotation))))
    off = [abs(gap) if kind == "bilateral" else max(0.0, -gap) for kind, gap, row in zip(joints.kind, joints.gap.tolist(), joints.W, strict=True)
           if kind != "dry_friction" and row[moving].any()]
    beyond = max(off, default=0.0)
    reached = max(distances, default=0.0) <= tolerance and max(angles, default=0.0) <= tolerance and beyond <= STOPS
    return Reached(reached, q, np.array(distances), np.array(angles), beyond, start, steps)
