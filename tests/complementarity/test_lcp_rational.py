"""The set of solutions, the outcome and the P test equal exact rational enumeration on 20,000 integer problems."""
from fractions import Fraction

import numpy as np
import pytest
import rational_lcp as exact
from judges import contract_residual

from knuckle.complementarity.lcp import enumerate_lcp, solve_lcp
from knuckle.complementarity.p_matrix import p_matrix


def problem(generator):
    """One small problem: plain, of low rank, with equal rows, with a tied or zero b, or skew."""
    n, kind = int(generator.integers(1, 4)), int(generator.integers(0, 8))
    A = generator.integers(-3, 4, (n, n))
    b = generator.integers(-4, 5, n)
    if kind == 0:
        A = np.outer(generator.integers(-2, 3, n), generator.integers(-2, 3, n))
    elif kind == 1 and n > 1:
        A[1], b[1] = A[0], b[0]
    elif kind == 2:
        b[:] = generator.integers(-1, 2)
    elif kind == 3:
        A = A - A.T
    elif kind == 4:
        root = generator.integers(-2, 3, (n, max(1, n - 1)))
        A = root @ root.T
        b = -A @ generator.integers(0, 3, n)
    elif kind == 5:
        A[:, int(generator.integers(n))] = 0
    elif kind == 6:
        A = A + 4 * np.eye(n, dtype=int)
    return A, b


def same_points(found, expected):
    """The same points, whatever their order."""
    if len(found) != len(expected):
        return False
    points = np.array([[float(x) for x in z] for z in expected])
    return all(np.abs(points - z).max(axis=1).min() < 1e-9 * (1 + np.abs(z).max()) for z in found)


def same_continua(found, expected):
    """Each expected polyhedron is found once (rays scaled to largest entry 1)."""
    wanted = [(ends, [[x / max(ray) for x in ray] for ray in away]) for ends, away in expected]
    return len(found) == len(wanted) and all(
        sum(same_points(list(c.vertices), ends) and same_points(list(c.rays), away) for c in found) == 1
        for ends, away in wanted)


@pytest.mark.parametrize("part", range(8))
def test_equals_exact_enumeration(part):
    generator = np.random.default_rng([2024, part])
    outcomes = {"solved": 0, "none": 0}
    continua = 0
    for _ in range(2500):
        A, b = problem(generator)
        rows, offset = A.tolist(), b.tolist()
        points = exact.vertices(rows, offset)
        expected = set()
        if points:
            expected = exact.continua(rows, offset, points, exact.rays(rows))
        continua += bool(expected)
        all_found, one, p = enumerate_lcp(A, b), solve_lcp(A, b), p_matrix(A)
        label = f"A = {rows}, b = {offset}"
        assert all_found.complete, label
        assert same_points(all_found.solutions, points), label
        assert same_continua(all_found.continua, expected), label
        assert one.outcome == ("solved" if points else "none"), label
        if points:
            assert contract_residual(A, b, one.z) <= 1e-12, label
        outcomes[one.outcome] += 1
        check_p(p, rows, label)
    assert min(outcomes.values()) > 300
    assert continua > 100


def check_p(p, A, label):
    assert p.holds == exact.is_p_matrix(A), label
    assert p.holds == (p.margin > 0) == (p.witness is None), label
    if p.witness is not None:
        assert exact.determinant([[A[i][j] for j in p.witness] for i in p.witness]) <= 0, label
    if min(A[i][i] for i in range(len(A))) > 0:
        assert p.margin == pytest.approx(float(exact.smallest_minor(A)), abs=1e-12), label
    else:
        assert p.margin == -np.inf, label
        assert len(p.witness) == 1, label


def nearly_singular(generator):
    n = int(generator.integers(1, 4))
    noise = 10.0 ** generator.uniform(-14, -4, 2)
    return (generator.integers(-2, 3, (n, n)) + noise[0] * generator.normal(size=(n, n)),
            generator.integers(-2, 3, n) + noise[1] * generator.normal(size=n))


def badly_scaled(generator):
    n = int(generator.integers(1, 4))
    rows, columns, offsets = (10.0 ** generator.integers(-6, 7, n) for _ in range(3))
    return generator.integers(-2, 3, (n, n)) * rows[:, None] * columns, generator.integers(-2, 3, n) * offsets


@pytest.mark.parametrize("draw", [nearly_singular, badly_scaled])
def test_none_is_never_false(draw):
    """Floating-point data are fractions: where rational arithmetic finds a solution, `none` is never said."""
    generator = np.random.default_rng(3)
    for _ in range(1000):
        A, b = draw(generator)
        result = solve_lcp(A, b)
        rows, offset = [[Fraction(float(x)) for x in row] for row in A], [Fraction(float(x)) for x in b]
        if exact.vertices(rows, offset):
            assert result.outcome == "solved", (A, b)
        elif result.outcome == "solved":
            assert contract_residual(A, b, result.z) <= 1e-8
        else:
            assert result.outcome == "none", (A, b)
