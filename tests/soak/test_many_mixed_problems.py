"""A thousand problems of several bodies that roll and slide: the search, the cone's Newton method and the MNCP never contradict each other."""

import numpy as np
import pytest

from oracles.mixed_answers import compare
from oracles.mixed_problems import drawn

MEMBERS = 1000
pytestmark = pytest.mark.soak


@pytest.mark.parametrize(("method", "members", "rate"), [("newton", MEMBERS, 0.995), ("least_squares", MEMBERS, 0.95), ("box", 250, 0.95)])
def test_mixed_problems(method, members, rate, share, count):
    solvable, solved = 0, 0
    for seed in range(share(members)):
        count.members += 1
        try:
            answer, found, _ = compare(drawn(seed), (method,))
        except AssertionError:
            count.wrong.append(seed)
            continue
        solvable, solved = solvable + bool(answer.solutions), solved + bool(found)
    count.undecided = solvable - solved
    assert not count.wrong, count.wrong
    assert solved >= np.floor(rate * solvable)
