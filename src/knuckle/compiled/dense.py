"""The one LU and the one Cholesky of all kernels. Leading n x n blocks, in place, so that one workspace serves every size."""
import math

from knuckle.compiled.kernel import Integers, Matrix, Vector, kernel


@kernel
def lu_factor(a: Matrix, pivots: Integers, n: int) -> bool:
    """Row-pivoted LU in place. False when a column has no pivot above round-off of the matrix."""
    largest = 0.0
    for i in range(n):
        for j in range(n):
            largest = max(largest, abs(a[i, j]))
    floor = 1e-14 * largest
    for i in range(n):
        pivot = i
        for r in range(i + 1, n):
            if abs(a[r, i]) > abs(a[pivot, i]):
                pivot = r
        pivots[i] = pivot
        if not abs(a[pivot, i]) > floor:                   # `not >` refuses NaN as well
            return False
        if pivot != i:
            for j in range(n):
                a[i, j], a[pivot, j] = a[pivot, j], a[i, j]
        for r in range(i + 1, n):
            factor = a[r, i] / a[i, i]
            a[r, i] = factor
            if factor != 0.0:
                for j in range(i + 1, n):
                    a[r, j] -= factor * a[i, j]
    return True


@kernel
def lu_solve(lu: Matrix, pivots: Integers, b: Vector, n: int) -> None:
    for i in range(n):
        b[i], b[pivots[i]] = b[pivots[i]], b[i]
    for i in range(n):
        total = b[i]
        for j in range(i):
            total -= lu[i, j] * b[j]
        b[i] = total
    for i in range(n - 1, -1, -1):
        total = b[i]
        for j in range(i + 1, n):
            total -= lu[i, j] * b[j]
        b[i] = total / lu[i, i]


@kernel
def cholesky(a: Matrix, n: int) -> bool:
    """Lower factor in place (the upper triangle is left alone). False unless positive definite beyond round-off."""
    for i in range(n):
        diagonal = a[i, i]
        for j in range(i + 1):
            total = a[i, j]
            for k in range(j):
                total -= a[i, k] * a[j, k]
            if i == j:
                if not total > 1e-15 * diagonal:
                    return False
                a[i, i] = math.sqrt(total)
            else:
                a[i, j] = total / a[j, j]
    return True


@kernel
def cholesky_solve(factor: Matrix, b: Vector, n: int) -> None:
    for i in range(n):
        total = b[i]
        for j in range(i):
            total -= factor[i, j] * b[j]
        b[i] = total / factor[i, i]
    for i in range(n - 1, -1, -1):
        total = b[i]
        for j in range(i + 1, n):
            total -= factor[j, i] * b[j]
        b[i] = total / factor[i, i]
