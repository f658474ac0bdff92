"""500 random members of every family with closed forms, under both laws: none is answered wrongly."""

import numpy as np
import pytest

from knuckle.instant.solve import solve
from oracles import closed_forms
from oracles import family_answers as families

MEMBERS = 500
pytestmark = pytest.mark.soak


def judged(case, law, count, seed):
    count.members += 1
    try:
        families.check(case, law)
    except AssertionError:
        if solve(case.problem, law).verdict.value == "undecided":
            count.undecided += 1
        else:
            count.wrong.append(seed)


@pytest.mark.parametrize("law", closed_forms.BOTH)
@pytest.mark.parametrize("family", closed_forms.FAMILIES)
def test_family(family, law, share, count):
    for seed in range(share(MEMBERS)):
        judged(closed_forms.FAMILIES[family](np.random.default_rng([1, seed])), law, count, seed)
    assert not count.wrong, count.wrong


@pytest.mark.parametrize("law", closed_forms.BOTH)
@pytest.mark.parametrize("contacts", [2, 3, 4, 5, 6])
def test_manufactured(contacts, law, share, count):
    """One answer is known, not that it is the only one: it is listed, and a proof that there is one or none never denies it."""
    for seed in range(share(MEMBERS // 5)):
        case = closed_forms.manufactured(np.random.default_rng([1, contacts, seed]), law, contacts)
        answer = solve(case.problem, law)
        count.members += 1
        count.undecided += answer.verdict.value == "undecided"
        listed = all(families.matching(answer, want) for want in case.contains[law])
        if (not listed and (answer.complete or not answer.solutions)) or any(s.residual > families.TOLERANCE for s in answer.solutions):
            count.wrong.append(seed)
    assert not count.wrong, count.wrong
