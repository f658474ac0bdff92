"""M and bias against Pinocchio, an independent library, through a URDF and through converted inertias."""

import mujoco
import numpy as np
import pytest

from knuckle.model import load

pin = pytest.importorskip("pinocchio")


def urdf(random):
    """A branching arm of five joints with full inertias."""
    links, joints = ['<link name="base"/>'], []
    for k, parent in enumerate(("base", "l0", "l1", "l0", "l3")):
        points = random.normal(size=(8, 3))  # the inertia of point masses obeys the triangle rule
        I = np.eye(3) * (points**2).sum() - points.T @ points
        xyz, rpy, axis = random.normal(size=(3, 3))
        links.append(
            f'<link name="l{k}"><inertial><origin xyz="{_text(xyz)}" rpy="{_text(rpy)}"/><mass value="{random.random() + 0.5!r}"/>'
            f'<inertia ixx="{float(I[0, 0])!r}" iyy="{float(I[1, 1])!r}" izz="{float(I[2, 2])!r}" ixy="{float(I[0, 1])!r}" '
            f'ixz="{float(I[0, 2])!r}" iyz="{float(I[1, 2])!r}"/></inertial></link>'
        )
        joints.append(
            f'<joint name="j{k}" type="{"prismatic" if k == 1 else "revolute"}"><parent link="{parent}"/><child link="l{k}"/>'
            f'<origin xyz="{_text(random.normal(size=3))}" rpy="{_text(random.normal(size=3))}"/><axis xyz="{_text(axis / np.linalg.norm(axis))}"/>'
            '<limit lower="-9" upper="9" effort="1" velocity="1"/></joint>'
        )
    return f'<robot name="r">{"".join(links + joints)}</robot>'


def _text(numbers):
    return " ".join(repr(float(x)) for x in numbers)


def agree(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12 * (1 + np.abs(theirs).max()))


def test_urdf_terms_equal_pinocchio():
    random = np.random.default_rng(8)
    text = urdf(random)
    system, _ = load(text)
    model = pin.buildModelFromXML(text)
    data = model.createData()
    order = [model.getJointId(name) for name in system.dof_names]
    places = np.array([model.joints[joint].idx_v for joint in order])
    for _ in range(20):
        q, v = random.normal(size=(2, 5))
        M, h = system.terms(q, v)
        theirs_q, theirs_v = np.zeros(5), np.zeros(5)
        theirs_q[places], theirs_v[places] = q, v
        bias = pin.nonLinearEffects(model, data, theirs_q, theirs_v)
        mass = pin.crba(model, data, theirs_q)
        mass = np.triu(mass) + np.triu(mass, 1).T
        agree(M, mass[np.ix_(places, places)])
        agree(-h, bias[places])


def converted(m):
    """MuJoCo's compiled bodies as a Pinocchio model: frames and inertias copied; hinges and slides only."""
    model, ids = pin.Model(), {0: 0}
    placement = {0: pin.SE3.Identity()}  # of a MuJoCo body in its Pinocchio joint
    model.gravity.linear = m.opt.gravity.copy()
    for body in range(1, m.nbody):
        parent = int(m.body_parentid[body])
        at = placement[parent] * pin.SE3(_rotation(m.body_quat[body]), m.body_pos[body])
        joint = ids[parent]
        for k in range(m.body_jntadr[body], m.body_jntadr[body] + m.body_jntnum[body]):
            assert not m.jnt_pos[k].any()
            kind = (
                pin.JointModelRevoluteUnaligned
                if m.jnt_type[k] == mujoco.mjtJoint.mjJNT_HINGE
                else pin.JointModelPrismaticUnaligned
            )
            joint = model.addJoint(joint, kind(m.jnt_axis[k].copy()), at, f"{body}.{k}")
            at = pin.SE3.Identity()
        ids[body], placement[body] = joint, at
        R = _rotation(m.body_iquat[body])
        inertia = pin.Inertia(
            float(m.body_mass[body]), m.body_ipos[body].copy(), R @ np.diag(m.body_inertia[body]) @ R.T
        )
        model.appendBodyToJoint(joint, inertia, at)
    return model


def _rotation(quaternion):
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, quaternion)
    return R.reshape(3, 3)


@pytest.mark.parametrize("hand", ["wonik_allegro", "shadow_hand"])
def test_hands_equal_pinocchio_with_converted_inertias(hand, hand_file):
    system, _ = load(hand_file(f"{hand}/right_hand.xml"))
    m, random = system.model, np.random.default_rng(9)
    model = converted(m)
    data = model.createData()
    for _ in range(20):
        q, v = random.normal(size=(2, m.nv))
        M, h = system.terms(q, v)
        mass = pin.crba(model, data, q)
        agree(M, np.triu(mass) + np.triu(mass, 1).T + np.diag(m.dof_armature))
        agree(system.plant.passive - h, pin.nonLinearEffects(model, data, q, v))
