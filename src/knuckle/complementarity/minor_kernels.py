"""Principal minors: all of them at once, and the quick sufficient test."""
import math

import numpy as np

from knuckle.compiled import dense
from knuckle.compiled.kernel import Matrix, Vector, kernel


@kernel
def surely_p(A: Matrix, n: int, factor: Matrix) -> bool:
    """Whether the symmetric part is positive definite: sufficient for a P matrix, and quick."""
    for i in range(n):
        for j in range(i + 1):
            factor[i, j] = 0.5 * (A[i, j] + A[j, i])
    return dense.cholesky(factor, n)


@np.errstate(all="ignore")                                # a minor of zero makes those above it infinite or NaN: seen below
def principal_minors_by_arrays(A: Matrix, n: int, level: Vector, following: Vector, minors: Vector) -> int:
    """The twin for plain Python: the same numbers, all sets of a level at once."""
    scale = np.sqrt(np.diag(A)[:n, np.newaxis] * np.diag(A)[:n])
    part = (A[:n, :n] / scale)[:, :, np.newaxis]
    minors[0] = 1.0
    for k in range(n):
        count = 1 << k
        minors[count:2 * count] = minors[:count] * part[0, 0]
        reduced = part[1:, 1:] - part[1:, :1] * (part[:1, 1:] / part[0, 0])
        part = np.concatenate([part[1:, 1:], reduced], axis=2)
    for s in range(1, 1 << n):
        if not minors[s] == minors[s]:
            return s
    return 1 + int(minors[1:1 << n].argmin())


@kernel(interpreted=principal_minors_by_arrays)
def principal_minors(A: Matrix, n: int, level: Vector, following: Vector, minors: Vector) -> int:
    """All principal minors of D A D with unit diagonal (all diagonal entries > 0), minors[bits of the set].

    The set of the first NaN (a minor after one that is 0), else of the smallest minor. Tsatsomeros and Li: the minors
    of A without and with index 0 are those of A[1:, 1:] and of the Schur complement A / a_00, here for all 2^k prefixes
    at once, entry (i, j) of all their matrices side by side.
    """
    for i in range(n):
        for j in range(n):
            level[i * n + j] = A[i, j] / math.sqrt(A[i, i] * A[j, j])
    minors[0] = 1.0
    for k in range(n):
        size, count = n - k, 1 << k
        pivots = level[:count]                           # slices: only indices that cannot be negative make vector code
        with_it = minors[count:2 * count]
        for s in range(count):
            with_it[s] = minors[s] * pivots[s]
        for j in range(1, size):
            top = level[j * count:(j + 1) * count]
            for s in range(count):
                top[s] /= pivots[s]
            for i in range(1, size):
                entry, side = level[(i * size + j) * count:], level[i * size * count:]
                to = ((i - 1) * (size - 1) + j - 1) * 2 * count
                without, schur = following[to:to + count], following[to + count:to + 2 * count]
                for s in range(count):
                    without[s] = entry[s]
                    schur[s] = entry[s] - side[s] * top[s]
        level, following = following, level
    least = 1
    for s in range(1, 1 << n):
        if not minors[s] >= minors[least]:
            least = s
            if not minors[s] == minors[s]:
                return s
    return least
