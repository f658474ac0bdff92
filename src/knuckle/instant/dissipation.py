"""Friction takes energy and never gives any: planes that every answer respects, whatever its modes.

Of any answer sum f.a <= 0 over the contacts, and f a = -bound |a| at every dry row. With a = B f + c the sum over all units,
f.(B f + c) + sum bound |a| <= 0, is convex in f: where forces break it, its tangent plane there parts them from all answers.
"""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from knuckle.instant.relaxation import Arc, Cell, Polyhedron, arc_at, direction
from knuckle.instant.slides import SlideBounds
from knuckle.instant.stage import Stage
from knuckle.instant.units import DRY, SLIDING

TANGENTS = 8                # per cell; what is not parted from the answers by then is split
KEPT = 6                    # planes of earlier cells that are tried first
Losses = list[tuple[np.ndarray, float]]
WORTH = 1e-6                # relative violation below which a plane parts nothing
SLACK = 1e-10               # relative: planes are set back by it, so that round-off cuts off no answer


@dataclass
class Dissipation:
    """The planes of one search."""
    stage: Stage
    planes: list[tuple[np.ndarray, float]] = field(default_factory=list)        # (w, d): w.f <= d
    local: list[tuple[np.ndarray, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        units, count = self.stage.units, self.stage.count
        self.applies = not any(units.kind[i] == SLIDING and units.factor[i].any() for i in range(count))     # their f.a may be positive
        self.bound = np.zeros(self.stage.free_rows)
        for i in range(count):
            if units.kind[i] == DRY:
                self.bound[int(units.first[i])] = self.stage.bound(i)

    def slide_losses(self, cell: Cell, limits: SlideBounds) -> list[Losses]:
        """Of each sliding contact of the cell two planes below the loss mu f_N alpha (McCormick 1976): affine (w, d), loss >= w.f + d.

        alpha is at least the slip along the middle of the arc, (cos, sin).(B f + c).
        """
        found = []
        B, c, units = self.stage.B, self.stage.c, self.stage.units
        for (f_least, f_most), (_, alpha_most), i in zip(limits.f_N, limits.alpha, [i for i, x in enumerate(cell) if isinstance(x, Arc)], strict=True):
            r, along = int(units.first[i]), direction(arc_at(cell, i).middle)
            mu = float(units.mu[i])
            w, d = along @ B[r + 1:r + 3], float(along @ c[r + 1:r + 3])
            planes = [(mu * f_least * w, mu * f_least * d)]
            if math.isfinite(f_most * alpha_most):
                normal = np.zeros(len(c))
                normal[r] = alpha_most
                planes.append((mu * (f_most * w + normal), mu * (f_most * d - f_most * alpha_most)))
            found.append(planes)
        return found

    def point(self, polyhedron: Polyhedron, losses: Sequence[Losses] = ()) -> tuple[str, np.ndarray | None]:
        """Forces of the cell that respect the planes, or the proof that the cell holds no answer."""
        own = self.planes[-KEPT:]
        for _ in range(TANGENTS):
            cut = _cut(polyhedron, own)
            outcome, x = cut.optimum(np.zeros(cut.E.shape[1]))
            if x is None or not self.applies:
                return outcome, None if x is None else cut.forces(x)
            forces = cut.forces(x)
            plane = self._tangent(forces, losses)
            if plane is None:
                break
            if not losses:
                self.planes.append(plane)
            own = [*own, plane]
        return outcome, forces

    def closes(self, polyhedron: Polyhedron, losses: Sequence[Losses], limit: float) -> bool:
        """Whether some sliding contact of the cell is proved to have no slip: no answer of the cell is there alone."""
        for key, columns in polyhedron.moves.items():
            if key[1] != "slip":
                continue
            own = self.planes[-KEPT:] + self.local[-KEPT:]
            for _ in range(30):
                cut = _cut(polyhedron, own)
                cost = np.zeros(cut.E.shape[1])
                cost[list(columns)] = -1.0
                outcome, x = cut.optimum(cost)
                if outcome == "infeasible" or (outcome == "optimal" and x is not None and float(-cost @ x) <= limit):
                    return True
                if x is None:
                    break
                plane = self._tangent(cut.forces(x), losses)
                if plane is None:
                    break
                own = [*own, plane]
        return False

    def _tangent(self, forces: np.ndarray, losses: Sequence[Losses]) -> tuple[np.ndarray, float] | None:
        B, c = self.stage.B, self.stage.c
        a = B @ forces + c
        power = float(forces @ a + self.bound @ np.abs(a))
        slope = np.zeros(len(c))
        for planes in losses:
            loss, w = max(((float(w @ forces) + d, w) for w, d in planes), key=lambda plane: plane[0])
            power, slope = power + max(loss, 0.0), slope + (w if loss > 0.0 else 0.0)
        size = float(np.abs(forces) @ (np.abs(B) @ np.abs(forces) + np.abs(c)))
        if power <= WORTH * (1.0 + size):
            return None
        w = B @ forces + a + B @ (self.bound * np.sign(a)) + slope
        length = float(np.linalg.norm(w))
        return w / length, (float(w @ forces) - power + SLACK * (1.0 + size)) / length


def _cut(polyhedron: Polyhedron, planes: list[tuple[np.ndarray, float]]) -> Polyhedron:
    """The polyhedron on the near side of the planes, one more column (the distance) each."""
    if not planes:
        return polyhedron
    (rows, columns), k = polyhedron.E.shape, len(planes)
    w, d = np.array([plane[0] for plane in planes]), np.array([plane[1] for plane in planes])
    E = np.zeros((rows + k, columns + k))
    E[:rows, :columns], E[rows:, :columns], E[rows:, columns:] = polyhedron.E, w @ polyhedron.F, np.eye(k)
    F = np.hstack([polyhedron.F, np.zeros((len(polyhedron.F), k))])
    return replace(polyhedron, E=E, e=np.concatenate([polyhedron.e, d - w @ polyhedron.f0]), F=F)
