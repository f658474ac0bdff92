"""Settling: a state of another simulator, with its soft contacts, brought to exact contact (CONTRACT 2)."""
from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from knuckle.contact.flats import FlatPoint, Key, flat_points
from knuckle.contact.geometry import Geometry
from knuckle.contact.labels import TOLERANCES, Tolerances
from knuckle.contact.least_motion import Rows, least_motion
from knuckle.errors import GeometryError
from knuckle.model.joint_rows import JointRows

LARGEST = 1e-3       # m; a state that must move farther is another state (CONTRACT 2)
NEAR_STOP = 0.05     # rad or m; stops farther away are not looked at while settling
MOST_STEPS = 100
PATIENCE = 8         # steps without progress after which no state is near
TOUCHES = 1e-5       # m; nearer bodies touch: states are written down with five digits
UNLIKE_MOTION = 10.0 # a gap that stays weighs so much more than a motion
ELSEWHERE = 5.0      # a knuckle pushed off the palm carries its fingertip farther than the contact moves
LIGHT = 1e-3         # 1/kg; what touches nothing moves as little as its inertia says
HOPELESS = 1e-5      # m; what stays wrong after the first step is curvature, 0.3 mm squared over a fingertip's 10 mm, or it stays
CLEAR = 1e-6         # m; bodies that are apart stay so far apart while others settle
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
    gap: dict[int, float]       # m, of each pair within reach (rows of the search) before
    pairs: tuple[int, ...]      # pairs that are now in contact
    parted: tuple[int, ...]     # pairs that should touch, but no near state lets them touch beside the others
    lost: dict[int, tuple[int, int]]    # pairs that touch at fewer points than before: how many then, how many now
    stops: tuple[str, ...]      # stops and equality constraints that were broken before


def settle(geometry: Geometry, q: np.ndarray, v: np.ndarray, reach: float = LARGEST, rolling: tuple[int, ...] = (),
           tolerances: Tolerances = TOLERANCES, largest: float = LARGEST, creep: float = 0.0, pairs: Collection[int] | None = None,
           touching_only: Collection[int] = ()) -> Settled:
    """Moves (q, v) the least to gap 0 and zero drift at every contact: in the metric of the inertia, or, where that takes contact points too
    far (it moves what is light), in that of the motion of the contact points.

    Contacts are the `pairs`; of None, those that touch or overlap now (gap below TOUCHES), or, where none does, those nearer than `reach`,
    but of `touching_only` never one that is open. All points that touch now come to gap 0 when a motion of `largest` metres allows it,
    else as many as can. Joints beyond their stop come back to it, equality constraints are fulfilled. `rolling`: pairs whose slip is
    removed as well; `creep`: slower slips are removed too, at any contact, and slower rates of joints with dry friction. Raises
    GeometryError when a contact point would move more than `largest` metres or when no such state is near.
    """
    q, v = np.array(q, dtype=float), np.array(v, dtype=float)
    count = geometry.update(q, v)
    contacts = geometry.contacts
    gap_of = _pair_gaps(geometry, count)
    chosen = _chosen(gap_of, reach, pairs, touching_only)
    points = _points(geometry, count, chosen)
    first_gap = max((abs(gap) for gap in points.values()), default=0.0)
    broken = _broken(geometry.system.joint_rows(q, v, NEAR_STOP), tolerances)
    settled, shift = _as_many_as_settle(_searches(geometry, q, v, gap_of, tolerances, largest), points)
    v, drift, slow = _velocities(geometry, settled, v, rolling, tolerances, creep)
    now = Counter(int(contacts.pair[k]) for k in _touching(geometry, geometry.update(settled, v), tolerances))
    before = Counter(pair for pair, _, _ in points)
    lost = {pair: (count, now[pair]) for pair, count in before.items() if 0 < now[pair] < count}
    return Settled(settled, v, shift, first_gap, drift, slow, gap_of, tuple(sorted(now)), tuple(sorted(chosen - set(now))), lost, broken)


def _pair_gaps(geometry: Geometry, count: int) -> dict[int, float]:
    """The least gap of each pair that was found."""
    gap_of: dict[int, float] = {}
    for k in range(count):
        pair = int(geometry.contacts.pair[k])
        gap_of[pair] = min(gap_of.get(pair, np.inf), float(geometry.contacts.gap[k]))
    return gap_of


def _chosen(gap_of: dict[int, float], reach: float, pairs: Collection[int] | None, touching_only: Collection[int]) -> set[int]:
    """Where some bodies touch, the others are meant to be apart; a state in which none touches is meant to be at the brink."""
    if pairs is not None:
        return {pair for pair, gap in gap_of.items() if pair in pairs and gap <= reach}
    touch = {pair for pair, gap in gap_of.items() if gap <= TOUCHES}
    if touch.difference(touching_only):
        return touch
    return touch | {pair for pair, gap in gap_of.items() if gap <= reach and pair not in touching_only}


def _points(geometry: Geometry, count: int, chosen: set[int]) -> dict[Key, float]:
    """The points that are to touch, and their gaps: those that do now; of an open pair all that are as near as its nearest, nearly.

    Where faces or edges lie flat it is their points alone: a corner beside them that overlaps as well belongs to another face.
    """
    contacts, gap_of = geometry.contacts, _pair_gaps(geometry, count)
    seen: dict[int, dict[Key, float]] = {pair: {} for pair in chosen}
    flat: dict[int, dict[Key, float]] = {pair: {} for pair in chosen}
    for k in range(count):
        if int(contacts.pair[k]) in chosen:
            seen[int(contacts.pair[k])][_key(geometry, k)] = float(contacts.gap[k])
    for point in _flats(geometry, count, chosen):
        flat[point.key[0]][point.key] = point.gap
    found: dict[Key, float] = {}
    for pair in sorted(chosen):
        deepest = min(seen[pair], key=lambda key: seen[pair][key])
        points = {**flat[pair], deepest: seen[pair][deepest]} if deepest in flat[pair] else {**flat[pair], **seen[pair]}
        found |= {key: gap for key, gap in points.items() if gap <= max(TOUCHES, 2.0 * gap_of[pair])}
    return found


def _flats(geometry: Geometry, count: int, pairs: Collection[int]) -> list[FlatPoint]:
    """What the geometry does not see yet: it takes tilted faces for vertices and edges."""
    contacts, deepest = geometry.contacts, dict[int, int]()
    for k in range(count):
        pair = int(contacts.pair[k])
        if pair in pairs and (pair not in deepest or contacts.gap[k] < contacts.gap[deepest[pair]]):
            deepest[pair] = k
    return [point for pair, k in deepest.items() for point in flat_points(geometry, pair, contacts.n[k].copy())]


def _key(geometry: Geometry, k: int) -> Key:
    contacts = geometry.contacts
    return int(contacts.pair[k]), int(contacts.feature_A[k]), int(contacts.feature_B[k])


@dataclass(frozen=True)
class _Search:
    """One settling: where it starts, what it may do."""

    geometry: Geometry
    q: np.ndarray
    v: np.ndarray
    gap_of: dict[int, float]    # m, of each pair at the start
    tolerances: Tolerances
    largest: float
    metric: np.ndarray          # nv x nv, by which a motion is small
    stops: tuple[str, ...]      # stops that joints rest at: passed at the start, as far as soft stops give way

    def attempt(self, points: Collection[Key]) -> tuple[np.ndarray, float] | GeometryError:
        try:
            return _positions(self, points)
        except GeometryError as error:
            return error


def _searches(geometry: Geometry, q: np.ndarray, v: np.ndarray, gap_of: dict[int, float], tolerances: Tolerances,
              largest: float) -> list[_Search]:
    contacts, system = geometry.contacts, geometry.system
    M, _ = system.terms(q, v)
    sum_of_squares = sum((J.T @ J for k in range(geometry.update(q, v))
                          for J in (system.point(int(contacts.body_A[k]), contacts.point_A[k])[0],
                                    system.point(int(contacts.body_B[k]), contacts.point_B[k])[0])), start=np.zeros_like(M))
    joints = system.joint_rows(q, v, NEAR_STOP)
    passed = tuple(name for kind, gap, name in zip(joints.kind, joints.gap, joints.name, strict=True) if kind == "limit" and gap < 0.0)
    return [_Search(geometry, q, v, gap_of, tolerances, largest, metric, stops)
            for stops in dict.fromkeys((passed, ())) for metric in (M, sum_of_squares + LIGHT * M)]


def _as_many_as_settle(searches: list[_Search], points: dict[Key, float]) -> tuple[np.ndarray, float]:
    """State and displacement with all points touching and joints at the stops they had passed; else inside them; else with as many points
    as can."""
    first: GeometryError | None = None
    for find in (_all, _most):
        for search in searches:
            outcome = find(search, points)
            if not isinstance(outcome, GeometryError):
                return outcome
            first = first or outcome
    raise first or GeometryError("settling found no state without overlap")


def _all(search: _Search, points: dict[Key, float]) -> tuple[np.ndarray, float] | GeometryError:
    return search.attempt(points)


def _most(search: _Search, points: dict[Key, float]) -> tuple[np.ndarray, float] | GeometryError:
    """Without the point that overlaps little and whose absence leaves the others the least motion, and so on, the last of a pair last.
    Whatever was let go comes back when it can. What is left out may come to touch, but not overlap."""
    outcome: tuple[np.ndarray, float] | GeometryError = GeometryError("settling found no state without overlap")
    kept, foreseen = list(points), _Foresight.of(search)
    while isinstance(outcome, GeometryError) and kept:
        key, left = foreseen.dearest(kept, points)
        kept.remove(key)
        if left < HOPELESS or not kept:
            outcome = search.attempt(kept)
    if isinstance(outcome, GeometryError):
        return outcome
    for key in [key for key in sorted(points, key=lambda key: points[key]) if key not in kept]:
        more = search.attempt([*kept, key]) if foreseen.step([*kept, key])[0] < HOPELESS else None
        if more is not None and not isinstance(more, GeometryError):
            outcome, kept = more, [*kept, key]
    return outcome


def _positions(search: _Search, points: Collection[Key]) -> tuple[np.ndarray, float]:
    """Newton steps to contact; the state and how far the bodies have moved there."""
    geometry, q, v, largest = search.geometry, search.q, search.v, search.largest
    count = geometry.update(q, v)
    start, best, since = _Places.of(geometry), np.inf, 0
    for step in range(MOST_STEPS):
        rows = _position_rows(search, q, count, points)
        shift = start.farthest_move(geometry, count) if step else 0.0
        if rows.error <= 1e-2 * search.tolerances.gap and shift <= largest:
            return q, shift
        if rows.error <= 1e-2 * search.tolerances.gap or shift > WANDER * largest:
            raise GeometryError(f"this state is no instant of contact, and the nearest one is more than {1e3 * largest:g} mm away "
                                f"({_worst(search, points)}); correct the state or settle with a larger limit")
        best, since = (rows.error, 0) if rows.error < 0.9 * best else (best, since + 1)
        if since > PATIENCE:
            break
        q = geometry.system.integrate(q, least_motion(search.metric, rows))
        count = geometry.update(q, v)
    raise GeometryError(f"settling found no state in which all of {len(points)} points touch (a gap of {best:.3g} m is left)")


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

    def farthest_of(self, spots: list[tuple[int, np.ndarray]], now: _Places) -> float:
        """The farthest that points fixed to bodies, given where they were (body, world), have moved."""
        moves = [0.0]
        for body, point in spots:
            moved = now.position[body] + now.rotation[body] @ (self.rotation[body].T @ (point - self.position[body]))
            moves.append(float(np.linalg.norm(moved - point)))
        return max(moves)

    def farthest_move(self, geometry: Geometry, count: int) -> float:
        """The farthest that a contact point on either body, or the middle of a shape in contact, has moved since, in metres; what is not in
        contact may go ELSEWHERE times as far."""
        contacts, now = geometry.contacts, _Places.of(geometry)
        in_contact = {geometry.shapes[row].geom for row in geometry.search.pairs[contacts.pair[:count]].ravel().tolist()}
        moves = [float(move) / (1.0 if geom in in_contact else ELSEWHERE)
                 for geom, move in enumerate(np.linalg.norm(now.geoms - self.geoms, axis=1))]
        for k in range(count):
            for body, point in ((contacts.body_A[k], contacts.point_A[k]), (contacts.body_B[k], contacts.point_B[k])):
                local = now.rotation[body].T @ (point - now.position[body])
                moves.append(float(np.linalg.norm(self.position[body] + self.rotation[body] @ local - point)))
        return max(moves, default=0.0)


def _position_rows(search: _Search, q: np.ndarray, count: int, points: Collection[Key]) -> Rows:
    """Contacts to be closed and equality constraints; then what may not be passed: other contacts, stops."""
    contacts, system = search.geometry.contacts, search.geometry.system
    closing, flats = _closing(search.geometry, count, points), _closing_flats(search.geometry, count, points)
    others = [k for k in range(count) if k not in closing]
    closes = {pair for pair, _, _ in points}
    least = [CLEAR if search.gap_of.get(int(contacts.pair[k]), np.inf) >= CLEAR and int(contacts.pair[k]) not in closes else 0.0 for k in others]
    joints = system.joint_rows(q, search.v, NEAR_STOP)
    held = [k for k, kind in enumerate(joints.kind) if kind == "bilateral" or joints.name[k] in search.stops]
    stops = [k for k, kind in enumerate(joints.kind) if kind == "limit" and joints.name[k] not in search.stops]
    flat_W, flat_gap = np.array([point.row for point in flats]).reshape(-1, system.nv), np.array([point.gap for point in flats])
    W = np.vstack([contacts.W[[3 * k for k in closing]], flat_W, joints.W[held], contacts.W[[3 * k for k in others]], joints.W[stops]])
    gap = np.concatenate([contacts.gap[closing], flat_gap, joints.gap[held], contacts.gap[others] - least, joints.gap[stops]])
    equal = len(closing) + len(flats) + len(held)
    error = max(np.abs(gap[:equal]).max(initial=0.0), -gap[equal:].min(initial=0.0))
    return Rows(W, -gap, equal, float(error))


def _closing(geometry: Geometry, count: int, points: Collection[Key]) -> list[int]:
    """Slots of the points that are to touch. Features change under way: a pair of which none is seen touches at its deepest point."""
    slots = [k for k in range(count) if _key(geometry, k) in points]
    seen = {int(geometry.contacts.pair[k]) for k in slots}
    for pair in sorted({pair for pair, _, _ in points} - seen):
        own = [k for k in range(count) if int(geometry.contacts.pair[k]) == pair]
        slots += [min(own, key=lambda k: float(geometry.contacts.gap[k]))] if own else []
    return slots


def _closing_flats(geometry: Geometry, count: int, points: Collection[Key]) -> list[FlatPoint]:
    """Points that are to touch and that the geometry does not see yet."""
    seen = {_key(geometry, k) for k in range(count)}
    return [point for point in _flats(geometry, count, {pair for pair, _, _ in points}) if point.key in points and point.key not in seen]


def _released(rows: Rows, place: int) -> Rows:
    """The same with the equation in that place as an inequality."""
    order = [k for k in range(len(rows.W)) if k != place] + [place]
    return Rows(rows.W[order], rows.wanted[order], rows.equal - 1, rows.error)


@dataclass(frozen=True)
class _Foresight:
    """What the first step from the start tells of a set of points."""

    search: _Search
    count: int
    start: _Places
    spots: list[tuple[int, np.ndarray]]     # body and place of each contact point

    @classmethod
    def of(cls, search: _Search) -> _Foresight:
        geometry, contacts = search.geometry, search.geometry.contacts
        count = geometry.update(search.q, search.v)
        spots = [(int(body[k]), point[k].copy()) for k in range(count)
                 for body, point in ((contacts.body_A, contacts.point_A), (contacts.body_B, contacts.point_B))]
        return cls(search, count, _Places.of(geometry), spots)

    def step(self, points: Collection[Key]) -> tuple[float, float]:
        """What stays wrong after the least motion, and how far it goes, in metres."""
        self.search.geometry.update(self.search.q, self.search.v)
        return self._judged(_position_rows(self.search, self.search.q, self.count, points))

    def _judged(self, rows: Rows) -> tuple[float, float]:
        search, system = self.search, self.search.geometry.system
        step = least_motion(search.metric, rows)
        lacking = rows.wanted - rows.W @ step
        lacking[:rows.equal] = np.abs(lacking[:rows.equal])
        system.terms(system.integrate(search.q, step), search.v)
        return float(lacking.max(initial=0.0)), self.start.farthest_of(self.spots, _Places.of(search.geometry))

    def dearest(self, kept: list[Key], points: dict[Key, float]) -> tuple[Key, float]:
        """The point to be let go first, and what stays wrong without it."""
        geometry = self.search.geometry
        geometry.update(self.search.q, self.search.v)
        rows, several = _position_rows(self.search, self.search.q, self.count, kept), Counter(pair for pair, _, _ in kept)
        places = [_key(geometry, k) for k in _closing(geometry, self.count, kept)]
        places += [point.key for point in _closing_flats(geometry, self.count, kept)]
        cost = {}
        for key in [key for key in kept if several[key[0]] > 1] or kept:
            left, moved = self._judged(_released(rows, places.index(key)))
            cost[key] = (UNLIKE_MOTION * left + moved + max(0.0, -points[key]), left)
        key = min(cost, key=lambda key: cost[key])
        return key, cost[key][1]


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
    M, _ = geometry.system.terms(q, v)
    slower = v + least_motion(M, Rows(W, -rate, len(rate), 0.0))
    geometry.update(q, slower)
    left = float(np.abs(geometry.contacts.velocity[places]).max(initial=0.0))
    if left > tolerances.drift:
        if creep > 0.0:                                    # bodies that are driven along may keep a contact from coming to rest
            return _velocities(geometry, q, v, rolling, tolerances, 0.0)
        raise GeometryError(f"no velocity keeps all of {len(touching)} contacts closed (a normal velocity of {left:.3g} m/s is left)")
    crept = slip[(slip <= creep) & (slip > tolerances.slip)]
    stopped = [abs(float(joints.rate[k])) for k in held if joints.kind[k] != "dry_friction"]
    return slower, max([float(np.abs(velocity[:, 0]).max(initial=0.0)), *stopped]), float(crept.max(initial=0.0))


def _touching(geometry: Geometry, count: int, tolerances: Tolerances) -> list[int]:
    return [k for k in range(count) if geometry.contacts.gap[k] <= tolerances.gap]


def _broken(joints: JointRows, tolerances: Tolerances) -> tuple[str, ...]:
    return tuple(name for kind, gap, name in zip(joints.kind, joints.gap, joints.name, strict=True)
                 if (kind == "limit" and gap < -tolerances.gap) or (kind == "bilateral" and abs(gap) > tolerances.gap))


def _worst(search: _Search, points: Collection[Key]) -> str:
    """What is farthest from right where settling starts, by name: a stop or a coupling, else a contact."""
    geometry, joints = search.geometry, search.geometry.system.joint_rows(search.q, search.v, NEAR_STOP)
    units = geometry.system.joint_units(len(joints))
    broken = {f"{name}: passed by {abs(float(gap)):.3g} {unit}": abs(float(gap))
              for kind, gap, name, unit in zip(joints.kind, joints.gap, joints.name, units, strict=True)
              if (kind == "limit" and gap < -search.tolerances.gap) or (kind == "bilateral" and abs(gap) > search.tolerances.gap)}
    slots = _closing(geometry, geometry.update(search.q, search.v), points)
    gap = [abs(float(geometry.contacts.gap[k])) for k in slots]
    if broken and max(broken.values()) > max(gap, default=0.0):
        return max(broken, key=lambda words: broken[words])
    if not slots:
        return "nothing touches"
    k = slots[int(np.argmax(gap))]
    a, b = (geometry.shapes[row].name for row in geometry.search.pairs[geometry.contacts.pair[k]])
    return f"{a} - {b}: gap {1e3 * float(geometry.contacts.gap[k]):.3g} mm"
