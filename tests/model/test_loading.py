import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest

from knuckle.errors import InputError
from knuckle.model import load

URDF = """<robot name="r">
<link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="l1"><inertial><origin xyz="0.1 0 0" rpy=".1 .2 .3"/><mass value="1"/>
  <inertia ixx="{ixx}" iyy=".01" izz=".01" ixy="0.001" ixz="0.002" iyz="0"/></inertial></link>
<link name="l2"><inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tip"><inertial><mass value=".1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="l1"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="5" velocity="1"/>
  <dynamics damping=".1" friction=".2"/></joint>
<joint name="j2" type="continuous"><parent link="l1"/><child link="l2"/><origin xyz="0 0 .5"/><axis xyz="0 1 0"/>
  <mimic joint="j1" multiplier="2" offset=".1"/></joint>
<joint name="jt" type="fixed"><parent link="l2"/><child link="tip"/><origin xyz="0 0 .2"/></joint>
</robot>"""


def test_urdf_keeps_its_links_and_mimics(tmp_path):
    file = tmp_path / "r.urdf"
    file.write_text(URDF.format(ixx=0.015))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        system, state = load(file)
    assert system.body_names == ["world", "base", "l1", "l2", "tip"]
    rows = system.joint_rows(state.q, np.array([0.5, 0.25]))
    assert rows.kind == ("dry_friction", "bilateral")
    np.testing.assert_array_equal(rows.W, [[1, 0], [-2, 1]])
    np.testing.assert_allclose(rows.gap[1], -0.1)
    assert system.warnings == []


def test_urdf_inertia_that_breaks_the_triangle_rule_is_used_as_given():
    """M of the file's own inertia, not of MuJoCo's balanced one; and a warning."""
    with pytest.warns(UserWarning, match="body l1: moments of inertia .* break the triangle rule"):
        system, state = load(URDF.format(ixx=0.1))
    R = np.zeros(9)
    quaternion = np.zeros(4)
    mujoco.mju_euler2Quat(quaternion, np.array([0.1, 0.2, 0.3]), "XYZ")  # roll, pitch, yaw about fixed axes
    mujoco.mju_quat2Mat(R, quaternion)
    R = R.reshape(3, 3)
    inertia = R @ np.array([[0.1, 0.001, 0.002], [0.001, 0.01, 0], [0.002, 0, 0.01]]) @ R.T
    M, _ = system.terms(state.q, state.v)
    below = 0.1 + 1e-4 + (1 * 0.25 + 0.1 * 0.49)  # l2 and tip about j1 at q = 0
    assert M[0, 0] == pytest.approx(inertia[1, 1] + 1 * 0.01 + below, rel=1e-12)
    assert len(system.warnings) == 1


def test_keyframe_gives_the_state(planar_hand):
    _, state = load(
        planar_hand.replace(
            "</mujoco>",
            '<keyframe><key name="grasp" qpos="1 2 3 4 5 6 7" qvel="7 6 5 4 3 2 1" ctrl="1 2 3 4"/></keyframe></mujoco>',
        ),
        "grasp",
    )
    np.testing.assert_array_equal(state.q, [1, 2, 3, 4, 5, 6, 7])
    np.testing.assert_array_equal(state.v, [7, 6, 5, 4, 3, 2, 1])
    np.testing.assert_array_equal(state.ctrl, [1, 2, 3, 4])
    with pytest.raises(InputError, match="no such keyframe .got hold.; keyframes: grasp"):
        load(planar_hand.replace("</mujoco>", '<keyframe><key name="grasp"/></keyframe></mujoco>'), "hold")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (
            "<mujoco><worldbody><body>\n<joint foo='1'/><geom size='.1'/></body></worldbody></mujoco>",
            2,
            "unrecognized attribute: 'foo'",
        ),
        ("<mujoco>\n<worldbody><body></worldbody></mujoco>", 2, "XML parse error"),
        (
            "<mujoco><worldbody>\n<body name='b'><joint/></body></worldbody></mujoco>",
            2,
            "mass and inertia of moving bodies",
        ),
        (
            "<mujoco><worldbody>\n<body name='b'><joint/><inertial pos='0 0 0' mass='-1' diaginertia='1 1 1'/></body></worldbody></mujoco>",
            2,
            "mass and inertia of moving bodies",
        ),
        (
            "<mujoco><worldbody>\n<body name='b'><joint/><inertial pos='0 0 0' mass='1' fullinertia='1 1 -3 0 0 0'/></body></worldbody></mujoco>",
            2,
            "positive eigenvalues",
        ),
        (
            "<mujoco><worldbody><body name='b'>\n<joint/><geom type='mesh' mesh='x'/></body></worldbody></mujoco>",
            2,
            "mesh 'x' not found",
        ),
    ],
)
def test_the_parsers_own_message_with_file_and_line(tmp_path, text, line, message):
    file = tmp_path / "bad.xml"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        load(file)
    fault = caught.value.faults[0]
    assert message in fault.message
    assert (fault.file, fault.line) == (str(file), line)
    assert "\n" not in str(caught.value)


BALL = """<mujoco><worldbody><body name="ball"><freejoint/><geom name="b" size=".1" mass="1"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BALL.replace('mass="1"', 'mass="nan"'), "has a number that is NaN"),  # the compiler takes the density instead
        (BALL.replace('mass="1"', 'mass="1" friction="-1 0 0"'), "geom.b.friction: must not be negative (got -1.0)"),
        (URDF.format(ixx=0.015).replace('lower="-1"', 'lower="2"'), "joint.j1.limit: the lower limit is above the upper one (got "),
    ],
)
def test_what_the_compiler_lets_through(text, words):
    with pytest.raises(InputError) as caught:
        load(text)
    assert words in str(caught.value)


def test_names_that_are_no_utf8(tmp_path):
    file, part = tmp_path / "ball.xml", tmp_path / "part.xml"
    file.write_bytes(BALL.replace('"ball"', '"b\xe4ll"').encode("latin1"))
    with pytest.raises(InputError, match="ball.xml:1: the file is not UTF-8 text .got byte 0xe4.; save it as UTF-8"):
        load(file)
    part.write_bytes(file.read_bytes())
    file.write_text('<mujoco><include file="part.xml"/></mujoco>')
    with pytest.raises(InputError, match="ball.xml: a name is not UTF-8 text .got byte 0xe4."):
        load(file)


def test_a_file_of_another_kind_is_named(tmp_path):
    (tmp_path / "a.yaml").write_text("knuckle: 1")
    with pytest.raises(InputError, match="a.yaml: is not a model file; models end in .xml, .mjcf, .urdf"):
        load(tmp_path / "a.yaml")


def test_a_missing_file_is_named():
    with pytest.raises(InputError, match="nowhere.xml: no such file"):
        load("nowhere.xml")


def test_warnings_of_mujoco_leave_no_log_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="has a number that is NaN"):
        load(
            "<mujoco><worldbody><body name='b'><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 nan'/></body></worldbody></mujoco>"
        )
    assert list(Path(tmp_path).iterdir()) == []


def test_one_keyframe_is_the_default_and_of_several_one_must_be_named(planar_hand):
    key = '<key name="{}" qpos="1 2 3 4 5 6 7"/>'
    one = planar_hand.replace("</mujoco>", f"<keyframe>{key.format('a')}</keyframe></mujoco>")
    assert load(one)[1].q[0] == 1
    two = planar_hand.replace("</mujoco>", f"<keyframe>{key.format('a')}{key.format('b')}</keyframe></mujoco>")
    with pytest.raises(InputError, match="several keyframes and none is chosen; keyframes: a, b"):
        load(two)
    assert load(two, "b")[1].q[0] == 1


def test_diagonal_inertia_of_mjcf_that_breaks_the_triangle_rule_is_used_as_given():
    text = """<mujoco><worldbody><body name="b"><joint axis="0 0 1"/>
      <inertial pos="0 0 0" quat="1 0 1 0" mass="1" diaginertia="5 1 2"/></body></worldbody></mujoco>"""
    with pytest.warns(UserWarning, match="triangle"):
        system, state = load(text)
    np.testing.assert_allclose(system.terms(state.q, state.v)[0], 5.0, rtol=1e-12)
