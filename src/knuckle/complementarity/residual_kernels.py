"""Residuals from a problem and its answer alone: they know nothing of any solver (CONTRACT 5 and 7)."""
import math

from knuckle.compiled.kernel import Matrix, Vector, inner, kernel


@inner
def lcp_motion(A: Matrix, b: Vector, z: Vector, n: int, w: Vector, terms: Vector, size: Vector) -> None:
    """w = A z + b, the sizes of the terms it is summed from, and the largest entry of A in each row."""
    for i in range(n):
        total, all_terms, most = b[i], abs(b[i]), 0.0
        for j in range(n):
            entry = A[i, j]
            term = entry * z[j]
            total += term
            all_terms += abs(term)
            most = max(most, abs(entry))
        w[i], terms[i], size[i] = total, all_terms, most


@inner
def share(A: Matrix, z: Vector, terms: Vector, i: int, n: int) -> float:
    """How much z_i matters: its largest share in the terms of a row."""
    most = 0.0
    for k in range(n):
        if terms[k] > 0.0:
            most = max(most, abs(A[k, i] * z[i]) / terms[k])
    return most


@kernel
def lcp_residual(A: Matrix, b: Vector, z: Vector, n: int, tol: float, w: Vector, terms: Vector, size: Vector) -> float:
    """CONTRACT 7: max|min(z, w)| over 1 + max|z| + max|w|, every row scaled by the largest entry of A in it. w, terms, size: room.

    Infinite where an error is above `tol` that has no units: w over the terms it is summed from, z over its share in them. No scaling of rows,
    columns or b hides such an error, as the 1 and the maxima may.
    """
    worst, most_z, most_w = 0.0, 0.0, 0.0
    lcp_motion(A, b, z, n, w, terms, size)
    for i in range(n):
        scaled = w[i] / size[i] if size[i] > 0.0 else w[i]
        if not abs(scaled) + abs(z[i]) + terms[i] < math.inf:
            return math.inf
        worst = max(worst, abs(min(z[i], scaled)))
        most_z, most_w = max(most_z, abs(z[i])), max(most_w, abs(scaled))
        if (w[i] < -tol * terms[i]) or ((z[i] < 0.0 or w[i] > tol * terms[i]) and z[i] != 0.0 and share(A, z, terms, i, n) > tol):
            return math.inf
    return worst / (1.0 + most_z + most_w)
