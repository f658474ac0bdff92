"""Where large forces nearly cancel: sums with twice the digits, interior paths, and the residual that no scaling deceives."""
from fractions import Fraction

import judges
import numpy as np
import pytest
import solver_families as families

from knuckle.complementarity import interior_kernels, refine_kernels
from knuckle.complementarity.cone import cone_work, solve_cone
from knuckle.complementarity.lcp import solve_lcp
from knuckle.complementarity.residual_kernels import lcp_residual

MOTION = getattr(refine_kernels.exact_motion, "py_func", refine_kernels.exact_motion)      # Python cannot call inner kernels


def exact(W, q, r):
    rows = [[Fraction(float(x)) for x in row] for row in W]
    return [sum((a * Fraction(float(x)) for a, x in zip(row, r, strict=True)), Fraction(float(c))) for row, c in zip(rows, q, strict=True)]


def test_motion_is_the_nearest_number_to_the_exact_one():
    """Forces of 1e8 that cancel to 1: plain sums leave 1e-8, these the last digit."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        n = int(rng.integers(1, 13))
        W, r = rng.normal(size=(n, n)), 1e8 * rng.normal(size=n)
        q = -W @ r + rng.normal(size=n)
        u = np.zeros(n)
        MOTION(W, q, r, u)
        for found, true in zip(u, exact(W, q, r), strict=True):
            assert abs(Fraction(float(found)) - true) <= abs(true) * Fraction(1, 2**52) + Fraction(1, 2**90) * Fraction(1e8)


@pytest.mark.parametrize("force", [1e2, 1e4])
def test_interior_paths_reach_the_answer_of_newtons_method(force):
    """Regular problems have one answer at little friction: both methods find it, the path up to its end at products of 1e-15."""
    rng = np.random.default_rng(2)
    for _ in range(30):
        k = int(rng.integers(1, 6))
        A = rng.normal(size=(3 * k, 3 * k)) * 0.2
        W, q, mu, r = np.eye(3 * k) + A @ A.T, rng.normal(size=3 * k) - 0.3, rng.uniform(0.05, 0.3, k), np.zeros(3 * k)
        mu[0] *= rng.integers(2)                              # a contact without friction among them
        interior_kernels.interior(W, q, mu, force, 0.0, 0, cone_work(3 * k, k), r)
        assert np.abs(r - solve_cone(W, q, mu).r).max() < 1e-5


def test_heavy_on_light_to_the_tolerance():
    """Twenty stacks of mass ratio 1e6, of which Newton's method alone loses some, and rounding others."""
    solved = 0
    for index in range(20):
        problem = families.cone("stacks 1e6", index)
        found = solve_cone(problem.W, problem.q, problem.mu)
        solved += found.outcome == "solved"
        assert found.outcome != "solved" or judges.cone_residual(problem.W, problem.q, problem.mu, found.r) <= 1e-10
    assert solved >= 19


def test_a_small_entry_that_is_wrong_does_not_hide_beside_a_large_one():
    """z = (1e9, 0) where (1e9, 5) is right: CONTRACT 7 sees 5 / 1e9, the residual without units sees all of it."""
    A, b, room = np.diag([1.0, 1.0]), np.array([-1e9, -5.0]), np.empty((3, 2))
    wrong = np.array([1e9, 0.0])
    assert judges.contract_residual(A, b, wrong) < 1e-8
    assert lcp_residual(A, b, wrong, 2, 1e-8, *room) == np.inf
    assert solve_lcp(A, b).z.tolist() == [1e9, 5.0]


def test_the_residual_without_units_knows_no_units():
    """Rows, columns and b scaled by powers of two: it says the same of the same point."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        n = int(rng.integers(1, 9))
        root = rng.normal(size=(n, n))
        A, b = root @ root.T + 0.1 * np.eye(n), rng.normal(size=n)
        z = solve_lcp(A, b).z * (1.0 + 10.0 ** rng.uniform(-12, -4) * rng.normal(size=n))
        rows, columns, size = 2.0 ** rng.integers(-40, 40, n), 2.0 ** rng.integers(-40, 40, n), 2.0 ** rng.integers(-40, 40)
        said = lcp_residual(A, b, z, n, 1e-8, *np.empty((3, n))) == np.inf
        other = lcp_residual(rows[:, None] * A * columns, rows * b * size, z / columns * size, n, 1e-8, *np.empty((3, n))) == np.inf
        # CONTRACT's part may differ, the part without units may not: an answer good to 1e-9 of its terms passes both
        assert said == other


@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_nearly_opposed_walls_are_not_called_none(mu):
    """Normals that all but oppose each other have an answer 1e10 away: multipliers that nearly exclude it are no proof."""
    W = np.zeros((6, 6))
    W[np.ix_([0, 3], [0, 3])] = [[1.0, -1.0], [-1.0, 1.0 + 1e-10]]
    assert solve_cone(W, [-1.0, 0, 0, -1.0, 0, 0], [mu, mu]).outcome != "none"
    A, b = np.ones((10, 10)), -np.ones(10)
    A[:2], A[:, :2] = 0.0, 0.0
    A[:2, :2] = [[1.0, -1.0], [-1.0, 1.0 + 1e-12]]
    assert solve_lcp(A, b).outcome != "none"


def test_none_of_nearly_singular_frictionless_cones_agrees_with_the_lcp():
    """Where solve_lcp has an answer solve_cone must not prove that there is none."""
    rng = np.random.default_rng(0)
    for _ in range(100):
        k = int(rng.integers(2, 9))
        values, V = np.linalg.eigh((root := rng.normal(size=(k, k))) @ root.T)
        values[0] = 10.0 ** rng.uniform(-13, -6)
        W, q = np.zeros((3 * k, 3 * k)), np.zeros(3 * k)
        W[0::3, 0::3], q[0::3] = (V * values) @ V.T, rng.normal(size=k)
        if solve_lcp(np.ascontiguousarray(W[0::3, 0::3]), q[0::3]).outcome == "solved":
            assert solve_cone(W, q, np.zeros(k)).outcome != "none"
