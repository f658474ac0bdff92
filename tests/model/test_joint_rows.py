import mujoco
import numpy as np
import pytest

from knuckle.model import load
from knuckle.model.joint_rows import joint_rows

EQUALITIES = """<mujoco><compiler angle="radian"/><worldbody>
  <body name="base" pos=".1 0 0"><geom size=".05"/></body>
  <body name="ball" pos="0 0 1"><freejoint/><geom type="ellipsoid" size=".1 .2 .3"/></body>
  <body name="upper"><joint type="ball"/><geom type="capsule" fromto="0 0 0 0 0 .5" size=".05"/><site name="s" pos=".1 .2 .3" euler=".1 .2 .3"/>
    <body name="lower" pos="0 0 .5"><joint name="j" axis="0 1 0" ref=".2"/><geom type="box" size=".1 .2 .1" pos=".1 0 .2"/>
      <body pos="0 0 .3"><joint name="k" axis="1 0 0"/><geom size=".1"/><site name="t" pos=".2 0 0"/></body></body></body>
  <site name="g" pos=".3 -.2 0"/></worldbody>
  <tendon><fixed name="f"><joint joint="j" coef="1"/><joint joint="k" coef=".7"/></fixed>
    <spatial name="c"><site site="g"/><site site="t"/><pulley divisor="2"/><site site="t"/><site site="s"/></spatial></tendon>
  <equality>
    <connect name="pin" body1="lower" body2="ball" anchor=".1 .2 .3"/>
    <connect name="nail" site1="s" site2="t"/>
    <weld name="glue" body1="ball" body2="lower" anchor=".3 .1 .2"/>
    <weld name="fix" body1="lower"/>
    <weld name="sites" site1="s" site2="t"/>
    <joint name="gear" joint1="j" joint2="k" polycoef=".1 .2 .3 .4 .5"/>
    <joint name="lock" joint1="j" polycoef=".3 0 0 0 0"/>
    <tendon name="ropes" tendon1="c" tendon2="f" polycoef=".1 .2 .3 .4 .5"/>
    <joint name="idle" joint1="k" active="false"/>
  </equality></mujoco>"""


def _rates_along(system, q, v, h):
    rows = joint_rows(system, system.integrate(q, v * h), v, tolerance=10.0)
    return rows.gap, rows.rate


@pytest.mark.parametrize("source", ["free_and_arm", "equalities"])
def test_rows_are_true_first_and_second_rates(source, free_and_arm, random_state):
    """Along mj_integratePos motions (v' = 0): d(gap)/dt = W v for everything with a gap, and d(W v)/dt = bias for every row."""
    system, _ = load(free_and_arm if source == "free_and_arm" else EQUALITIES)
    random, h = np.random.default_rng(5), 1e-5
    for _ in range(10):
        q, v = random_state(system.model, random)
        rows = joint_rows(system, q, v, tolerance=10.0)
        np.testing.assert_allclose(rows.W @ v, rows.rate, rtol=1e-12, atol=1e-12)
        (gap1, rate1), (gap0, rate0) = (_rates_along(system, q, v, step) for step in (h, -h))
        scale = 1 + np.abs(v).max() ** 2
        np.testing.assert_allclose((rate1 - rate0) / (2 * h), rows.bias, rtol=1e-6, atol=2e-7 * scale * 10)
        has_gap = np.array(
            [
                kind != "dry_friction" and not name.endswith((" rx", " ry", " rz"))
                for kind, name in zip(rows.kind, rows.name, strict=True)
            ]
        )
        np.testing.assert_allclose(((gap1 - gap0) / (2 * h))[has_gap], rows.rate[has_gap], rtol=1e-6, atol=1e-6)
    assert {"bilateral"} <= set(rows.kind) if source == "equalities" else "shoulder stop" in rows.name


def test_equality_errors_are_mujocos(random_state):
    """Position errors equal efc_pos (welds: translations; rotations vanish together)."""
    system, _ = load(EQUALITIES)
    m, data, random = system.model, mujoco.MjData(system.model), np.random.default_rng(6)
    data.qpos[:] = random_state(m, random)[0]
    mujoco.mj_forward(m, data)
    rows = joint_rows(system, data.qpos, data.qvel)
    theirs = {}
    for k in np.flatnonzero(data.efc_type[: data.nefc] == mujoco.mjtConstraint.mjCNSTR_EQUALITY):
        theirs.setdefault(m.equality(int(data.efc_id[k])).name, []).append(data.efc_pos[k])
    for name, values in theirs.items():
        ours = [gap for gap, label in zip(rows.gap, rows.name, strict=True) if label.split()[0] == name]
        assert len(ours) == len(values)
        np.testing.assert_allclose(ours[:3], values[:3], atol=1e-14)
    assert "idle" not in theirs


def test_a_satisfied_weld_has_no_error():
    system, state = load(EQUALITIES)
    rows = joint_rows(system, state.q, state.v)
    gaps = {name: gap for name, gap in zip(rows.name, rows.gap, strict=True) if name.startswith(("glue", "fix", "pin"))}
    assert max(abs(gap) for gap in gaps.values()) < 1e-12


def test_limits_only_at_their_stop(free_and_arm):
    system, state = load(free_and_arm)
    elbow = system.dof_names.index("elbow")
    q = state.q.copy()
    q[system.model.joint("elbow").qposadr[0]] = 0.5
    rows = joint_rows(system, q, state.v)
    limits = [k for k, kind in enumerate(rows.kind) if kind == "limit"]
    assert [rows.name[k] for k in limits] == ["elbow upper stop", "coupled upper stop"]
    assert rows.W[limits[0], elbow] == -1.0 and rows.gap[limits[0]] == 0.0
    frictions = {rows.name[k]: rows.bound[k] for k, kind in enumerate(rows.kind) if kind == "dry_friction"}
    assert frictions == {"elbow friction": 0.4, "coupled friction": 0.1, "cable friction": 0.2}


def test_disabled_constraints_give_no_rows(free_and_arm):
    for flags, kinds in (
        ('limit="disable"', {"dry_friction"}),
        ('frictionloss="disable"', {"limit"}),
        ('constraint="disable"', set()),
    ):
        system, state = load(free_and_arm.replace("<worldbody>", f"<option><flag {flags}/></option><worldbody>", 1))
        assert set(joint_rows(system, state.q, state.v, tolerance=10.0).kind) == kinds


def test_rows_that_no_coordinate_moves_are_dropped(planar_hand):
    """A pin between two fingers of a planar hand has two rows, not three."""
    xml = planar_hand.replace(
        "<actuator>",
        '<equality><connect name="pin" body1="lower1" body2="lower2" anchor=".3 0 0"/></equality><actuator>',
    )
    system, _ = load(xml)
    q = np.array([0, 0, 0, 0.3, 0.4, 0.5, 0.6])
    assert joint_rows(system, q, np.ones(7)).name == ("pin x", "pin y")
