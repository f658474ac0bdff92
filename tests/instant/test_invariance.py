"""Nothing depends on the order of contacts, the tangents, the units or the coordinates: 1,000 random transforms."""

import sys
from pathlib import Path

import numpy as np
import pytest

from knuckle.instant.solve import solve

sys.path.insert(0, str(Path(__file__).parents[1]))
from oracles import closed_forms
from oracles.family_answers import error
from oracles.rewritten_problems import changed

TOLERANCE = 1e-9
TRANSFORMS = 25  # of each of 40 (problem, law) pairs


# Unique, several, none, and many forces for one motion; from one contact to four. Families of closed forms with their seeds.
BASES = [(family, seed) for family, seeds in (
    ("block_incline", (0, 1)), ("sphere_incline", (0,)), ("ball_between_plates", (1,)), ("pulled_box", (0, 1, 2)), ("painleve", (0, 1, 2, 3)),
    ("scalar", (0,)), ("squeeze", (0, 1)), ("ladder", (0,)), ("table", (1,)), ("manufactured", ((2, 0), (2, 1), (3, 0), (3, 3))))
    for seed in seeds]  # fmt: skip


def base_problem(family, seed):
    """`manufactured`: seed is the number of contacts and a seed."""
    rng = np.random.default_rng(seed)
    if family == "manufactured":
        return closed_forms.manufactured(rng, "cone", seed[0]).problem
    return closed_forms.FAMILIES[family](rng).problem


def test_enough_transforms():
    assert len(BASES) * 2 * TRANSFORMS >= 1000


@pytest.mark.parametrize("law", ["cone", "pyramid"])
@pytest.mark.parametrize("base", range(len(BASES)), ids=[f"{name}{i}" for i, (name, _) in enumerate(BASES)])
def test_invariance(base, law):
    problem = base_problem(*BASES[base])
    want = solve(problem, law)
    for seed in range(TRANSFORMS):
        change = changed(problem, law, [base, seed])
        have = solve(change.problem, law)
        label = (seed, have, want)
        assert (have.verdict, have.complete, have.continuum) == (want.verdict, want.complete, want.continuum), label
        assert (have.p_matrix is None) == (want.p_matrix is None)
        assert have.p_matrix is None or have.p_matrix.holds == want.p_matrix.holds, label
        back = [change.back(s) for s in have.solutions]
        if want.verdict.value == "force_indeterminate":  # which extreme forces are listed is free, the motion is not
            assert all(
                error(a, want.solutions[0].a) <= TOLERANCE and error(v, want.solutions[0].vdot) <= TOLERANCE
                for _, a, v in back
            ), label
            continue
        assert len(back) == len(want.solutions), label
        for s in want.solutions:
            assert any(
                error(f, s.f) <= TOLERANCE and error(a, s.a) <= TOLERANCE and error(v, s.vdot) <= TOLERANCE
                for f, a, v in back
            ), label
        if not change.turn[:, 1:, 1:].any() or np.allclose(change.turn, np.eye(3)):
            assert sorted(s.transitions for s in have.solutions) == sorted(
                tuple(s.transitions[i] for i in change.order) for s in want.solutions
            ), label
