"""Could a cell of modes hold an answer that moves otherwise than a known one? Two ways to say no that try no modes of joints.

Of a known answer 1 and any other answer 2, (v1' - v2').M (v1' - v2') = sum (f1 - f2).(a1 - a2), and each term of the sum is bounded by what
the laws allow in the cell (derivation in docs/derivations/certificates).
"""
from __future__ import annotations

import math

import numpy as np

from knuckle.complementarity import cone_kernels
from knuckle.complementarity.cone import cone_work
from knuckle.complementarity.lp import solve_lp
from knuckle.instant.relaxation import Arc, Cell, Polyhedron
from knuckle.instant.stage import Stage
from knuckle.instant.units import DRY, SLIDING

ALIKE = 1e-12               # scaled energy of a difference: motions nearer than this are one (1e-6 of the load's acceleration)
AT_REST, IN_MOTION = 1e-13, 1e-7        # scaled: an acceleration between the two is taken for neither

Linear = tuple[np.ndarray, float]       # weights.x + constant


def none_moves_otherwise(stage: Stage, known: tuple[np.ndarray, np.ndarray], cell: Cell, polyhedron: Polyhedron, least: np.ndarray) -> bool:
    """Whether every answer of the cell moves as the known one (forces, accelerations). `polyhedron`: of the cell, perhaps cut further;
    `least`: lower bounds of the normal forces of its sliding arcs.

    Maximises the bound of the sum over the cell. Dry joints can only lower it: they are looked at where it is positive without them.
    """
    bound = _bound(stage, known, cell, polyhedron, least)
    if bound is None:
        return False
    dry = [i for i in range(stage.count) if stage.units.kind[i] == DRY]
    if _never_positive(polyhedron, bound, []):
        return True
    return bool(dry) and _never_positive(polyhedron, bound, [_dry_pieces(stage, known, i, polyhedron) for i in dry])


def _term(stage: Stage, known: tuple[np.ndarray, np.ndarray], rows: slice, polyhedron: Polyhedron) -> Linear:
    """f1.a1 - f1.a2 - f2.a1 of some rows."""
    f1, a1 = known[0][rows], known[1][rows]
    weights = -f1 @ (stage.B[rows] @ polyhedron.F) - a1 @ polyhedron.F[rows]
    return weights, float(f1 @ a1 - f1 @ (stage.B[rows] @ polyhedron.f0 + stage.c[rows]) - a1 @ polyhedron.f0[rows])


def _bound(stage: Stage, known: tuple[np.ndarray, np.ndarray], cell: Cell, polyhedron: Polyhedron, least: np.ndarray) -> Linear | None:
    """What the sum is at most, dry joints left out: f2.a2 <= 0 where a contact was at rest, and -mu f_N |a_t| where it slides in an arc.
    None where a contact that slides already keeps: its f2.a2 has no sign."""
    weights, constant, slides = np.zeros(polyhedron.E.shape[1]), 0.0, 0
    for i, choice in enumerate(cell):
        if stage.units.kind[i] == DRY:
            continue
        if stage.units.kind[i] == SLIDING and stage.frictional(i) and choice != 0:
            return None
        more, rest = _term(stage, known, slice(int(stage.units.first[i]), int(stage.units.first[i + 1])), polyhedron)
        weights, constant = weights + more, constant + rest
        if isinstance(choice, Arc):                        # |p lo + q hi| >= (p + q) cos(width / 2)
            weights[list(polyhedron.moves[i, "slip"])] -= float(stage.units.mu[i]) * least[slides] * math.cos(0.5 * choice.width)
            slides += 1
    return weights, constant


def _dry_pieces(stage: Stage, known: tuple[np.ndarray, np.ndarray], unit: int, polyhedron: Polyhedron) -> list[Linear]:
    """(f1 - f2)(a1 - a2) of a dry joint is the lesser of two linear functions, because f2 a2 = -bound |a2|."""
    row = int(stage.units.first[unit])
    weights, constant = _term(stage, known, slice(row, row + 1), polyhedron)
    motion, rest = stage.B[row] @ polyhedron.F, float(stage.B[row] @ polyhedron.f0 + stage.c[row])
    return [(weights - side * stage.bound(unit) * motion, constant - side * stage.bound(unit) * rest) for side in (1.0, -1.0)]


def _never_positive(polyhedron: Polyhedron, bound: Linear, pieces: list[list[Linear]]) -> bool:
    """Whether bound.x + sum_j min(0, pieces_j.x) <= 0 on the polyhedron: one column per sum_j, loss_j >= -piece, one more per slack."""
    (rows, columns), k = polyhedron.E.shape, len(pieces)
    E, e = np.zeros((rows + 2 * k, columns + 3 * k)), np.concatenate([polyhedron.e, np.zeros(2 * k)])
    E[:rows, :columns] = polyhedron.E
    for row, (weights, constant) in enumerate([piece for pair in pieces for piece in pair]):
        E[rows + row, :columns], e[rows + row] = -weights, constant
        E[rows + row, columns + row // 2], E[rows + row, columns + k + row] = -1.0, 1.0
    cost = np.concatenate([-bound[0], np.ones(k), np.zeros(2 * k)])
    result = solve_lp(cost, E, e)
    return result.outcome == "infeasible" or (result.outcome == "optimal" and result.value is not None and bound[1] - result.value <= ALIKE)


def decided(stage: Stage, cell: Cell) -> Cell:
    """A monotone cell has one motion at most: the cell with dry joints and frictionless units decided by it, as far as it is clear.

    Rolling contacts hold, breaking ones are gone; what is left has a convex law, and its motion is found by Newton's method.
    """
    rows: list[int] = []
    kinds, mu, owner = [], [], []
    for i, choice in enumerate(cell):
        first, end = int(stage.units.first[i]), int(stage.units.first[i + 1])
        dry, friction = stage.units.kind[i] == DRY, stage.frictional(i)
        if choice == 0 and not dry:
            continue
        part = range(first, end if friction else first + 1)
        rows += part
        owner += [i] * len(part)
        kinds += [cone_kernels.DRY if dry else cone_kernels.BILATERAL if friction or choice == 1 else cone_kernels.UNILATERAL] * len(part)
        mu += [stage.bound(i) if dry else 0.0] * len(part)
    n, out = len(rows), list(cell)
    f, a = np.zeros(n), np.zeros(n)
    status = cone_kernels.cone_newton(np.ascontiguousarray(stage.B[np.ix_(rows, rows)]), stage.c[rows], np.array(kinds, np.int64), np.arange(n + 1),
                                      np.array(mu), np.zeros((n, 2)), f, a, np.zeros(n, np.int64), cone_work(n, n), 1e-12, 5, False)
    if status != cone_kernels.SOLVED:
        return cell
    for i, acceleration in zip(owner, a, strict=True):
        if cell[i] is None and abs(acceleration) <= AT_REST:
            out[i] = 0 if stage.units.kind[i] == DRY else 1
        elif cell[i] is None and abs(acceleration) >= IN_MOTION:
            out[i] = 0 if stage.units.kind[i] != DRY else 1 if acceleration > 0.0 else 2
    return tuple(out)
