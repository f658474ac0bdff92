"""Random members of the families of tests/data/spatial/problems against the closed forms of tests/oracles/closed_forms (PHYSICS 4)."""

import sys
from pathlib import Path

import numpy as np
import pytest

from knuckle.instant.solve import solve

sys.path.insert(0, str(Path(__file__).parents[1]))
from oracles import closed_forms
from oracles.family_answers import TOLERANCE, check, matching

MEMBERS = range(20)
SLOW = ("supports", "fingers", "degenerate")  # many forces carry one motion: ranges take longest


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
