"""The one LU and the one Cholesky against NumPy, and what they refuse."""
import numpy as np
import pytest

from knuckle.compiled import dense


@pytest.mark.parametrize("n", [1, 2, 5, 12, 24])
def test_lu_solves_and_leaves_the_rest_of_the_workspace_alone(n):
    rng = np.random.default_rng(n)
    for _ in range(20):
        work, pivots, b = rng.normal(size=(n + 3, n + 3)), np.zeros(n + 3, np.int64), rng.normal(size=n + 3)
        A, want, beyond = work[:n, :n].copy(), b[:n].copy(), work[n:].copy()
        assert dense.lu_factor(work, pivots, n)
        dense.lu_solve(work, pivots, b, n)
        assert np.abs(A @ b[:n] - want).max() <= 1e-11 * np.linalg.cond(A)
        assert (work[n:] == beyond).all()


@pytest.mark.parametrize("n", [1, 2, 5, 12, 24])
def test_cholesky_solves(n):
    rng = np.random.default_rng(n)
    for _ in range(20):
        G, b = rng.normal(size=(n, n + 2)), rng.normal(size=n)
        A = G @ G.T
        factor, x = A.copy(), b.copy()
        assert dense.cholesky(factor, n)
        np.testing.assert_allclose(np.tril(factor), np.linalg.cholesky(A), rtol=1e-9, atol=1e-9)
        dense.cholesky_solve(factor, x, n)
        assert np.abs(A @ x - b).max() <= 1e-12 * np.linalg.cond(A)


def test_singular_and_indefinite_matrices_are_refused():
    ones, pivots = np.ones((3, 3)), np.zeros(3, np.int64)
    assert not dense.lu_factor(ones.copy(), pivots, 3)
    assert not dense.lu_factor(np.full((2, 2), np.nan), pivots, 2)
    assert not dense.cholesky(ones.copy(), 3)
    assert not dense.cholesky(np.diag([1.0, -1.0]), 2)
    assert not dense.cholesky(np.full((2, 2), np.nan), 2)
