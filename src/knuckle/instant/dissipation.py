"""Friction takes energy and never gives any: planes that every answer respects, whatever its modes.

Of any answer sum f.a <= 0 over the contacts, and f a = -bound |a| at every dry row. With a = B f + c the sum over all units,
f.(B f + c) + sum bound |a| <= 0, is convex in f: where forces break it, its tangent plane there parts them from all answers.
"""
from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from knuckle.instant.relaxation import Polyhedron
from knuckle.instant.stage import Stage
from knuckle.instant.units import DRY, SLIDING

TANGENTS = 8                # per cell; what is not parted from the answers by then is split
KEPT = 6                    # planes of earlier cells that are tried first
WORTH = 1e-6                # relative violation below which a plane parts nothing
SLACK = 1e-10               # relative: planes are set back by it, so that round-off cuts off no answer


@dataclass
class Dissipation:
    """The planes of one search."""
    stage: Stage
    planes: list[tuple[np.ndarray, float]] = field(default_factory=list)        # (w, d): w.f <= d

    def __post_init__(self) -> None:
        units, count = self.stage.units, self.stage.count
        self.applies = not any(units.kind[i] == SLIDING and units.factor[i].any() for i in range(count))     # their f.a may be positive
        self.bound = np.zeros(self.stage.free_rows)
        for i in range(count):
            if units.kind[i] == DRY:
                self.bound[int(units.first[i])] = self.stage.bound(i)

    def point(self, polyhedron: Polyhedron) -> tuple[str, np.ndarray | None]:
        """Forces of the cell that respect the planes, or the proof that the cell holds no answer."""
        own = self.planes[-KEPT:]
        for _ in range(TANGENTS):
            near = _cut(polyhedron, own)
            outcome, x = near.optimum(np.zeros(near.E.shape[1]))
            if x is None or not self.applies:
                return outcome, None if x is None else near.forces(x)
            forces = near.forces(x)
            if not self.part(forces):
                break
            own = [*own, self.planes[-1]]
        return outcome, forces

    def near_side(self, polyhedron: Polyhedron) -> Polyhedron:
        """What the latest planes leave of it."""
        return _cut(polyhedron, self.planes[-KEPT:])

    def part(self, forces: np.ndarray) -> bool:
        """Keep a plane between these forces and all answers, where there is one."""
        plane = self._tangent(forces) if self.applies else None
        if plane is not None:
            self.planes.append(plane)
        return plane is not None

    def _tangent(self, forces: np.ndarray) -> tuple[np.ndarray, float] | None:
        B, c = self.stage.B, self.stage.c
        a = B @ forces + c
        power = float(forces @ a + self.bound @ np.abs(a))
        size = float(np.abs(forces) @ (np.abs(B) @ np.abs(forces) + np.abs(c)))
        if power <= WORTH * (1.0 + size):
            return None
        w = B @ forces + a + B @ (self.bound * np.sign(a))
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
