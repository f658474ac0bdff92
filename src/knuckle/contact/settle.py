"""Settling: a state of another simulator, with its soft contacts, brought to exact contact (CONTRACT 2)."""
from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from knuckle.contact.geometry import Geometry
from knuckle.contact.labels import TOLERANCES, Tolerances
from knuckle.errors import GeometryError
from knuckle.model.joint_rows import JointRows

LARGEST = 1e-3       # m; a state that must move farther is another state (CONTRACT 2)
NEAR_STOP = 0.05     # rad or m; stops farther away are not looked at while settling
MOST_STEPS = 100
OVERLAP = 1e-5       # m; nearer bodies touch in any simulator
LEAST_REACH = 1e-4   # m; a state is not taken to be more exact than this
WANDER = 10.0        # times the largest displacement: so far may a step go wrong before it is given up
SAME_STOP = 1e-11    # rad or m; a joint this far beyond its stop is at it


@dataclass(frozen=True)
class Settled:
    """A state with gap 0 and no normal drift at the chosen contacts, no joint beyond its stop, and equality constraints that hold."""

    q: np.ndarray
    v: np.ndarray
    displacement: float         # m, the farthest that a contact point moved on either body
    largest_gap: float          # m, before
    largest_drift: float        # m/s, before
    creep: float                # m/s, the largest slip that was taken out as creep
    pairs: tuple[int, ...]      # pairs that are now in contact, as rows of the search
    parted: tuple[int, ...]     # pairs that should touch, but no near state lets them touch beside the others
    stops: tuple[str, ...]      # stops and equality constraints that were broken before


@dataclass(frozen=True)
class _Rows:
    """What one step has to do: W step = wanted in the first rows, W step >= wanted in the others."""

    W: np.ndarray
    wanted: np.ndarray
    equal: int
    error: float                # the largest that is still wrong, m or rad


def settle(geometry: Geometry, q: np.ndarray, v: np.ndarray, reach: float = LARGEST, rolling: tuple[int, ...] = (),
           tolerances: Tolerances = TOLERANCES, largest: float = LARGEST, creep: float = 0.0, pairs: Collection[int] | None = None) -> Settled:
    """Moves (q, v) the least, in the metric of the inertia, to gap 0 and zero drift at every contact nearer than `reach`.

    All points of a pair come to touch when a motion of `largest` metres allows it, else its deepest point alone, else as many pairs as
    can, those that overlap the most first. Joints beyond their stop come back to it, equality constraints are fulfilled. `rolling`: pairs
    whose slip is removed as well; `creep`: slower slips are removed too, at any contact, and slower rates of joints with dry friction.
    `pairs`: those that may come to touch without overlapping now (default: all). Raises GeometryError when a contact point would move more
    than `largest` metres or when no such state is near.
    """
    q, v = np.array(q, dtype=float), np.array(v, dtype=float)
    count = geometry.update(q, v)
    contacts = geometry.contacts
    gap_of = _pair_gaps(geometry, count)
    reach = _meant(gap_of, reach)
    chosen = {pair for pair, gap in gap_of.items() if gap <= OVERLAP or (gap <= reach and (pairs is None or pair in pairs))}
    first_gap = max((abs(float(contacts.gap[k])) for k in _near(geometry, count, chosen, reach)), default=0.0)
    broken = _broken(geometry.system.joint_rows(q, v, NEAR_STOP), tolerances)
    search = _Search(geometry, q, v, reach, tolerances, largest, several=count > len(gap_of))
    settled, shift = _as_many_as_settle(search, chosen, gap_of)
    v, drift, slow = _velocities(geometry, settled, v, rolling, tolerances, creep)
    touching = {int(contacts.pair[k]) for k in _touching(geometry, geometry.update(settled, v), tolerances)}
    return Settled(settled, v, shift, first_gap, drift, slow, tuple(sorted(touching)), tuple(sorted(chosen - touching)), broken)


def _pair_gaps(geometry: Geometry, count: int) -> dict[int, float]:
    """The least gap of each pair that was found."""
    gap_of: dict[int, float] = {}
    for k in range(count):
        pair = int(geometry.contacts.pair[k])
        gap_of[pair] = min(gap_of.get(pair, np.inf), float(geometry.contacts.gap[k]))
    return gap_of


def _meant(gap_of: dict[int, float], reach: float) -> float:
    """The gaps that are meant to be none: where some bodies touch or overlap, their overlaps say how exact the state is."""
    deepest = -min(gap_of.values(), default=np.inf)
    return min(reach, max(2.0 * deepest, LEAST_REACH)) if deepest >= -OVERLAP else reach


@dataclass(frozen=True)
class _Search:
    """One settling: where it starts, what it may do."""

    geometry: Geometry
    q: np.ndarray
    v: np.ndarray
    reach: float
    tolerances: Tolerances
    largest: float
    several: bool               # some pair touches at several points

    def attempt(self, chosen: set[int], deepest: bool) -> tuple[np.ndarray, float] | GeometryError:
        try:
            return _positions(self, chosen, deepest)
        except GeometryError as error:
            return error


def _as_many_as_settle(search: _Search, chosen: set[int], gap_of: dict[int, float]) -> tuple[np.ndarray, float]:
    """State and displacement with all chosen pairs touching; else without the pair whose absence lets the others touch with the least motion,
    and so on. What is left out may come to touch, but not overlap."""
    first_error: GeometryError | None = None
    for deepest in (False, True) if search.several else (False,):
        outcome = search.attempt(chosen, deepest)
        if not isinstance(outcome, GeometryError):
            return outcome
        first_error = first_error or outcome
    left = set(chosen)
    while left:
        outcomes = {pair: search.attempt(left - {pair}, search.several) for pair in sorted(left)}
        found = {pair: outcome for pair, outcome in outcomes.items() if not isinstance(outcome, GeometryError)}
        if found:
            return min(found.values(), key=lambda outcome: outcome[1])
        left.remove(max(left, key=lambda pair: gap_of[pair]))
    raise first_error or GeometryError("settling found no state without overlap")


def _positions(search: _Search, chosen: set[int], deepest: bool) -> tuple[np.ndarray, float]:
    """Newton steps to contact; the state and how far the bodies have moved there."""
    geometry, q, v, largest = search.geometry, search.q, search.v, search.largest
    error, count = 0.0, geometry.update(q, v)
    start = _Places.of(geometry)
    for step in range(MOST_STEPS):
        near = _near(geometry, count, chosen, search.reach)
        rows = _position_rows(geometry, q, v, count, near, deepest)
        error, shift = rows.error, start.farthest_move(geometry, count, search.reach) if step else 0.0
        if error <= 1e-2 * search.tolerances.gap and shift <= largest:
            return q, shift
        if error <= 1e-2 * search.tolerances.gap or shift > WANDER * largest:
            raise GeometryError(f"this state is no instant of contact, and the nearest one is more than {1e3 * largest:g} mm away "
                                f"({_worst(search, chosen)}); correct the state or settle with a larger limit")
        q = geometry.system.integrate(q, _least_motion(geometry, q, v, rows))
        count = geometry.update(q, v)
    raise GeometryError(f"settling found no state in which all of {len(chosen)} pairs touch (a gap of {error:.3g} m is left)")


@dataclass(frozen=True)
class _Places:
    """Where the bodies are."""

    position: np.ndarray        # bodies x 3
    rotation: np.ndarray        # bodies x 3 x 3
    geoms: np.ndarray           # geoms x 3

    @classmethod
    def of(cls, geometry: Geometry) -> _Places:
        plant = geometry.system.plant
        return cls(plant.xpos.copy(), plant.xmat.reshape(-1, 3, 3).copy(), plant.geom_xpos.copy())

    def farthest_move(self, geometry: Geometry, count: int, reach: float) -> float:
        """The farthest that a contact point on either body, or the middle of a shape, has moved since, in metres."""
        contacts, now = geometry.contacts, _Places.of(geometry)
        moves = [float(np.linalg.norm(now.geoms - self.geoms, axis=1).max(initial=0.0))]
        for k in range(count):
            if contacts.gap[k] > reach:
                continue
            for body, point in ((contacts.body_A[k], contacts.point_A[k]), (contacts.body_B[k], contacts.point_B[k])):
                local = now.rotation[body].T @ (point - now.position[body])
                moves.append(float(np.linalg.norm(self.position[body] + self.rotation[body] @ local - point)))
        return max(moves)


def _position_rows(geometry: Geometry, q: np.ndarray, v: np.ndarray, count: int, near: list[int], deepest: bool) -> _Rows:
    """Contacts to be closed and equality constraints; then what may not be passed: other contacts, stops."""
    contacts = geometry.contacts
    closing = _deepest(geometry, near) if deepest else near
    others = [k for k in range(count) if k not in closing]
    joints = geometry.system.joint_rows(q, v, NEAR_STOP)
    held = [k for k, kind in enumerate(joints.kind) if kind == "bilateral"]
    stops = [k for k, kind in enumerate(joints.kind) if kind == "limit"]
    W = np.vstack([contacts.W[[3 * k for k in closing]], joints.W[held], contacts.W[[3 * k for k in others]], joints.W[stops]])
    gap = np.concatenate([contacts.gap[closing], joints.gap[held], contacts.gap[others], joints.gap[stops]])
    equal = len(closing) + len(held)
    error = max(np.abs(gap[:equal]).max(initial=0.0), -gap[equal:].min(initial=0.0))
    return _Rows(W, -gap, equal, float(error))


def _deepest(geometry: Geometry, near: list[int]) -> list[int]:
    first: dict[int, int] = {}
    for k in near:
        pair = int(geometry.contacts.pair[k])
        if pair not in first or geometry.contacts.gap[k] < geometry.contacts.gap[first[pair]]:
            first[pair] = k
    return list(first.values())


def _velocities(geometry: Geometry, q: np.ndarray, v: np.ndarray, rolling: tuple[int, ...], tolerances: Tolerances,
                creep: float) -> tuple[np.ndarray, float, float]:
    """The velocity nearest to v that neither opens nor closes what touches; the largest normal velocity and creep before."""
    count = geometry.update(q, v)
    touching, contacts = _touching(geometry, count, tolerances), geometry.contacts
    velocity = contacts.velocity.reshape(-1, 3)[touching].copy()
    axes = [1] if geometry.system.plane is not None else [1, 2]
    slip = np.linalg.norm(velocity[:, axes], axis=1)
    sticking = [k for k, speed in zip(touching, slip, strict=True) if speed <= creep or int(contacts.pair[k]) in rolling]
    places = [3 * k for k in touching] + [3 * k + axis for k in sticking for axis in axes]
    joints = geometry.system.joint_rows(q, v, 10 * SAME_STOP)
    held = [k for k, kind in enumerate(joints.kind) if kind != "dry_friction" or abs(joints.rate[k]) <= creep]
    W, rate = np.vstack([contacts.W[places], joints.W[held]]), np.concatenate([contacts.velocity[places], joints.rate[held]])
    slower = v + _least_motion(geometry, q, v, _Rows(W, -rate, len(rate), 0.0))
    geometry.update(q, slower)
    left = float(np.abs(geometry.contacts.velocity[places]).max(initial=0.0))
    if left > tolerances.drift:
        if creep > 0.0:                                    # bodies that are driven along may keep a contact from coming to rest
            return _velocities(geometry, q, v, rolling, tolerances, 0.0)
        raise GeometryError(f"no velocity keeps all of {len(touching)} contacts closed (a normal velocity of {left:.3g} m/s is left)")
    crept = slip[(slip <= creep) & (slip > tolerances.slip)]
    stopped = [abs(float(joints.rate[k])) for k in held if joints.kind[k] != "dry_friction"]
    return slower, max([float(np.abs(velocity[:, 0]).max(initial=0.0)), *stopped]), float(crept.max(initial=0.0))


def _near(geometry: Geometry, count: int, chosen: set[int], reach: float) -> list[int]:
    return [k for k in range(count) if int(geometry.contacts.pair[k]) in chosen and geometry.contacts.gap[k] <= reach]


def _touching(geometry: Geometry, count: int, tolerances: Tolerances) -> list[int]:
    return [k for k in range(count) if geometry.contacts.gap[k] <= tolerances.gap]


def _broken(joints: JointRows, tolerances: Tolerances) -> tuple[str, ...]:
    return tuple(name for kind, gap, name in zip(joints.kind, joints.gap, joints.name, strict=True)
                 if (kind == "limit" and gap < -tolerances.gap) or (kind == "bilateral" and abs(gap) > tolerances.gap))


def _worst(search: _Search, chosen: set[int]) -> str:
    """What is farthest from right where settling starts, by name: a stop or a coupling, else a contact."""
    geometry, joints = search.geometry, search.geometry.system.joint_rows(search.q, search.v, NEAR_STOP)
    broken = {name: abs(float(gap)) for kind, gap, name in zip(joints.kind, joints.gap, joints.name, strict=True)
              if (kind == "limit" and gap < -search.tolerances.gap) or (kind == "bilateral" and abs(gap) > search.tolerances.gap)}
    near = _near(geometry, geometry.update(search.q, search.v), chosen, search.reach)
    if (broken and max(broken.values()) > search.largest) or not near:
        name = max(broken, key=lambda one: broken[one], default="")
        return f"{name}: passed by {broken[name]:.3g} rad or m" if name else "nothing touches"
    k = max(near, key=lambda k: abs(float(geometry.contacts.gap[k])))
    a, b = (geometry.shapes[row].name for row in geometry.search.pairs[geometry.contacts.pair[k]])
    return f"{a} - {b}: gap {1e3 * float(geometry.contacts.gap[k]):.3g} mm"


def _least_motion(geometry: Geometry, q: np.ndarray, v: np.ndarray, rows: _Rows) -> np.ndarray:
    """The x of least x'Mx that does what the rows want; equalities in the sense of least squares where they depend on one another.

    Inequalities by active sets: what is passed becomes an equality, what pulls is let go (Goldfarb and Idnani 1983, in small).
    """
    M, _ = geometry.system.terms(q, v)
    factor = np.linalg.inv(np.linalg.cholesky(M))
    scaled = rows.W @ factor.T
    active = list(range(rows.equal))
    x = np.zeros(len(M))
    for _ in range(2 * len(scaled) + 1):
        x = np.linalg.lstsq(scaled[active], rows.wanted[active], rcond=1e-10)[0] if active else np.zeros(len(M))
        push = np.linalg.lstsq(scaled[active].T, x, rcond=1e-10)[0]
        pulling = [k for k, force in zip(active, push, strict=True) if k >= rows.equal and force < -1e-12]
        if pulling:
            active = [k for k in active if k not in pulling]
            continue
        lacking = rows.wanted - scaled @ x
        lacking[active] = 0.0
        lacking[:rows.equal] = 0.0
        if lacking.max(initial=0.0) <= 0.1 * SAME_STOP:
            break
        active.append(int(lacking.argmax()))
    return factor.T @ x
