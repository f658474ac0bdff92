"""Principal pivoting: quick where A is a P matrix, and many problems in a row. What it does not settle is left to Lemke's method."""
import math

from knuckle.compiled.kernel import Cube, Matrix, Vector, inner, kernel
from knuckle.complementarity import lcp_kernels, residual_kernels
from knuckle.complementarity.lcp_kernels import SOLVED, UNSURE, LcpWork

FLAT = 1e-8         # a pivot this much smaller than its diagonal entry: not this method's kind of problem
EXACT = 1e-13       # of its terms: a smaller w is zero
PATIENCE = 3        # blocks that may bring no progress before single exchanges take over


@inner
def solve_principal(A: Matrix, b: Vector, n: int, work: LcpWork) -> bool:
    """z with w = 0 on the basis and z = 0 off it, without pivoting: P matrices need none. False where a pivot is flat."""
    T, support, m = work.T, work.support, 0
    for j in range(n):
        work.z[j] = 0.0
        if work.basis[j]:
            support[m] = j
            m += 1
    for i in range(m):
        for j in range(m):
            T[i, j] = A[support[i], support[j]]
        work.x[i] = -b[support[i]]
    for k in range(m):
        if not T[k, k] > FLAT * abs(A[support[k], support[k]]):
            return False
        inverse = 1.0 / T[k, k]
        for i in range(k + 1, m):
            factor = T[i, k] * inverse
            if factor != 0.0:
                for j in range(k + 1, m):
                    T[i, j] -= factor * T[k, j]
                work.x[i] -= factor * work.x[k]
        T[k, k] = inverse
    for k in range(m - 1, -1, -1):
        total = work.x[k]
        for j in range(k + 1, m):
            total -= T[k, j] * work.x[j]
        work.x[k] = total * T[k, k]
        work.z[support[k]] = work.x[k]
    return True


@inner
def exchange_wrong(A: Matrix, b: Vector, n: int, single: bool, work: LcpWork) -> int:
    """Let every index with z < 0 or w < 0 change sides, or only the last; how many there were, -1 where w is not zero on the basis."""
    wrong, last = 0, -1
    for i in range(n):
        w, terms = b[i], abs(b[i])
        for j in range(n):
            term = A[i, j] * work.z[j]
            w += term
            terms += abs(term)
        if work.basis[i] and abs(w) > EXACT * terms:
            return -1
        if work.z[i] < 0.0 or (not work.basis[i] and not w >= -EXACT * terms):
            wrong, last = wrong + 1, i
            if not single:
                work.basis[i] = not work.basis[i]
    if single and wrong > 0:
        work.basis[last] = not work.basis[last]
    return wrong


@inner
def pivot_blocks(A: Matrix, b: Vector, n: int, work: LcpWork) -> bool:
    """Judice and Pires: exchange all wrong indices at once while that makes them fewer, else the last one (Murty), which ends for P matrices."""
    fewest, patience = n + 1, PATIENCE
    for j in range(n):
        work.basis[j] = b[j] < 0.0
    for _ in range(4 * n + 8):
        if not solve_principal(A, b, n, work):
            return False
        wrong = exchange_wrong(A, b, n, patience == 0, work)
        if wrong <= 0:
            return wrong == 0
        if wrong < fewest:
            fewest, patience = wrong, PATIENCE
        else:
            patience = max(patience - 1, 0)
    return False


@inner
def holds(A: Matrix, b: Vector, n: int, tol: float, work: LcpWork) -> bool:
    """Whether work.z is an answer, by both residuals."""
    return residual_kernels.lcp_residual(A, b, work.z, n) <= tol and residual_kernels.lcp_error(A, b, work.z, n, work.rest) <= tol


@inner
def settle(A: Matrix, b: Vector, n: int, limit: int, tol: float, work: LcpWork) -> int:
    """An answer whose residuals are at most `tol` into work.z: principal pivoting, else Lemke's method. SOLVED, RAY, CAPPED or UNSURE."""
    if pivot_blocks(A, b, n, work) and holds(A, b, n, tol, work):
        return SOLVED
    status = lcp_kernels.solve(A, b, n, False, limit, work)
    return UNSURE if status == SOLVED and not holds(A, b, n, tol, work) else status


@kernel
def settle_all(A: Cube, b: Matrix, n: int, limit: int, tol: float, work: LcpWork, z: Matrix, residual: Vector) -> int:
    """Problem after problem; the residual is that of CONTRACT 7, infinite (and z NaN) where there is no answer. The status of the last."""
    status = SOLVED
    for k in range(len(b)):
        status = settle(A[k], b[k], n, limit, tol, work)
        residual[k] = residual_kernels.lcp_residual(A[k], b[k], work.z, n) if status == SOLVED else math.inf
        for j in range(n):
            z[k, j] = work.z[j] if status == SOLVED else math.nan
    return status
