"""Random members of the families of tests/data/spatial/problems against the closed forms of tests/oracles/closed_forms (PHYSICS 4)."""

import sys
from pathlib import Path

import numpy as np
import pytest

from knuckle.instant.solve import solve

sys.path.insert(0, str(Path(__file__).parents[1]))
from oracles import closed_forms

TOLERANCE = 1e-9
MEMBERS = range(20)
SLOW = ("supports", "fingers", "degenerate")  # many forces carry one motion: ranges take longest


def error(have, want):
    """Relative error of a vector (CONTRACT 7)."""
    have, want = np.ravel(np.array(have, float)), np.ravel(np.array(want, float))
    return np.abs(have - want).max(initial=0.0) / (1.0 + np.abs(want).max(initial=0.0))


def matching(answer, want):
    return [
        s
        for s in answer.solutions
        if all(error(getattr(s, key), want[key]) <= TOLERANCE for key in ("f", "a") if key in want)
    ]


def check(case, law):
    answer, verdict = solve(case.problem, law), case.verdict.get(law)
    label = (case.name, law, answer)
    assert answer.complete, label
    assert all(s.residual <= TOLERANCE for s in answer.solutions), label
    if verdict is not None:
        assert (answer.verdict.value, answer.continuum) == (verdict, case.continuum), label
        if law in case.solutions:
            assert len(answer.solutions) == len(case.solutions[law]), label
    for want in (case.solutions.get(law, []) if verdict else []) + case.contains.get(law, []):
        found = matching(answer, want)
        assert found, (label, want)
        assert list(found[0].transitions) == want.get("transitions", list(found[0].transitions)), label
    if verdict is not None and case.a is not None:
        assert all(
            error(s.a, case.a) <= TOLERANCE and list(s.transitions) == case.transitions for s in answer.solutions
        ), label
    if verdict not in (None, "indeterminate") and case.vdot is not None:
        assert all(error(s.vdot, case.vdot) <= TOLERANCE for s in answer.solutions), label
    if law == "pyramid" and case.p_matrix is not None:
        assert answer.p_matrix.holds == case.p_matrix, label
    if answer.verdict.value == "force_indeterminate":
        spread_is_honest(answer)


def spread_is_honest(answer):
    """Every listed answer lies in the ranges, every finite end is reached by one of them, and at least two differ."""
    forces = np.array([s.f for s in answer.solutions])
    low, high = answer.force_range[..., 0], answer.force_range[..., 1]
    size = 1e-7 * (1.0 + np.abs(forces).max())
    assert len(forces) >= 2
    assert (forces >= low - size).all() and (forces <= high + size).all()
    assert (np.isinf(low) | (np.abs(forces.min(axis=0) - low) <= size)).all()
    assert (np.isinf(high) | (np.abs(forces.max(axis=0) - high) <= size)).all()


@pytest.mark.parametrize("law", closed_forms.BOTH)
@pytest.mark.parametrize("family", [f for f in closed_forms.FAMILIES if f not in SLOW])
def test_family(family, law):
    for seed in MEMBERS:
        check(closed_forms.FAMILIES[family](np.random.default_rng(seed)), law)


@pytest.mark.parametrize("law", closed_forms.BOTH)
@pytest.mark.parametrize("part", range(5))
@pytest.mark.parametrize("family", SLOW)
def test_family_with_many_carriers(family, part, law):
    for seed in MEMBERS[4 * part : 4 * part + 4]:
        check(closed_forms.FAMILIES[family](np.random.default_rng(seed)), law)


@pytest.mark.parametrize("law", closed_forms.BOTH)
@pytest.mark.parametrize("contacts", [2, 3, 4, 5, 6])
def test_manufactured(contacts, law):
    for seed in range(2):
        case = closed_forms.manufactured(np.random.default_rng([contacts, seed]), law, contacts)
        answer = solve(case.problem, law)
        for want in case.contains[law]:
            found = matching(answer, want)
            assert found, (case.name, seed, answer)
            assert list(found[0].transitions) == want["transitions"]
        assert all(s.residual <= TOLERANCE for s in answer.solutions)
