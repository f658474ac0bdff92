"""A heavy point mass on a light one on the ground: it rests, and where round-off hides that, nothing is claimed."""
import numpy as np
import pytest

import knuckle as kn

G = 9.81


def stack(ratio, mu):
    """Coordinates x, z of both; the ground carries the sum of the weights."""
    return {"M": np.diag([1.0, 1.0, ratio, ratio]).tolist(), "h": [0.0, -G, 0.0, -G * ratio], "contacts": [
        {"label": "rolling", "mu": mu, "W_N": [0, 1, 0, 0], "W_T": [1, 0, 0, 0]},
        {"label": "rolling", "mu": mu, "W_N": [0, -1, 0, 1], "W_T": [-1, 0, 1, 0]}]}


@pytest.mark.parametrize("law", ["cone", "pyramid"])
@pytest.mark.parametrize("mu", [0.0, 0.5])
@pytest.mark.parametrize("power", [0, 3, 6, 9, 9.5, 10, 11, 12, 13])
def test_it_rests_or_is_undecided(power, mu, law):
    ratio = 10.0**power
    answer = kn.solve(stack(ratio, mu), law)
    assert answer.verdict.value in ("determinate", "force_indeterminate", "undecided")
    assert answer.verdict.value != "undecided" or power >= 9
    for solution in answer.solutions:
        assert solution.f[:, 0] == pytest.approx([G * (1.0 + ratio), G * ratio], rel=1e-6)
