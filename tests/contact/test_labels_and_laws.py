"""Labels at and around their tolerances; friction laws."""
import numpy as np
import pytest

from knuckle.compiled.callbacks import compiled_law
from knuckle.contact.labels import Tolerances, label
from knuckle.contact.laws import friction
from knuckle.errors import InputError


@pytest.mark.parametrize(("gap", "velocity", "name", "notes"), [
    (0.0, [0, 0, 0], "rolling", 0), (1e-12, [0, 0.1, 0], "sliding", 0), (0.0, [0, 0, -2e-3], "sliding", 0), (0.0, [0.1, 0, 0], "leaving", 0),
    (0.0, [-0.1, 3.0, 0], "approaching", 0), (1e-3, [0, 0, 0], "apart", 0), (-1e-3, [0, 0, 0], "penetrating", 0),
    (0.0, [0, 2e-9, 0], "sliding", 1), (0.0, [0, 5e-10, 0], "rolling", 1), (5e-9, [0, 0, 0], "apart", 1), (0.0, [0, 0.3], "sliding", 0)])
def test_label(gap, velocity, name, notes):
    result = label(gap, np.array(velocity, dtype=float))
    assert (result.name, len(result.on_boundary)) == (name, notes)
    assert result.slip.shape == (2,)


def test_tolerances_can_be_overridden():
    loose = Tolerances(gap=1e-4, slip=1e-2)
    assert label(1e-5, np.array([0, 1e-3, 0]), loose).name == "rolling"
    assert label(1e-3, np.zeros(3), loose).name == "apart"


def test_friction_constant_listed_and_by_law():
    slips, points = np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([[0, 0, 0.5], [0, 0, 1.0]])
    np.testing.assert_array_equal(friction(0.4, slips, points), [0.4, 0.4])
    np.testing.assert_array_equal(friction([0.4, 0.2], slips, points), [0.4, 0.2])
    np.testing.assert_allclose(friction(lambda k, speed, x: 0.1 * k + 0.01 * speed + x[2], slips, points), [0.55, 1.1])
    compiled = compiled_law(lambda contact, slip, x, y, z: 0.1 * contact + 0.01 * slip + z)
    np.testing.assert_allclose(friction(compiled, slips, points), [0.55, 1.1])
    assert friction(lambda k, speed, x: 1 / 0, np.zeros((0, 2)), np.zeros((0, 3))).shape == (0,)


@pytest.mark.parametrize("law", [-0.1, np.nan, [0.1, 0.2, 0.3], lambda k, speed, x: np.inf, "0.5", True, 1j, None, [[0.1], [0.2, 0.3]],
                                 lambda k, speed, x: "0.5", lambda k, speed, x: None, lambda k, speed: 0.5])
def test_friction_that_is_none(law):
    with pytest.raises(InputError, match="mu"):
        friction(law, np.zeros((2, 2)), np.zeros((2, 3)))
