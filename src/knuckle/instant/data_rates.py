"""How the data of a contact problem change along directions, and what that does at constant forces."""
from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from knuckle.complementarity.inputs import holds_numbers
from knuckle.errors import Fault, InputError
from knuckle.instant.problem import ContactProblem
from knuckle.instant.stage import Stage

RANK = 1e-10                # relative singular value below which bilateral rows depend on one another


@dataclass(frozen=True)
class DataRates:
    """Rates of the fields of a ContactProblem along directions (first axis); what is None stays. The bounds of joint rows stay."""
    M: np.ndarray | None = None         # directions x nv x nv
    h: np.ndarray | None = None         # directions x nv
    W: np.ndarray | None = None         # directions x rows x nv
    bias: np.ndarray | None = None      # directions x rows
    mu: np.ndarray | None = None        # directions x contacts
    slip: np.ndarray | None = None      # directions x contacts x (dim - 1); of sliding contacts


@dataclass(frozen=True)
class FullRates:
    """The same, with zeros for what stays."""
    M: np.ndarray
    h: np.ndarray
    W: np.ndarray
    bias: np.ndarray
    mu: np.ndarray
    slip: np.ndarray

    def __len__(self) -> int:
        return len(self.h)


def full(problem: ContactProblem, given: DataRates) -> FullRates:
    """Checked against the problem; InputError with every fault."""
    arrays = _arrays(given)
    counts = {len(array) for array in arrays.values() if array.ndim}
    if len(counts) != 1:
        raise InputError("must have as many directions each, along their first axis", key="data", got=sorted(counts),
                         todo="give one row for each direction")
    D = counts.pop()
    faults = []
    for name, array in arrays.items():
        shape = (D, *getattr(problem, name).shape)
        if array.shape != shape:
            faults.append(Fault("has the wrong shape", key=f"data.{name}", got=array.shape, todo=f"give {shape}"))
        elif not np.isfinite(array).all():
            faults.append(Fault("has a number that is not finite", key=f"data.{name}"))
    if faults:
        raise InputError(faults)
    return FullRates(**{field.name: arrays.get(field.name, np.zeros((D, *getattr(problem, field.name).shape))) for field in fields(DataRates)})


def _arrays(given: Any) -> dict[str, np.ndarray]:
    """What is given, by field; InputError with every field that is no array of numbers."""
    if not isinstance(given, DataRates):
        raise InputError("must be DataRates", key="data", got=given)
    arrays, faults = {}, []
    for name, value in ((field.name, getattr(given, field.name)) for field in fields(given)):
        try:
            if value is not None and not holds_numbers(value):
                faults.append(Fault("must be an array of real numbers", key=f"data.{name}", got=value))
            elif value is not None:
                arrays[name] = np.asarray(value, float)
        except ValueError:
            faults.append(Fault("must have rows of one length", key=f"data.{name}", got=value))
    if faults:
        raise InputError(faults)
    return arrays


def together(parts: list[FullRates]) -> FullRates:
    """All directions of the parts, one after the other."""
    return FullRates(**{field.name: np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(FullRates)})


def combined(rates: FullRates, weights: np.ndarray) -> FullRates:
    """Along combinations of directions: the columns of `weights`."""
    return replace(rates, **{field.name: np.tensordot(weights.T, getattr(rates, field.name), axes=1) for field in fields(FullRates)})


@dataclass(frozen=True)
class HeldForces:
    """The linear algebra of M v' = h + W^T f with bilateral rows that hold, at one instant."""
    stage: Stage
    vdot: np.ndarray            # nv
    forces: np.ndarray          # all rows of the problem, N or N m
    root: np.ndarray            # nv x nv, inverse Cholesky factor of M
    held: np.ndarray            # bilateral rows of the problem

    @classmethod
    def of(cls, stage: Stage, vdot: np.ndarray, forces: np.ndarray) -> HeldForces:
        root = np.linalg.inv(np.linalg.cholesky(stage.problem.M))
        return cls(stage, vdot, forces, root, stage.row_of[stage.free_rows:])

    def acceleration_rates(self, rates: FullRates) -> np.ndarray:
        """Of v' (directions x nv), while all forces but those of bilateral rows stay."""
        pushed = (rates.h + np.tensordot(rates.W, self.forces, axes=(1, 0)) - rates.M @ self.vdot) @ self.root.T
        if len(self.held):
            A = self.stage.problem.W[self.held] @ self.root.T
            wanted = -(rates.W[:, self.held] @ self.vdot + rates.bias[:, self.held])
            pushed = pushed + (wanted - pushed @ A.T) @ np.linalg.pinv(A, rcond=RANK).T
        return pushed @ self.root

    def held_force_rates(self, rates: FullRates, dvdot: np.ndarray, dforces: np.ndarray) -> np.ndarray:
        """Of the bilateral forces (directions x held rows), the least ones where rows imply one another: f = A^+ b, A = W_held^T."""
        problem, A = self.stage.problem, self.stage.problem.W[self.held].T
        inverse, f = np.linalg.pinv(A, rcond=RANK), self.forces[self.held]
        missing = dvdot @ problem.M + rates.M @ self.vdot - rates.h - np.tensordot(rates.W, self.forces, axes=(1, 0)) - dforces @ problem.W
        turned = rates.W[:, self.held] @ (inverse.T @ f)                     # dA^T A^+^T f
        return missing @ inverse.T + turned - turned @ (inverse @ A).T
