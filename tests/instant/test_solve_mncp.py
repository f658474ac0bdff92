"""The contact MNCP of paper 002 against the exact search and the cone's Newton method, on problems of several bodies that roll and slide."""

import sys
from pathlib import Path

import numpy as np
import pytest

import knuckle as kn

sys.path.insert(0, str(Path(__file__).parents[1]))
from oracles.mixed_answers import compare, near
from oracles.mixed_problems import drawn, mixed_problem
from oracles.three_fingers import three_fingers

METHODS = ("newton", "box", "least_squares")


@pytest.mark.parametrize("part", range(6))
def test_problems_of_several_bodies(part):
    """Newton, bounded least squares, the cone's Newton method and the search over all modes; several bodies, rolling and sliding."""
    found = []
    for seed in range(10 * part, 10 * part + 10):
        answer, solved, _ = compare(drawn(seed), ("newton", "least_squares"))
        found += [len(solved)] * bool(answer.solutions)
    assert sum(found) >= 2 * len(found) - 3  # an honest undecided now and then


def test_the_papers_box_solver_on_problems_of_several_bodies():
    """The first of three contacts at most, which it solves in a second; the soak test has a thousand."""
    small = [seed for seed in range(40) if drawn(seed).contacts <= 3]
    solved = [compare(drawn(seed), ("box",))[1] for seed in small[:12]]
    assert sum(map(len, solved)) >= len(solved) - 1


def test_the_generator_draws_what_it_says():
    """Both labels, several bodies, closed contacts: W v' of the twists is in no way special, M is positive definite, kn.solve accepts all."""
    problems = [drawn(seed) for seed in range(60)]
    assert {problem.contacts for problem in problems} == {2, 3, 4, 5, 6}
    assert sum(problem.sliding.any() and not problem.sliding.all() for problem in problems) > 20
    assert any(len(problem.h) > 18 for problem in problems) and all(len(problem.h) >= 12 for problem in problems)
    assert all(np.linalg.eigvalsh(problem.M)[0] > 0 for problem in problems)
    assert sum(np.abs(problem.bias).max() > 1e-6 for problem in problems) > 30


@pytest.mark.parametrize("method", METHODS)
def test_every_part_of_the_result(method):
    """Equations (29) to (36) by hand from f and a, in newton and metre."""
    problem = drawn(2)
    found = kn.solve_as_mncp(problem, method)
    R, S = np.flatnonzero(~problem.sliding), np.flatnonzero(problem.sliding)
    assert found.outcome == "solved" and found.method == method and len(R) and len(S)
    f, a = found.f, found.a
    assert found.u == pytest.approx(np.concatenate([f[S, 0], f[R, 0], np.hypot(a[R, 1], a[R, 2])]), abs=1e-10)
    assert found.v == pytest.approx(np.concatenate([f[R, 1], f[R, 2], a[R, 1], a[R, 2]]), abs=1e-10)
    assert found.lam == pytest.approx(np.hypot(a[R, 1], a[R, 2]), abs=1e-10)
    assert found.s == pytest.approx((problem.mu[R] * f[R, 0]) ** 2 - f[R, 1] ** 2 - f[R, 2] ** 2, abs=1e-10)
    assert found.z == pytest.approx(np.concatenate([a[S, 0], a[R, 0], found.s]), abs=1e-10)
    assert a.ravel() == pytest.approx(problem.W @ found.vdot + problem.bias, abs=1e-12)
    assert len(found.modes) == problem.contacts and set(found.modes) <= set("BRSF")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("mu", [0.0, 0.3, 0.9])
def test_block_on_an_incline_in_space_and_in_the_plane(method, mu):
    """Stick iff mu >= tan(al), else g (sin al - mu cos al); without friction lambda is free and still found by (30)."""
    al, g, m = 0.5, 9.81, 2.0
    slip = max(g * (np.sin(al) - mu * np.cos(al)), 0.0)
    pull = [m * g * np.sin(al), 0.0, -m * g * np.cos(al)]
    contact = {"label": "rolling", "mu": mu, "W_N": [0, 0, 1.0], "W_T": [1.0, 0, 0], "W_U": [0, 1.0, 0]}
    found = kn.solve_as_mncp({"M": (m * np.eye(3)).tolist(), "h": pull, "contacts": [contact]}, method)
    assert found.outcome == "solved" and found.lam == pytest.approx([slip], abs=1e-9)
    assert found.a[0] == pytest.approx([0, slip, 0], abs=1e-9) and found.f[0, 0] == pytest.approx(m * g * np.cos(al))
    plane = {"label": "rolling", "mu": mu, "W_N": [0, 1.0], "W_T": [1.0, 0]}
    found = kn.solve_as_mncp({"M": (m * np.eye(2)).tolist(), "h": [pull[0], pull[2]], "contacts": [plane]}, method)
    assert found.outcome == "solved" and found.a[0] == pytest.approx([0, slip], abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_problem_without_answer_is_never_solved(method):
    """Painleve's rod: A < 0, b < 0 for the known slip."""
    th, mu, g = 1.0, 2.0, 9.81
    normal, along = [0.0, 1.0, np.cos(th)], [1.0, 0.0, -np.sin(th)]
    contact = {"label": "sliding", "mu": mu, "W_N": normal, "W_T": along, "slip": [-1.0]}
    problem = {"M": np.diag([1.0, 1.0, 1.0 / 3.0]).tolist(), "h": [0.0, -g, 0.0], "contacts": [contact]}
    flipped = problem | {"contacts": [contact | {"slip": [1.0]}]}
    verdicts = {kn.solve(each).verdict.value for each in (problem, flipped)}
    assert "inconsistent" in verdicts
    for each in (problem, flipped):
        found = kn.solve_as_mncp(each, method)
        assert (found.outcome == "solved") == (kn.solve(each).verdict.value != "inconsistent")


def test_what_is_not_paper_002_is_refused_by_name():
    problem = three_fingers(0.5, False)
    joint = {"kind": "limit", "W": [1.0] + 14 * [0.0], "bias": 0.0}
    found = kn.solve_as_mncp(problem | {"joints": [joint]})
    assert found.outcome == "invalid_input" and found.errors[0].startswith("joints: must be empty")
    assert kn.solve_as_mncp({"M": [[1.0]]}).outcome == "invalid_input"
    assert kn.solve_as_mncp(problem, method="magic").errors[0].startswith("method: must be one of")
    assert kn.solve_as_mncp(problem, x0=[1.0]).errors[0].startswith("x0:")
    assert kn.solve_as_mncp({"M": [[1.0]], "h": [1.0], "contacts": []}).outcome == "solved"


def test_other_units_and_another_order_of_contacts_change_nothing():
    rng = np.random.default_rng(7)
    for seed in range(12):
        problem = mixed_problem(np.random.default_rng([9, seed]))
        force, order = 10.0 ** rng.uniform(-4, 4), rng.permutation(len(problem["contacts"]))
        other = problem | {"M": (force * np.array(problem["M"])).tolist(), "h": (force * np.array(problem["h"])).tolist(),
                           "contacts": [problem["contacts"][i] for i in order]}  # fmt: skip
        one, two = kn.solve_as_mncp(problem), kn.solve_as_mncp(other)
        assert one.outcome == two.outcome
        if one.outcome == "solved" and kn.solve(problem).verdict.value == "determinate":
            assert near(two.f / force, one.f[order]) and near(two.a, one.a[order])


@pytest.mark.parametrize("seed", [333, 353, 384, 683, 927])
def test_several_motions_where_the_forces_of_stuck_contacts_are_not_unique(seed):
    """One motion slides while others are wedged with forces that are not unique: the search must not take one choice of them for all."""
    answer, solved, _ = compare(drawn(seed), ("newton", "least_squares"))
    assert solved and answer.verdict.value in ("indeterminate", "undecided") and len(answer.solutions) == 2
    assert answer.verdict.value == "indeterminate" or not answer.complete
    one, two = answer.solutions
    assert not near(one.vdot, two.vdot, 1e-2)
