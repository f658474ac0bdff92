"""Forces of joint rows that are not unique: their ranges stand beside those of the contacts."""
import numpy as np
import pytest

from knuckle.instant.solve import solve


def test_two_dry_joints_on_one_velocity_share_the_load():
    """1 N on friction of 0.8 N and 0.5 N: the first carries at least half of it, the second at most its bound."""
    joints = [{"kind": "dry_friction", "W": [1.0], "bound": bound} for bound in (0.8, 0.5)]
    answer = solve({"M": [[1.0]], "h": [1.0], "contacts": [], "joints": joints})
    assert answer.verdict.value == "force_indeterminate"
    assert answer.joint_force_range == pytest.approx(np.array([[-0.8, -0.5], [-0.5, -0.2]]), abs=1e-9)
    assert answer.to_dict()["joint_force_range"] == [pytest.approx([-0.8, -0.5]), pytest.approx([-0.5, -0.2])]


def test_two_opposed_stops_squeeze_without_end():
    joints = [{"kind": "limit", "W": [1.0]}, {"kind": "limit", "W": [-1.0]}]
    answer = solve({"M": [[1.0]], "h": [-2.0], "contacts": [], "joints": joints})
    assert answer.verdict.value == "force_indeterminate"
    assert answer.joint_force_range == pytest.approx(np.array([[2.0, np.inf], [0.0, np.inf]]), abs=1e-9)
    assert answer.to_dict()["joint_force_range"] == [[pytest.approx(2.0), None], [pytest.approx(0.0, abs=1e-9), None]]
