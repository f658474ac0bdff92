"""The PUMA 560 three ways: the paper's formulas on the DH numbers, the shipped MJCF through MuJoCo, and Pinocchio on the published inertias."""

from pathlib import Path

import numpy as np
import pytest

from knuckle.model import load
from knuckle.report.puma_560 import JOINTS, PUMA_560, arm_terms, frames

HAND = Path(__file__).resolve().parents[2] / "scenarios" / "three-puma-hand.xml"
GRAVITY = np.array([0.0, 0.0, -9.81])


def agree(ours, theirs, tolerance=1e-12):
    assert np.abs(ours - theirs).max() < tolerance * (1 + np.abs(theirs).max())


def states(count=40):
    random = np.random.default_rng(560)
    return [(random.uniform(-np.pi, np.pi, size=18), random.normal(size=18)) for _ in range(count)]


def test_zero_pose_of_the_published_arm():
    """The L of the literature: 0.4521 m ahead, -0.15005 aside, 0.4318 up."""
    assert frames(np.zeros(6))[-1, :3] == pytest.approx(np.array([[1, 0, 0, 0.4521], [0, 1, 0, -0.15005], [0, 0, 1, 0.4318]]), abs=1e-15)


def test_mass_and_torques_of_the_three_arms_equal_mujoco():
    """M, gravity, Coriolis, and no coupling between the arms."""
    system, _ = load(HAND)
    for q, v in states():
        M, h = system.terms(q, v)
        arms = [arm_terms(q[6 * j : 6 * j + 6], v[6 * j : 6 * j + 6], GRAVITY) for j in range(3)]
        ours = np.zeros((18, 18))
        for j, arm in enumerate(arms):
            ours[6 * j : 6 * j + 6, 6 * j : 6 * j + 6] = arm.M
        agree(M, ours)
        agree(-h, np.concatenate([arm.g + arm.h for arm in arms]))
        _, at_rest = system.terms(q, np.zeros(18))
        agree(-at_rest, np.concatenate([arm.g for arm in arms]))


def test_frames_are_those_of_the_bodies():
    system, _ = load(HAND)
    for q, v in states(10):
        system.terms(q, v)
        for j in range(3):
            T = frames(q[6 * j : 6 * j + 6])
            base = system.plant.xpos[system.body(f"base {j + 1}")]
            for k in range(1, 7):
                body = system.body(f"arm {j + 1} link {k}")
                agree(system.plant.xpos[body] - base, T[k, :3, 3])
                agree(system.plant.xmat[body].reshape(3, 3), T[k, :3, :3])


def test_motion_of_the_last_origin_equals_mujoco():
    system, _ = load(HAND)
    for q, v in states(10):
        system.terms(q, v)
        body = system.body("arm 2 link 6")
        J, velocity, acceleration = system.point(body, system.plant.xpos[body])
        arm = arm_terms(q[6:12], v[6:12], GRAVITY)
        agree(J[:, 6:12], arm.J[:3] + np.cross(arm.J[3:].T, arm.T[-1, :3, 3]).T)
        agree(velocity, arm.velocity)
        agree(acceleration, arm.acceleration)


def published_arm(pin):
    """Joint k turns about z of frame k-1; the inertias of paper and table as they are, the zero mass of link 1 as well."""
    model, before = pin.Model(), pin.SE3.Identity()
    model.gravity.linear = GRAVITY
    for k, link in enumerate(PUMA_560):
        joint = model.addJoint(k, pin.JointModelRZ(), before, f"joint {k + 1}")
        angle = 0.5 * np.pi * link.twist
        turn = np.array([[1, 0, 0], [0, np.cos(angle), -np.sin(angle)], [0, np.sin(angle), np.cos(angle)]])
        before = pin.SE3(turn, np.array([link.a, 0.0, link.d]))
        model.appendBodyToJoint(joint, pin.Inertia(link.mass, np.array(link.centre), np.diag(link.moments)), before)
    model.armature = np.array([link.motor * link.gear**2 for link in PUMA_560])
    return model


def test_mass_and_torques_equal_pinocchio():
    pin = pytest.importorskip("pinocchio")
    model = published_arm(pin)
    data = model.createData()
    for q, v in states():
        q, v = q[:JOINTS], v[:JOINTS]
        arm = arm_terms(q, v, GRAVITY)
        mass = np.triu(pin.crba(model, data, q))
        agree(arm.M, mass + np.triu(mass, 1).T)
        agree(arm.g, pin.computeGeneralizedGravity(model, data, q))
        agree(arm.g + arm.h, pin.nonLinearEffects(model, data, q, v))
