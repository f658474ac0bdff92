"""A scenario's data becomes system, state and actuator forces; what does not fit is named with its place in the file."""

import numpy as np
import pytest

from knuckle.errors import InputError
from knuckle.model import build
from knuckle.scenario import load

HAND = """\
<mujoco>
  <option gravity="0 0 0"/>
  <worldbody>
    <body name="belt" pos="0 0 -1"><geom name="belt" type="box" size="1 1 .1" mass="1"/></body>
    <body name="upper">
      <joint name="base" axis="0 0 1"/>
      <geom name="upper" type="capsule" fromto="0 0 0 .3 0 0" size=".01" mass=".5"/>
      <body name="lower" pos=".3 0 0">
        <joint name="knee" axis="0 0 1"/>
        <geom name="lower" type="capsule" fromto="0 0 0 .3 0 0" size=".01" mass=".5"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="base motor" joint="base" gear="2"/>
    <motor name="knee motor" joint="knee" gear="3"/>
  </actuator>
  <keyframe><key name="bent" qpos=".1 .2" ctrl="1 -1"/></keyframe>
</mujoco>
"""

SCENARIO = """\
knuckle: 1
model: hand.xml
keyframe: bent
objects:
  - {name: ball, kind: sphere, size: [0.05], mass: 1, position: [0, 1, 0]}
"""


@pytest.fixture
def scenario(tmp_path):
    (tmp_path / "hand.xml").write_text(HAND)
    (tmp_path / "question.yaml").write_text(SCENARIO)
    return lambda **overrides: load(
        tmp_path / "question.yaml", {key.replace("__", "."): value for key, value in overrides.items()}
    )


def test_keyframe_and_objects_give_the_state(scenario):
    built = build(scenario())
    np.testing.assert_array_equal(built.state.q, [0.1, 0.2, 0, 1, 0, 1, 0, 0, 0])
    np.testing.assert_array_equal(built.state.ctrl, [1, -1])
    np.testing.assert_allclose(built.torque, [2, -3, 0, 0, 0, 0, 0, 0], atol=1e-15)


def test_joints_by_name_replace_the_keyframe(scenario):
    built = build(scenario(state__joints={"knee": 0.7}, state__rates={"base": 2, "ball": [1, 2, 3, 0, 0, 0]}))
    assert built.state.q[:2].tolist() == [0.1, 0.7]
    assert built.state.v.tolist() == [2, 0, 1, 2, 3, 0, 0, 0]


@pytest.mark.parametrize(
    ("torque", "generalised"),
    [
        ([5, 7], [10, 21]),  # one per actuator, through the gears
        ([5, 7, 0, 0, 0, 0, 0, 0], [5, 7]),  # one per degree of freedom
        ({"knee motor": 7}, [0, 21]),
        ({"knee": 7, "base motor": 5}, [10, 7]),
    ],
)
def test_torques_instead_of_what_the_actuators_give(scenario, torque, generalised):
    built = build(scenario(torque=torque))
    np.testing.assert_allclose(built.torque, [*generalised, 0, 0, 0, 0, 0, 0], atol=1e-15)


def test_controls_by_name_keep_the_others(scenario):
    np.testing.assert_array_equal(build(scenario(ctrl={"knee motor": 4})).state.ctrl, [1, 4])


def test_moving_bodies_are_prescribed(scenario):
    built = build(scenario(moving={"belt": {"velocity": [1, 0, 0], "angular_acceleration": [0, 0, 2]}}))
    row = built.system.moving[built.system.body("belt")]
    np.testing.assert_array_equal(row, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2])


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (
            {"keyframe": "straight"},
            ["override: keyframe: no such keyframe (got straight)"],
        ),
        ({"torque": [1, 2, 3]}, ["override: torque: has the wrong length (got 3); give 2 or 8 numbers"]),
        ({"torque": {"knee moto": 1}}, ["override: torque.knee moto: no such actuator"]),
        ({"ctrl": {"knee moto": 1}}, ["override: ctrl.knee moto: no such actuator; did you mean `knee motor`?"]),
        ({"ctrl": [1]}, ["override: ctrl: has the wrong length (got 1)"]),
        ({"state__q": [1, 2]}, ["override: q: has the wrong length (got 2); give 9 numbers"]),
        ({"state__joints": {"elbow": 1}}, ["override: joints.elbow: no such joint or object"]),
        ({"state__joints": {"ball": 1}}, ["override: joints.ball: has the wrong length (got 1); give 7 numbers"]),
        ({"moving": {"lower": {}}}, ["override: moving.lower: this body moves or carries joints"]),
        ({"moving": {"lowr": {}}}, ["override: moving.lowr: no such body"]),
        ({"model": "foot.xml"}, ["foot.xml: no such file"]),
        ({"objects__ball__name": "belt"}, ["objects.belt: the model has a body of this name already"]),
    ],
)
def test_what_does_not_fit_is_named(scenario, overrides, words):
    with pytest.raises(InputError) as caught:
        build(scenario(**overrides))
    assert any(word in str(caught.value) for word in words)


def test_faults_of_the_model_have_the_scenarios_place(tmp_path):
    (tmp_path / "hand.xml").write_text(HAND)
    path = tmp_path / "question.yaml"
    path.write_text(SCENARIO + "shapes:\n  - {name: pad, kind: sphere, size: [0.1], body: thumb}\n")
    with pytest.raises(InputError) as caught:
        build(load(path))
    column = len("  - {name: pad, kind: sphere, size: [0.1], body: ") + 1
    assert str(caught.value).startswith(f"{path}:7:{column}: shapes.pad.body: no such body (got thumb); bodies: ")


def test_a_bare_model_starts_at_its_only_keyframe_and_of_several_one_must_be_chosen(tmp_path):
    path = tmp_path / "hand.xml"
    path.write_text(HAND)
    assert build(load(path)).state.q.tolist() == [0.1, 0.2]
    path.write_text(HAND.replace("<keyframe>", '<keyframe><key name="straight"/>'))
    with pytest.raises(InputError, match="keyframe: the file has several keyframes and none is chosen; keyframes: straight, bent"):
        build(load(path))
    assert build(load(path, {"keyframe": "bent"})).state.q.tolist() == [0.1, 0.2]
    assert build(load(path, {"state.q": [0.3, 0.4]})).state.q.tolist() == [0.3, 0.4]
    assert build(load(path, {"state.joints": {"knee": 0.5}})).state.q.tolist() == [0.0, 0.5]


FAULTY = """\
knuckle: 1
model: hand.xml
keyframe: straight
objects:
  - {name: ball, kind: sphere, size: [0.05], mass: 1, position: [0, 1, 0]}
state: {joints: {knea: 1}, rates: {bal: 1}}
ctrl: {knee moto: 1, bas motor: 1}
torque: {kne: 1}
moving: {blt: {}}
contacts:
  - {object: bal, link: lowr}
"""


def test_faults_of_all_stages_at_once(tmp_path):
    (tmp_path / "hand.xml").write_text(HAND)
    path = tmp_path / "question.yaml"
    path.write_text(FAULTY)
    with pytest.raises(InputError) as caught:
        build(load(path))
    found = {(fault.key, fault.line) for fault in caught.value.faults}
    assert found == {
        ("keyframe", 3), ("joints.knea", 6), ("rates.bal", 6), ("ctrl.knee moto", 7), ("ctrl.bas motor", 7), ("torque.kne", 8),
        ("moving.blt", 9), ("contacts.0.object", 11), ("contacts.0.link", 11),
    }  # fmt: skip
    assert "did you mean `knee`?" in str(caught.value)


@pytest.mark.parametrize(("entry", "column", "line"), [
    ("kind: mesh, file: nope.stl, mass: 1", 36, "objects.ball.file: no such file (got nope.stl); give the path of a mesh file"),
    ("kind: mesh, file: few.obj, mass: 1", 36, "objects.ball.file: at least 4 vertices required"),
    ("kind: sphere, size: [0.1], mass: 1e-300", 51, "objects.ball.mass: mass and inertia of moving bodies must be larger than mjMINVAL"),
    ("kind: sphere, size: [0.1], density: 1e-300", 5, "objects.ball: mass and inertia of moving bodies must be larger than mjMINVAL"),
])  # fmt: skip
def test_what_the_compiler_finds_in_an_object_has_the_objects_place(tmp_path, entry, column, line):
    (tmp_path / "few.obj").write_text("v 0 0 0\n")
    path = tmp_path / "question.yaml"
    path.write_text(f"knuckle: 1\nobjects:\n  - {{name: ball, {entry}}}\n")
    with pytest.raises(InputError) as caught:
        build(load(path))
    assert str(caught.value) == f"{path}:3:{column}: {line}"


def test_every_object_and_shape_that_does_not_fit_is_named(tmp_path):
    (tmp_path / "hand.xml").write_text(HAND)
    path = tmp_path / "question.yaml"
    path.write_text(
        "knuckle: 1\nmodel: hand.xml\nobjects:\n  - {name: belt, kind: sphere, size: [0.05], mass: 1}\n"
        "  - {name: cup, kind: mesh, file: cup.stl, mass: 1}\n"
        "shapes:\n  - {name: pad, kind: sphere, size: [0.1], body: thumb}\n"
    )
    with pytest.raises(InputError) as caught:
        build(load(path))
    assert [(fault.key, fault.line) for fault in caught.value.faults] == [
        ("objects.belt", 4), ("objects.cup.file", 5), ("shapes.pad.body", 7)]  # fmt: skip
