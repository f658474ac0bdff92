"""Principal pivoting: quick where A is a P matrix, and many problems in a row. What it does not settle is left to Lemke's method."""
import math

from knuckle.compiled.kernel import Cube, Flags, Integers, Matrix, Vector, inner, kernel
from knuckle.complementarity import lcp_kernels, residual_kernels
from knuckle.complementarity.lcp_kernels import SOLVED, UNSURE, LcpWork

FLAT = 1e-8         # a pivot this much smaller than its diagonal entry: not this method's kind of problem
EXACT = 1e-13       # of its terms: a smaller w is zero
PATIENCE = 3        # blocks that may bring no progress before single exchanges take over


@inner
def solve_principal(A: Matrix, b: Vector, m: int, T: Matrix, x: Vector, support: Integers) -> bool:
    """x with w = 0 on the support, without pivoting: P matrices need none. False where a pivot is flat."""
    for i in range(m):
        for j in range(m):
            T[i, j] = A[support[i], support[j]]
        x[i] = -b[support[i]]
    for k in range(m):
        if not T[k, k] > FLAT * abs(A[support[k], support[k]]):
            return False
        inverse = 1.0 / T[k, k]
        T[k, k] = inverse
        for i in range(k + 1, m):
            factor = T[i, k] * inverse
            for j in range(k + 1, m):
                T[i, j] -= factor * T[k, j]
            x[i] -= factor * x[k]
    for k in range(m - 1, -1, -1):
        total = x[k]
        for j in range(k + 1, m):
            total -= T[k, j] * x[j]
        x[k] = total * T[k, k]
    return True


@inner
def exchange_wrong(A: Matrix, b: Vector, m: int, n: int, single: bool, x: Vector, support: Integers, others: Integers, basis: Flags) -> int:
    """Let every index with z < 0 or w < 0 change sides, or only the last; how many there were."""
    wrong, last = 0, -1
    for k in range(m):
        if x[k] < 0.0:
            wrong += 1
            last = max(last, support[k])
            basis[support[k]] = single
    for k in range(n - m):
        i = others[k]
        w, terms = b[i], abs(b[i])
        for j in range(m):
            w += A[i, support[j]] * x[j]
        if w < 0.0:
            for j in range(m):
                terms += abs(A[i, support[j]] * x[j])
            if w < -EXACT * terms:
                wrong += 1
                last = max(last, i)
                basis[i] = not single
    if single and last >= 0:
        basis[last] = not basis[last]
    return wrong


@inner
def pivot_blocks(A: Matrix, b: Vector, n: int, T: Matrix, x: Vector, support: Integers, others: Integers, basis: Flags, z: Vector) -> bool:
    """Judice and Pires: exchange all wrong indices at once while that makes them fewer, else the last one (Murty), which ends for P matrices."""
    fewest, patience = n + 1, PATIENCE
    for j in range(n):
        basis[j] = b[j] < 0.0
    for _ in range(4 * n + 8):
        m = 0
        for j in range(n):
            if basis[j]:
                support[m] = j
                m += 1
            else:
                others[j - m] = j
        if not solve_principal(A, b, m, T, x, support):
            return False
        wrong = exchange_wrong(A, b, m, n, patience == 0, x, support, others, basis)
        if wrong == 0:
            for j in range(n):
                z[j] = 0.0
            for k in range(m):
                z[support[k]] = x[k]
            return True
        if wrong < fewest:
            fewest, patience = wrong, PATIENCE
        else:
            patience = max(patience - 1, 0)
    return False


@inner
def settle(A: Matrix, b: Vector, n: int, limit: int, tol: float, work: LcpWork) -> int:
    """An answer whose residual, work.least, is at most `tol` into work.z: principal pivoting, else Lemke's method. SOLVED, RAY, CAPPED or UNSURE."""
    if pivot_blocks(A, b, n, work.T, work.x, work.support, work.others, work.basis, work.z):
        work.least[0] = residual_kernels.lcp_residual(A, b, work.z, n, tol, work.x, work.rest, work.kept)
        if work.least[0] <= tol:
            return SOLVED
    status = lcp_kernels.solve(A, b, n, False, limit, work)
    if status == SOLVED:
        work.least[0] = residual_kernels.lcp_residual(A, b, work.z, n, tol, work.x, work.rest, work.kept)
        return SOLVED if work.least[0] <= tol else UNSURE
    return status


@kernel
def settle_all(A: Cube, b: Matrix, n: int, limit: int, tol: float, work: LcpWork, z: Matrix, residual: Vector) -> int:
    """Problem after problem; the residual is that of CONTRACT 7, infinite (and z NaN) where there is no answer. The status of the last."""
    status = SOLVED
    for k in range(len(b)):
        status = settle(A[k], b[k], n, limit, tol, work)
        residual[k] = work.least[0] if status == SOLVED else math.inf
        for j in range(n):
            z[k, j] = work.z[j] if status == SOLVED else math.nan
    return status
