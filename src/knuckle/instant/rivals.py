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
from knuckle.instant.slides import SlideBounds
from knuckle.instant.stage import Stage
from knuckle.instant.units import DRY, SLIDING

ALIKE = 1e-12               # scaled energy of a difference: motions nearer than this are one (1e-6 of the load's acceleration)
AT_REST, IN_MOTION = 1e-13, 1e-7        # scaled: an acceleration between the two is taken for neither

Linear = tuple[np.ndarray, float]       # weights.x + constant


def none_moves_otherwise(stage: Stage, known: tuple[np.ndarray, np.ndarray], cell: Cell, polyhedron: Polyhedron,
                         limits: SlideBounds | None) -> tuple[bool, np.ndarray | None]:
    """Whether every answer of the cell moves as the known one (forces, accelerations); if not, forces of the cell that may not. `polyhedron`:
    of the cell, perhaps cut further; `limits`: of its sliding arcs.

    Maximises the bound of the sum over the cell. Dry joints can only lower it: they are looked at where it is positive without them.
    """
    bound = _bound(stage, known, cell, polyhedron)
    if bound is None:
        return False, None
    slides = [] if limits is None else _slide_pieces(stage, cell, polyhedron, limits)
    proved, x = _never_positive(polyhedron, bound, slides)
    dry = [i for i in range(stage.count) if stage.units.kind[i] == DRY]
    if not proved and dry:
        proved, x = _never_positive(polyhedron, bound, slides + [_dry_pieces(stage, known, i, polyhedron) for i in dry])
    return proved, None if x is None else polyhedron.forces(x)


def _term(stage: Stage, known: tuple[np.ndarray, np.ndarray], rows: slice, polyhedron: Polyhedron) -> Linear:
    """f1.a1 - f1.a2 - f2.a1 of some rows."""
    f1, a1 = known[0][rows], known[1][rows]
    weights = -f1 @ (stage.B[rows] @ polyhedron.F) - a1 @ polyhedron.F[rows]
    return weights, float(f1 @ a1 - f1 @ (stage.B[rows] @ polyhedron.f0 + stage.c[rows]) - a1 @ polyhedron.f0[rows])


def _bound(stage: Stage, known: tuple[np.ndarray, np.ndarray], cell: Cell, polyhedron: Polyhedron) -> Linear | None:
    """What the sum is at most, dry joints left out and f2.a2 <= 0 where a contact was at rest.
    None where a contact that slides already keeps: its f2.a2 has no sign."""
    weights, constant = np.zeros(polyhedron.E.shape[1]), 0.0
    for i, choice in enumerate(cell):
        if stage.units.kind[i] == DRY:
            continue
        if stage.units.kind[i] == SLIDING and stage.frictional(i) and choice != 0:
            return None
        more, rest = _term(stage, known, slice(int(stage.units.first[i]), int(stage.units.first[i + 1])), polyhedron)
        weights, constant = weights + more, constant + rest
    return weights, constant


def _slide_pieces(stage: Stage, cell: Cell, polyhedron: Polyhedron, limits: SlideBounds) -> list[list[Linear]]:
    """f2.a2 = -mu f_N |a_t| of a sliding contact, with |a_t| >= cos(width / 2) s, s the sum of its parts along the ends of the arc, is the
    lesser of two linear functions at most: f_N s lies above its tangents at both ends of the ranges of f_N and s (McCormick 1976)."""
    pieces, k = [], -1
    for i, choice in enumerate(cell):
        if not isinstance(choice, Arc):
            continue
        k, strength, both = k + 1, float(stage.units.mu[i]) * math.cos(0.5 * choice.width), []
        for f, s in zip(limits.f_N[k], limits.alpha[k] / (math.cos(0.5 * choice.width), 1.0), strict=True):
            if not (math.isfinite(f) and math.isfinite(s)):
                continue
            weights = -strength * s * polyhedron.F[int(stage.units.first[i])]
            weights[list(polyhedron.moves[i, "slip"])] -= strength * f
            both.append((weights, strength * f * s))
        pieces.append(both)
    return pieces


def _dry_pieces(stage: Stage, known: tuple[np.ndarray, np.ndarray], unit: int, polyhedron: Polyhedron) -> list[Linear]:
    """(f1 - f2)(a1 - a2) of a dry joint is the lesser of two linear functions, because f2 a2 = -bound |a2|."""
    row = int(stage.units.first[unit])
    weights, constant = _term(stage, known, slice(row, row + 1), polyhedron)
    motion, rest = stage.B[row] @ polyhedron.F, float(stage.B[row] @ polyhedron.f0 + stage.c[row])
    return [(weights - side * stage.bound(unit) * motion, constant - side * stage.bound(unit) * rest) for side in (1.0, -1.0)]


def _never_positive(polyhedron: Polyhedron, bound: Linear, pieces: list[list[Linear]]) -> tuple[bool, np.ndarray | None]:
    """Whether bound.x + sum_j min(0, pieces_j.x) <= 0 on the polyhedron: one column per j, loss_j >= -piece, one more per slack.
    Where it is not, the point at which it is the largest."""
    (rows, columns), k, flat = polyhedron.E.shape, len(pieces), [(j, *piece) for j, some in enumerate(pieces) for piece in some]
    E, e = np.zeros((rows + len(flat), columns + k + len(flat))), np.concatenate([polyhedron.e, np.zeros(len(flat))])
    E[:rows, :columns] = polyhedron.E
    for row, (j, weights, constant) in enumerate(flat):
        E[rows + row, :columns], e[rows + row] = -weights, constant
        E[rows + row, columns + j], E[rows + row, columns + k + row] = -1.0, 1.0
    cost = np.concatenate([-bound[0], np.ones(k), np.zeros(len(flat))])
    result = solve_lp(cost, E, e)
    if result.outcome != "optimal" or result.value is None or result.x is None:
        return result.outcome == "infeasible", None
    return bound[1] - result.value <= ALIKE, result.x[:columns]


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
