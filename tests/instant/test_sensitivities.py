"""Sensitivities against differences of whole answers, against closed forms, and up to the ends of what they are true for."""
from pathlib import Path

import numpy as np
import pytest

import knuckle as kn
from knuckle.instant.answer import Verdict

HANDS = Path(__file__).resolve().parents[3] / "shared" / "data" / "hands"
TRIPOD = """<mujoco><option gravity="1 0.4 -9.81"/><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="tripod" pos="0 0 0.3"><freejoint/><geom name="top" type="box" size=".2 .15 .02" mass="2" contype="0" conaffinity="0"/>
<geom name="one" type="sphere" size=".02" pos=".2 0 -.28" mass=".1"/><geom name="two" type="sphere" size=".03" pos="-.1 .15 -.27" mass=".1"/>
<geom name="three" type="ellipsoid" size=".03 .02 .04" pos="-.12 -.14 -.26" mass=".1"/></body></worldbody>
<keyframe><key name="slides" qpos="0 0 .3 1 0 0 0" qvel=".5 -.2 0 0 0 .8"/><key name="rests" qpos="0 0 .3 1 0 0 0"/></keyframe></mujoco>"""
# A finger of three joints with dry friction presses a ball against the floor; one joint stands at its stop, two more are coupled.
FINGER = """<mujoco><compiler autolimits="true"/><option gravity="0 0 -9.81"/><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="ball" pos="0 0 .05"><freejoint/><geom name="ball" type="sphere" size=".05" mass=".3"/></body>
<body name="base" pos="-.25 .02 .12"><joint name="lift" type="slide" axis="0 0 1" damping=".1" frictionloss=".3"/><geom type="sphere" size=".01" mass=".2" contype="0" conaffinity="0"/>
<body name="link"><joint name="yaw" axis="0 0 1" range="0 1" armature=".01"/><joint name="pitch" axis="0 1 0" frictionloss=".05" stiffness=".5"/>
<geom type="capsule" fromto="0 0 0 .12 0 0" size=".008" mass=".1" contype="0" conaffinity="0"/>
<body name="tip" pos=".12 0 0"><joint name="bend" axis="0 1 0" damping=".01"/><geom type="capsule" fromto="0 0 0 .08 0 0" size=".008" mass=".05" contype="0" conaffinity="0"/>
<geom name="tip" type="sphere" size=".012" pos=".0925 0 0" mass=".02"/>
<body name="nail" pos=".09 0 0"><joint name="nail" axis="0 0 1" frictionloss=".002" armature="1e-4"/><geom type="sphere" size=".004" pos="0 0 .03" mass=".01" contype="0" conaffinity="0"/></body>
</body></body></body></worldbody>
<equality><joint joint1="bend" joint2="pitch" polycoef=".1 .5 .2 0 0"/></equality>
<actuator><motor name="m_lift" joint="lift"/><motor name="m_yaw" joint="yaw"/><motor name="m_pitch" joint="pitch" gear="2"/></actuator>
<keyframe><key name="rests" qpos="0 0 .05 1 0 0 0 .01688 -1e-6 .15 .1795 .3" qvel="0 0 0 0 0 0 0 0 0 0 1"/></keyframe></mujoco>"""


# --- differences of whole answers ---


def flat(solution):
    return np.concatenate([solution.vdot, solution.f.ravel(), solution.a.ravel(), solution.joint_f, solution.joint_a])


def column(rates, j):
    return np.concatenate([rates.vdot[:, j], rates.f[..., j].ravel(), rates.a[..., j].ravel(), rates.joint_f[:, j], rates.joint_a[:, j]])


def difference(ask, like, size):
    """Fourth order, of answers that stay in the modes of `like`."""
    found = []
    for step in (size, -size, 2 * size, -2 * size):
        answer = ask(step)
        assert answer.verdict is Verdict.DETERMINATE, (answer.verdict, answer.errors)
        assert answer.solution.modes == like.solution.modes
        found.append(flat(answer.solution))
    return (8 * (found[0] - found[1]) - (found[2] - found[3])) / (12 * size)


def apart(rates, j, expected):
    """Relative error of a vector, as CONTRACT 7 has it."""
    return np.abs(column(rates, j) - expected).max() / (1 + np.abs(expected).max())


def settled(system, contacts, q, v):
    """The nearest state with the gaps, stops and rates of the instant, by Newton's method."""
    geometry, joints, kept = system.geometry, contacts.joint_names_held, contacts.rolling
    for _ in range(6):
        count, found = geometry.update(q, v), geometry.contacts
        slots = [next(k for k in range(count) if (found.pair[k], found.feature_A[k], found.feature_B[k]) == key) for key in contacts.keys]
        rows = [3 * k for k in slots]
        slips = [3 * k + axis for k, rolls in zip(slots, kept, strict=True) if rolls for axis in range(1, contacts.dim)]
        W, gap, normal, slip = found.W.copy(), found.gap[slots].copy(), found.velocity[rows].copy(), found.velocity[slips].copy()
        more = system.system.joint_rows(q, v, np.inf)
        held = [more.name.index(name) for name in joints]
        resting = [more.name.index(name) for name in contacts.resting]
        q = system.system.integrate(q, -np.linalg.pinv(np.vstack([W[rows], more.W[held]])) @ np.append(gap, more.gap[held]))
        v = v - np.linalg.pinv(np.vstack([W[rows], W[slips], more.W[held + resting]])) @ np.concatenate([normal, slip, more.rate[held + resting]])
    return q, v


class Kept:
    """What a neighbouring state must keep."""

    def __init__(self, answer):
        problem, here = answer.moment.problem, answer.moment.contacts
        self.dim, self.rolling = problem.dim, ~problem.sliding
        self.keys = [tuple(key) for key in here.features]
        kinds = list(zip(problem.joint_names, problem.joint_kind, strict=True))
        self.joint_names_held = [name for name, kind in kinds if kind != "dry_friction"]
        self.resting = [name for name, kind in kinds if kind == "dry_friction"]


def worst_errors(system, answer, size=1e-4, step_of_state=1e-5):
    """Largest relative error of each block against differences of whole answers."""
    found, here, mu = answer.sensitivities, answer.moment.contacts, answer.moment.problem.mu
    assert not found.refused
    assert all(rates.residual < 1e-10 for rates in found.blocks().values())
    nv, law = len(here.v), answer.law

    def with_mu(values):
        return lambda contact, speed, x: values[contact]

    def ask(q=here.q, v=here.v, tau=here.tau, coefficients=mu):
        return system.modes(q, v, tau, with_mu(coefficients), law)

    worst = {"tau": 0.0, "actuators": 0.0, "mu": 0.0, "state": 0.0}
    for j in range(nv):
        step = min(size, 0.2 * np.abs(found.tau.reach[j]).min())
        worst["tau"] = max(worst["tau"], apart(found.tau, j, difference(lambda t: ask(tau=here.tau + t * np.eye(nv)[j]), answer, step)))
    for j, direction in enumerate(answer.moment.directions):
        step = min(size, 0.2 * np.abs(found.actuators.reach[j]).min())
        worst["actuators"] = max(worst["actuators"], apart(found.actuators, j, difference(lambda t: ask(tau=here.tau + t * direction), answer, step)))
    for j in range(len(mu)):
        step = min(size, 0.2 * np.abs(found.mu.reach[j]).min())
        worst["mu"] = max(worst["mu"], apart(found.mu, j, difference(lambda t: ask(coefficients=mu + t * np.eye(len(mu))[j]), answer, step)))
    kept = Kept(answer)
    for j in range(found.state_directions.shape[1]):
        dq, dv = np.split(found.state_directions[:, j], 2)
        step = min(step_of_state, 0.2 * np.abs(found.state.reach[j]).min())

        def moved(t):
            return ask(*settled(system, kept, system.system.integrate(here.q, t * dq), here.v + t * dv))
        worst["state"] = max(worst["state"], apart(found.state, j, difference(moved, answer, step)))
    return worst
