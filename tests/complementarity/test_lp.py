"""Linear programs against HiGHS, and Beale's example of a cycle."""
import numpy as np
import pytest
from scipy.optimize import linprog

from knuckle.complementarity.lp import solve_lp
from knuckle.errors import InputError

STATUS = {0: "optimal", 2: "infeasible", 3: "unbounded"}


def program(generator, k):
    """Random and small-integer programs by turns: feasible or not, degenerate, redundant, with free variables."""
    m = int(generator.integers(1, 13))
    n = int(generator.integers(1, 25))
    free = generator.random(n) < (0.3 if k % 3 == 0 else 0.0)
    if k % 2:
        A, c = generator.integers(-3, 4, (m, n)).astype(float), generator.integers(-1, 5, n).astype(float)
        b = A @ generator.integers(0, 2, n) if k % 4 == 1 else generator.integers(-4, 5, m).astype(float)
    else:
        A, c = generator.normal(size=(m, n)), generator.normal(size=n)
        b = A @ np.maximum(generator.normal(size=n), 0.0) if k % 4 else generator.normal(size=m)
    if k % 5 == 0 and m > 2:
        A[-1], b[-1] = A[0] + A[1], b[0] + b[1]
    if k % 7 == 0:
        c = A.T @ generator.normal(size=m) + np.where(free, 0.0, np.maximum(generator.normal(size=n), 0.0))
    return c, A, b, free


def check(result, c, A, b, free):
    """The certificate of each outcome, judged by itself."""
    if result.outcome == "optimal":
        slack = c - A.T @ result.y
        np.testing.assert_allclose(A @ result.x, b, atol=1e-9 * (1 + np.abs(result.x).max()))
        assert (result.x[~free] >= 0).all()
        assert slack[~free].min(initial=0) > -1e-8 * (1 + np.abs(result.y).max())
        assert np.abs(slack[free]).max(initial=0) < 1e-8 * (1 + np.abs(result.y).max())
        assert result.value == pytest.approx(b @ result.y, rel=1e-8, abs=1e-8)
    elif result.outcome == "infeasible":
        price = A.T @ result.y
        assert b @ result.y > 1e-9 * np.abs(result.y).max()
        assert price[~free].max(initial=0) < 1e-9 * np.abs(result.y).max()
        assert np.abs(price[free]).max(initial=0) < 1e-9 * np.abs(result.y).max()
    else:
        assert (result.ray[~free] >= 0).all()
        assert c @ result.ray < 0
        assert np.abs(A @ result.ray).max() < 1e-9 * np.abs(result.ray).max()


def test_equals_highs():
    generator = np.random.default_rng(7)
    seen = dict.fromkeys(STATUS.values(), 0)
    for k in range(300):
        c, A, b, free = program(generator, k)
        result = solve_lp(c, A, b, free)
        bounds = [(None, None) if f else (0, None) for f in free]
        other = linprog(c, A_eq=A, b_eq=b, bounds=bounds, method="highs")
        if other.status not in STATUS:        # HiGHS may say "infeasible or unbounded": ask for a feasible point
            point = linprog(np.zeros(c.size), A_eq=A, b_eq=b, bounds=bounds, method="highs")
            expected = "unbounded" if point.status == 0 else "infeasible"
        else:
            expected = STATUS[other.status]
        assert result.outcome == expected, (k, c, A, b, free)
        check(result, c, A, b, free)
        if expected == "optimal":
            assert result.value == pytest.approx(other.fun, rel=1e-8, abs=1e-8)
        seen[expected] += 1
    assert min(seen.values()) >= 20


def test_beale_1955_cycling_example():
    """Cycles under the steepest-cost rule; optimum -1/20 at (1/25, 0, 1, 0)."""
    A = [[1 / 4, -60, -1 / 25, 9, 1, 0, 0], [1 / 2, -90, -1 / 50, 3, 0, 1, 0], [0, 0, 1, 0, 0, 0, 1]]
    result = solve_lp([-3 / 4, 150, -1 / 50, 6, 0, 0, 0], A, [0, 0, 1])
    assert result.outcome == "optimal"
    assert result.value == pytest.approx(-1 / 20, abs=1e-14)


def test_scale_span_changes_nothing():
    generator = np.random.default_rng(3)
    for _ in range(100):
        m, n = 6, 12
        A = generator.normal(size=(m, n))
        b = A @ np.maximum(generator.normal(size=n), 0.0)
        c = A.T @ generator.normal(size=m) + np.maximum(generator.normal(size=n), 0.0)
        plain = solve_lp(c, A, b)
        rows, columns = 10.0 ** generator.uniform(-6, 6, m), 10.0 ** generator.uniform(-6, 6, n)
        scaled = solve_lp(c * columns, rows[:, None] * A * columns, rows * b)
        assert plain.outcome == scaled.outcome == "optimal"
        assert scaled.value == pytest.approx(plain.value, rel=1e-9, abs=1e-10)


def test_degenerate_assignment_polytope():
    """Highly degenerate: the 5 x 5 assignment problem has value 5 for unit costs on the diagonal and 2 elsewhere."""
    size = 5
    A = np.zeros((2 * size, size * size))
    for i in range(size):
        A[i, i * size:(i + 1) * size] = 1
        A[size + i, i::size] = 1
    cost = 2 * np.ones((size, size)) - np.eye(size)
    assert solve_lp(cost.ravel(), A, np.ones(2 * size)).value == pytest.approx(size, abs=1e-12)


def test_empty_and_bad_input():
    assert solve_lp([1.0, 0.0], np.zeros((0, 2)), []).outcome == "optimal"
    assert solve_lp([-1.0, 0.0], np.zeros((0, 2)), []).outcome == "unbounded"
    with pytest.raises(InputError, match="finite"):
        solve_lp([1.0], [[np.nan]], [1.0])
    with pytest.raises(InputError, match="row for each entry"):
        solve_lp([1.0], [[1.0, 2.0]], [1.0])
