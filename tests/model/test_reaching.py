"""Inverse kinematics: what forward kinematics says is reachable is reached, and nothing else is claimed."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

from knuckle.errors import InputError
from knuckle.model import load
from knuckle.model.reaching import TOLERANCE, Target, reach

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"

COUPLED = """<mujoco><worldbody>
  <body name="near"><joint name="near" axis="0 1 0" range="-100 100"/><geom type="capsule" fromto="0 0 0 0 0 .5" size=".02"/>
    <body name="far" pos="0 0 .5"><joint name="far" axis="0 1 0" range="-100 100"/><geom type="capsule" fromto="0 0 0 0 0 .4" size=".02"/></body>
  </body></worldbody>
  <equality><joint joint1="far" joint2="near" polycoef="0 2 0 0 0"/></equality></mujoco>"""


@pytest.fixture(scope="module")
def pumas():
    return load(SCENARIOS / "three-puma-hand.xml")


@pytest.fixture(scope="module")
def fingers():
    return load(SCENARIOS / "three-finger-hand.xml")


def forward(system, q, body, point=(0.0, 0.0, 0.0)):
    """Rotation and place of a point by MuJoCo alone, on data of its own."""
    data = mujoco.MjData(system.model)
    data.qpos[:] = q
    mujoco.mj_kinematics(system.model, data)
    R = data.xmat[body].reshape(3, 3)
    return R.copy(), data.xpos[body] + R @ point


def spread(system, random):
    low, high = system.model.jnt_range.T
    return random.uniform(low, high)


def test_two_hundred_poses_of_the_puma(pumas):
    """Full poses, from one start that is near none of them; inside the ranges, and no other arm moves."""
    system, state = pumas
    random, low, high = np.random.default_rng(560), *system.model.jnt_range.T
    for number in range(200):
        arm = number % 3
        body = system.body(f"arm {arm + 1} link 6")
        R, place = forward(system, spread(system, random), body)
        found = reach(system, state.q, [Target(body, place, rotation=R)])
        assert found.reached, number
        R_found, place_found = forward(system, found.q, body)
        assert max(np.abs(R_found - R).max(), np.abs(place_found - place).max()) < 10 * TOLERANCE
        assert (found.q >= low).all() and (found.q <= high).all()
        others = np.delete(np.arange(18), range(6 * arm, 6 * arm + 6))
        assert (found.q[others] == state.q[others]).all()


def test_limbs_without_a_joint_in_common_are_found_one_by_one(pumas):
    """Three full poses at once, each far from the start: together they would need as many starts as all arms need multiplied."""
    system, state = pumas
    random = np.random.default_rng(12)
    for _ in range(20):
        poses = [forward(system, spread(system, random), system.body(f"arm {arm} link 6")) for arm in (1, 2, 3)]
        found = reach(system, state.q, [Target(f"arm {k + 1} link 6", place, rotation=R) for k, (R, place) in enumerate(poses)])
        assert found.reached and found.residual < TOLERANCE
        for k, (R, place) in enumerate(poses):
            R_found, place_found = forward(system, found.q, system.body(f"arm {k + 1} link 6"))
            assert max(np.abs(R_found - R).max(), np.abs(place_found - place).max()) < 10 * TOLERANCE


def test_two_points_of_one_arm(pumas):
    """Elbow and wrist share joints: they are reached together, or not at all."""
    system, state = pumas
    random = np.random.default_rng(13)
    for _ in range(10):
        q = spread(system, random)
        places = {k: forward(system, q, system.body(f"arm 1 link {k}"))[1] for k in (2, 4)}
        found = reach(system, state.q, [Target(f"arm 1 link {k}", place) for k, place in places.items()])
        assert found.reached
    assert not reach(system, state.q, [Target("arm 1 link 2", places[2]), Target("arm 1 link 4", places[4] + np.array([0.0, 0.0, 0.9]))]).reached


def test_without_targets_nothing_moves(pumas):
    system, state = pumas
    found = reach(system, state.q, [])
    assert found.reached and (found.q == state.q).all() and found.residual == 0.0


def test_near_the_start_the_nearest_posture_is_found(pumas):
    system, state = pumas
    random = np.random.default_rng(3)
    for _ in range(20):
        q = state.q + 0.05 * random.normal(size=18)
        targets = []
        for arm in (1, 2, 3):
            R, place = forward(system, q, system.body(f"arm {arm} link 6"))
            targets.append(Target(f"arm {arm} link 6", place, rotation=R))
        found = reach(system, state.q, targets)
        assert (found.reached, found.start) == (True, 0)
        assert found.q == pytest.approx(q, abs=1e-8)
        assert found.residual < 1e-13  # to the last digits


def test_a_tool_points_where_it_is_told(pumas):
    system, state = pumas
    random, body, axis = np.random.default_rng(4), system.body("arm 2 link 6"), np.array([0.6, 0.0, 0.8])
    for _ in range(40):
        R, place = forward(system, spread(system, random), body, np.array([0.0, 0.1, 0.2]))
        found = reach(system, state.q, [Target(body, place, (0.0, 0.1, 0.2), axis, R @ axis)])
        assert found.reached
        R_found, place_found = forward(system, found.q, body, np.array([0.0, 0.1, 0.2]))
        assert np.abs(R_found @ axis - R @ axis).max() < 1e-9 and np.abs(place_found - place).max() < 1e-9


def test_fingertips_of_the_three_finger_hand(fingers):
    """Points alone, three at once; joints in between are shared by none."""
    system, state = fingers
    random, tip = np.random.default_rng(5), np.array([0.0, 0.0, 0.045])
    for _ in range(40):
        q = state.q + random.uniform(-0.6, 0.6, size=9)
        places = [forward(system, q, system.body(f"distal link {k}"), tip)[1] for k in (1, 2, 3)]
        found = reach(system, state.q, [Target(f"distal link {k + 1}", places[k], tip) for k in range(3)])
        assert found.reached
        for k in range(3):
            assert np.abs(forward(system, found.q, system.body(f"distal link {k + 1}"), tip)[1] - places[k]).max() < 1e-9


def test_out_of_reach(fingers):
    """The finger stretches towards the place: what is missing is its distance less the length of the links."""
    system, state = fingers
    tip, shoulder = np.array([0.0, 0.0, 0.045]), np.array([0.06, 0.0, 0.02])
    place = shoulder + np.array([0.0, 0.0, 0.2])
    found = reach(system, state.q, [Target("distal link 1", place, tip)])
    assert not found.reached
    assert found.position_error[0] == pytest.approx(0.2 - 0.095, rel=1e-6)
    assert found.residual == found.position_error[0]


def test_a_stop_in_the_way_is_respected(pumas):
    """A pose beyond the range of the waist, whose mirror postures are beyond other stops, or are reached inside all."""
    system, state = pumas
    random, body = np.random.default_rng(6), system.body("arm 1 link 6")
    low, high = system.model.jnt_range.T
    for _ in range(5):
        q = spread(system, random)
        q[0] = np.pi  # 20 degrees beyond
        R, place = forward(system, q, body)
        found = reach(system, state.q, [Target(body, place, rotation=R)], starts=6)
        assert (found.q >= low).all() and (found.q <= high).all()
        R_found, place_found = forward(system, found.q, body)
        missed = max(np.linalg.norm(place_found - place), np.arccos(min(1.0, (np.trace(R_found.T @ R) - 1) / 2)))
        assert found.reached == (missed < 1e-7)


def test_a_wrong_direction_is_not_taken_for_the_right_one(pumas):
    """The tool starts straight away from its direction, where the error is stationary."""
    system, state = pumas
    body, q = system.body("arm 3 link 6"), state.q.copy()
    q[16] = -0.5 * np.pi
    wanted, place = forward(system, q, body)
    q[16] = 0.5 * np.pi
    start, _ = forward(system, q, body)
    assert start[:, 2] == pytest.approx(-wanted[:, 2], abs=1e-15)
    found = reach(system, q, [Target(body, place, direction=wanted[:, 2])])
    assert found.reached
    assert np.abs(forward(system, found.q, body)[0][:, 2] - wanted[:, 2]).max() < 1e-9


def test_coupled_joints_move_together():
    system, state = load(COUPLED)
    place = np.array([0.5 * np.sin(0.3) + 0.4 * np.sin(0.9), 0.0, 0.5 * np.cos(0.3) + 0.4 * np.cos(0.9)])
    found = reach(system, state.q, [Target("far", place, (0, 0, 0.4))])
    assert found.reached and found.q == pytest.approx([0.3, 0.6], abs=1e-9)
    assert not reach(system, state.q, [Target("far", place + np.array([0.05, 0.0, 0.0]), (0, 0, 0.4))]).reached


def test_the_same_call_gives_the_same_bits(pumas):
    system, state = pumas
    R, place = forward(system, spread(system, np.random.default_rng(7)), system.body("arm 1 link 6"))
    one, other = (reach(system, state.q, [Target("arm 1 link 6", place, rotation=R)]) for _ in range(2))
    assert one.q.tobytes() == other.q.tobytes()


@pytest.mark.parametrize(
    ("target", "key"),
    [
        (Target("no such", (0, 0, 0)), None),
        (Target(99, (0, 0, 0)), "targets.0.body"),
        (Target("arm 1 link 6", (0, 0)), "targets.0.position"),
        (Target("arm 1 link 6", (0, 0, np.nan)), "targets.0.position"),
        (Target("arm 1 link 6", (0, 0, 0), direction=(0, 0, 0)), "targets.0.direction"),
        (Target("arm 1 link 6", (0, 0, 0), rotation=2 * np.eye(3)), "targets.0.rotation"),
        (Target("arm 1 link 6", (0, 0, 0), rotation=-np.eye(3)), "targets.0.rotation"),
        (Target("arm 1 link 6", (0, 0, 0), direction=(1, 0, 0), rotation=np.eye(3)), "targets.0.direction"),
    ],
)
def test_targets_that_make_no_sense(pumas, target, key):
    system, state = pumas
    with pytest.raises(InputError) as caught:
        reach(system, state.q, [target])
    assert caught.value.faults[0].key == key
