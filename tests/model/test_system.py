import mujoco
import numpy as np
import pytest

from knuckle.errors import InputError
from knuckle.model import from_mujoco, load
from knuckle.model.structure import pair_friction, pairs_that_may_touch


def test_terms_equal_the_bindings_bit_for_bit(model_source, random_state):
    """M, passive - bias, J, against mj_forward on 50 random states; J' v to round-off of another order of summation."""
    system, _ = load(model_source)
    m, other, random = system.model, mujoco.MjData(system.model), np.random.default_rng(0)
    M, J, Jdot = np.zeros((m.nv, m.nv)), np.zeros((3, m.nv)), np.zeros((3, m.nv))
    for _ in range(50):
        q, v = random_state(m, random)
        ours, h = system.terms(q, v)
        other.qpos[:], other.qvel[:] = q, v
        mujoco.mj_forward(m, other)
        mujoco.mj_fullM(m, other, M)
        np.testing.assert_array_equal(ours, M)
        np.testing.assert_array_equal(system.plant.passive, other.qfrc_passive)
        np.testing.assert_array_equal(h, other.qfrc_passive - other.qfrc_bias)
        body, point = int(random.integers(1, m.nbody)), random.normal(size=3)
        ours, velocity, acceleration = system.point(body, point)
        mujoco.mj_jac(m, other, J, None, point, body)
        mujoco.mj_jacDot(m, other, Jdot, None, point, body)
        np.testing.assert_array_equal(ours, J)
        np.testing.assert_allclose(velocity, J @ v, rtol=0, atol=1e-13)
        np.testing.assert_allclose(acceleration, Jdot @ v, rtol=1e-12, atol=1e-12)


def test_point_velocity_and_acceleration_by_finite_differences(free_and_arm, random_state):
    system, _ = load(free_and_arm)
    random, step = np.random.default_rng(1), 1e-5
    for _ in range(20):
        q, v = random_state(system.model, random)
        system.terms(q, v)
        body = int(random.integers(1, system.model.nbody))
        local = random.normal(size=3)
        point = system.plant.xpos[body] + system.plant.xmat[body].reshape(3, 3) @ local
        _, velocity, acceleration = system.point(body, point)
        ahead, behind = (_followed(system, q, v, body, local, h) for h in (step, -step))
        np.testing.assert_allclose((ahead[0] - behind[0]) / (2 * step), velocity, rtol=1e-7, atol=1e-7)
        np.testing.assert_allclose((ahead[1] - behind[1]) / (2 * step), acceleration, rtol=1e-6, atol=1e-6)


def _followed(system, q, v, body, local, duration):
    system.terms(system.integrate(q, v * duration), v)
    point = system.plant.xpos[body] + system.plant.xmat[body].reshape(3, 3) @ local
    return point, system.point(body, point)[1]


def test_prescribed_motion_of_a_turntable_and_what_stands_on_it():
    """v = w x r, a = w x (w x r) about the axis, at a point of a body that is fixed on the table."""
    xml = """<mujoco><worldbody><body name="table"><geom type="cylinder" size="1 .1"/><body name="post" pos=".5 0 .2"><geom size=".1"/></body></body>
      <body name="ball" pos="0 0 1"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""
    system, state = load(xml)
    system.set_moving("table", angular_velocity=(0, 0, 3), velocity=(1, 0, 0), angular_acceleration=(0, 0, 2))
    system.terms(state.q, state.v)
    _, velocity, acceleration = system.point(system.body("post"), np.array([0.5, 0.25, 0.3]))
    np.testing.assert_allclose(velocity, [1 - 0.75, 1.5, 0], atol=1e-15)
    np.testing.assert_allclose(acceleration, [-4.5 - 0.5, -2.25 + 1.0, 0], atol=1e-15)
    with pytest.raises(InputError, match="carries joints"):
        system.set_moving("ball", velocity=(1, 0, 0))


def test_actuator_torque_equals_mj_forward(model_source, random_state):
    system, _ = load(model_source)
    other, random = mujoco.MjData(system.model), np.random.default_rng(2)
    for _ in range(10):
        q, v = random_state(system.model, random)
        other.qpos[:], other.qvel[:], other.ctrl[:] = q, v, random.normal(size=system.nu)
        mujoco.mj_forward(system.model, other)
        np.testing.assert_array_equal(system.actuator_torque(q, v, other.ctrl), other.qfrc_actuator)


def test_actuator_activation_is_used():
    xml = """<mujoco><worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody>
      <actuator><general joint="j" dyntype="filter" dynprm="1" gainprm="2"/></actuator></mujoco>"""
    system, state = load(xml)
    assert system.actuator_torque(state.q, state.v, [0.0], [3.0]) == 6.0


def test_tendon_actuators_of_the_shadow_hand(model_source):
    system, state = load(model_source)
    if "rh_A_FFJ0" not in system.actuator_names:
        pytest.skip("about the Shadow hand")
    moment = system.actuator_moment(state.q)[system.actuator_names.index("rh_A_FFJ0")]
    assert [system.dof_names[j] for j in np.flatnonzero(moment)] == ["rh_FFJ2", "rh_FFJ1"]


def test_plane_and_objects(planar_hand, free_and_arm):
    hand, _ = load(planar_hand)
    np.testing.assert_array_equal(hand.plane, [0, 0, -1])  # the axis of the object's hinge, not of the fingers'
    assert [hand.body_names[body] for body in hand.objects] == ["object"]
    space, _ = load(free_and_arm)
    assert space.plane is None
    assert [space.body_names[body] for body in space.objects] == ["ball"]
    tilted, _ = load(planar_hand.replace('name="a1" axis="0 0 1"', 'name="a1" axis="0 .001 1"'))
    assert tilted.plane is None


def test_from_mujoco_copies_and_leaves_the_users_data_alone(free_and_arm):
    model = mujoco.MjModel.from_xml_string(free_and_arm)
    data = mujoco.MjData(model)
    data.qvel[:] = np.random.default_rng(3).normal(size=model.nv)
    data.ctrl[:] = 0.3
    data.xfrc_applied[2] = [1, 2, 3, 4, 5, 6]
    mujoco.mj_step(model, data, 5)
    full = mujoco.mjtState.mjSTATE_INTEGRATION
    before = np.zeros(mujoco.mj_stateSize(model, full))
    mujoco.mj_getState(model, data, before, full)
    arrays = {
        name: np.copy(getattr(data, name))
        for name in ("qfrc_bias", "cvel", "M", "xpos", "ten_J", "qfrc_passive", "efc_J")
    }
    system, state = from_mujoco(model, data)
    system.actuator_torque(state.q, state.v, state.ctrl)
    system.joint_rows(state.q, state.v)
    after = np.zeros_like(before)
    mujoco.mj_getState(model, data, after, full)
    np.testing.assert_array_equal(before, after)
    for name, value in arrays.items():
        np.testing.assert_array_equal(value, getattr(data, name))
    assert system.model is not model
    np.testing.assert_array_equal(state.q, data.qpos)
    wrench = np.zeros(model.nv)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_applyFT(model, data, data.xfrc_applied[2, :3], data.xfrc_applied[2, 3:], data.xipos[2], 2, wrench)
    np.testing.assert_allclose(state.applied, wrench, rtol=1e-14, atol=1e-14)


def test_two_systems_of_one_model_do_not_disturb_each_other(planar_hand):
    system, state = load(planar_hand)
    other = system.fork()
    M, _ = system.terms(state.q, state.v)
    other.terms(state.q + 1.0, state.v + 1.0)
    np.testing.assert_array_equal(system.plant.qpos, state.q)
    assert system.plant.data != other.plant.data
    assert np.isfinite(M).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(q=np.full(7, np.nan)), "q.0: is not finite (got nan)"),
        (dict(q=np.zeros(6)), "q: has the wrong length (got 6); give 7 numbers"),
        (dict(v=np.full(7, np.inf)), "v.0: is not finite (got inf)"),
        (dict(ctrl=np.zeros(3)), "ctrl: has the wrong length (got 3); give 4 numbers"),
    ],
)
def test_bad_states_are_refused_in_words(planar_hand, change, message):
    system, state = load(planar_hand)
    with pytest.raises(InputError) as caught:
        system.checked_state(**(dict(q=state.q) | change))
    assert message in str(caught.value)


def test_a_quaternion_without_direction_is_refused(free_and_arm):
    system, state = load(free_and_arm)
    q = state.q.copy()
    q[3:7] = 0
    with pytest.raises(InputError, match="q.ball: a quaternion must have unit length"):
        system.checked_state(q)


def test_pairs_follow_mujocos_filters(model_source):
    """Every pair that mj_collision ever reports is a pair that may touch, with MuJoCo's friction."""
    system, _ = load(model_source)
    m, data, random = system.model, mujoco.MjData(system.model), np.random.default_rng(4)
    allowed, seen = set(pairs_that_may_touch(m)), 0
    for _ in range(30):
        q = m.qpos0.copy()
        mujoco.mj_integratePos(m, q, random.normal(size=m.nv) * 0.5, 1.0)
        data.qpos[:] = q
        mujoco.mj_forward(m, data)
        for contact in data.contact:
            a, b = sorted(int(geom) for geom in contact.geom)
            seen += 1
            assert (a, b) in allowed
            assert contact.friction[0] == pytest.approx(pair_friction(m, a, b), rel=1e-15)
    assert seen > 0


def test_a_plant_outlives_the_users_model(planar_hand):
    """Of its own copies: the user's model and data may go."""
    model = mujoco.MjModel.from_xml_string(planar_hand)
    data = mujoco.MjData(model)
    system, state = from_mujoco(model, data)
    before, _ = system.terms(state.q, state.v)
    model.body_mass[:] = 0
    del model, data
    np.testing.assert_array_equal(system.terms(state.q, state.v)[0], before)


def test_joints_alone_are_no_objects_where_a_body_is_free():
    """A URDF has no actuators: its fingers on slides are not what the hand holds."""
    finger = '<body name="finger" pos="1 0 0"><joint type="slide"/><geom size=".1"/></body>'
    thing = '<body name="thing"><freejoint/><geom size=".1"/></body>'
    for bodies, objects in ((finger + thing, ["thing"]), (finger, ["finger"])):
        system, _ = load(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
        assert [system.body_names[body] for body in system.objects] == objects
