"""10,000 random frames, units, coordinates and orders of contacts of random problems: the answers stay the same."""

import numpy as np
import pytest

from knuckle.instant.solve import solve
from oracles import closed_forms
from oracles.family_answers import TOLERANCE, error
from oracles.rewritten_problems import changed

PARTS = 10
FAMILIES = [*closed_forms.FAMILIES, "manufactured"]
pytestmark = pytest.mark.soak


def base(seed, law):
    rng = np.random.default_rng([3, seed])
    family = FAMILIES[seed % len(FAMILIES)]
    if family == "manufactured":
        return closed_forms.manufactured(rng, law, int(rng.integers(2, 4))).problem
    return closed_forms.FAMILIES[family](rng).problem


def same(want, have, change):
    """Verdicts, and motions; also forces where these are unique, and all isolated answers."""
    if (have.verdict, have.continuum) != (want.verdict, want.continuum):
        return False
    if have.p_matrix is not None and want.p_matrix is not None and have.p_matrix.holds != want.p_matrix.holds:
        return False
    back = [change.back(s) for s in have.solutions]

    def equal(one, s, parts):
        return all(error(one[k], (s.f, s.a, s.vdot)[k]) <= TOLERANCE for k in parts)

    if want.continuum:
        return True
    if want.verdict.value == "force_indeterminate":
        return all(equal(one, want.solutions[0], (1, 2)) for one in back)
    return len(back) == len(want.solutions) and all(any(equal(one, s, (0, 1, 2)) for one in back) for s in want.solutions)


@pytest.mark.parametrize("law", closed_forms.BOTH)
@pytest.mark.parametrize("part", range(PARTS))
def test_frames_units_and_orders(part, law, share, count):
    for seed in range(part, share(5000), PARTS):
        problem = base(seed, law)
        change = changed(problem, law, [3, seed])
        want, have = solve(problem, law), solve(change.problem, law)
        count.members += 1
        if not (want.complete and have.complete):
            count.undecided += 1
        elif not same(want, have, change):
            count.wrong.append(seed)
    assert not count.wrong, count.wrong
