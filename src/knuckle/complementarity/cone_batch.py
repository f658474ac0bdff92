"""Many friction problems with as many contacts each: compiled in one loop, each judged like a single one."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from knuckle.complementarity import friction_kernels
from knuckle.complementarity.cone import ConeResult, faults_of, prepared, solve_cone, spend
from knuckle.complementarity.friction_kernels import LONG, NEWTON, RESERVE
from knuckle.complementarity.inputs import ready_arrays
from knuckle.complementarity.result import Result
from knuckle.errors import InputError


@dataclass(frozen=True)
class ConeBatch(Result):
    """`outcome[i]` is that of `solve_cone(W[i], q[i], mu[i])`, and r[i] the best force found, also where it is not solved."""

    outcome: list[str]
    r: np.ndarray                                # (b, 3k) rows N, T1, T2
    u: np.ndarray                                # (b, 3k) W r + q
    residual: np.ndarray                         # (b,) CONTRACT 5
    others: dict[int, ConeResult]                # what `solve_cone` said of problems that took more than Newton's method and four paths


def solve_cone_batch(W: ArrayLike, q: ArrayLike, mu: ArrayLike, tol: float = 1e-10, budget_s: float = 60.0) -> ConeBatch:
    """`solve_cone` for b problems of k contacts: W (b, 3k, 3k), q (b, 3k), mu (b, k), or (k,) for all of them. `budget_s` is for each."""
    W, q, mu = ready_arrays(W=(W, 3), q=(q, 2), mu=(mu, None))
    if mu.ndim == 1 and q.ndim == 2:
        mu = np.ascontiguousarray(np.broadcast_to(mu, (len(q), mu.size)))
    if not (W.ndim == 3 and q.ndim == mu.ndim == 2 and len(W) == len(q) == len(mu)):
        raise InputError("W, q and mu must hold as many problems", key="W", got=f"W {W.shape}, q {q.shape}, mu {mu.shape}")
    count, k = mu.shape
    if faults := [fault for i in range(min(count, 1)) for fault in faults_of(W[i], q[i], mu.min(axis=0), tol, budget_s)]:
        raise InputError(faults)
    r, u, modes, residual = np.zeros((count, 3 * k)), np.zeros((count, 3 * k)), np.zeros((count, k), np.int64), np.zeros(count)
    spend(count, k)
    room = prepared(k, budget_s)
    friction_kernels.settle_cones(W, q, room.kinds, room.first, mu, room.factor, r, u, modes, residual, NEWTON, LONG,
                                  room.work, tol)
    others = {}
    for i in np.flatnonzero(~(residual <= RESERVE * tol)).tolist():
        others[i] = found = solve_cone(W[i], q[i], mu[i], tol, budget_s)
        r[i], u[i], residual[i] = found.r, found.u, found.residual
    return ConeBatch([others[i].outcome if i in others else "solved" for i in range(count)], r, u, residual, others)
