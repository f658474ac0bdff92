"""Residuals from a problem and its answer alone: they know nothing of any solver (CONTRACT 5 and 7)."""
import math

from knuckle.compiled.kernel import Matrix, Vector, inner, kernel


@kernel
def lcp_residual(A: Matrix, b: Vector, z: Vector, n: int) -> float:
    """max|min(z, w)| over 1 + max|z| + max|w|, w = A z + b, every row scaled by the largest entry of A in it."""
    worst, most_z, most_w = 0.0, 0.0, 0.0
    for i in range(n):
        w, size = b[i], 0.0
        for j in range(n):
            w += A[i, j] * z[j]
            size = max(size, abs(A[i, j]))
        if size > 0.0:
            w /= size
        if not abs(w) + abs(z[i]) < math.inf:
            return math.inf
        worst = max(worst, abs(min(z[i], w)))
        most_z, most_w = max(most_z, abs(z[i])), max(most_w, abs(w))
    return worst / (1.0 + most_z + most_w)


@inner
def weight(A: Matrix, z: Vector, terms: Vector, i: int, n: int) -> float:
    """How much z_i matters: its largest share in the terms of a row."""
    share = 0.0
    for k in range(n):
        if terms[k] > 0.0:
            share = max(share, abs(A[k, i] * z[i]) / terms[k])
    return share


@kernel
def lcp_error(A: Matrix, b: Vector, z: Vector, n: int, terms: Vector) -> float:
    """The same question without units: w over the terms it is summed from, z over its share in them. No scaling of rows, columns or b hides an
    error, as the 1 and the maxima of `lcp_residual` may."""
    worst = 0.0
    for i in range(n):
        terms[i] = abs(b[i])
        for j in range(n):
            terms[i] += abs(A[i, j] * z[j])
    for i in range(n):
        w = b[i]
        for j in range(n):
            w += A[i, j] * z[j]
        w = w / terms[i] if terms[i] > 0.0 else 0.0
        if not abs(w) < math.inf:
            return math.inf
        share = weight(A, z, terms, i, n) if z[i] != 0.0 else 0.0
        worst = max(worst, max(-w, share if z[i] < 0.0 else min(share, w)))
    return worst
