"""All forces that carry one acceleration: a convex set, because the acceleration says which contacts push and which slide."""
from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from knuckle.complementarity.lp import solve_lp
from knuckle.instant.stage import Stage
from knuckle.instant.units import CONE, DRY, PLANAR, PYRAMID, SLIDING

RANK = 1e-10                # relative singular value below which a direction of forces changes nothing
ZERO = 1e-9                 # scaled: an acceleration below it is none
ROUNDS = 60
TIGHT = 1e-6                # relative slack of a tangent that holds the optimum
FINEST = 1e-5               # rad between tangents
SIDES = tuple(0.25 * math.pi * k for k in range(8))
LIMITS = 100.0, 1000.0       # times the normal forces of the centre
SPREAD = 1e-8               # scaled: a force range narrower than this is one force


@dataclass(frozen=True)
class ForceSet:
    """forces = base + null z with g z <= d (and circles); scaled."""
    base: np.ndarray
    null: np.ndarray            # rows x p
    circles: tuple[tuple[int, float], ...]      # (row, mu) of contacts whose force may lie anywhere in a circular cone
    g: np.ndarray
    d: np.ndarray

    @property
    def unique(self) -> bool:
        return self.null.shape[1] == 0

    @cached_property
    def centre(self) -> np.ndarray | None:
        """Forces strictly inside every bound, found with inscribed polygons of more and more sides; None where there are none."""
        best, widest = None, 1e-9
        for count in (8, 32, 128):
            where, margin = self._inside(count)
            if where is not None and margin > widest:
                best, widest = where, margin
            if widest > 1e-3:
                break
        return best

    def _inside(self, count: int) -> tuple[np.ndarray | None, float]:
        """The point farthest inside when each circle is a polygon of `count` sides, and how far."""
        angles = [2.0 * math.pi * k / count for k in range(count)]
        sides = [self._tangent(row, mu * math.cos(math.pi / count), angle) for row, mu in self.circles for angle in angles]
        rows = np.vstack([self.g, np.array(sides).reshape(-1, len(self.base)) @ self.null, np.zeros((1, self.null.shape[1]))])
        limits = np.concatenate([self.d, [-side @ self.base for side in sides], [1.0]])
        p, m = self.null.shape[1], len(limits)
        A = np.hstack([rows, np.ones((m, 1)), np.eye(m)])
        result = solve_lp(-np.eye(p + 1 + m)[p], A, limits, np.arange(p + 1 + m) < p)
        if result.outcome != "optimal" or result.x is None:
            return None, 0.0
        return np.asarray(self.base + self.null @ result.x[:p]), float(result.x[p])

    def extreme(self, cost: np.ndarray) -> tuple[float, np.ndarray | None]:
        """Least cost.forces: value (-inf when unbounded, nan when not settled) and where (some way along the ray)."""
        if np.linalg.norm(self.null.T @ cost) <= RANK * np.linalg.norm(cost):
            return float(cost @ self.base), self.base      # the same for all: following round-off would lead anywhere
        fixed = [(row, mu, angle) for row, mu in self.circles for angle in SIDES]
        cuts = fixed
        best: tuple[float, np.ndarray | None] = (math.nan, None)
        tried = False
        for _ in range(ROUNDS):
            outcome, where = self._program(cost, cuts)
            if where is None:
                return best
            if outcome == "unbounded" and cuts is fixed and (ray := self._ray(cost)) is not None:
                return -math.inf, self._along(ray)
            size = float(np.abs(where).max(initial=0.0))
            new = self._outside(where, size + (outcome == "optimal"), cuts)
            if not new:
                if outcome == "optimal":
                    return float(cost @ where), where
                return -math.inf, self._along(where)
            if outcome == "optimal" and self.centre is not None:
                if not tried:                                          # bounded, because the polygons around the circles are
                    tried, (inside, gap) = True, self._within_limits(cost)
                    if gap <= SPREAD * 1e-1 * (1.0 + float(np.abs(inside).max())):
                        return float(cost @ inside), inside
                    best = (float(cost @ inside), inside) if gap <= SPREAD * (1.0 + float(np.abs(inside).max())) else best
                inside = self._pulled_in(where)
                if cost @ inside - cost @ where <= SPREAD * 1e-2 * (1.0 + size):
                    return float(cost @ inside), inside
                best = (float(cost @ inside), inside) if cost @ inside - cost @ where <= SPREAD * (1.0 + size) else best
            # Tangents that do not hold an optimum are of no use, and nearly parallel ones spoil the program.
            kept = [cut for cut in cuts[len(fixed):] if outcome != "optimal" or abs(self._tangent(*cut) @ where) <= TIGHT * (size + 1.0)]
            cuts = fixed + kept + new
        return best

    def _ray(self, cost: np.ndarray) -> np.ndarray | None:
        """A direction inside every bound along which cost.forces falls without end, found with inscribed polygons."""
        p, falls = self.null.shape[1], -(cost @ self.null)[None, :]
        for count in (16, 64):
            sides = [self._tangent(row, mu * math.cos(math.pi / count), 2.0 * math.pi * k / count) for row, mu in self.circles for k in range(count)]
            rows = np.vstack([self.g, np.array(sides).reshape(-1, len(self.base)) @ self.null, falls])
            m = len(rows)
            result = solve_lp(np.concatenate([-falls[0], np.zeros(m)]), np.hstack([rows, np.eye(m)]), np.eye(m)[-1], np.arange(p + m) < p)
            if result.outcome == "optimal" and result.x is not None and result.value is not None and result.value < -0.5:
                return np.asarray(self.null @ result.x[:p])
        return None

    def _along(self, ray: np.ndarray) -> np.ndarray:
        """Forces some way along a ray."""
        return np.asarray(self.base + ray * (1.0 + float(np.abs(self.base).max(initial=0.0))) / float(np.abs(ray).max()))

    @cached_property
    def limited(self) -> tuple[ForceSet, ...]:
        """What lies below a limit of the sum of normal forces, and below a larger one: sets without end have no barrier."""
        if self.centre is None:
            return ()
        normals = np.zeros(len(self.base))
        normals[[row for row, _ in self.circles]] = 1.0
        limit = 1.0 + float(normals @ self.centre)
        return tuple(replace(self, g=np.vstack([self.g, normals @ self.null]), d=np.append(self.d, size * limit - normals @ self.base))
                     for size in LIMITS)

    def _within_limits(self, cost: np.ndarray) -> tuple[np.ndarray, float]:
        """The least cost below the limit, and what is left to gain; it is the least of all when the larger limit does not change it."""
        found = [one._by_barrier(cost) for one in self.limited]
        if not found:
            return self.base, math.inf
        worth = [float(cost @ forces) for forces, _ in found]
        return found[0][0], max(abs(worth[0] - worth[1]), *(gap for _, gap in found))

    def _by_barrier(self, cost: np.ndarray) -> tuple[np.ndarray, float]:
        """Follow the central path t cost - sum log(mu^2 f_N^2 - f_t^2) - sum log(d - g z): forces inside, and a bound of what is left
        to gain, (number of logarithms) / t (Nesterov and Nemirovski; a cone counts twice)."""
        along = self.null.T @ cost
        size = float(np.linalg.norm(along))
        if self.centre is None or size == 0.0:
            return self.base, 0.0 if size == 0.0 else math.inf
        z = np.linalg.lstsq(self.null, self.centre - self.base, rcond=None)[0]
        count, t = 2 * len(self.circles) + len(self.d), 1.0 / size
        best, gap = self.base + self.null @ z, math.inf
        while gap > 1e-2 * SPREAD * (1.0 + float(np.abs(best).max())):
            t *= 16.0
            z, found = self._centred(z, t * along)
            if not found:                                  # round-off: what was reached before counts
                break
            best, gap = self.base + self.null @ z, 2.0 * count / t
        return best, gap

    def _centred(self, z: np.ndarray, along: np.ndarray) -> tuple[np.ndarray, bool]:
        """Newton's method for along.z + barrier. The Hessian's factor is stacked from each term's own root, which keeps twice the
        digits: for a cone, with u = (mu f_N, f_t) / gamma and gamma^2 = mu^2 f_N^2 - f_t^2, it is sqrt(2) / gamma (hyperbolic reflection)."""
        for _ in range(200):                               # the first centre may be far; the later ones take a few steps
            forces, slack = self.base + self.null @ z, self.d - self.g @ z
            if not slack.min(initial=1.0) > 0.0:
                return z, False
            parts, slope = [self.g / slack[:, None]], along + (self.g / slack[:, None]).sum(axis=0)
            for row, mu in self.circles:
                x = forces[row:row + 3] * (mu, 1.0, 1.0)
                room = (x[0] - math.hypot(x[1], x[2])) * (x[0] + math.hypot(x[1], x[2]))
                if not (room > 0.0 and x[0] > 0.0):
                    return z, False
                u, own = x / math.sqrt(room), self.null[row:row + 3] * np.array([[mu], [1.0], [1.0]])
                root = np.array([[u[0], -u[1], -u[2]], [-u[1], 1.0, 0.0], [-u[2], 0.0, 1.0]])
                root[1:, 1:] += np.outer(u[1:], u[1:]) / (1.0 + u[0])
                parts.append(math.sqrt(2.0 / room) * (root @ own))
                slope = slope - 2.0 / math.sqrt(room) * (np.array([u[0], -u[1], -u[2]]) @ own)
            factor = np.asarray(np.linalg.qr(np.vstack(parts), mode="r"))
            try:
                half = np.linalg.solve(factor.T, -slope)
                step = np.linalg.solve(factor, half)
            except np.linalg.LinAlgError:
                return z, False
            decrease = float(half @ half)
            if decrease <= 1e-2:
                return z, True
            z = z + step / (1.0 + math.sqrt(decrease))     # stays inside: the barrier is self-concordant
        return z, False

    def _program(self, cost: np.ndarray, cuts: list[tuple[int, float, float]]) -> tuple[str, np.ndarray | None]:
        """The linear program with these tangents: its optimum, or the ray along which it is unbounded."""
        tangents = np.array([self._tangent(*cut) for cut in cuts]).reshape(-1, len(self.base))
        g, d = np.vstack([self.g, tangents @ self.null]), np.concatenate([self.d, -tangents @ self.base])
        p, m = self.null.shape[1], len(d)
        result = solve_lp(np.concatenate([cost @ self.null, np.zeros(m)]), np.hstack([g, np.eye(m)]), d, np.arange(p + m) < p)
        if result.outcome == "unbounded" and result.ray is not None:
            return "unbounded", self.null @ result.ray[:p]
        if result.outcome == "optimal" and result.x is not None:
            return "optimal", self.base + self.null @ result.x[:p]
        return result.outcome, None

    def _pulled_in(self, where: np.ndarray) -> np.ndarray:
        """The point of the set nearest to `where` on the line to the centre."""
        centre, keep = self.centre, 1.0
        if centre is None:
            return where
        for row, mu in self.circles:
            f, step = centre[row:row + 3], (where - centre)[row:row + 3]
            a = step[1:] @ step[1:] - (mu * step[0]) ** 2      # |f_t + s step_t| = mu (f_N + s step_N), the first s > 0
            b, c = f[1:] @ step[1:] - mu * mu * f[0] * step[0], f[1:] @ f[1:] - (mu * f[0]) ** 2
            roots = np.roots([a, 2.0 * b, c]) if abs(a) + abs(b) > 0.0 else np.zeros(0)
            keep = min([keep, *(t.real for t in roots if abs(t.imag) < 1e-9 * (1.0 + abs(t)) and t.real > 0.0)])
        return np.asarray(centre + keep * (where - centre))

    def _tangent(self, row: int, mu: float, angle: float) -> np.ndarray:
        """c with c.forces <= 0 on one side of a tangent plane of the cone."""
        cut = np.zeros(len(self.base))
        cut[row:row + 3] = -mu, math.cos(angle), math.sin(angle)
        return cut

    def _outside(self, forces: np.ndarray, size: float, cuts: list[tuple[int, float, float]]) -> list[tuple[int, float, float]]:
        """Tangents that cut these forces (or this ray) off; none when they are inside their circles."""
        new = []
        for row, mu in self.circles:
            if math.hypot(forces[row + 1], forces[row + 2]) > mu * forces[row] + 1e-10 * size:
                angle = math.atan2(forces[row + 2], forces[row + 1]) % (2.0 * math.pi)
                if all(r != row or abs(angle - old) > FINEST for r, _, old in cuts):    # the circle's distance is FINEST^2 / 8
                    new.append((row, mu, angle))
        return new


@dataclass
class _Allowed:
    """Forces that one acceleration allows: sums of columns, inequalities row.forces <= limit, circles."""
    columns: list[np.ndarray]
    inequalities: list[tuple[np.ndarray, float]]
    circles: list[tuple[int, float]]


def force_set(stage: Stage, forces: np.ndarray, a: np.ndarray) -> ForceSet:
    """Everything that differs from `forces` and leaves the acceleration a as it is."""
    A, allowed = 1.0 + float(np.abs(a).max(initial=0.0)), _Allowed([], [], [])
    for i in range(stage.count):
        kind, r, n = int(stage.units.kind[i]), int(stage.units.first[i]), int(stage.units.size[i])
        if kind == DRY:
            if abs(a[r]) <= ZERO * A:
                allowed.columns.append(_unit(stage, r, (1.0,)))
                allowed.inequalities += [(_unit(stage, r, (s,)), stage.bound(i)) for s in (1.0, -1.0)]
        elif a[r] <= ZERO * A:
            allowed.inequalities.append((_unit(stage, r, (-1.0,)), 0.0))
            if kind in (CONE, PLANAR, PYRAMID):
                _friction(stage, i, a, A, allowed)
            else:
                allowed.columns.append(_unit(stage, r, (1.0, *stage.units.factor[i, :n - 1])))
    return _reduce(stage, forces, allowed.columns, allowed.inequalities, allowed.circles)


def _unit(stage: Stage, row: int, entries: tuple[float, ...]) -> np.ndarray:
    column = np.zeros(stage.free_rows)
    column[row:row + len(entries)] = entries
    return column


def _friction(stage: Stage, unit: int, a: np.ndarray, A: float, allowed: _Allowed) -> None:
    """Force directions of one contact at zero slip: fixed where its acceleration is not zero, free inside the cone elsewhere."""
    kind, r, mu = int(stage.units.kind[unit]), int(stage.units.first[unit]), float(stage.units.mu[unit])
    a_t = a[r + 1:int(stage.units.first[unit + 1])]
    if kind == CONE:
        if np.hypot(*a_t) > ZERO * A:
            allowed.columns.append(_unit(stage, r, (1.0, *(-mu * a_t / np.hypot(*a_t)))))
        else:
            allowed.columns += [_unit(stage, r + k, (1.0,)) for k in range(3)]
            allowed.circles.append((r, mu))
        return
    fixed = [-mu * math.copysign(1.0, x) if abs(x) > ZERO * A else 0.0 for x in a_t]
    allowed.columns.append(_unit(stage, r, (1.0, *fixed)))
    for k, x in enumerate(a_t):
        if abs(x) <= ZERO * A:
            allowed.columns.append(_unit(stage, r + 1 + k, (1.0,)))
            for sign in (1.0, -1.0):
                limit = _unit(stage, r, (-mu,))
                limit[r + 1 + k] = sign
                allowed.inequalities.append((limit, 0.0))


def _reduce(stage: Stage, forces: np.ndarray, columns: list[np.ndarray], inequalities: list[tuple[np.ndarray, float]],
            circles: list[tuple[int, float]]) -> ForceSet:
    F = np.array(columns).T.reshape(stage.free_rows, len(columns))
    null = np.zeros((stage.free_rows, 0))
    if len(columns):
        _, values, right = np.linalg.svd(stage.B @ F)
        rank = int((values > RANK * max(values[0], 1e-300)).sum())
        null = F @ right[rank:].T
    g = np.array([row @ null for row, _ in inequalities]).reshape(len(inequalities), null.shape[1])
    d = np.array([limit - row @ forces for row, limit in inequalities])
    return ForceSet(forces, null, tuple(circles), g, np.maximum(d, 0.0))     # `forces` itself is inside


def normals_alone(stage: Stage, a: np.ndarray) -> bool:
    """Whether the acceleration can be carried without friction where every contact keeps (a = 0). Then it is the only one:

    (v1' - v2').M (v1' - v2') = sum (f1 - f2).(a1 - a2) <= -sum mu f2_N |a2_t| <= 0 when f1_t = 0 and a1 = 0.
    """
    for i in range(stage.count):
        if stage.frictional(i):
            rows = slice(int(stage.units.first[i]), int(stage.units.first[i + 1]))
            if stage.units.kind[i] == SLIDING or np.abs(a[rows]).max() > ZERO:
                return False
    columns = []
    for i in range(stage.count):
        if stage.units.kind[i] != DRY:
            columns.append(int(stage.units.first[i]))
    return solve_lp(np.zeros(len(columns)), stage.B[:, columns], -stage.c).outcome == "optimal"
