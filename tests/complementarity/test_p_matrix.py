"""P matrices: margin and witness against all minors by factorisation, and matrices whose property is known."""
from itertools import combinations

import numpy as np
import pytest

from knuckle.complementarity.p_matrix import p_matrix
from knuckle.errors import InputError


def minors(A):
    D = A / np.sqrt(np.outer(np.diag(A), np.diag(A)))
    n = len(A)
    return {s: np.linalg.det(D[np.ix_(s, s)]) for k in range(1, n + 1) for s in combinations(range(n), k)}


def test_equals_all_minors():
    generator = np.random.default_rng(2)
    held = 0
    for _ in range(150):
        n = int(generator.integers(1, 8))
        A = generator.normal(size=(n, n)) + generator.uniform(0, 3) * np.eye(n)
        np.fill_diagonal(A, np.abs(np.diag(A)) + 0.1)
        result, expected = p_matrix(A), minors(A)
        assert result.margin == pytest.approx(min(expected.values()), rel=1e-9, abs=1e-12)
        assert result.holds == (result.margin > 0)
        assert result.holds or expected[tuple(result.witness)] <= 0
        held += result.holds
    assert 30 < held < 120


def test_singletons_come_first():
    result = p_matrix([[1, 5, 0], [5, 1, 0], [0, 0, -2]])
    assert (result.holds, result.margin, result.witness) == (False, -np.inf, [2])


@pytest.mark.parametrize("n", [4, 9, 16])
def test_singular_by_a_rational_hair(n):
    """Rows that sum to zero: the determinant is exactly 0 and every smaller minor positive (Laplacian of a path)."""
    A = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    A[0, 0] = A[-1, -1] = 1
    result = p_matrix(A)
    assert (result.holds, result.witness) == (False, list(range(n)))
    assert result.margin == 0.0
    A[0, 0] += 1e-10
    assert p_matrix(A).holds


def test_zero_pivot_on_the_way():
    """The minor of {0, 1} is 0, so later minors need their own factorisation; the smallest is the whole determinant."""
    A = np.array([[1.0, 1, 2], [1, 1, 3], [0, 4, 1]])
    result = p_matrix(A)
    assert result.margin == pytest.approx(min(minors(A).values()), abs=1e-12)
    assert result.witness == [1, 2]


def test_large_by_its_symmetric_part():
    generator = np.random.default_rng(4)
    root, skew = generator.normal(size=(2, 30, 30))
    A = root @ root.T + np.eye(30) + skew - skew.T
    result = p_matrix(A)
    assert result.holds
    assert 0 < result.margin <= 1
    assert not result.exact


def test_bad_input():
    with pytest.raises(InputError, match="square"):
        p_matrix([[1.0, 2.0]])
    with pytest.raises(InputError, match="finite"):
        p_matrix([[np.inf]])
    assert p_matrix(np.zeros((0, 0))).holds


def test_a_minor_that_round_off_hides_is_found():
    """A cycle of 5 against one of 6: terms of 1e20 cancel, and the whole determinant is -5253."""
    A = np.eye(6)
    A[0, 2], A[1, 4], A[2, 1], A[3, 0] = 7529.619853649119, 23118.5362454348, 15688.370323040752, 17571.62629864043
    A[3, 5], A[4, 3], A[5, 0] = 138.91095011401447, 12374.486825856742, 126.49561668261644
    found = p_matrix(A)
    assert not found.holds and found.witness == list(range(6)) and found.margin == pytest.approx(-5253.44874, rel=1e-8)
