"""Definitions 1 to 4 of paper 004 for one state: what the hand can command, and what follows from a command."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from knuckle.instant.answer import PMatrix
from knuckle.instant.problem import ContactProblem

RANK = 1e-10


@dataclass(frozen=True)
class Definitions:
    """`rank_*` against `needed`: why a definition fails."""
    kinematically_manipulable: bool         # Definition 1: any object velocity has a joint velocity (no constraint: False)
    kinematically_determinate: bool         # Definition 2: joint velocities fix the object velocity
    dynamically_manipulable: bool           # Definition 3: any object acceleration has a torque
    dynamically_determinate: bool | None    # Definition 4: A is a P-matrix (None: not defined for this law, or not tested)
    constraints: int                        # 3 n_R + n_S (plane: 2 n_R + n_S)
    joints: int
    object_dofs: int
    rank_J: int
    rank_G: int
    rank_G_mu: int
    rank_J_mu: int

    def to_dict(self) -> dict[str, Any]:
        return dict(self.__dict__)


def definitions(problem: ContactProblem, object_dofs: np.ndarray, p_matrix: PMatrix | None) -> Definitions:
    """`object_dofs`: indices of v that belong to objects; the others are the hand's."""
    dim, nv = problem.dim, len(problem.h)
    objects = np.isin(np.arange(nv), object_dofs)
    rows, force_rows = [], []
    for i in range(problem.contacts):
        own = problem.W[dim * i:dim * (i + 1)]
        if problem.sliding[i]:
            slip = problem.slip[i] / np.linalg.norm(problem.slip[i])
            rows.append(own[:1])
            force_rows.append(own[:1] - problem.mu[i] * slip[None, :] @ own[1:])          # 004 (10), (11)
        else:
            rows.append(own)
            force_rows.append(own)
    W_A = np.concatenate(rows) if rows else np.zeros((0, nv))
    W_mu = np.concatenate(force_rows) if force_rows else np.zeros((0, nv))
    n, joints, dofs = len(W_A), int((~objects).sum()), int(objects.sum())
    ranks = {"rank_J": _rank(W_A[:, ~objects]), "rank_G": _rank(W_A[:, objects]),
             "rank_G_mu": _rank(W_mu[:, objects]), "rank_J_mu": _rank(W_mu[:, ~objects])}
    manipulable = 0 < n <= joints and ranks["rank_J"] == n         # a hand that touches nothing commands nothing: 004 (23)
    return Definitions(
        kinematically_manipulable=manipulable, kinematically_determinate=ranks["rank_G"] == dofs <= n,
        dynamically_manipulable=manipulable and ranks["rank_G_mu"] == dofs <= n and ranks["rank_J_mu"] == n,
        dynamically_determinate=None if p_matrix is None else p_matrix.holds, constraints=n, joints=joints, object_dofs=dofs, **ranks)


def _rank(rows: np.ndarray) -> int:
    if rows.size == 0:
        return 0
    sizes = np.linalg.norm(rows, axis=1, keepdims=True)
    values = np.linalg.svd(rows / np.where(sizes > 0.0, sizes, 1.0), compute_uv=False)
    return int((values > RANK * max(values[0], 1e-300)).sum())
