"""Linear complementarity with integers, n <= 3, exactly: where n of the 2n planes z_i = 0, w_i = 0 meet in a point."""
from fractions import Fraction
from itertools import combinations
from math import gcd


def determinant(rows):
    if len(rows) == 1:
        return rows[0][0]
    if len(rows) == 2:
        return rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0]
    (a, b, c), (d, e, f), (g, h, i) = rows
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def planes(A, b):
    """Rows (normal, offset) of z_i = 0 and of w_i = 0, in this order."""
    n = len(b)
    unit = [([int(i == j) for j in range(n)], 0) for i in range(n)]
    return unit + [(list(A[i]), b[i]) for i in range(n)]


def admissible(A, b, numerators, denominator):
    """z = numerators / denominator (> 0) is complementary and nowhere negative."""
    for i, zi in enumerate(numerators):
        wi = b[i] * denominator + sum(a * z for a, z in zip(A[i], numerators, strict=True))
        if zi < 0 or wi < 0 or (zi and wi):
            return False
    return True


def vertices(A, b):
    n, found = len(b), set()
    for chosen in combinations(planes(A, b), n):
        rows = [row for row, _ in chosen]
        whole = determinant(rows)
        if whole == 0:
            continue
        sign = 1 if whole > 0 else -1
        numerators = [
            -sign * determinant([[*row[:k], offset, *row[k + 1:]] for row, offset in chosen]) for k in range(n)]
        if admissible(A, b, numerators, abs(whole)):
            found.add(tuple(Fraction(z, abs(whole)) for z in numerators))
    return found


def direction(rows, n):
    """The line where n - 1 planes through the origin meet; None when it is no line."""
    if n == 1:
        return (1,)
    if n == 2:
        line = (-rows[0][1], rows[0][0])
    else:
        (a, b, c), (d, e, f) = rows
        line = (b * f - c * e, c * d - a * f, a * e - b * d)
    return line if any(line) else None


def rays(A):
    n, found = len(A), set()
    for chosen in combinations(planes(A, [0] * n), n - 1):
        line = direction([row for row, _ in chosen], n)
        if line is None:
            continue
        step = gcd(*line)
        for sign in (1, -1):
            ray = tuple(sign * x // step for x in line)
            if admissible(A, [0] * n, ray, 1):
                found.add(ray)
    return found


def member(A, b, z, support):
    """z lies on the polyhedron of `support`: z = 0 off it, w = 0 on it."""
    for i, zi in enumerate(z):
        if i not in support and zi != 0:
            return False
        if i in support and b[i] + sum(a * x for a, x in zip(A[i], z, strict=True)) != 0:
            return False
    return True


def continua(A, b, points, directions):
    """The maximal polyhedra of more than one point as (vertices, rays)."""
    n, faces = len(b), set()
    for size in range(n + 1):
        for support in combinations(range(n), size):
            ends = frozenset(z for z in points if member(A, b, z, support))
            away = frozenset(r for r in directions if member(A, [0] * n, r, support))
            if ends and len(ends) + len(away) > 1:
                faces.add((ends, away))
    return {f for f in faces if not any(f != g and f[0] <= g[0] and f[1] <= g[1] for g in faces)}


def is_p_matrix(A):
    n = len(A)
    return all(
        determinant([[A[i][j] for j in chosen] for i in chosen]) > 0
        for size in range(1, n + 1) for chosen in combinations(range(n), size))


def smallest_minor(A):
    """Of D A D with unit diagonal (positive diagonal only)."""
    n, least = len(A), None
    for size in range(1, n + 1):
        for chosen in combinations(range(n), size):
            minor = Fraction(determinant([[A[i][j] for j in chosen] for i in chosen]))
            for i in chosen:
                minor /= A[i][i]
            least = minor if least is None else min(least, minor)
    return least
