"""Principal minors: all of them at once, and the quick sufficient test."""
import math

import numpy as np

from knuckle.compiled import dense
from knuckle.compiled.kernel import Matrix, Vector, inner, kernel

SMALL = 0.05                # a pivot nearer to zero is moved, where there is room to say so: its inverse would blow up round-off


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
    moved, guarded = minors[1 << n:], minors.size >= 2 << n
    minors[0] = 1.0
    for k in range(n):
        count = 1 << k
        if guarded:
            moved[count:2 * count] = np.abs(part[0, 0]) < SMALL
            part[0, 0] += moved[count:2 * count]
        minors[count:2 * count] = minors[:count] * part[0, 0]
        reduced = part[1:, 1:] - part[1:, :1] * (part[:1, 1:] / part[0, 0])
        part = np.concatenate([part[1:, 1:], reduced], axis=2)
    for k in range(n - 1 if guarded else -1, -1, -1):
        count = 1 << k
        pairs = minors[:1 << n].reshape(-1, 2, count)
        if moved[count:2 * count].any():
            pairs[:, 1] -= moved[count:2 * count] * pairs[:, 0]
    for s in range(1, 1 << n):
        if not minors[s] == minors[s]:
            return s
    return 1 + int(minors[1:1 << n].argmin())


@inner
def take_back(minors: Vector, moved: Vector, n: int) -> None:
    """What moving the pivots did to the minors, the last pivots first: det(A_S + e_k e_k^T) = det A_S + det A_(S without k)."""
    for k in range(n - 1, -1, -1):
        count, touched = 1 << k, 0.0
        for s in range(count):
            touched += moved[count + s]
        if touched > 0.0:
            for high in range(0, 1 << n, 2 * count):
                for s in range(count):
                    minors[high + count + s] -= moved[count + s] * minors[high + s]


@kernel(interpreted=principal_minors_by_arrays)
def principal_minors(A: Matrix, n: int, level: Vector, following: Vector, minors: Vector) -> int:
    """All principal minors of D A D with unit diagonal (all diagonal entries > 0), minors[bits of the set].

    The set of the first NaN (a minor after one that is 0), else of the smallest minor. Tsatsomeros and Li: the minors
    of A without and with index 0 are those of A[1:, 1:] and of the Schur complement A / a_00, here for all 2^k prefixes
    at once, entry (i, j) of all their matrices side by side. With room for 2^(n+1) numbers in `minors` a pivot near zero is
    moved by one, and its minors are corrected (Griffin and Tsatsomeros): then singular submatrices do no harm.
    """
    for i in range(n):
        for j in range(n):
            level[i * n + j] = A[i, j] / math.sqrt(A[i, i] * A[j, j])
    moved, guarded = minors[1 << n:], minors.size >= 2 << n
    minors[0] = 1.0
    for k in range(n):
        size, count = n - k, 1 << k
        pivots = level[:count]                           # slices: only indices that cannot be negative make vector code
        with_it = minors[count:2 * count]
        if guarded:
            for s in range(count):
                moved[count + s] = 1.0 if abs(pivots[s]) < SMALL else 0.0
                pivots[s] += moved[count + s]
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
    if guarded:
        take_back(minors, moved, n)
    least = 1
    for s in range(1, 1 << n):
        if not minors[s] >= minors[least]:
            least = s
            if not minors[s] == minors[s]:
                return s
    return least
