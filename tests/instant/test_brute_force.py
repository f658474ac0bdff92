"""Random problems against tests/oracles/brute_modes: planar contacts, joints and the pyramid mode by mode, the cone by many starts."""

import sys
from pathlib import Path

import numpy as np
import pytest

from knuckle.instant.solve import solve

sys.path.insert(0, str(Path(__file__).parents[1]))
from oracles import brute_modes
from oracles.random_problems import coupled, random_problem


def near(x, y, tolerance=1e-6):
    return np.abs(x - y).max(initial=0.0) <= tolerance * (1 + np.abs(y).max(initial=0.0))


def compare(problem, law):
    answer, brute = solve(problem, law), brute_modes.every_mode(problem)
    label = (problem, law, answer, brute)
    assert (answer.verdict.value, answer.continuum) == (brute.verdict, brute.moves), label
    assert answer.complete and all(s.residual <= 1e-9 for s in answer.solutions), label
    if not brute.moves:
        assert all(any(near(s.vdot, v) for s in answer.solutions) for v in brute.motions), label
        assert all(any(near(s.vdot, v) for v in brute.motions) for s in answer.solutions), label
    if answer.force_range is not None:
        for side, want in enumerate((brute.force_low, brute.force_high)):
            have, want = answer.force_range[..., side].ravel(), want[: answer.force_range[..., side].size]
            assert (np.isinf(have) == np.isinf(want)).all() and near(
                have[np.isfinite(have)], want[np.isfinite(want)]
            ), label
    return answer.verdict.value


@pytest.mark.parametrize("part", range(4))
def test_planar(part):
    rng = np.random.default_rng([1, part])
    for _ in range(10):
        compare(random_problem(rng, int(rng.integers(1, 4)), 2), "cone")


@pytest.mark.parametrize("part", range(4))
def test_planar_with_joints(part):
    rng = np.random.default_rng([2, part])
    for _ in range(14):
        compare(random_problem(rng, int(rng.integers(0, 3)), 2, int(rng.integers(1, 4))), "pyramid")


@pytest.mark.parametrize("part", range(3))
def test_pyramid(part):
    rng = np.random.default_rng([3, part])
    for _ in range(8):
        compare(random_problem(rng, int(rng.integers(1, 3)), 3), "pyramid")


def squeezed_and_sliding():
    """A squeeze that costs nothing: it brakes the frictionless slip, so the motion is free although no contact's slip is (from a search)."""
    contacts = [
        {"label": "sliding", "mu": 0.5, "bias": [0.0, 0.0], "slip": [1.0], "W_N": [1.0, -1.0], "W_T": [1.0, 0.0]},
        {"label": "rolling", "mu": 0.0, "bias": [0.0, 0.0], "slip": [0.0], "W_N": [-1.0, 1.0], "W_T": [1.0, 0.0]},
    ]
    return {
        "M": [[2.0, 0.0], [0.0, 1.0]],
        "h": [2.0, 2.0],
        "contacts": contacts,
        "joints": [
            {"kind": "limit", "W": [-1.0, 1.0]},
            {"kind": "dry_friction", "W": [1.0, 0.0], "bias": -1.0, "bound": 2.0, "rate": -1.0},
        ],
    }


def test_motion_that_varies_without_end():
    answer = solve(squeezed_and_sliding(), "cone")
    assert (answer.verdict.value, answer.continuum) == ("indeterminate", True)
    assert np.isinf(answer.acceleration_range[:, 1]).any()
    assert compare(squeezed_and_sliding(), "pyramid") == "indeterminate"


@pytest.mark.parametrize(("contacts", "part"), [(1, 0), (1, 1), *((2, part) for part in range(6))])
def test_the_cone_misses_no_answer(contacts, part):
    rng = np.random.default_rng([4, contacts, part])
    for _ in range(40 if contacts == 1 else 5):
        problem = random_problem(rng, contacts, 3, nv=3 * contacts + int(rng.integers(0, 3)))
        problem = coupled(problem, rng) if part % 2 else problem
        answer, brute = solve(problem, "cone"), brute_modes.cone_answers(problem)
        label = (problem, answer, brute)
        assert answer.complete and all(s.residual <= 1e-9 for s in answer.solutions), label
        for vdot, _ in brute:
            assert any(near(s.vdot, vdot) for s in answer.solutions), label
        assert answer.verdict.value == {0: "inconsistent", 1: "determinate"}.get(
            len(answer.solutions), "indeterminate"
        ), label
