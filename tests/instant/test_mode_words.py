"""The letters of modes, and the definitions of paper 004 where nothing touches."""
import numpy as np
import pytest

from knuckle.instant.answer import mode_words
from knuckle.instant.definitions import definitions
from knuckle.instant.problem import read_problem
from knuckle.instant.solve import solve


@pytest.mark.parametrize(("a", "sliding", "slip", "mu", "mode", "transition"), [
    ([0.0, 0.0], False, [0.0], 0.0, "F", "a1"), ([0.0, 2.0], False, [0.0], 0.0, "F", "a2"), ([0.0, 2.0], True, [-1.0], 0.0, "F", "b1"),
    ([1.0, 0.0], False, [0.0], 0.0, "B", "a3"), ([1.0, 0.0], True, [1.0], 0.0, "B", "b2"), ([0.0, 0.0], False, [0.0], 0.1, "R", "a1"),
    ([0.0, -2.0], False, [0.0], 0.1, "S-", "a2"), ([0.0, 0.0, 1.0], True, [0.3, 0.4], 0.1, "S", "b1"),
    ([0.0, 0.0, 1.0], False, [0, 0], 0.0, "F", "a2")])
def test_kept_without_friction_is_f(a, sliding, slip, mu, mode, transition):
    words = mode_words(np.array([a]), np.array([sliding]), np.array([slip], float), 1.0, np.array([mu]))
    assert words == ((mode,), (transition,))


def test_a_hand_that_touches_nothing_commands_nothing():
    problem = read_problem({"M": np.eye(5).tolist(), "h": [0.0] * 5, "contacts": []})
    found = definitions(problem, np.array([0, 1, 2]), solve(problem).p_matrix)
    assert not (found.kinematically_manipulable or found.kinematically_determinate or found.dynamically_manipulable)
    assert found.dynamically_determinate is True                # free flight has one answer under any load
    assert (found.constraints, found.joints, found.object_dofs) == (0, 2, 3)
