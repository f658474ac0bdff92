"""The pivot step that Lemke's method, the enumeration of bases and the simplex method share."""
import math

import numpy as np

from knuckle.compiled.kernel import Matrix, inner


def exchange_by_rows(T: Matrix, r: int, c: int, rows: int, columns: int) -> None:
    """The twin for plain Python: the same operations on the same numbers, a whole row at a time."""
    inverse = 1.0 / T[r, c]
    T[r, :columns] *= inverse
    T[r, c] = inverse
    factors = T[:rows, c].copy()
    factors[r] = 0.0
    changed = factors.nonzero()[0]
    T[changed, c] = 0.0
    T[changed, :columns] -= factors[changed, np.newaxis] * T[r, :columns]


@inner(interpreted=exchange_by_rows)
def exchange(T: Matrix, r: int, c: int, rows: int, columns: int) -> None:
    """Condensed tableau basic + T nonbasic = right side: basic variable r and nonbasic variable c change places."""
    inverse = 1.0 / T[r, c]
    for j in range(columns):
        T[r, j] *= inverse
    T[r, c] = inverse
    for i in range(rows):
        factor = T[i, c]
        if i != r and factor != 0.0:
            T[i, c] = 0.0
            for j in range(columns):
                T[i, j] -= factor * T[r, j]


@inner
def power_of_two(size: float) -> float:
    """The power of two that brings `size` into [1/2, 1): scaling by it rounds nothing. Else 1."""
    if not 1e-290 < size < 1e290:
        return 1.0
    return math.ldexp(1.0, -math.frexp(size)[1])
