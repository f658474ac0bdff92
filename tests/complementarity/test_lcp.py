"""Linear complementarity: textbook examples, ties, families under stress, the published set, bad input."""
import numpy as np
import pytest
import siconos_lcp
from judges import contract_residual
from rational_lemke import rational_lemke

from knuckle.complementarity import lcp_kernels
from knuckle.complementarity.lcp import enumerate_lcp, lcp_work, solve_lcp
from knuckle.errors import InputError


def test_murty_example_2_8():
    """Murty 1988, example 2.8: tied ratios, answer (1/3, 1/3, 1/3); single principal pivots cycle here (Kostreva)."""
    result = solve_lcp([[1, 2, 0], [0, 1, 2], [2, 0, 1]], [-1, -1, -1])
    np.testing.assert_allclose(result.z, [1 / 3] * 3, atol=1e-15)


@pytest.mark.parametrize("n", range(1, 11))
def test_murty_exponential_path(n):
    """Murty 1988, chapter 6: up to 2^n pivots; the answer is 2^n e_1 in this order of the rows."""
    A = 2 * np.tril(np.ones((n, n)), -1) + np.eye(n)
    b = -np.array([sum(2.0**j for j in range(n - i, n + 1)) for i in range(n)])
    result = solve_lcp(A, b)
    assert result.outcome == "solved"
    np.testing.assert_allclose(result.z, [2.0**n] + [0] * (n - 1), atol=1e-12 * 2**n)


def test_no_cycle_on_tied_problems():
    """Without the lexicographic rule 7 % of such problems allow a cycle (PHYSICS 3.9): every run ends by itself."""
    generator = np.random.default_rng(5)
    works = {n: lcp_work(n) for n in range(2, 7)}
    for _ in range(20_000):
        n = int(generator.integers(2, 7))
        A = generator.integers(-1, 2, (n, n)).astype(float)
        b = generator.integers(-1, 1, n).astype(float)
        status = lcp_kernels.solve(A, b, n, False, 1000, works[n])
        assert status in (lcp_kernels.SOLVED, lcp_kernels.RAY), (A, b)


def test_lexicographic_path_equals_rational_arithmetic():
    """Without the lexicographic rule 7 % of such problems allow a cycle (PHYSICS 3.9): here every run ends by itself."""
    generator = np.random.default_rng(8)
    works, longest = {n: lcp_work(n) for n in range(2, 6)}, 0
    for _ in range(600):
        n = int(generator.integers(2, 6))
        A = generator.integers(-1, 2, (n, n)) + np.diag(generator.integers(0, 2, n))
        b = -generator.integers(0, 2, n)
        A[np.abs(A) > 1] = 1
        if not (np.abs(A).sum(0).all() and np.abs(A).sum(1).all() and b.any()):
            continue                                      # unequal scales would change the covering vector
        status = lcp_kernels.solve(A.astype(float), b.astype(float), n, False, 1000, works[n])
        expected, pivots = rational_lemke(A.tolist(), b.tolist())
        assert (status == lcp_kernels.SOLVED, works[n].tally[lcp_kernels.PIVOTS]) == (expected, pivots), (A, b)
        longest = max(longest, pivots)
    assert longest > 6


def test_ray_is_not_a_proof():
    """CPS 2009, example 4.4.23: Lemke with d = 1 ends on a ray at once, yet there are three answers."""
    A, b = np.array([[0, 0, 10, 20], [0, 0, 30, 15], [10, 20, 0, 0], [30, 15, 0, 0]], float), -np.ones(4)
    assert lcp_kernels.solve(A, b, 4, False, 100, lcp_work(4)) == lcp_kernels.RAY
    assert solve_lcp(A, b).outcome == "solved"
    assert len(enumerate_lcp(A, b).solutions) == 3


def test_continuum_with_its_ends():
    """CPS 2009, remark 4.1.14: z_1 + z_2 = 1."""
    found = enumerate_lcp(np.ones((2, 2)), [-1, -1])
    assert found.complete
    (continuum,) = found.continua
    np.testing.assert_allclose(sorted(continuum.vertices.tolist()), [[0, 1], [1, 0]])
    assert continuum.rays.shape == (0, 2)


def test_unbounded_continuum():
    """CPS 2009, example 4.4.16: the ray (0, 1) + t (1, 1)."""
    (continuum,) = enumerate_lcp([[1, -1], [-1, 1]], [1, -1]).continua
    np.testing.assert_allclose(continuum.vertices, [[0, 1]])
    np.testing.assert_allclose(continuum.rays, [[1, 1]])


def family(kind, n, generator):
    """Solvable problems by construction."""
    if kind == "P":
        root, skew = generator.normal(size=(2, n, n))
        return root @ root.T / n + 0.05 * np.eye(n) + 0.3 * (skew - skew.T), generator.normal(size=n)
    if kind == "low rank":
        root = generator.normal(size=(n, int(generator.integers(1, n + 1))))
        return root @ root.T, root @ generator.normal(size=root.shape[1])
    if kind == "duplicated":
        root = generator.normal(size=(n, n))
        root[n // 2:] = root[:n - n // 2]
        return root @ root.T, root @ generator.normal(size=n)
    A = generator.normal(size=(n, n))
    z = np.maximum(generator.normal(size=n), 0.0)
    if kind == "degenerate":
        A = A @ A.T / n + 0.1 * np.eye(n)
        return A, np.where((z == 0) & (generator.random(n) < 0.5), generator.random(n), 0.0) - A @ z
    A = A @ A.T / n + 0.05 * np.eye(n)
    rows, columns = 10.0 ** generator.uniform(-3, 3, n), 10.0 ** generator.uniform(-3, 3, n)
    return rows[:, None] * A * columns, rows * generator.normal(size=n)


@pytest.mark.parametrize("kind", ["P", "low rank", "duplicated", "degenerate", "scale span 1e12"])
def test_families(kind):
    generator = np.random.default_rng(11)
    for _ in range(500):
        A, b = family(kind, int(generator.integers(1, 25)), generator)
        result = solve_lcp(A, b)
        assert result.outcome == "solved"
        assert abs(contract_residual(A, b, result.z) - result.residual) < 1e-14
        np.testing.assert_array_equal(result.w, A @ result.z + b)


@pytest.mark.parametrize("n", [3, 9, 14])
def test_none_has_a_certificate(n):
    """First w_1 = -1 - z_2, negative for all z >= 0. Then w_1 = z_1 - 1, w_2 = z_1 - 2: z_1 >= 2, but then w_1 > 0 too."""
    A, b = np.eye(n), np.ones(n)
    A[0], b[0] = 0.0, -1.0
    A[0, 1], A[1, 0], A[1, 1], b[1] = -1.0, 1.0, 0.0, 0.0
    result = solve_lcp(A, b)
    assert result.outcome == "none"
    y = result.certificate["y"]
    assert (y >= 0).all()
    assert (A.T @ y <= 1e-12).all()
    assert b @ y < 0
    A, b = np.eye(n), np.ones(n)
    A[:3], b[:3] = 0.0, [-1.0, -2.0, 0.0]
    A[0, 0] = A[1, 0] = A[2, 2] = 1.0
    assert solve_lcp(A, b).outcome == "none"


@pytest.mark.parametrize("name", sorted(file.name for file in siconos_lcp.FOLDER.glob("*.dat")) or ["absent"])
def test_published_set(name):
    """All 20 verdicts: one problem has no answer, by Farkas; the others are solved by their own residual."""
    if name == "absent":
        pytest.skip("no ../shared/data/external/siconos/lcp beside this working copy")
    A, b = siconos_lcp.read(siconos_lcp.FOLDER / name)
    result = solve_lcp(A, b)
    if name == "lcp_Pang_isolated_sol_perturbed.dat":
        assert result.outcome == "none"
        y = result.certificate["y"]
        assert y.min() >= 0
        assert (A.T @ y).max() <= 0 > b @ y
    else:
        assert result.outcome == "solved"
        size = np.abs(b).max()
        assert contract_residual(A, b, result.z) < 1e-12
        assert contract_residual(A, b / size, result.z / size) < 1e-12


def test_size_zero_and_inputs_unchanged():
    assert solve_lcp(np.zeros((0, 0)), []).outcome == "solved"
    assert enumerate_lcp([], []).complete
    A, b = np.array([[2, 1], [1, 2]], order="F"), np.array([-5, -6])
    before = A.copy(), b.copy()
    solve_lcp(A, b), enumerate_lcp(A, b)
    np.testing.assert_array_equal(A, before[0])
    np.testing.assert_array_equal(b, before[1])


@pytest.mark.parametrize(("A", "b", "words"), [
    ([[np.nan]], [1.0], "A: must be finite"),
    ([[1.0]], [np.inf], "b: must be finite"),
    ([[1.0, 2.0]], [1.0], "must be square"),
    ([[1.0]], [1.0, 2.0], "must be square"),
    ([1.0], [1.0], "2 dimensions"),
    ([["x"]], [1.0], "real numbers"),
])
def test_bad_input(A, b, words):
    for solve in (solve_lcp, enumerate_lcp):
        with pytest.raises(InputError, match=words):
            solve(A, b)


def test_answers_of_a_small_block_beside_a_large_one_are_kept_apart():
    """Four answers each; to the whole problem the small entries are round-off."""
    found = enumerate_lcp(np.diag([-1.0073, -0.437]), [1.1e-13, 1.43e-4])
    assert found.complete and len(found.solutions) == 4
    found = enumerate_lcp([[-1.654e-12, -2.1295e-12], [1, -2]], [2.0, 1.0])
    assert any(z.tolist() == [0.0, 0.5] for z in found.solutions)


def test_read_only_arrays_and_huge_numbers(recwarn):
    A, b = np.eye(2) * 1e200, -np.ones(2) * 1e200
    A.flags.writeable = b.flags.writeable = False
    assert solve_lcp(A, b).outcome == "solved" and len(enumerate_lcp(A, b).solutions) == 1
    assert not recwarn.list
