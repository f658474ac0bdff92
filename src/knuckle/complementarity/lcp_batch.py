"""Many linear complementarity problems of one size: compiled in one loop, each judged like a single one."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from knuckle.complementarity import principal_kernels
from knuckle.complementarity.inputs import ready_arrays
from knuckle.complementarity.lcp import RESIDUAL, LcpResult, own_work, pivots, solve_lcp, spend
from knuckle.complementarity.result import Result
from knuckle.errors import InputError


@dataclass(frozen=True)
class LcpBatch(Result):
    """`outcome[k]` is that of `solve_lcp(A[k], b[k])`; rows of z and residual are NaN where it is not solved."""

    outcome: list[str]
    z: np.ndarray                                # (k, n)
    residual: np.ndarray                         # (k,) CONTRACT 7
    others: dict[int, LcpResult]                 # what was said of problems that are not solved: certificates, reasons


def solve_lcp_batch(A: ArrayLike, b: ArrayLike) -> LcpBatch:
    """`solve_lcp` for k problems of one size: A (k, n, n), or (n, n) for all of them, and b (k, n)."""
    matrices, vectors = _batch(A, b)
    count, n = vectors.shape
    z, residual = np.zeros((count, n)), np.zeros(count)
    if n:
        spend(count, n)
        principal_kernels.settle_all(matrices, vectors, n, pivots(n), RESIDUAL, own_work(n), z, residual)
    outcome, others = ["solved"] * count, {}
    for k in np.flatnonzero(np.isinf(residual)).tolist():
        found = solve_lcp(matrices[k], vectors[k])
        outcome[k] = found.outcome
        if found.z is None:
            others[k], residual[k] = found, np.nan
        else:
            z[k], residual[k] = found.z, found.residual
    return LcpBatch(outcome, z, residual, others)


def _batch(A: ArrayLike, b: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Arrays that kernels may read."""
    matrices, vectors = ready_arrays(A=(A, None), b=(b, 2))
    if matrices.ndim == 2:                         # copied: kernels want arrays of their own
        matrices = np.array(np.broadcast_to(matrices, (len(vectors), *matrices.shape)), order="C")
    if matrices.shape != (len(vectors), *(vectors.shape[-1],) * 2):
        raise InputError("A must be (k, n, n), or (n, n) for all problems, and b (k, n)", key="A", got=f"A {matrices.shape}, b {vectors.shape}")
    return matrices, vectors
