"""A contact problem laid out for the kernels: which rows are unknown, which forces are known, and the way back."""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from knuckle.complementarity.cone import cone_work
from knuckle.instant import kernels
from knuckle.instant.problem import AT_REST, ContactProblem
from knuckle.instant.set_kernels import MOST_ROWS
from knuckle.instant.units import CONE, DRY, PLANAR, PYRAMID, SLIDING, UNILATERAL

MINOR_SPACE = max((MOST_ROWS - k) ** 2 << k for k in range(MOST_ROWS))
ANSWERS = 64                # more distinct answers than this are not kept; the verdict then says so


def new_problem(units: int, rows: int, nv: int) -> kernels.Problem:
    return kernels.Problem(
        M=np.zeros((nv, nv)), h=np.zeros(nv), W=np.zeros((rows, nv)), bias=np.zeros(rows), kind=np.zeros(units, np.int64),
        first=np.zeros(units + 1, np.int64), size=np.zeros(units, np.int64), mu=np.zeros(units), factor=np.zeros((units, 2)))


def new_work(units: int, rows: int, nv: int) -> kernels.Work:
    n = max(rows, 1)
    return kernels.Work(
        factor_M=np.zeros((nv, nv)), Z=np.zeros((n + 1, nv)), scale=np.ones(n), load=np.ones(n), B=np.zeros((n, n)), c=np.zeros(n),
        modes=np.zeros(max(units, 1), np.int64), row=np.zeros(n, np.int64), mix=np.zeros((n, 2)), K=np.zeros((n, n)),
        pivots=np.zeros(n, np.int64), x=np.zeros(n), constant=np.zeros(n), known=np.zeros(n), f=np.zeros(n), a=np.zeros(n),
        response=np.zeros((4, n)), B3=np.zeros((3, 3)), b3=np.zeros(3), roots=np.zeros((4, 4)),
        answers=np.zeros((ANSWERS, n)), accelerations=np.zeros((ANSWERS, n)), answer_modes=np.zeros((ANSWERS, max(units, 1)), np.int64),
        counts=np.zeros(8, np.int64), forces=np.zeros((ANSWERS, n)),
        motions=np.zeros((ANSWERS, n)), vdot=np.zeros((ANSWERS, nv)), residual=np.zeros(ANSWERS), size=np.zeros(ANSWERS),
        signs=np.ones(n), signed=np.zeros(n, np.int64),
        level=np.zeros(MINOR_SPACE), following=np.zeros(MINOR_SPACE), minors=np.zeros(1 << MOST_ROWS), p=np.zeros(6),
        A=np.zeros((n, n)), bound=np.zeros(max(units, 1)), cone=cone_work(n, max(units, 1)))


@dataclass(frozen=True)
class Stage:
    """The problem in contact space. Unknown rows come first, bilateral rows last; known (moving dry friction) rows are in h."""
    problem: ContactProblem
    law: str
    units: kernels.Problem
    work: kernels.Work
    row_of: np.ndarray          # kernel row -> problem row
    free_rows: int              # kernel rows that are not bilateral
    status: int                 # of kernels.solve_contacts

    @property
    def contradiction(self) -> int | None:
        """Problem row of a bilateral row that contradicts the others."""
        kernel_row = self.status - kernels.CONTRADICTION - 1
        return int(self.row_of[kernel_row]) if kernel_row >= 0 else None

    @property
    def moving_rows(self) -> bool:
        """Whether dry friction of moving joints is part of the problem's rows, though not of the unknowns."""
        return len(self.row_of) < len(self.problem.bias)

    @property
    def count(self) -> int:
        return len(self.units.kind)

    @cached_property
    def B(self) -> np.ndarray:
        return self.work.B[:self.free_rows, :self.free_rows].copy()

    @cached_property
    def c(self) -> np.ndarray:
        return self.work.c[:self.free_rows].copy()

    @cached_property
    def force_unit(self) -> np.ndarray:
        """Newton (or newton metre) per unit of the scaled forces, row by row."""
        return self.work.scale[:self.free_rows] * self.work.load[:self.free_rows]

    def frictional(self, unit: int) -> bool:
        """Whether the unit's friction depends on its normal force, so that answers need not be unique."""
        kind = self.units.kind[unit]
        return bool(kind in (CONE, PLANAR, PYRAMID) or (kind == SLIDING and self.units.factor[unit].any()))

    def bound(self, unit: int) -> float:
        """Scaled bound of a DRY unit."""
        return float(self.units.mu[unit] / self.force_unit[self.units.first[unit]])

    def vdot(self, scaled: np.ndarray) -> np.ndarray:
        """Generalised acceleration that follows from scaled forces on the free rows."""
        forces = scaled * self.force_unit
        return self.work.Z[len(self.row_of)] + forces @ self.work.Z[:self.free_rows]

    def forces(self, scaled: np.ndarray, vdot: np.ndarray) -> np.ndarray:
        """Every row of the problem in newton and newton metre; bilateral forces from the equation of motion."""
        problem = self.problem
        forces = np.zeros(len(problem.bias))
        forces[self.row_of[:self.free_rows]] = scaled * self.force_unit
        offset = problem.contact_rows
        for j, kind in enumerate(problem.joint_kind):
            if kind == "dry_friction" and abs(problem.rate[j]) > AT_REST:
                forces[offset + j] = -problem.bound[j] * np.sign(problem.rate[j])
        held = self.row_of[self.free_rows:]
        if len(held):
            missing = problem.M @ vdot - problem.h - problem.W.T @ forces
            forces[held] = np.linalg.lstsq(problem.W[held].T, missing, rcond=None)[0]
        return forces


def lay_out(problem: ContactProblem, law: str) -> Stage:
    """Order rows and units, compute the contact space, pivot bilateral rows out, scale."""
    k, dim, nv = problem.contacts, problem.dim, len(problem.h)
    joints = range(len(problem.joint_kind))
    moving = [j for j in joints if problem.joint_kind[j] == "dry_friction" and abs(problem.rate[j]) > AT_REST]
    unknown = [j for j in joints if problem.joint_kind[j] != "bilateral" and j not in moving]
    held = [j for j in joints if problem.joint_kind[j] == "bilateral"]
    row_of = np.array([*range(dim * k), *(dim * k + j for j in unknown), *(dim * k + j for j in held)], int)
    rows, free_rows, count = len(row_of), dim * k + len(unknown), k + len(unknown)
    units, work = new_problem(count, rows, nv), new_work(count, rows, nv)
    units.M[:], units.h[:], units.W[:], units.bias[:] = problem.M, problem.h, problem.W[row_of], problem.bias[row_of]
    for j in moving:
        units.h[:] -= problem.W[dim * k + j] * problem.bound[j] * np.sign(problem.rate[j])
    for i in range(k):
        frictionless = problem.sliding[i] or problem.mu[i] == 0.0       # a known friction force, be it zero
        units.kind[i] = SLIDING if frictionless else PLANAR if dim == 2 else CONE if law == "cone" else PYRAMID
        units.first[i], units.size[i], units.mu[i] = dim * i, dim, problem.mu[i]
        if problem.sliding[i]:
            units.factor[i, :dim - 1] = -problem.mu[i] * problem.slip[i] / np.linalg.norm(problem.slip[i])
    for i, j in enumerate(unknown):
        limit = problem.joint_kind[j] == "limit"
        units.kind[k + i], units.first[k + i], units.size[k + i] = UNILATERAL if limit else DRY, dim * k + i, 1
        units.mu[k + i] = 0.0 if limit else problem.bound[j]
    units.first[count] = free_rows
    status = kernels.solve_contacts(units, work, count, free_rows, rows, nv)
    return Stage(problem, law, units, work, row_of, free_rows, status)
