"""The box solver: quadratics against every face by brute force, curved valleys, walls, degenerate and wrong problems."""

import itertools

import numpy as np
import pytest

from knuckle.complementarity.box import minimise_in_box
from knuckle.complementarity.box_quadratic import minimise_quadratic


def best_of_all_faces(H, g, low, high):
    """Least value of the strictly convex g.x + x.H x / 2 over all 3^n faces, and where."""
    best = (np.inf, None)
    for face in itertools.product((0, 1, 2), repeat=len(g)):
        face = np.array(face)
        x, free = np.where(face == 0, low, high).astype(float), face == 2
        if free.any():
            x[free] = np.linalg.solve(H[np.ix_(free, free)], -g[free] - H[np.ix_(free, ~free)] @ x[~free])
        if (x >= low - 1e-13).all() and (x <= high + 1e-13).all() and g @ x + 0.5 * x @ H @ x < best[0]:
            best = (g @ x + 0.5 * x @ H @ x, x)
    return best


def solve_quadratic(H, g, low, high, x0, **options):
    return minimise_in_box(lambda x: g @ x + 0.5 * x @ H @ x, lambda x: g + H @ x, lambda x, d: H @ d, low, high, x0, **options)


def test_convex_quadratics_against_every_face():
    rng = np.random.default_rng(0)
    for _ in range(150):
        n = int(rng.integers(1, 6))
        A = rng.normal(size=(n, n))
        H, g = A @ A.T + 10.0 ** rng.uniform(-3, 0) * np.eye(n), 3.0 * rng.normal(size=n)
        low, high = -rng.uniform(0, 1, n), rng.uniform(0, 1, n)
        found = solve_quadratic(H, g, low, high, rng.normal(size=n), tolerance=1e-11)
        assert found.outcome == "stationary"
        assert np.abs(found.x - best_of_all_faces(H, g, low, high)[1]).max() < 1e-7
        assert (found.x >= low).all() and (found.x <= high).all()


def test_a_known_active_set():
    """H = 1: the nearest point of the box, with its walls met to the last bit."""
    low, high = np.array([0.1, -0.3, -np.inf, 0.7, 0.7]), np.array([0.3, np.inf, 0.1, 0.7, 2.0])
    centre = np.array([5.0, -4.0, -2.0, 3.0, 1.1])
    found = solve_quadratic(np.eye(5), -centre, low, high, np.zeros(5))
    assert found.x[[0, 1, 3]].tolist() == [0.3, -0.3, 0.7]
    assert found.x[[2, 4]] == pytest.approx([-2.0, 1.1], abs=1e-9)


def test_indefinite_quadratics_end_at_stationary_points_no_higher_than_the_start():
    rng = np.random.default_rng(1)
    for _ in range(100):
        n = int(rng.integers(2, 8))
        A, g, x0 = rng.normal(size=(n, n)), rng.normal(size=n), rng.uniform(-1, 1, n)
        H = A + A.T
        found = solve_quadratic(H, g, -np.ones(n), np.ones(n), x0)
        slope = g + H @ found.x
        held = ((found.x == -1.0) & (slope >= 0.0)) | ((found.x == 1.0) & (slope <= 0.0))
        assert found.outcome == "stationary" and np.abs(slope[~held]).max(initial=0.0) <= 1e-9
        assert found.value <= g @ x0 + 0.5 * x0 @ H @ x0


def rosenbrock(x):
    return 100.0 * (x[1] - x[0] ** 2) ** 2 + (1.0 - x[0]) ** 2


def rosenbrock_slope(x):
    return np.array([-400.0 * x[0] * (x[1] - x[0] ** 2) - 2.0 * (1.0 - x[0]), 200.0 * (x[1] - x[0] ** 2)])


def rosenbrock_product(x, d):
    H = np.array([[1200.0 * x[0] ** 2 - 400.0 * x[1] + 2.0, -400.0 * x[0]], [-400.0 * x[0], 200.0]])
    return H @ d


@pytest.mark.parametrize("product", [rosenbrock_product, None])
@pytest.mark.parametrize(("low", "high", "want"), [
    ([-np.inf, -np.inf], [np.inf, np.inf], [1.0, 1.0]),
    ([-2.0, -2.0], [0.5, 2.0], [0.5, 0.25]),
    ([1.5, -2.0], [3.0, 2.0], [1.5, 2.0]),
    ([-2.0, 1.0], [2.0, 1.0], [-0.5 - 0.245**0.5, 1.0]),  # x^2 + x + 1/200 = 0: the stationary point on this side
])  # fmt: skip
def test_rosenbrock_in_a_box(product, low, high, want):
    found = minimise_in_box(rosenbrock, rosenbrock_slope, product, low, high, [-1.2, 1.0])
    assert found.outcome == "stationary" and found.x == pytest.approx(want, abs=1e-8)
    assert found.evaluations == found.iterations + 1 and found.products >= found.quadratic_iterations > 0


def test_degenerate_walls_and_flat_valleys():
    """The slope vanishes on the wall as well; a whole line of least points; a fourth power."""
    assert solve_quadratic(np.eye(2), np.zeros(2), [0.0, 0.0], [1.0, 1.0], [1.0, 1.0]).x.tolist() == [0.0, 0.0]
    flat = np.ones((2, 2))
    found = solve_quadratic(flat, -np.ones(2), [0.0, 0.0], [1.0, 1.0], [0.0, 0.9])
    assert found.outcome == "stationary" and found.x.sum() == pytest.approx(1.0, abs=1e-9)
    found = minimise_in_box(lambda x: float((x**4).sum()), lambda x: 4 * x**3, lambda x, d: 12 * x**2 * d, -1.0, 1.0, [0.9, -0.8])
    assert found.outcome == "stationary" and np.abs(found.x).max() < 1e-3


def test_points_where_the_function_is_not_defined_are_stepped_back_from():
    found = minimise_in_box(lambda x: float(x[0] - np.log(x[0])), lambda x: 1.0 - 1.0 / x, lambda x, d: d / x**2, -10.0, 10.0, [8.0])
    assert found.outcome == "stationary" and found.x == pytest.approx([1.0], abs=1e-8)


def test_caps_targets_and_repeats():
    H = np.diag(10.0 ** np.arange(8))
    assert solve_quadratic(H, -np.ones(8), -1.0, 1.0, np.ones(8), most_products=3).outcome == "capped"
    assert solve_quadratic(H, -np.ones(8), -1.0, 1.0, np.ones(8), most_iterations=1, radius=1e-3).outcome == "capped"
    assert minimise_in_box(rosenbrock, rosenbrock_slope, None, -2.0, 2.0, [-1.2, 1.0], target=1.0).outcome == "target"
    one, two = (minimise_in_box(rosenbrock, rosenbrock_slope, None, -2.0, 2.0, [-1.2, 1.0]) for _ in range(2))
    assert one.x.tobytes() == two.x.tobytes()


def test_a_function_without_a_least_value_ends_at_its_cap():
    found = minimise_in_box(lambda x: float(-x.sum()), lambda x: -np.ones(2), lambda x, d: 0.0 * d, 0.0, np.inf, [0.0, 0.0], most_iterations=30)
    assert found.outcome == "capped" and np.isfinite(found.x).all()


@pytest.mark.parametrize(("low", "high", "x0", "word"), [
    ([1.0], [0.0], [0.0], "lower"),
    ([0.0, 0.0], [1.0, 1.0], [0.0], "length"),
    ([0.0], [1.0], [np.nan], "x0"),
    (["a"], [1.0], [0.0], "lower"),
    ([np.nan], [1.0], [0.0], "lower"),
])  # fmt: skip
def test_bad_input_is_named(low, high, x0, word):
    found = minimise_in_box(lambda x: 0.0, lambda x: 0.0 * x, None, low, high, x0)
    assert found.outcome == "invalid_input" and any(word in error for error in found.errors)


def test_a_model_is_left_at_a_wall_when_its_curvature_is_negative():
    step = minimise_quadratic(lambda d: -d, np.array([0.1, -0.2]), -np.ones(2), np.ones(2), 1e-12, 100)
    assert step.d.tolist() == [-1.0, 1.0]


def test_products_that_are_not_finite_end_the_search_not_the_program():
    found = minimise_in_box(lambda x: float(x @ x), lambda x: 2 * x, lambda x, d: d * np.nan, -1.0, 1.0, [0.5, 0.5])
    assert found.outcome in ("stalled", "capped", "stationary") and np.isfinite(found.x).all()
