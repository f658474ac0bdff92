"""Answers in which spatial contacts begin to slide in directions that are unknown: Newton's method, and proofs of uniqueness.

For given modes the unknowns are the forces that the modes leave free and, per sliding contact, (f_N, phi, alpha):
f = f_N (1, -mu cos phi, -mu sin phi), a_N = 0, a_t = alpha (cos phi, sin phi).
"""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from knuckle.instant import mode_kernels
from knuckle.instant.relaxation import Arc, Cell, arc_at, direction, relax
from knuckle.instant.stage import Stage

RANK = 1e-10                # relative singular value below which free forces are redundant
STEPS = 30


@dataclass(frozen=True)
class SlideSystem:
    """F(w, f_N, phi, alpha) = 0 of one choice of modes; redundant free forces and their equations are projected out."""
    stage: Stage
    arcs: tuple[int, ...]       # CONE units that slide
    known: np.ndarray           # forces that the modes fix
    columns: np.ndarray         # rows x n: forces per free unknown
    equations: np.ndarray       # n x rows: accelerations that must vanish

    @property
    def normals(self) -> np.ndarray:
        return np.array([int(self.stage.units.first[i]) for i in self.arcs], int)

    def slide_forces(self, phi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Force columns of the sliding contacts per unit f_N, and their derivatives by phi."""
        rows, m = self.stage.free_rows, len(self.arcs)
        force, rate = np.zeros((rows, m)), np.zeros((rows, m))
        for k, (i, r) in enumerate(zip(self.arcs, self.normals, strict=True)):
            mu, (c, s) = self.stage.units.mu[i], direction(phi[k])
            force[r:r + 3, k] = 1.0, -mu * c, -mu * s
            rate[r:r + 3, k] = 0.0, mu * s, -mu * c
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

    def spread(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Entrywise bound of |J(y) - J(middle)| over the box low <= y <= high."""
        n, m, B = self.columns.shape[1], len(self.arcs), np.abs(self.stage.B)
        half = 0.5 * (high - low)
        turn = half[n + m:n + 2 * m]
        size_f = np.maximum(np.abs(low), np.abs(high))[n:n + m]
        size_a = np.maximum(np.abs(low), np.abs(high))[n + 2 * m:]
        inputs = np.zeros((self.stage.free_rows, n + 3 * m))
        for k, (i, r) in enumerate(zip(self.arcs, self.normals, strict=True)):
            mu = self.stage.units.mu[i]
            inputs[r + 1:r + 3, n + k] = mu * turn[k]
            inputs[r + 1:r + 3, n + m + k] = mu * (half[n + k] + size_f[k] * turn[k])
        responses = B @ inputs
        R = np.vstack([np.abs(self.equations) @ responses, responses[self.normals], responses[self.normals + 1], responses[self.normals + 2]])
        for k in range(m):
            for row in (n + m + k, n + 2 * m + k):
                R[row, n + m + k] += half[n + 2 * m + k] + size_a[k] * turn[k]
                R[row, n + 2 * m + k] += turn[k]
        return R


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
    known = stage.work.known[:stage.free_rows].copy()
    if n:
        left, values, right = np.linalg.svd(equations @ stage.B @ columns)
        rank = int((values > RANK * max(values[0], 1e-300)).sum())
        if rank < n:
            if np.abs(stage.B @ columns @ right[rank:].T).max() > 1e-9:
                return None
            columns, equations = columns @ right[:rank].T, left[:, :rank].T @ equations
    return SlideSystem(stage, arcs, known, columns, equations)


def newton(system: SlideSystem, y: np.ndarray) -> np.ndarray | None:
    """Damped Newton from y; the root, or None."""
    value = system.value(y)
    for _ in range(STEPS):
        try:
            step = np.linalg.solve(system.jacobian(y), -value)
        except np.linalg.LinAlgError:
            return None
        length = 1.0
        while length > 1e-4:
            trial = system.value(y + length * step)
            if np.linalg.norm(trial) < (1.0 - 1e-4 * length) * np.linalg.norm(value):
                break
            length *= 0.5
        if np.linalg.norm(value) <= 1e-13 * (1.0 + np.abs(y).max()):
            return y
        y, value = y + length * step, system.value(y + length * step)
    return y if np.linalg.norm(value) <= 1e-11 * (1.0 + np.abs(y).max()) else None


@dataclass(frozen=True)
class SlideBounds:
    """What a cell with arcs allows: the largest slip acceleration and normal force of each sliding contact, and a box of unknowns."""
    alpha: np.ndarray           # m x 2
    f_N: np.ndarray             # m x 2
    feasible: bool


def bounds(stage: Stage, cell: Cell) -> SlideBounds:
    polyhedron = relax(stage, cell)
    outcome, _ = polyhedron.optimum(np.zeros(polyhedron.E.shape[1]))
    arcs = [i for i, choice in enumerate(cell) if isinstance(choice, Arc)]
    if outcome == "infeasible":
        return SlideBounds(np.zeros((len(arcs), 2)), np.zeros((len(arcs), 2)), False)
    alpha, f_N = np.zeros((len(arcs), 2)), np.zeros((len(arcs), 2))
    for k, i in enumerate(arcs):
        # |a_t| lies between sum cos(width / 2) and the sum of its two parts along the ends of the arc
        slip = np.zeros(polyhedron.E.shape[1])
        slip[list(polyhedron.moves[i, "slip"])] = 1.0
        low, high = polyhedron.interval(slip)
        alpha[k] = low * np.cos(0.5 * arc_at(cell, i).width), high
        f_N[k] = polyhedron.interval(polyhedron.F[int(stage.units.first[i])])
    return SlideBounds(alpha, f_N, True)


def at_most_one(system: SlideSystem, cell: Cell, limits: SlideBounds) -> bool:
    """Whether every Jacobian over the cell is regular, so that the cell holds at most one root (mean value theorem)."""
    n = system.columns.shape[1]
    phi = np.array([[arc_at(cell, i).lo, arc_at(cell, i).hi] for i in system.arcs])
    if not (np.isfinite(limits.f_N).all() and np.isfinite(limits.alpha).all()):
        return False
    low = np.concatenate([np.zeros(n), limits.f_N[:, 0], phi[:, 0], limits.alpha[:, 0]])
    high = np.concatenate([np.zeros(n), limits.f_N[:, 1], phi[:, 1], limits.alpha[:, 1]])
    try:
        inverse = np.linalg.inv(system.jacobian(0.5 * (low + high)))
    except np.linalg.LinAlgError:
        return False
    return bool(np.abs(np.linalg.eigvals(np.abs(inverse) @ system.spread(low, high))).max(initial=0.0) < 0.99)
