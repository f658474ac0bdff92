"""Small complementarity problems in rational arithmetic, where round-off would have to decide."""
from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np

Row = list[Fraction]


def exact_solution(A: np.ndarray, b: np.ndarray) -> list[Fraction] | None:
    """A vertex of the solution set of 0 <= z, 0 <= A z + b, z.(A z + b) = 0, or None: then there is no solution."""
    n = b.size
    rows = [[Fraction(float(x)) for x in (*A[i], b[i])] for i in range(n)]
    for size in range(n + 1):
        for support in combinations(range(n), size):
            z = _vertex(rows, support)
            if z is not None:
                return z
    return None


def _vertex(rows: list[Row], support: tuple[int, ...]) -> list[Fraction] | None:
    """A vertex whose z is zero off the support and whose w is zero on it; where that lacks rank, further w are zero."""
    n = len(rows)
    reduced = _eliminate([[rows[i][j] for j in (*support, n)] for i in support])
    if reduced is None:
        return None
    lacking = len(support) - len(reduced)
    others = [i for i in range(n) if i not in support]
    for tight in combinations(others, lacking):
        whole = reduced
        if tight:
            more = _eliminate(reduced + [[rows[i][j] for j in (*support, n)] for i in tight])
            if more is None or len(more) < len(support):
                continue
            whole = more
        z = [Fraction(0)] * n
        for row in whole:
            z[support[next(k for k, x in enumerate(row) if x)]] = -row[-1]
        if _feasible(rows, z):
            return z
    return None


def _feasible(rows: list[Row], z: list[Fraction]) -> bool:
    if min(z, default=Fraction(0)) < 0:
        return False
    return all(row[-1] + sum(a * x for a, x in zip(row, z, strict=False) if x) >= 0 for row in rows)


def _eliminate(rows: list[Row]) -> list[Row] | None:
    """Reduced echelon form of rows [a, b] of a x + b = 0 without zero rows; None when they contradict each other."""
    rows = [row[:] for row in rows]
    done: list[Row] = []
    while rows:
        row = rows.pop()
        lead = next((k for k, x in enumerate(row[:-1]) if x), None)
        if lead is None:
            if row[-1] != 0:
                return None
            continue
        row = [x / row[lead] for x in row]
        rows = [_minus(other, other[lead], row) for other in rows]
        done = [_minus(other, other[lead], row) for other in done]
        done.append(row)
    return done


def _minus(row: Row, factor: Fraction, pivot: Row) -> Row:
    return [x - factor * y for x, y in zip(row, pivot, strict=True)] if factor else row
