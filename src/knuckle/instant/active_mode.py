"""The equations of an answer's modes, and the rates of its forces and accelerations inside them."""
from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from knuckle.instant.relaxation import Arc, Cell, Choice, mode_number
from knuckle.instant.stage import Stage
from knuckle.instant.units import CONE, DRY, PLANAR, SLIDING, UNILATERAL

ZERO = 1e-9
RANK = 1e-10                # relative singular value below which the equations leave forces open


def cell_of(stage: Stage, forces: np.ndarray, a: np.ndarray) -> Cell:
    """The modes of an answer, with the sliding direction of spatial contacts."""
    A = _size(a)
    cell: list[Choice] = []
    for i in range(stage.count):
        kind, r, end = int(stage.units.kind[i]), int(stage.units.first[i]), int(stage.units.first[i + 1])
        if kind == DRY:
            cell.append(0 if abs(a[r]) <= ZERO * A else 1 if a[r] > 0 else 2)
        elif a[r] > ZERO * A:
            cell.append(0)
        elif kind in (SLIDING, UNILATERAL):
            cell.append(1)
        elif kind == CONE:
            moving = math.hypot(a[r + 1], a[r + 2]) > ZERO * A
            phi = math.atan2(a[r + 2], a[r + 1])
            cell.append(Arc(phi, phi) if moving else 1)
        else:
            signs = [0 if abs(x) <= ZERO * A else 1 if x > 0 else 2 for x in a[r + 1:end]]
            cell.append(1 + signs[0] if kind == PLANAR else 1 + 3 * signs[0] + signs[1])
    return tuple(cell)


def _size(a: np.ndarray) -> float:
    return 1.0 + float(np.abs(a).max(initial=0.0))


@dataclass(frozen=True)
class ActiveMode:
    """R(f, a; mu, slip) = 0, one equation for each free row in scaled numbers, where a = B f + c. They are smooth inside the modes."""
    stage: Stage
    cell: Cell
    f: np.ndarray               # free rows, scaled
    a: np.ndarray
    by_force: np.ndarray        # free rows x free rows, dR/df
    by_acceleration: np.ndarray     # dR/da
    by_friction: np.ndarray     # free rows, dR/d(mu of the row's own unit)

    @cached_property
    def _jacobian(self) -> np.ndarray:
        """Of R by the forces."""
        return self.by_force + self.by_acceleration @ self.stage.B

    @cached_property
    def _sizes(self) -> np.ndarray:
        """Largest entry of each equation: the friction of a contact that hardly begins to slide turns quickly."""
        sizes = np.abs(self._jacobian).max(axis=1, initial=0.0)
        return np.where(sizes > 0.0, sizes, 1.0)[:, None]

    @cached_property
    def singular(self) -> bool:
        """Whether the equations leave forces open, or nearly so."""
        values = np.linalg.svd(self._jacobian / self._sizes, compute_uv=False)
        return bool(len(values) and values[-1] <= RANK * values[0])

    def rates(self, dc: np.ndarray, dR: np.ndarray | float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Rates of forces and accelerations where c (the accelerations at these forces) changes along the rows of dc, and R itself along dR."""
        if not len(self.f):
            return np.zeros_like(dc), np.zeros_like(dc)
        change = dc @ self.by_acceleration.T + dR
        df = -np.linalg.solve(self._jacobian / self._sizes, change.T / self._sizes).T
        return df, df @ self.stage.B.T + dc

    def friction_change(self, dmu: np.ndarray, dslip: np.ndarray) -> np.ndarray:
        """dR along directions in which coefficients (directions x contacts) and slips (directions x contacts x dim - 1) change."""
        problem, units = self.stage.problem, self.stage.units
        dR = np.zeros((len(dmu), len(self.f)))
        for i in range(problem.contacts):
            r, end = int(units.first[i]), int(units.first[i + 1])
            dR[:, r:end] = dmu[:, i, None] * self.by_friction[r:end]
            if problem.sliding[i] and self.cell[i] != 0:
                speed = float(np.linalg.norm(problem.slip[i]))
                along = problem.slip[i] / speed
                turn = (dslip[:, i] - np.outer(dslip[:, i] @ along, along)) / speed
                dR[:, r + 1:end] += problem.mu[i] * self.f[r] * turn
        return dR


def active_mode(stage: Stage, forces: np.ndarray, a: np.ndarray) -> ActiveMode:
    """The equations of the modes that scaled forces and accelerations are in."""
    cell, n = cell_of(stage, forces, a), stage.free_rows
    mode = ActiveMode(stage, cell, forces, a, np.zeros((n, n)), np.zeros((n, n)), np.zeros(n))
    for i, choice in enumerate(cell):
        _write(mode, i, choice)
    return mode


def _write(mode: ActiveMode, i: int, choice: Choice) -> None:
    """The rows of one unit."""
    units = mode.stage.units
    kind, r, end = int(units.kind[i]), int(units.first[i]), int(units.first[i + 1])
    tangents = range(r + 1, end)
    if (kind == DRY) == (choice != 0):                     # open, or a dry joint that gives way: the force is known
        mode.by_force[range(r, end), range(r, end)] = 1.0
        return
    mode.by_acceleration[r, r] = 1.0
    if kind in (UNILATERAL, DRY):
        return
    if kind == SLIDING:
        mode.by_force[tangents, tangents] = 1.0
        mode.by_force[r + 1:end, r] = -units.factor[i, :end - r - 1]
        mode.by_friction[r + 1:end] = mode.f[r] * known_slip(mode, i)
    elif isinstance(choice, Arc):
        _write_slide(mode, i)
    elif kind == CONE:
        mode.by_acceleration[tangents, tangents] = 1.0
    else:
        for row, sign in zip(tangents, signs(kind, choice), strict=True):
            if sign == 0:
                mode.by_acceleration[row, row] = 1.0
            else:
                mode.by_force[row, row], mode.by_force[row, r] = 1.0, sign * units.mu[i]
                mode.by_friction[row] = sign * mode.f[r]


def _write_slide(mode: ActiveMode, i: int) -> None:
    """f_t + mu f_N a_t / |a_t| = 0 of a contact that begins to slide: the direction turns with the acceleration."""
    r, mu = int(mode.stage.units.first[i]), float(mode.stage.units.mu[i])
    a_t, own = mode.a[r + 1:r + 3], slice(r + 1, r + 3)
    speed = float(np.linalg.norm(a_t))
    along = a_t / speed
    mode.by_force[own, own] = np.eye(2)
    mode.by_force[own, r] = mu * along
    mode.by_acceleration[own, own] = mu * mode.f[r] / speed * (np.eye(2) - np.outer(along, along))
    mode.by_friction[own] = mode.f[r] * along


def known_slip(mode: ActiveMode, i: int) -> np.ndarray:
    """The direction that a first bit of friction would oppose: of the slip, or, where a contact without friction has none, of its onset."""
    problem, r = mode.stage.problem, int(mode.stage.units.first[i])
    if problem.sliding[i]:
        return problem.slip[i] / np.linalg.norm(problem.slip[i])
    a_t = np.where(np.abs(mode.a[r + 1:r + problem.dim]) > ZERO * _size(mode.a), mode.a[r + 1:r + problem.dim], 0.0)
    if mode.stage.law == "pyramid":
        return np.sign(a_t)
    return a_t / max(float(np.linalg.norm(a_t)), 1e-300)


def signs(kind: int, choice: Choice) -> tuple[int, ...]:
    """Of the slip along each axis: 0 it sticks."""
    number = mode_number(choice) - 1
    return tuple((0, 1, -1)[mode] for mode in ((number,) if kind == PLANAR else divmod(number, 3)))
