import mujoco
import numpy as np
import pytest

from knuckle.errors import InputError, UnsupportedError
from knuckle.model import from_mujoco, load

BODY = '<body name="b"><joint name="j"/><geom name="g" size=".1"/></body>'


def xml(world=BODY, rest=""):
    return f"<mujoco><worldbody>{world}</worldbody>{rest}</mujoco>"


JOINT = '<body name="b"><joint name="j" {}/><geom name="g" size=".1" {}/></body>'
FLEX = """<flexcomp name="f" type="grid" count="3 3 1" spacing=".1 .1 .1" dim="2" mass="1">
  <edge equality="true"/></flexcomp>"""
PLUGIN = """<extension><plugin plugin="mujoco.pid"><instance name="i"><config key="kp" value="1"/></instance></plugin>
  </extension><actuator><plugin joint="j" plugin="mujoco.pid" instance="i"/></actuator>"""
WRAP = '<geom name="post" type="cylinder" size=".1 1" pos=".5 0 0"/><site name="s" pos="1 1 0"/>'
CABLE = '<tendon><spatial name="cable" {}><site site="s"/><geom geom="post"/><site site="t"/></spatial></tendon>'
ARM = '<body name="b"><joint name="j"/><geom size=".1"/><site name="t"/></body>'


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (xml(JOINT.format('stiffness="1" springyield="1"', "")), "springyield: plastic springs"),
        (xml(JOINT.format("", 'surfacevel="1 0 0 0 0 0"')), "geom.g.surfacevel: surface velocity is not supported"),
        (xml(JOINT.format("", 'adhesion="1"')), "geom.g.adhesion: adhesion is not supported (got 1.0)"),
        (xml(rest='<actuator><motor joint="j" delay=".01" nsample="4"/></actuator>'), "delay: delays of actuators"),
        (xml(rest=PLUGIN), "plugin: MuJoCo plugins are not supported (got 1)"),
        (xml(FLEX), "equality 0: this equality constraint is not supported (got flex)"),
        (xml(rest='<option><flag sleep="enable"/></option>'), "sleeping bodies are not supported"),
        (
            xml(rest='<actuator><adhesion name="a" body="b" ctrlrange="0 1"/></actuator>'),
            "actuator.a.body: adhesion is not supported",
        ),
        (
            xml(rest='<actuator><general name="a" joint="j" dyntype="user"/></actuator>'),
            "actuator.a.dyntype: user-defined dynamics",
        ),
        (
            xml(rest='<actuator><general name="a" joint="j" gaintype="user"/></actuator>'),
            "actuator.a.gaintype: a user-defined gain",
        ),
        (
            xml(rest='<actuator><general name="a" joint="j" biastype="user"/></actuator>'),
            "actuator.a.biastype: a user-defined bias",
        ),
        (xml(WRAP + ARM, CABLE.format('frictionloss="1"')), "tendon.cable: dry friction on a tendon that wraps"),
        (xml(WRAP + ARM, CABLE.format('range="0 1"')), "tendon.cable: limits on a tendon that wraps"),
        (
            xml('<flexcomp name="f" type="grid" count="3 3 1" spacing=".1 .1 .1" dim="2" mass="1"/>'),
            "flexible bodies (flex)",
        ),
    ],
)
def test_unsupported_models_are_refused_by_name(source, message):
    with pytest.raises(UnsupportedError) as caught:
        load(source)
    assert message in str(caught.value)
    assert ";" in str(caught.value)  # and what to do


def test_a_wrapped_tendon_without_rows_is_fine():
    load(xml(WRAP + ARM, CABLE.format('stiffness="1" damping="1"')))


def test_python_callbacks_are_refused():
    mujoco.set_mjcb_passive(lambda model, data: None)
    try:
        with pytest.raises(UnsupportedError, match="mjcb_passive"):
            load(xml())
    finally:
        mujoco.set_mjcb_passive(None)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("body_mass", -1.0, "body.b.mass: mass must not be negative (got -1.0)"),
        ("body_mass", np.nan, "body_mass: a number of the model is not finite (got nan)"),
        ("body_inertia", -1.0, "body.b.inertia: inertia must not be negative"),
        ("geom_size", np.inf, "geom_size: a number of the model is not finite (got inf)"),
    ],
)
def test_bad_numbers_put_into_a_living_model(field, value, message):
    model = mujoco.MjModel.from_xml_string(xml())
    getattr(model, field)[-1] = value
    with pytest.raises(InputError) as caught:
        from_mujoco(model, mujoco.MjData(model))
    assert message in str(caught.value)


def test_a_dof_without_inertia_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # for MuJoCo's own log
    model = mujoco.MjModel.from_xml_string(xml())
    model.body_mass[:], model.body_inertia[:] = 0, 0
    mujoco.mj_setConst(model, mujoco.MjData(model))  # M of a simple body is a constant of the model
    with pytest.raises(InputError, match="j: this degree of freedom has no inertia"):
        from_mujoco(model, mujoco.MjData(model))


def test_nan_in_the_users_state_is_refused():
    model = mujoco.MjModel.from_xml_string(xml())
    data = mujoco.MjData(model)
    data.qpos[0] = np.nan
    with pytest.raises(InputError, match="q.0: is not finite"):
        from_mujoco(model, data)


def test_data_of_another_model_is_refused():
    model, other = (
        mujoco.MjModel.from_xml_string(xml(world))
        for world in (BODY, BODY + '<body pos="1 0 0"><joint/><geom size=".1"/></body>')
    )
    with pytest.raises(InputError, match="does not belong"):
        from_mujoco(model, mujoco.MjData(other))


def test_all_faults_at_once():
    source = xml(
        rest='<option><flag sleep="enable"/></option><actuator><adhesion name="a" body="b" ctrlrange="0 1"/></actuator>'
    )
    with pytest.raises(UnsupportedError) as caught:
        load(source)
    assert len(caught.value.faults) == 2
