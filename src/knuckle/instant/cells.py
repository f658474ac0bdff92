"""Cells without sliding arcs, solved exactly: circles by cutting planes, ranges by linear programs."""
from __future__ import annotations

import math

import numpy as np

from knuckle.complementarity.lp import solve_lp
from knuckle.instant.relaxation import SIDES, Cell, relax
from knuckle.instant.stage import Stage
from knuckle.instant.units import CONE

ROUNDS = 60                 # cuts per program; each about squares the distance to the circle
ROUND = 1e-12               # relative: a force that leaves its circle by less is on it


def _cut(stage: Stage, cell: Cell, forces: np.ndarray, cuts: dict[int, list[float]]) -> bool:
    """Add a tangent where a sticking contact's force leaves its circle. False when none does."""
    added, size = False, 1.0 + float(np.abs(forces).max(initial=0.0))
    for i, choice in enumerate(cell):
        if stage.units.kind[i] != CONE or choice not in (None, 1):
            continue
        row = int(stage.units.first[i])
        f_T, f_U = forces[row + 1], forces[row + 2]
        if math.hypot(f_T, f_U) > stage.units.mu[i] * forces[row] + ROUND * size:
            angle = math.atan2(f_U, f_T) % (2.0 * math.pi)
            known = cuts.setdefault(i, list(SIDES))
            if min(abs(angle - old) for old in known) > 1e-9:
                cuts[i] = sorted([*known, angle])
                added = True
    return added


def extreme(stage: Stage, cell: Cell, cost: np.ndarray, cuts: dict[int, list[float]]) -> tuple[str, np.ndarray | None]:
    """Minimise cost.forces over the cell with exact circles: outcome and forces. `cuts` is kept for the next call."""
    outcome = "undecided"
    for _ in range(ROUNDS):
        polyhedron = relax(stage, cell, cuts)
        outcome, x = polyhedron.optimum(cost @ polyhedron.F)
        if x is None:
            return outcome, None
        forces = polyhedron.forces(x)
        if not _cut(stage, cell, forces, cuts):
            return outcome, forces
    return "undecided", None


def far_point(stage: Stage, cell: Cell, cost: np.ndarray) -> np.ndarray | None:
    """Forces some way along the ray on which cost.forces falls without end; None where circles may end it."""
    if any(stage.units.kind[i] == CONE and choice in (None, 1) for i, choice in enumerate(cell)):
        return None
    polyhedron = relax(stage, cell)
    result = solve_lp(cost @ polyhedron.F, polyhedron.E, polyhedron.e)
    if result.outcome != "unbounded" or result.x is None or result.ray is None:
        return None
    start, ray = polyhedron.forces(result.x), polyhedron.F @ result.ray
    return np.asarray(start + ray * (1.0 + np.abs(start).max(initial=0.0)) / np.abs(ray).max())


def inner_point(stage: Stage, cell: Cell) -> tuple[str, np.ndarray | None]:
    """Forces somewhere in the cell (exact circles), or the proof that there are none."""
    return extreme(stage, cell, np.zeros(stage.free_rows), {})
