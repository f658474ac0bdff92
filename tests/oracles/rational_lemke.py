"""Lemke's method with the full lexicographic tableau in fractions, covering vector 1."""
from fractions import Fraction


def rational_lemke(A, b):
    """(ended on a solution, number of pivots)."""
    n = len(b)
    rows = []                          # columns: right-hand side, w, z, z_0
    for i in range(n):
        unit = [int(i == j) for j in range(n)]
        rows.append([Fraction(x) for x in (b[i], *unit, *(-a for a in A[i]), -1)])
    basis, entering = list(range(1, n + 1)), 2 * n + 1
    leaving_row = min(range(n), key=lambda i: rows[i][: n + 1])
    for pivots in range(1, 10_000):
        leaving = basis[leaving_row]
        pivot = rows[leaving_row][entering]
        rows[leaving_row] = [x / pivot for x in rows[leaving_row]]
        for i in range(n):
            if i != leaving_row and rows[i][entering] != 0:
                factor = rows[i][entering]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[leaving_row], strict=True)]
        basis[leaving_row] = entering
        if leaving == 2 * n + 1:
            return True, pivots
        entering = leaving + n if leaving <= n else leaving - n
        bounds = [i for i in range(n) if rows[i][entering] > 0]
        if not bounds:
            return False, pivots
        least = min(rows[i][0] / rows[i][entering] for i in bounds)
        tied = [i for i in bounds if rows[i][0] / rows[i][entering] == least]
        artificial = [i for i in tied if basis[i] == 2 * n + 1]
        candidates = artificial or tied
        leaving_row = min(candidates, key=lambda i: [x / rows[i][entering] for x in rows[i][: n + 1]])
    raise AssertionError("no end")
