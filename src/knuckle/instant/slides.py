"""Answers in which spatial contacts begin to slide in directions that are unknown: Newton's method, and proofs of uniqueness.

For given modes the unknowns are the forces that the modes leave free and, per sliding contact, (f_N, phi, alpha):
f = f_N (1, -mu cos phi, -mu sin phi), a_N = 0, a_t = alpha (cos phi, sin phi).
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from knuckle.complementarity.lp import lp_ranges
from knuckle.instant import mode_kernels
from knuckle.instant.relaxation import Arc, Cell, Polyhedron, arc_at
from knuckle.instant.stage import Stage

NONE = 1e-9                 # scaled: smaller slips and forces are none
RANK = 1e-10                # relative singular value below which free forces are redundant
STEPS = 15                  # from the middle of a small cell Newton needs five, or does not get there
PIECES = 400                # of the redundant normal forces, for one proof


@dataclass(frozen=True)
class SlideSystem:
    """F(w, f_N, phi, alpha) = 0 of one choice of modes; redundant free forces and their equations are projected out."""
    stage: Stage
    arcs: tuple[int, ...]       # CONE units that slide
    known: np.ndarray           # forces that the modes fix
    columns: np.ndarray         # rows x n: forces per free unknown
    equations: np.ndarray       # n x rows: accelerations that must vanish
    hidden: bool = False        # whether forces were projected out: other choices of them may obey the laws where `total` does not

    @cached_property
    def normals(self) -> np.ndarray:
        return np.array([int(self.stage.units.first[i]) for i in self.arcs], int)

    @cached_property
    def mu(self) -> np.ndarray:
        return np.array([float(self.stage.units.mu[i]) for i in self.arcs])

    def slide_forces(self, phi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Force columns of the sliding contacts per unit f_N, and their derivatives by phi."""
        rows, m = self.stage.free_rows, len(self.arcs)
        force, rate, each = np.zeros((rows, m)), np.zeros((rows, m)), np.arange(m)
        c, s = np.cos(phi), np.sin(phi)
        c[np.abs(c) <= 1e-15], s[np.abs(s) <= 1e-15] = 0.0, 0.0       # the cosine of pi / 2 is 6e-17
        force[self.normals, each] = 1.0
        force[self.normals + 1, each], force[self.normals + 2, each] = -self.mu * c, -self.mu * s
        rate[self.normals + 1, each], rate[self.normals + 2, each] = self.mu * s, -self.mu * c
        return force, rate

    def total(self, y: np.ndarray) -> np.ndarray:
        n, m = self.columns.shape[1], len(self.arcs)
        force, _ = self.slide_forces(y[n + m:n + 2 * m])
        return self.known + self.columns @ y[:n] + force @ y[n:n + m]

    def value(self, y: np.ndarray) -> np.ndarray:
        n, m = self.columns.shape[1], len(self.arcs)
        a = self.stage.B @ self.total(y) + self.stage.c
        phi, alpha = y[n + m:n + 2 * m], y[n + 2 * m:]
        slips = a[self.normals + 1] - alpha * np.cos(phi), a[self.normals + 2] - alpha * np.sin(phi)
        return np.concatenate([self.equations @ a, a[self.normals], *slips])

    def redundant(self, y: np.ndarray) -> bool:
        """Whether other forces than those of y give the same motion."""
        forces = self.jacobian(y)[:, :self.columns.shape[1] + len(self.arcs)]
        values = np.linalg.svd(forces, compute_uv=False)
        return bool(len(values) and values[-1] <= RANK * values[0])

    def jacobian(self, y: np.ndarray) -> np.ndarray:
        n, m = self.columns.shape[1], len(self.arcs)
        f_N, phi, alpha = y[n:n + m], y[n + m:n + 2 * m], y[n + 2 * m:]
        force, rate = self.slide_forces(phi)
        inputs = np.hstack([self.columns, force, rate * f_N, np.zeros((self.stage.free_rows, m))])
        responses = self.stage.B @ inputs
        J = np.vstack([self.equations @ responses, responses[self.normals], responses[self.normals + 1], responses[self.normals + 2]])
        for k in range(m):
            J[n + m + k, n + m + k] += alpha[k] * np.sin(phi[k])
            J[n + 2 * m + k, n + m + k] -= alpha[k] * np.cos(phi[k])
            J[n + m + k, n + 2 * m + k] -= np.cos(phi[k])
            J[n + 2 * m + k, n + 2 * m + k] -= np.sin(phi[k])
        return J


def slide_system(stage: Stage, cell: Cell) -> SlideSystem | None:
    """None when free forces that change nothing at the contacts they act on change something elsewhere."""
    arcs = tuple(i for i, choice in enumerate(cell) if isinstance(choice, Arc))
    for i, choice in enumerate(cell):
        stage.work.modes[i] = 2 if isinstance(choice, Arc) else choice
    n = mode_kernels.unknowns_of_modes(stage.units, stage.work, stage.count, stage.free_rows)
    columns, equations = np.zeros((stage.free_rows, n)), np.zeros((n, stage.free_rows))
    for k in range(n):
        row = stage.work.row[k]
        columns[row, k] = equations[k, row] = 1.0
        for step in (1, 2):
            if stage.work.mix[k, step - 1] != 0.0:
                columns[row + step, k] = stage.work.mix[k, step - 1]
    known, hidden = stage.work.known[:stage.free_rows].copy(), False
    if n:
        left, values, right = np.linalg.svd(equations @ stage.B @ columns)
        rank = int((values > RANK * max(values[0], 1e-300)).sum())
        if rank < n:
            if np.abs(stage.B @ columns @ right[rank:].T).max() > 1e-9:
                return None
            columns, equations, hidden = columns @ right[:rank].T, left[:, :rank].T @ equations, True
    return SlideSystem(stage, arcs, known, columns, equations, hidden)


def newton(system: SlideSystem, y: np.ndarray) -> np.ndarray | None:
    """Damped Newton from y, with the least step where forces are redundant; the root, or None."""
    value = system.value(y)
    for _ in range(STEPS):
        size = float(np.linalg.norm(value))
        if size <= 1e-13 * (1.0 + np.abs(y).max()):
            return y
        step, length = np.linalg.lstsq(system.jacobian(y), -value, rcond=RANK)[0], 1.0
        trial = system.value(y + step)
        while not np.linalg.norm(trial) < (1.0 - 1e-4 * length) * size:
            length *= 0.5
            if length < 0.05:                              # no descent: the root, up to round-off, or none near
                return y if size <= 1e-11 * (1.0 + np.abs(y).max()) else None
            trial = system.value(y + length * step)
        y, value = y + length * step, trial
    return y if np.linalg.norm(value) <= 1e-11 * (1.0 + np.abs(y).max()) else None


@dataclass(frozen=True)
class SlideBounds:
    """What a cell with arcs allows: the largest slip acceleration and normal force of each sliding contact, and a box of unknowns."""
    alpha: np.ndarray           # m x 2
    f_N: np.ndarray             # m x 2

    @property
    def only_closure(self) -> bool:
        """Whether some contact can only have no slip or no force: then the cell's answers lie in other cells too."""
        return bool((self.alpha[:, 1] <= NONE).any() or (self.f_N[:, 1] <= NONE).any())


def bounds(stage: Stage, cell: Cell, polyhedron: Polyhedron) -> SlideBounds:
    """From the cell's polyhedron, perhaps cut further; it is not empty."""
    arcs = [i for i, choice in enumerate(cell) if isinstance(choice, Arc)]
    weights = np.zeros((2 * len(arcs), polyhedron.E.shape[1]))
    for k, i in enumerate(arcs):
        weights[k, list(polyhedron.moves[i, "slip"])] = 1.0
        weights[len(arcs) + k] = polyhedron.F[int(stage.units.first[i])]
    found = lp_ranges(weights, polyhedron.E, polyhedron.e)
    if found is None:
        return SlideBounds(np.zeros((len(arcs), 2)), np.zeros((len(arcs), 2)))
    slip, f_N = np.split(np.stack([np.maximum(found[0], 0.0), found[1]], axis=1), 2)
    # |a_t| lies between cos(width / 2) times the sum of its two parts along the ends of the arc, and that sum
    alpha = slip * np.array([[math.cos(0.5 * arc_at(cell, i).width), 1.0] for i in arcs]).reshape(-1, 2)
    return SlideBounds(alpha, f_N)


def only_motion(system: SlideSystem, cell: Cell, limits: SlideBounds, y: np.ndarray) -> bool:
    """Whether the root y has the one acceleration of the cell (derivation in docs/derivations/certificates).

    Another root differs by forces rho, across those that change nothing at y, and by the changes of phi and alpha. Its equations are linear
    in these, with coefficients that are known but for f_N, alpha and a direction in the cell: they must be independent for all of them.
    """
    n, m = system.columns.shape[1], len(system.arcs)
    if not (np.isfinite(limits.f_N).all() and np.isfinite(limits.alpha).all()):
        return False
    J = system.jacobian(y)
    forces = J[:, :n + m]
    _, values, right = np.linalg.svd(forces)
    rank = int((values > RANK * max(values.max(initial=0.0), 1e-300)).sum())
    free = right[rank:].T
    if free.size and np.abs(system.stage.B @ np.hstack([system.columns, system.slide_forces(y[n + m:n + 2 * m])[0]]) @ free).max() > 1e-9:
        return False                                       # forces that these equations do not see move something else
    turn = np.array([max(arc_at(cell, i).hi - phi, phi - arc_at(cell, i).lo) for i, phi in zip(system.arcs, y[n + m:n + 2 * m], strict=True)])
    if (turn < -1e-9).any():
        return False
    test = _Difference(system, y, limits, np.maximum(turn, 0.0), J, forces @ right[:rank].T)
    return _independent_for(test, _spans(test, free[n:], right[:rank]))


@dataclass(frozen=True)
class _Difference:
    """What the equations of the difference of two roots are made of."""
    system: SlideSystem
    y: np.ndarray
    limits: SlideBounds
    turn: np.ndarray            # m: the farthest that a direction of the cell is from y's
    J: np.ndarray
    forces: np.ndarray          # equations x rank


@dataclass(frozen=True)
class _Spans:
    """Normal forces of the cell: middle + free x, up to `slack`; x in the box."""
    free: np.ndarray            # m x k
    slack: np.ndarray           # m
    low: np.ndarray             # k
    high: np.ndarray


def _spans(test: _Difference, free: np.ndarray, seen: np.ndarray) -> _Spans:
    """How far the normal forces of another root can be: across the redundant ones as far as the cell goes, along the others as far as turned
    friction, f_N2 (d(phi2) - d(phi1)), and other slips push them."""
    n, m = test.system.columns.shape[1], len(test.system.arcs)
    left, values, _ = np.linalg.svd(free, full_matrices=False)
    basis = left[:, values > RANK]
    alpha, turn, normals, B = test.y[n + 2 * m:], np.minimum(test.turn, 2.0), test.system.normals, np.abs(test.system.stage.B)
    far = np.maximum(np.abs(test.limits.alpha[:, 0] - alpha), np.abs(test.limits.alpha[:, 1] - alpha))
    turned = np.zeros(len(B))
    for k, r in enumerate(normals):
        turned[r + 1:r + 3] += test.system.mu[k] * test.limits.f_N[k, 1] * turn[k]
    push, slip = B @ turned, test.limits.alpha[:, 1] * turn
    moved = np.concatenate([np.abs(test.system.equations) @ push, push[normals], push[normals + 1] + slip, push[normals + 2] + slip])
    moved += np.abs(test.J[:, n + 2 * m:]) @ far
    slack = np.abs(seen[:, n:].T) @ (np.abs(np.linalg.pinv(test.forces, rcond=RANK)) @ moved)
    ends = basis[:, :, None] * (test.limits.f_N - test.y[n:n + m, None])[:, None, :]       # m x k x 2
    around = np.abs(basis.T) @ slack
    return _Spans(basis, slack, ends.min(axis=2).sum(axis=0) - around, ends.max(axis=2).sum(axis=0) + around)


def _independent_for(test: _Difference, spans: _Spans) -> bool:
    """Bisection over the redundant part of the normal forces, until the equations are independent on every piece."""
    stack, pieces = [(spans.low, spans.high)], 0
    while stack:
        low, high = stack.pop()
        pieces += 1
        middle, reach = spans.free @ (0.5 * (low + high)), np.abs(spans.free) @ (0.5 * (high - low)) + spans.slack
        f_N = test.y[len(test.y) - 3 * len(middle):len(test.y) - 2 * len(middle)] + middle
        least, most = np.maximum(f_N - reach, test.limits.f_N[:, 0]), np.minimum(f_N + reach, test.limits.f_N[:, 1])
        if (least > most).any() or _independent(test, least, most):
            continue
        if pieces > PIECES or not len(low) or not _independent(test, np.maximum(f_N - spans.slack, 0.0), np.maximum(f_N + spans.slack, 0.0)):
            return False                                   # not even in the middle of the piece: smaller ones would not help
        widest = int((high - low).argmax())
        half = 0.5 * (low[widest] + high[widest])
        for side in (0, 1):
            ends = [low.copy(), high.copy()]
            ends[1 - side][widest] = half
            stack.append((ends[0], ends[1]))
    return True


def _independent(test: _Difference, least: np.ndarray, most: np.ndarray) -> bool:
    """Whether forces, directions and slips of the difference are independent for all normal forces between the two (|L| R < 1)."""
    system, y = test.system, test.y
    n, m = system.columns.shape[1], len(system.arcs)
    normals, alpha = system.normals, test.limits.alpha
    _, rate = system.slide_forces(y[n + m:n + 2 * m])
    middle, half = 0.5 * (least + most), 0.5 * (most - least)
    slip, slip_half = alpha.mean(axis=1), 0.5 * (alpha[:, 1] - alpha[:, 0])
    B = system.stage.B
    responses, spread = B @ (rate * middle), np.zeros((system.stage.free_rows, m))
    for k, r in enumerate(normals):
        spread[r + 1:r + 3, k] = system.mu[k] * (half[k] + most[k] * test.turn[k])
    spread = np.abs(B) @ spread
    rows = [system.equations @ responses, *(responses[normals + k] for k in range(3))]
    radii = [np.abs(system.equations) @ spread, *(spread[normals + k] for k in range(3))]
    turned = np.vstack(rows)
    radius = np.vstack(radii)
    phi = y[n + m:n + 2 * m]
    for k in range(m):
        turned[n + m + k, k] += slip[k] * np.sin(phi[k])
        turned[n + 2 * m + k, k] -= slip[k] * np.cos(phi[k])
        for row in (n + m + k, n + 2 * m + k):
            radius[row, k] += slip_half[k] + alpha[k, 1] * test.turn[k]
    centre = np.hstack([test.forces, turned, test.J[:, n + 2 * m:]])
    _, values, _ = np.linalg.svd(centre, full_matrices=False)
    if len(centre) < centre.shape[1] or values[-1] <= RANK * values[0]:
        return False
    inverse = np.linalg.pinv(centre)
    k = test.forces.shape[1]
    return bool(np.abs(np.linalg.eigvals(np.abs(inverse[k:k + m]) @ radius)).max(initial=0.0) < 0.99)
