"""Mixed complementarity problems with known answers by every method; nothing is called solved that is no answer."""

import json
import math

import numpy as np
import pytest
from judges import contract_residual

import knuckle as kn
from knuckle.complementarity.mncp_judge import merit, mncp_residual, natural, row_scales

METHODS = ("newton", "box", "least_squares")
each = pytest.mark.parametrize("method", METHODS)


def kojima_shindo(u, v):
    """Two answers: (sqrt 6 / 2, 0, 0, 1/2), where it is degenerate, and (1, 0, 3, 0)."""
    a, b, c, d = u
    return [3 * a * a + 2 * a * b + 2 * b * b + c + 3 * d - 6, 2 * a * a + a + b * b + 10 * c + 2 * d - 2,
            3 * a * a + a * b + 2 * b * b + 2 * c + 9 * d - 9, a * a + 3 * b * b + 2 * c + 3 * d - 3]  # fmt: skip


def is_answer(F, G, found):
    """By hand, from the functions alone."""
    z = np.asarray(F(found.u, found.v), float) if F else np.zeros(0)
    rest = np.asarray(G(found.u, found.v), float) if G else np.zeros(0)
    return np.abs(np.minimum(found.u, z)).max(initial=0.0) < 1e-9 and np.abs(rest).max(initial=0.0) < 1e-9


@each
def test_kojima_and_shindo(method):
    found = kn.solve_mncp(kojima_shindo, None, 4, 0, method=method)
    assert found.outcome == "solved" and is_answer(kojima_shindo, None, found) and found.merit < 1e-20
    assert min(np.abs(found.u - x).max() for x in ([1.5**0.5, 0, 0, 0.5], [1, 0, 3, 0])) < 1e-9


@each
def test_lcps_with_p_matrices_and_the_residual_of_an_lcp(method):
    rng = np.random.default_rng(3)
    for n in (1, 2, 3, 5):
        A, b = rng.normal(size=(n, n)), rng.normal(size=n)
        A = A @ A.T + np.eye(n) + 0.3 * (A - A.T)
        found, known = kn.solve_mncp(lambda u, A=A, b=b: A @ u + b, None, n, 0, method=method), kn.solve_lcp(A, b)
        assert found.outcome == "solved" and np.abs(found.u - known.z).max() < 1e-10
        assert found.residual == pytest.approx(contract_residual(A, b, found.u), abs=1e-14)
        x = rng.random(n)
        assert mncp_residual(A @ x + b, A, x, np.zeros(0)) == pytest.approx(contract_residual(A, b, x), rel=1e-12)


@each
def test_plain_equations(method):
    """p = 0: a circle and a line; exact derivatives or differences."""
    def G(u, v):
        return [v[0] ** 2 + v[1] ** 2 - 2.0, v[0] - v[1]]
    for jacobian in (None, lambda u, v: [[2 * v[0], 2 * v[1]], [1.0, -1.0]]):
        found = kn.solve_mncp(None, G, 0, 2, x0=[1.0, 0.2], method=method, jacobian=jacobian)
        assert found.outcome == "solved" and found.v == pytest.approx([1.0, 1.0], abs=1e-12)


@each
def test_mixed_manufactured(method):
    """u, z and v chosen, F and G curved and monotone around them."""
    rng = np.random.default_rng(4)
    for p, m in ((1, 1), (2, 3), (4, 2)):
        u, z = rng.uniform(0.2, 1, p) * (np.arange(p) % 2), rng.uniform(0.2, 1, p) * (np.arange(p) % 2 == 0)
        v, n = rng.normal(size=m), p + m
        A = rng.normal(size=(n, n))
        A = A @ A.T / n + np.eye(n)
        def both(x, A=A, u=u, z=z, v=v):
            d = np.concatenate([x]) - np.concatenate([u, v])
            return A @ d + 0.3 * d**3 + np.concatenate([z, np.zeros(v.size)])
        found = kn.solve_mncp(lambda x, f=both, p=p: f(x)[:p], lambda x, f=both, p=p: f(x)[p:], p, m, method=method)
        assert found.outcome == "solved" and found.x == pytest.approx(np.concatenate([u, v]), abs=1e-9)
        assert found.z == pytest.approx(z, abs=1e-9) and found.merit < 1e-20


@each
@pytest.mark.parametrize("x0", [0.0, 1.0, [-0.3]])
@pytest.mark.parametrize("offset", [1e-3, 1e-8, 1e-12, 1e-14])
def test_a_stationary_point_of_the_merit_is_no_answer(method, x0, offset):
    found = kn.solve_mncp(None, lambda u, v: v**2 + offset, 0, 1, x0=x0, method=method, most_iterations=60)
    assert found.outcome == "undecided" and found.errors


@each
def test_masked_stationary_points_are_none_either(method):
    """Every row has a gradient, but their sum has no root; and a constant below zero."""
    assert kn.solve_mncp(None, lambda u, v: [v[0] ** 2 + 1e-12 + v[1], v[1]], 0, 2, method=method).outcome == "undecided"
    assert kn.solve_mncp(lambda u, v: [-1e-12], None, 1, 0, method=method).outcome == "undecided"
    assert kn.solve_mncp(lambda u, v: -u - 1.0, None, 1, 0, method=method).outcome == "undecided"


@each
@pytest.mark.parametrize("x0", [0.0, 1.0])
def test_a_double_root_is_solved_where_it_is_reached(method, x0):
    found = kn.solve_mncp(None, lambda u, v: v**2, 0, 1, x0=x0, method=method)
    assert found.outcome == "solved" and abs(found.v[0]) < 1e-10


@each
def test_functions_that_are_not_defined_below_zero(method):
    for F, root in ((lambda u, v: np.sqrt(u) - 1.0, 1.0), (lambda u, v: [math.log(u[0]) - 1.0], math.e)):
        found = kn.solve_mncp(F, None, 1, 0, x0=0.1, method=method)
        assert found.outcome == "solved" and found.u == pytest.approx([root], abs=1e-10)
    assert kn.solve_mncp(lambda u, v: np.sqrt(u) - 1.0, None, 1, 0, method=method).outcome == "solved"


@each
def test_degenerate_and_redundant_problems(method):
    """u = F = 0 at the answer; an equation that is listed twice; an equation that is always fulfilled."""
    assert kn.solve_mncp(lambda u, v: u, None, 3, 0, x0=1.0, method=method).outcome == "solved"
    found = kn.solve_mncp(lambda u, v: u + v[:1] - 1.0, lambda u, v: [v[0] + v[1] - 1.0, v[0] + v[1] - 1.0], 1, 2, method=method)
    assert found.outcome == "solved"
    assert kn.solve_mncp(None, lambda u, v: [v[0] - 2.0, 0.0], 0, 2, method=method).v[0] == pytest.approx(2.0, abs=1e-12)


def test_no_random_lcp_is_called_solved_without_being_so():
    """Any matrix, most of them without structure: what is solved is an answer, and the size of the numbers does not matter."""
    rng, solved = np.random.default_rng(5), 0
    for _ in range(60):
        n = int(rng.integers(1, 5))
        A, b = np.round(rng.normal(size=(n, n)) * 2), np.round(rng.normal(size=n) * 2)
        rows = 10.0 ** rng.uniform(-4, 4, n)
        found = kn.solve_mncp(lambda u, A=rows[:, None] * A, b=rows * b: A @ u + b, None, n, 0, most_iterations=60)
        known = kn.enumerate_lcp(A, b)
        if found.outcome == "solved":
            solved += 1
            assert known.solutions and contract_residual(A, b, found.u) <= 1e-10
    assert solved > 20


def test_x0_in_every_form_and_one_argument():
    def F(x):
        return x[:1] - 1.0 + x[1:]
    def G(x, power=1):
        return x[1:] ** power - 0.25
    for x0 in (None, 0, 0.5, [0.1, 0.2], [0.1, 0.2, 0.0]):
        found = kn.solve_mncp(F, G, 1, 1, x0)
        assert found.outcome == "solved" and found.x == pytest.approx([0.75, 0.25], abs=1e-12)
    found = kn.solve_mncp(lambda *parts: parts[0] - 1.0, None, 1, 0)
    assert found.outcome == "solved" and found.v.size == 0


def test_nothing_to_solve():
    found = kn.solve_mncp(None, None, 0, 0)
    assert found.outcome == "solved" and found.residual == 0.0 and found.x.size == 0


def test_box_reports_the_counts_of_the_paper():
    found = kn.solve_mncp(kojima_shindo, None, 4, 0, method="box")
    assert found.iterations > 1 and found.evaluations == found.iterations + found.starts
    assert found.products >= found.quadratic_iterations > found.iterations
    assert found.merit_before_polish < 1e-20 and found.before_polish.size == 8


def test_given_curvature_is_that_of_differences():
    def jacobian(u, v):
        return [[2 * u[0] * v[0], u[0] ** 2], [v[0], u[0] + 3 * v[0] ** 2]]
    def curvature(u, v, weight):
        return weight[0] * np.array([[2 * v[0], 2 * u[0]], [2 * u[0], 0]]) + weight[1] * np.array([[0, 1], [1, 6 * v[0]]])
    problem = (lambda u, v: u**2 * v - 2.0, lambda u, v: u * v + v**3 - 3.0, 1, 1, 0.5, "box", jacobian)
    one, two = kn.solve_mncp(*problem), kn.solve_mncp(*problem, curvature)
    assert one.outcome == two.outcome == "solved" and one.iterations == two.iterations
    assert one.x == pytest.approx(two.x, abs=1e-12)


@pytest.mark.parametrize(("change", "word"), [
    ({"F": None}, "F:"), ({"F": 3}, "F:"), ({"G": None}, "G:"), ({"p": -1}, "p:"), ({"p": 1.0}, "p:"), ({"m": True}, "m:"), ({"m": 10**9}, "m:"),
    ({"x0": [1.0]}, "x0:"), ({"x0": "a"}, "x0:"), ({"x0": [1.0, math.nan]}, "x0:"), ({"x0": [-1.0, 0.0]}, "x0:"), ({"x0": [0.0, 0.0, -1.0]}, "x0:"),
    ({"method": "magic"}, "method:"), ({"method": []}, "method:"), ({"tol": 1e-3}, "tol:"), ({"tol": "x"}, "tol:"), ({"tol": 0.0}, "tol:"),
    ({"most_iterations": 0}, "most_iterations:"), ({"jacobian": 1}, "jacobian:"), ({"curvature": 1}, "curvature:"),
    ({"F": lambda u, v: [1.0, 2.0]}, "F:"), ({"F": lambda u, v: u * math.nan}, "F:"), ({"G": lambda u, v: [math.sqrt(-1.0)]}, "G:"),
    ({"F": lambda u, v: "text"}, "F:"), ({"F": lambda u, v: None}, "F:"), ({"F": lambda u, v: [1j]}, "F:"), ({"G": lambda u, v: v[5]}, "G:"),
    ({"F": lambda u, v: [1 / 0]}, "F:"), ({"jacobian": lambda u, v: [[1.0]]}, "jacobian:"),
    ({"jacobian": lambda u, v: np.full((2, 2), np.inf)}, "jacobian:"),
])  # fmt: skip
def test_bad_input_is_named(change, word):
    good = {"F": lambda u, v: u - 1.0, "G": lambda u, v: v - 1.0, "p": 1, "m": 1}
    found = kn.solve_mncp(**(good | change))
    assert found.outcome == "invalid_input" and any(error.startswith(word) for error in found.errors)
    assert json.dumps(found.to_dict(), allow_nan=False)


@each
def test_functions_that_fail_far_from_the_start_never_reach_the_caller(method):
    def F(u, v):
        if u[0] > 0.5:
            raise ZeroDivisionError
        return u - 2.0
    found = kn.solve_mncp(F, None, 1, 0, method=method)
    assert found.outcome == "undecided" and np.isfinite(found.x).all() and found.errors
    document = found.to_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == document


@each
def test_answers_repeat_and_inputs_stay(method):
    x0 = np.array([0.5, 0.5, 0.5, 0.5])
    one, two = (kn.solve_mncp(kojima_shindo, None, 4, 0, x0, method) for _ in range(2))
    assert one.x.tobytes() == two.x.tobytes() and (x0 == 0.5).all()


def test_merit_and_natural_map_by_hand():
    values, J, u, z = np.array([2.0, -3.0, 4.0]), np.diag([2.0, 0.0, -8.0]), np.array([0.5, 1.0]), np.array([1.0, 2.0])
    assert merit(values, u, z) == (2 - 1) ** 2 + (-3 - 2) ** 2 + 4**2 + (0.5 + 2.0) ** 2
    assert row_scales(J).tolist() == [2.0, 1.0, 8.0]
    assert natural(values, row_scales(J), u).tolist() == [0.5, -3.0, 0.5]
    assert mncp_residual(values, J, u, np.array([7.0])) == 3.0 / (1 + 1 + 7 + 3)


WILD = {
    "steep": lambda u, v: np.exp(50.0 * u) - 1e10,
    "large": lambda u, v: 1e308 * u - 1e308,
    "small": lambda u, v: 1e-300 * u - 1e-300,
    "pole": lambda u, v: 1.0 / (u + 1e-300) - 1e5,
    "power": lambda u, v: u**20 - 1e30,
    "wall": lambda u, v: np.where(u > 1.0, np.inf, u - 2.0),
    "steps": lambda u, v: np.floor(u) - 3.0,
    "deep": lambda u, v: -1e300 + 0.0 * u,
    "triple": lambda u, v: (u - 1.0) ** 3,
    "tiny": lambda u, v: 5e-324 * u - 1.0,
}
WILD_G = {"cubic": lambda u, v: 1e200 * v**3 - 1.0, "exp": lambda u, v: np.exp(v) - u, "bump": lambda u, v: np.sin(1.0 / (v + 1e-12))}


@each
@pytest.mark.parametrize("name", WILD)
def test_wild_functions_raise_nothing_and_are_judged_in_their_own_size(method, name):
    for G in (None, *WILD_G.values()):
        for x0 in (0.0, 1.0):
            found = kn.solve_mncp(WILD[name], G, 1, 0 if G is None else 1, x0, method, most_iterations=60)
            assert found.to_dict() and found.outcome in ("solved", "undecided", "invalid_input")
            if found.outcome == "solved":
                assert np.isfinite(found.x).all() and found.residual <= 1e-10
    assert name not in ("deep", "tiny", "wall") or found.outcome != "solved"


@each
def test_a_wrong_jacobian_makes_nothing_solved(method):
    """A huge entry would scale every residual away."""
    found = kn.solve_mncp(None, lambda u, v: v**2 + 1.0, 0, 1, method=method, jacobian=lambda u, v: [[1e15]])
    assert found.outcome == "undecided" and any(error.startswith("jacobian: row 0 is off by") for error in found.errors)
    right = kn.solve_mncp(None, lambda u, v: v**3 - 8.0, 0, 1, 1.0, method, jacobian=lambda u, v: [3.3 * v**2])
    assert right.outcome == "undecided" or right.v == pytest.approx([2.0], abs=1e-9)


@pytest.mark.parametrize("method", ["newton", "box", "least_squares"])
@pytest.mark.parametrize(("F", "G", "p", "m", "x0"), [
    (lambda u, v: [u[0] - 1e13, -1e-3 - u[1]], None, 2, 0, [1e13, 0.0]),
    (None, lambda u, v: [v[0] - 1e11, v[1] ** 2 + 1e-6], 0, 2, [1e11, 0.0]),
    (None, lambda u, v: [v[0] - 1e12, v[1] ** 2 + 1e-3], 0, 2, None),
    (lambda u, v: [u[0] - 1e9], lambda u, v: [v[0] ** 2 + 1e-9], 1, 1, None),
    (None, lambda u, v: [1e-16 + 0.0 * v[0]], 0, 1, None),
    (lambda u, v: [-1e-16 + 0.0 * u[0]], None, 1, 0, None),
    (None, lambda u, v: [v[0] ** 2 + 1e-16], 0, 1, None),
    (None, lambda u, v: [1e-20 * (v[0] ** 2 + 1.0)], 0, 1, None),
    (None, lambda u, v: np.exp(v / 1e-8) - 3.0, 0, 1, None),               # a root, but out of sight: never the start itself
    (None, lambda u, v: (v - 1e8) ** 2 + 1e-6, 0, 1, 1e8),
    (None, lambda u, v: [v[0] - 1e8, v[1] ** 2 + 1e-8], 0, 2, 0.5),
])
def test_a_large_unknown_or_small_units_hide_no_other_equation(F, G, p, m, x0, method):
    found = kn.solve_mncp(F, G, p, m, x0, method=method)
    assert found.outcome == "undecided" or (G is not None and np.abs(G(found.u, found.v)).max() < 1e-6 and "exp" in G.__code__.co_names)


@pytest.mark.parametrize("method", ["newton", "box", "least_squares"])
@pytest.mark.parametrize("unit", [1.0, 1e-6, 1e-10, 1e-12, 1e6])
def test_units_of_the_unknowns_let_nothing_wrong_pass(unit, method):
    """Kojima and Shindo's problem in other units: solved or undecided, never solved where it is not."""
    def F(u):
        a, b, c, d = u / unit
        return np.array([3 * a * a + 2 * a * b + 2 * b * b + c + 3 * d - 6, 2 * a * a + a + b * b + 10 * c + 2 * d - 2,
                         3 * a * a + a * b + 2 * b * b + 2 * c + 9 * d - 9, a * a + 3 * b * b + 2 * c + 3 * d - 3])
    found = kn.solve_mncp(F, None, 4, 0, 0.0, method=method)
    assert found.outcome == "solved" or unit != 1.0
    if found.outcome == "solved":
        assert np.abs(np.minimum(found.u / unit, F(found.u))).max() < 1e-7


def test_a_jacobian_that_cannot_be_checked_is_not_believed():
    def F(u):
        return np.array([-1.0]) if u[0] <= 1e-7 else np.array([np.nan])
    assert kn.solve_mncp(F, None, 1, 0, 0.0, jacobian=lambda x: np.array([[1e12]])).outcome == "undecided"
