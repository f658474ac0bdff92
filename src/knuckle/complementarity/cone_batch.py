"""Many friction problems with as many contacts each: compiled in one loop, each judged like a single one."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from knuckle.complementarity import friction_kernels
from knuckle.complementarity.cone import LETTERS, ConeResult, faults_of, prepared, solve_cone, spend
from knuckle.complementarity.cone_kernels import BREAK
from knuckle.complementarity.friction_kernels import LONG, NEWTON, RESERVE
from knuckle.complementarity.inputs import ready_arrays, refuse_other_than_numbers
from knuckle.complementarity.result import Result
from knuckle.errors import InputError


@dataclass(frozen=True)
class ConeBatch(Result):
    """`outcome[k]` is that of `solve_cone(W[k], q[k], mu[k])`, and r[k] the best force found, also where it is not solved."""

    outcome: list[str]
    r: np.ndarray                                # (count, 3 contacts) rows N, T1, T2
    u: np.ndarray                                # (count, 3 contacts) W r + q
    residual: np.ndarray                         # (count,) CONTRACT 5
    modes: np.ndarray                            # (count, contacts) letters, as of `solve_cone`
    others: dict[int, ConeResult]                # what was said of problems that are not solved: certificates, best forces


def solve_cone_batch(W: ArrayLike, q: ArrayLike, mu: ArrayLike, tol: float = 1e-10, budget_s: float = 60.0) -> ConeBatch:
    """`solve_cone` for many problems of as many contacts: W (count, 3 contacts, 3 contacts), q (count, 3 contacts), mu (count, contacts), or
    (contacts,) for all. `budget_s` is for each. Faults of the arrays are an `InputError`: they are no fault of one problem."""
    refuse_other_than_numbers(tol=tol, budget_s=budget_s)
    W, q, mu = ready_arrays(W=(W, 3), q=(q, 2), mu=(mu, None))
    if mu.ndim == 1 and q.ndim == 2:
        mu = np.array(np.broadcast_to(mu, (len(q), mu.size)), order="C")
    if not (mu.ndim == 2 and len(W) == len(q) == len(mu)):
        raise InputError("W, q and mu must hold as many problems", key="W", got=f"W {W.shape}, q {q.shape}, mu {mu.shape}")
    count, k = mu.shape
    like_W, like_q = (np.broadcast_to(0.0, part.shape[1:]) for part in (W, q))          # the entries are finite: shapes, signs and settings are left
    if faults := faults_of(like_W, like_q, np.minimum(mu.min(axis=0, initial=1.0), 1.0), float(tol), float(budget_s)):
        raise InputError(faults)
    r, u, modes, residual = np.zeros((count, 3 * k)), np.zeros((count, 3 * k)), np.zeros((count, k), np.int64), np.zeros(count)
    spend(count, k)
    room = prepared(k, budget_s)
    friction_kernels.settle_cones(W, q, room.kinds, room.first, mu, room.factor, r, u, modes, residual, NEWTON, LONG, room.work, tol)
    letters = np.array(list(LETTERS))[modes]
    letters[(mu == 0.0) & (modes != BREAK)] = "F"
    outcome, others = ["solved"] * count, {}
    for i in np.flatnonzero(~(residual <= RESERVE * tol)).tolist():
        found = solve_cone(W[i], q[i], mu[i], tol, budget_s)
        outcome[i], r[i], u[i], residual[i], letters[i] = found.outcome, found.r, found.u, found.residual, found.modes
        if found.outcome != "solved":
            others[i] = found
    return ConeBatch(outcome, r, u, residual, letters, others)
