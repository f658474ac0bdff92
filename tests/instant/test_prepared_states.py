"""What a keyframe or a living simulation becomes before it is answered: contacts, friction, torques and what is said of them."""
import mujoco
import numpy as np
import pytest

import knuckle as kn
from knuckle.errors import InputError

# A finger on a stiff position actuator and a spring presses a ball on the table; two fingertips touch one another.
SCENE = """<mujoco><option {option}>{flag}</option><worldbody>
<geom name="table" type="plane" size="1 1 1" {table}/>
<body name="ball" pos="0 0 .02"><freejoint/><geom name="ball" size=".02" mass=".1" {ball}/></body>
<body name="finger" pos="-.1 0 .0597"><joint name="finger" axis="0 1 0" stiffness="{stiffness}" springref="10"/>
<geom name="finger" type="capsule" fromto="0 0 0 .15 0 0" size=".02" mass=".05" {finger}/></body>
<body name="left" pos="0 1 1"><joint name="left" type="slide" axis="1 0 0"/><geom name="left" size=".02" mass=".1"/></body>
<body name="right" pos=".0399 1 1"><joint name="right" type="slide" axis="1 0 0"/><geom name="right" size=".02" mass=".1"/></body>
</worldbody><contact>{pair}</contact>
<actuator><position name="finger" joint="finger" kp="{kp}"/><motor name="left" joint="left"/><motor name="right" joint="right"/></actuator>
<keyframe><key name="grasp" qpos="0 0 .0198 1 0 0 0 {angle} 0 {right}" ctrl="{ctrl} 1 -1"/></keyframe></mujoco>"""
PLAIN = dict(option="", flag="", table="", ball="", finger="", pair="", stiffness=0, kp=100, angle=0.001, ctrl=0.01, right=0)


def scene(tmp_path, **changes):
    file = tmp_path / "scene.xml"
    file.write_text(SCENE.format(**{**PLAIN, **changes}), encoding="utf-8")
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    return file, model, data


def both(tmp_path, **changes):
    """The answers of the two routes, which agree."""
    file, model, data = scene(tmp_path, **changes)
    answer = kn.modes(file)
    ready, state = kn.from_mujoco(model, data)
    living = ready.modes(state.q, state.v)
    assert living.moment.contacts.pairs == answer.moment.contacts.pairs
    assert living.moment.system.notes == answer.moment.system.notes
    np.testing.assert_array_equal(living.moment.contacts.tau, answer.moment.contacts.tau)
    np.testing.assert_array_equal(living.solution.vdot, answer.solution.vdot)
    return answer, data


def test_torques_are_those_of_the_given_state(tmp_path):
    answer, data = both(tmp_path)
    np.testing.assert_allclose(answer.moment.contacts.tau, data.qfrc_actuator, rtol=1e-14)
    turned = abs(answer.moment.contacts.q[7] - 0.001)
    assert turned > 1e-4                                   # at the settled angle the actuator would give another torque


def test_springs_keep_their_forces(tmp_path):
    answer, data = both(tmp_path, stiffness=50)
    moment = answer.moment
    moment.system.system.terms(moment.contacts.q, moment.contacts.v)
    applied = moment.load - moment.contacts.tau
    spring = np.asarray(moment.system.system.data.qfrc_spring) + applied
    np.testing.assert_allclose(spring, data.qfrc_spring, atol=1e-13)


def test_links_that_touch_one_another_are_contacts(tmp_path):
    answer, _ = both(tmp_path)
    assert answer.moment.contacts.pairs == (("ball", "table"), ("ball", "finger"), ("left", "right"))
    assert answer.solution.f[2, 0] == pytest.approx(1.0, abs=1e-12)


def test_links_that_are_apart_stay_apart(tmp_path):
    answer, _ = both(tmp_path, right=0.0005)
    assert answer.moment.contacts.pairs == (("ball", "table"), ("ball", "finger"))


def test_an_open_pair_is_not_pulled_into_contact(tmp_path):
    answer, _ = both(tmp_path, angle=-0.003)
    assert answer.moment.contacts.pairs == (("ball", "table"), ("left", "right"))
    assert not any("open" in note for note in answer.moment.system.notes)


def test_what_is_added_is_said(tmp_path):
    text = SCENE.format(**{**PLAIN, "angle": -0.008}).replace("0 0 .0198 1", "0 0 .0202 1")
    file = tmp_path / "open.xml"
    file.write_text(text, encoding="utf-8")
    answer = kn.modes(file)
    assert ("ball", "table") in answer.moment.contacts.pairs
    assert any("ball - table was 0.2 mm open and is in contact now" in note for note in answer.moment.system.notes)


@pytest.mark.parametrize(("changes", "expected"), [
    ({}, 1.0),
    ({"table": 'condim="1"', "ball": 'condim="1"', "finger": 'condim="1"'}, 0.0),
    ({"table": 'condim="1"'}, 1.0),
    ({"table": 'condim="1" priority="1"'}, 0.0),
    ({"table": 'friction=".3" priority="1"'}, 0.3),
    ({"pair": '<pair geom1="ball" geom2="table" condim="1"/>'}, 0.0),
    ({"pair": '<pair geom1="ball" geom2="table" friction=".4 .4"/>'}, 0.4),
    ({"option": 'o_friction=".2 .2 .01 .001 .001"'}, 1.0),
    ({"option": 'o_friction=".2 .2 .01 .001 .001"', "flag": '<flag override="enable"/>'}, 0.2),
])
def test_friction_is_mujocos(tmp_path, changes, expected):
    answer, data = both(tmp_path, **changes)
    contact = data.contact[0]
    assert answer.moment.problem.mu[0] == expected
    if contact.dim > 1:
        assert contact.friction[0] == pytest.approx(expected)


def test_torsional_friction_is_said_to_be_unused(tmp_path):
    answer, _ = both(tmp_path, ball='condim="6"')
    assert sum("torsional" in note for note in answer.moment.system.notes) == 1
    answer, _ = both(tmp_path)
    assert not any("torsional" in note for note in answer.moment.system.notes)


def named(tmp_path, contacts):
    file, _, _ = scene(tmp_path)
    question = tmp_path / "scene.yaml"
    question.write_text(f"knuckle: 1\nmodel: {file}\nkeyframe: grasp\nsettle: 1\ncontacts: {contacts}\n", encoding="utf-8")
    return question


def test_a_named_contact_reports_the_force_on_its_object(tmp_path):
    forward = kn.modes(named(tmp_path, "[{object: left, link: right}, {object: ball, link: table}]"))
    backward = kn.modes(named(tmp_path, "[{object: right, link: left}, {object: table, link: ball}]"))
    assert backward.moment.contacts.pairs == (("right", "left"), ("table", "ball"))
    np.testing.assert_allclose(backward.moment.contacts.frame[:, 0], -forward.moment.contacts.frame[:, 0], atol=1e-15)
    np.testing.assert_allclose(backward.solution.f[:, 0], forward.solution.f[:, 0], rtol=1e-12)
    with pytest.raises(InputError, match="same pair|named twice"):
        kn.modes(named(tmp_path, "[{object: left, link: right}, {object: right, link: left}]"))
