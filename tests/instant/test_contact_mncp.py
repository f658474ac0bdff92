"""F, G and their derivatives of paper 002 (25) to (36) against the laws written out, and the exact modes."""

import sys
from pathlib import Path

import numpy as np
import pytest

import knuckle as kn
from knuckle.errors import InputError
from knuckle.instant.contact_mncp import contact_mncp, sliding_lcp, sliding_merit
from knuckle.instant.mode_polish import BREAK, SLIDE, STICK, hold_modes, likely_modes
from knuckle.instant.problem import read_problem
from knuckle.instant.solve_mncp import solve_sliding

sys.path.insert(0, str(Path(__file__).parents[1]))
from oracles.mixed_problems import drawn
from oracles.three_fingers import three_fingers


def flat(problem):
    """The problem with its tangents U left out: a planar one, whatever it means."""
    return read_problem({"M": problem.M.tolist(), "h": problem.h.tolist(), "contacts": [
        {"label": "sliding" if abs(problem.slip[i, 0]) > 1e-9 else "rolling", "mu": float(problem.mu[i]), "slip": [float(problem.slip[i, 0])],
         "W_N": problem.W[3 * i].tolist(), "W_T": problem.W[3 * i + 1].tolist(), "bias": problem.bias[3 * i:3 * i + 2].tolist()}
        for i in range(problem.contacts)]})  # fmt: skip


PROBLEMS = 16


def problem_of(k):
    """Twelve problems in space, and the first four laid flat."""
    return drawn(k) if k < 12 else flat(drawn(k - 12))


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("k", range(PROBLEMS))
def test_derivatives_against_differences(k, scaled):
    mncp, rng = contact_mncp(problem_of(k), scaled), np.random.default_rng(k)
    x = np.concatenate([rng.random(mncp.p), rng.normal(size=mncp.m)])
    weight = rng.normal(size=x.size)

    def both(x):
        return np.concatenate([mncp.F(*np.split(x, [mncp.p])), mncp.G(*np.split(x, [mncp.p]))])

    def slope(x):
        return mncp.jacobian(*np.split(x, [mncp.p])).T @ weight

    for function, derivative in ((both, mncp.jacobian(*np.split(x, [mncp.p]))), (slope, mncp.curvature(*np.split(x, [mncp.p]), weight))):
        # quadratic functions: central differences are exact
        want = np.array([(function(x + e) - function(x - e)) / 2.0 for e in np.eye(x.size)]).T
        assert np.abs(derivative - want).max(initial=0.0) < 1e-12 * (1.0 + np.abs(want).max(initial=0.0) + np.abs(function(x)).max(initial=0.0))


@pytest.mark.parametrize("k", range(PROBLEMS))
def test_equations_of_the_paper_from_forces_and_accelerations(k):
    """Any forces: F and G by the accelerations that follow from M, h and W."""
    problem, rng = problem_of(k), np.random.default_rng(k)
    mncp, dim = contact_mncp(problem, scaled=False), problem.dim
    f, lam = rng.normal(size=(problem.contacts, dim)), rng.random(len(mncp.R))
    f[:, 0] = np.abs(f[:, 0])
    for i in mncp.S:  # (19)
        f[i, 1:] = -problem.mu[i] * f[i, 0] * problem.slip[i] / np.linalg.norm(problem.slip[i])
    a = (problem.W @ np.linalg.solve(problem.M, problem.h + problem.W.T @ f.ravel()) + problem.bias).reshape(f.shape)
    u, v = np.concatenate([f[mncp.S, 0], f[mncp.R, 0], lam]), np.concatenate([f[mncp.R, 1:].T.ravel(), a[mncp.R, 1:].T.ravel()])
    s = (problem.mu[mncp.R] * f[mncp.R, 0]) ** 2 - (f[mncp.R, 1:] ** 2).sum(axis=1)
    opposed = problem.mu[mncp.R, None] * f[mncp.R, :1] * a[mncp.R, 1:] + f[mncp.R, 1:] * lam[:, None]
    size = 1.0 + np.abs(a).max() + np.abs(opposed).max(initial=0.0)
    assert np.abs(mncp.F(u, v) - np.concatenate([a[mncp.S, 0], a[mncp.R, 0], s])).max() < 1e-12 * size
    assert np.abs(mncp.G(u, v) - np.concatenate([opposed.T.ravel(), np.zeros(opposed.size)])).max(initial=0.0) < 1e-12 * size
    assert mncp.forces(u, v) == pytest.approx(f, abs=1e-14)


@pytest.mark.parametrize("k", range(PROBLEMS))
def test_scaled_and_own_units_are_one_problem(k):
    own, scaled, rng = contact_mncp(problem_of(k), scaled=False), contact_mncp(problem_of(k)), np.random.default_rng(k)
    u, v = rng.random(own.p), rng.normal(size=own.m)
    u_own, v_own, z_own = own.from_units_of(scaled, u, v, scaled.F(u, v))
    assert own.F(u_own, v_own) == pytest.approx(z_own, rel=1e-9, abs=1e-9 * np.abs(z_own).max())
    assert own.forces(u_own, v_own) == pytest.approx(scaled.forces(u, v), rel=1e-12)
    back = scaled.from_units_of(own, u_own, v_own, z_own)
    assert all(one == pytest.approx(two, rel=1e-12) for one, two in zip(back, (u, v, scaled.F(u, v)), strict=True))


def test_modes_of_an_answer_give_it_back_to_the_last_digits():
    """From an answer that is wrong in the third digit; all problems but one have one answer."""
    determinate = [k for k in range(PROBLEMS) if gives_back_its_answer(problem_of(k), np.random.default_rng(k))]
    assert len(determinate) >= PROBLEMS - 1, determinate


def gives_back_its_answer(problem, rng):
    """Whether there was one; fails where modes or forces are others."""
    answer = kn.solve(problem)
    if answer.verdict.value != "determinate":
        return False
    mncp, f, a = contact_mncp(problem), answer.solution.f, answer.solution.a
    letters = [mode[0] for mode in answer.solution.modes]
    sliding = np.array([BREAK if letters[i] == "B" else STICK for i in mncp.S], int)
    rolling = np.array([{"B": BREAK, "S": SLIDE}.get(letters[i], STICK) for i in mncp.R], int)
    own = contact_mncp(problem, scaled=False)
    u = np.concatenate([f[mncp.S, 0], f[mncp.R, 0], np.linalg.norm(a[mncp.R, 1:], axis=1)])
    v = np.concatenate([f[mncp.R, 1:].T.ravel(), a[mncp.R, 1:].T.ravel()])
    u, v, _ = mncp.from_units_of(own, u, v, u)
    first = next(likely_modes(mncp, u, v))
    assert first[0].tolist() == sliding.tolist() and first[1].tolist() == rolling.tolist()
    u, v = u * (1.0 + 1e-3 * rng.normal(size=u.size)), v * (1.0 + 1e-3 * rng.normal(size=v.size))
    assert mncp.forces(*hold_modes(mncp, sliding, rolling, u, v)) == pytest.approx(f, abs=1e-9 * (1.0 + np.abs(f).max()))
    return True


def test_all_sliding_is_a_linear_problem_in_the_papers_variables():
    """(45) to (48) against Lemke's method; the general route with n_R = 0 has the same merit."""
    for mu in (0.1, 0.2, 0.4, 0.5):
        problem = read_problem(three_fingers(mu, True))
        M, b_n = sliding_lcp(problem)
        found, known = solve_sliding(problem), kn.solve_lcp(M, b_n)
        assert found.value < 1e-20 and found.x == pytest.approx(np.concatenate([known.z, known.w]), abs=1e-9)
        t = np.random.default_rng(0).random(6)
        own = contact_mncp(problem, scaled=False)
        z_F = t[3:] - own.F(t[:3], np.zeros(0))
        assert sliding_merit(t, M, b_n) == pytest.approx((z_F**2).sum() + (t[:3] @ t[3:]) ** 2)


def test_problems_that_are_not_of_the_kind_are_refused():
    with pytest.raises(InputError, match="contacts: must be sliding at every contact"):
        sliding_lcp(read_problem(three_fingers(0.1, False)))
    joints = [{"kind": "limit", "W": [1.0], "bias": 0.0}]
    with pytest.raises(InputError, match="joints: must be empty"):
        contact_mncp(read_problem({"M": [[1.0]], "h": [0.0], "contacts": [], "joints": joints}))
