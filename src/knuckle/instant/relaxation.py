"""A cell of modes as a polyhedron: every answer whose modes lie in the cell is a point of it.

A cell gives each unit one choice: None (undecided), a mode number of units.py, or an Arc of sliding directions of a CONE unit.
Forces are non-negative sums of generators (columns), accelerations non-negative sums of slacks, so that a linear program decides.
Circles are circumscribed, so an infeasible cell is a proof; a feasible one is not.
"""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from knuckle.complementarity.lp import solve_lp
from knuckle.instant.stage import Stage
from knuckle.instant.units import CONE, DRY, PLANAR, PYRAMID, SLIDING, UNILATERAL

ROUND_OFF = 1e-13           # programs are proved on the data as given, where a row of round-off would count as a row
CLEAR = 1e-6                # relative: rows farther apart need no closer look
REDUNDANT = 1e-12           # relative singular value below which equations depend on one another
SIDES = tuple(0.25 * math.pi * k for k in range(8))     # where the circumscribed polygon touches the circle at first


@dataclass(frozen=True)
class Arc:
    """Sliding directions lo <= phi <= hi of the relative acceleration (cos phi, sin phi) in T, U; at most a right angle."""
    lo: float
    hi: float

    @property
    def middle(self) -> float:
        return 0.5 * (self.lo + self.hi)

    @property
    def width(self) -> float:
        return self.hi - self.lo


Choice = int | Arc | None
Cell = tuple[Choice, ...]


@dataclass(frozen=True)
class Polyhedron:
    """x >= 0, E x = e; forces F x + f0, accelerations B (F x + f0) + c. `moves`: columns that are accelerations."""
    E: np.ndarray
    e: np.ndarray
    F: np.ndarray
    f0: np.ndarray
    moves: dict[tuple[int, str], tuple[int, ...]]   # (unit, what) -> slack columns whose sum is that acceleration

    def optimum(self, cost: np.ndarray) -> tuple[str, np.ndarray | None]:
        result = solve_lp(cost, self.E, self.e)
        return result.outcome, result.x

    def forces(self, x: np.ndarray) -> np.ndarray:
        return self.F @ x + self.f0

    def interval(self, weights: np.ndarray) -> tuple[float, float]:
        """Least and largest weights.x >= 0 over the cell; what a program does not settle is unbounded."""
        low, high = self.optimum(weights), self.optimum(-weights)
        return (float(weights @ low[1]) if low[0] == "optimal" and low[1] is not None else 0.0,
                float(weights @ high[1]) if high[0] == "optimal" and high[1] is not None else math.inf)

    def varies(self, stage: Stage, tolerance: float) -> bool:
        """Whether some acceleration, tracked as a move or not, takes more than one value in the cell (or is not proved to take one)."""
        motions = stage.B @ self.F
        _, values, right = np.linalg.svd(self.E)
        null = right[int((values > 1e-10 * max(values.max(initial=0.0), 1e-300)).sum()):].T
        if np.abs(motions @ null).max(initial=0.0) <= 1e-10 * (1.0 + np.abs(motions).max(initial=0.0)):
            return False                                   # already the equations leave only one
        for weights in motions:
            low, high = self.optimum(weights), self.optimum(-weights)
            if not (low[0] == high[0] == "optimal" and low[1] is not None and high[1] is not None):
                return True
            least, most = float(weights @ low[1]), float(weights @ high[1])
            if most - least > tolerance * (1.0 + abs(least)):
                return True
        return False

    def move_interval(self, key: tuple[int, str]) -> tuple[float, float]:
        weights = np.zeros(self.E.shape[1])
        weights[list(self.moves[key])] = 1.0
        return self.interval(weights)


Cuts = Mapping[int, Sequence[float]]    # per CONE unit: angles at which its circle is cut by a tangent, ascending


def arc_at(cell: Cell, unit: int) -> Arc:
    """The arc of a unit that slides in this cell."""
    choice = cell[unit]
    if not isinstance(choice, Arc):
        raise TypeError(f"unit {unit} does not slide in an arc here: {choice}")
    return choice


def mode_number(choice: Choice) -> int:
    if not isinstance(choice, int):
        raise TypeError(f"not one mode: {choice}")
    return choice


def direction(phi: float) -> np.ndarray:
    d = np.array([math.cos(phi), math.sin(phi)])
    d[np.abs(d) <= 1e-15] = 0.0                            # the cosine of pi / 2 is 6e-17
    return d


class _Builder:
    def __init__(self, stage: Stage) -> None:
        self.stage, self.rows = stage, stage.free_rows
        self.f0 = np.zeros(self.rows)
        self.columns: list[np.ndarray] = []
        self.slacks: list[tuple[int, float | np.ndarray, tuple[int, ...]]] = []   # column, coefficients, rows
        self.ties: list[tuple[tuple[int, ...], tuple[float, ...], float]] = []       # sum of coefficient x = bound
        self.equations: list[int] = []
        self.moves: dict[tuple[int, str], tuple[int, ...]] = {}

    def generator(self, first: int, entries: tuple[float, ...]) -> int:
        column = np.zeros(self.rows)
        column[first:first + len(entries)] = entries
        self.columns.append(column)
        return len(self.columns) - 1

    def zero(self, row: int) -> None:
        self.equations.append(row)

    def moving(self, unit: int, what: str, rows: tuple[int, ...], directions: list[tuple[float, ...]]) -> None:
        """a[rows] = sum of non-negative amounts along the directions."""
        new = tuple(self.generator(0, ()) for _ in directions)
        for column, along in zip(new, directions, strict=True):
            self.slacks.append((column, np.array(along), rows))
        self.equations.extend(rows)
        self.moves[unit, what] = new

    def polyhedron(self) -> Polyhedron:
        F = np.array(self.columns).T.reshape(self.rows, len(self.columns))
        position = {row: k for k, row in enumerate(self.equations)}
        E = self.stage.B[self.equations] @ F
        inertia = np.sqrt(np.diag(self.stage.B))               # |B_ij| <= inertia_i inertia_j: far below it is round-off of zero
        E[np.abs(E) <= ROUND_OFF * np.outer(inertia[self.equations], inertia @ np.abs(F))] = 0.0
        e = -(self.stage.c + self.stage.B @ self.f0)[self.equations]
        e[np.abs(e) <= ROUND_OFF] = 0.0                        # the terms of c have the size 1
        for column, along, rows in self.slacks:
            for row, amount in zip(rows, np.atleast_1d(along), strict=True):
                E[position[row], column] -= amount
        for columns, coefficients, bound in self.ties:
            extra = np.zeros((1, F.shape[1]))
            extra[0, list(columns)] = coefficients
            E, e = np.vstack([E, extra]), np.append(e, bound)
        return Polyhedron(*_independent(E, e), F, self.f0, self.moves)


def _independent(E: np.ndarray, e: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Equations that redundant contacts imply twice, told apart by round-off alone, are merged; contradictions stay."""
    if _clearly_independent(E):
        return E, e
    left, values, _ = np.linalg.svd(E)
    rank = int((values > REDUNDANT * values[0]).sum())
    if rank == len(E) or np.abs(left[:, rank:].T @ e).max() > REDUNDANT * (1.0 + np.abs(e).max()):
        return E, e
    merged = left[:, :rank].T @ E
    merged[np.abs(merged) <= ROUND_OFF * np.abs(E).max()] = 0.0
    return merged, left[:, :rank].T @ e


def _clearly_independent(E: np.ndarray) -> bool:
    """Rows told apart by pivoted orthogonalisation, which is much quicker than singular values (and starts no threads)."""
    rest, size = E.copy(), 0.0
    for _ in range(len(E)):
        lengths = np.einsum("ij,ij->i", rest, rest)
        row = int(lengths.argmax())
        size = max(size, float(lengths[row]))
        if lengths[row] <= CLEAR * CLEAR * size:
            return False
        along = rest[row] / math.sqrt(lengths[row])
        rest -= np.outer(rest @ along, along)
    return True


def _normal(builder: _Builder, unit: int, row: int, opened: bool) -> None:
    """0 <= a_N, or a_N = 0 where the contact stays."""
    if opened:
        builder.moving(unit, "normal", (row,), [(1.0,)])
    else:
        builder.zero(row)


def _planar(builder: _Builder, unit: int, row: int, mu: float, choice: Choice) -> None:
    _normal(builder, unit, row, choice in (None, 0))
    if choice != 0:
        edges = {-mu, mu} if choice in (None, 1) else {-mu if choice == 2 else mu}
        for edge in sorted(edges):
            builder.generator(row, (1.0, edge))
    _axis(builder, unit, row + 1, -1 if choice in (None, 0) else mode_number(choice) - 1, "T")


def _axis(builder: _Builder, unit: int, row: int, axis_mode: int, what: str) -> None:
    """Tangential acceleration of one axis: free (-1), zero (0), forward (1), back (2)."""
    if axis_mode == 0:
        builder.zero(row)
    elif axis_mode > 0:
        builder.moving(unit, what, (row,), [(1.0 if axis_mode == 1 else -1.0,)])


def _pyramid(builder: _Builder, unit: int, row: int, mu: float, choice: Choice) -> None:
    _normal(builder, unit, row, choice in (None, 0))
    if choice == 0:
        return
    modes = (-1, -1) if choice is None else divmod(mode_number(choice) - 1, 3)
    edges = [sorted({-mu, mu}) if mode <= 0 else [-mu if mode == 1 else mu] for mode in modes]
    for t in edges[0]:
        for u in edges[1]:
            builder.generator(row, (1.0, t, u))
    _axis(builder, unit, row + 1, modes[0], "T")
    _axis(builder, unit, row + 2, modes[1], "U")


def circumscribed(angles: Sequence[float]) -> list[np.ndarray]:
    """Corners of the polygon whose sides touch the unit circle at these angles."""
    corners = []
    for here, following in zip(angles, [*angles[1:], angles[0] + 2.0 * math.pi], strict=True):
        corners.append(direction(0.5 * (here + following)) / math.cos(0.5 * (following - here)))
    return corners


def _cone(builder: _Builder, unit: int, row: int, mu: float, choice: Choice, angles: Sequence[float]) -> None:
    _normal(builder, unit, row, choice in (None, 0))
    if isinstance(choice, Arc):
        lo, hi, middle = direction(choice.lo), direction(choice.hi), direction(choice.middle)
        apex = middle / math.cos(0.5 * choice.width)
        for d in (lo, hi, apex):
            builder.generator(row, (1.0, -mu * d[0], -mu * d[1]))
        builder.moving(unit, "slip", (row + 1, row + 2), [tuple(lo), tuple(hi)])
    elif choice != 0:
        for corner in circumscribed(angles) if mu > 0.0 else [np.zeros(2)]:
            builder.generator(row, (1.0, mu * corner[0], mu * corner[1]))
        if choice == 1:
            builder.zero(row + 1)
            builder.zero(row + 2)


def _one_row(builder: _Builder, unit: int, row: int, force: tuple[float, ...], choice: Choice) -> None:
    if choice != 0:
        builder.generator(row, force)
    _normal(builder, unit, row, choice != 1)


def _dry(builder: _Builder, unit: int, row: int, bound: float, choice: Choice) -> None:
    """f = x - bound, 0 <= x <= 2 bound."""
    if choice in (1, 2):
        builder.f0[row] = -bound if choice == 1 else bound
    else:
        builder.f0[row] = -bound
        builder.ties.append(((builder.generator(row, (1.0,)), builder.generator(0, ())), (1.0, 1.0), 2.0 * bound))
    _axis(builder, unit, row, -1 if choice is None else mode_number(choice), "T")


def relax(stage: Stage, cell: Cell, cuts: Cuts | None = None) -> Polyhedron:
    builder, units = _Builder(stage), stage.units
    for i, choice in enumerate(cell):
        kind, row, mu = int(units.kind[i]), int(units.first[i]), float(units.mu[i])
        if kind == PLANAR:
            _planar(builder, i, row, mu, choice)
        elif kind == PYRAMID:
            _pyramid(builder, i, row, mu, choice)
        elif kind == CONE:
            _cone(builder, i, row, mu, choice, SIDES if cuts is None else cuts.get(i, SIDES))
        elif kind == DRY:
            _dry(builder, i, row, stage.bound(i), choice)
        elif kind == SLIDING:
            _one_row(builder, i, row, (1.0, *units.factor[i, :int(units.size[i]) - 1]), choice)
        elif kind == UNILATERAL:
            _one_row(builder, i, row, (1.0,), choice)
    return builder.polyhedron()
