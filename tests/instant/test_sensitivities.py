"""Sensitivities against differences of whole answers, against closed forms, and up to the ends of what they are true for."""
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import knuckle as kn
from knuckle.errors import InputError
from knuckle.instant.answer import Verdict
from knuckle.instant.problem import read_problem
from knuckle.instant.sensitivities import sensitivities

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


def along(rates, weights):
    """Rates along a combination of directions."""
    return np.concatenate([(block @ weights).ravel() for block in (rates.vdot, rates.f, rates.a, rates.joint_f, rates.joint_a)])


def difference(ask, like, size):
    """Fourth order, of answers that stay in the modes of `like`."""
    found = []
    for step in (size, -size, 2 * size, -2 * size):
        answer = ask(step)
        assert answer.verdict is Verdict.DETERMINATE, (answer.verdict, answer.errors)
        assert answer.solution.modes == like.solution.modes
        found.append(flat(answer.solution))
    return (8 * (found[0] - found[1]) - (found[2] - found[3])) / (12 * size)


def apart(rates, weights, expected):
    """Relative error of a vector, as CONTRACT 7 has it."""
    return np.abs(along(rates, weights) - expected).max() / (1 + np.abs(expected).max())


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


def worst_errors(system, answer):
    """Largest relative error of each block against differences of whole answers."""
    found, here, mu = answer.sensitivities, answer.moment.contacts, answer.moment.problem.mu
    assert not found.refused
    assert all(rates.residual < 1e-10 for rates in found.blocks().values())

    def ask(q=here.q, v=here.v, tau=here.tau, coefficients=mu):
        return system.modes(q, v, tau, lambda contact, speed, x: coefficients[contact], answer.law)

    def motion(weights):
        dq, dv = np.split(found.state_directions @ weights, 2)
        return lambda t: ask(*settled(system, kept, system.system.integrate(here.q, t * dq), here.v + t * dv))

    kept, actuators = Kept(answer), answer.moment.directions
    ways = {"tau": (1e-4, lambda w: lambda t: ask(tau=here.tau + t * w)), "actuators": (1e-4, lambda w: lambda t: ask(tau=here.tau + t * w @ actuators)),
            "mu": (1e-4, lambda w: lambda t: ask(coefficients=mu + t * w)), "state": (1e-5, motion)}
    worst = dict.fromkeys(ways, 0.0)
    for name, (size, way) in ways.items():
        rates = found.blocks()[name]
        for weights, reach in zip(np.eye(len(rates.directions)), rates.reach, strict=True):
            if (step := min(size, 0.2 * float(np.abs(reach).min()))) > 0.0:            # no coefficient goes below zero
                worst[name] = max(worst[name], apart(rates, weights, difference(way(weights), answer, step)))
    return worst


# --- bare problems ---


def random_problem(seed):
    """Mixed labels, one in ten contacts without friction, joint rows of every kind."""
    rng = np.random.default_rng([77, seed])
    dim, nv = int(rng.integers(2, 4)), int(rng.integers(5, 9))
    root, contacts, joints = rng.normal(size=(nv, nv)), [], []
    for _ in range(int(rng.integers(1, 4))):
        slides = bool(rng.random() < 0.4)
        slip = rng.normal(size=dim - 1) if slides else np.zeros(dim - 1)
        contact = {"label": "sliding" if slides else "rolling", "mu": 0.0 if rng.random() < 0.1 else float(rng.uniform(0.1, 0.9)),
                   "bias": rng.normal(size=dim).tolist(), "slip": slip.tolist()}
        contacts.append(contact | {axis: rng.normal(size=nv).tolist() for axis in ("W_N", "W_T", "W_U")[:dim]})
    for kind in rng.permutation(["limit", "dry_friction", "dry_friction", "bilateral", "none", "none"])[:2]:
        row = {"kind": str(kind), "W": rng.normal(size=nv).tolist(), "bias": float(rng.normal())}
        if kind == "dry_friction":
            row |= {"bound": float(rng.uniform(0.5, 3.0)), "rate": float(rng.choice([0.0, 0.0, 0.7]))}
        joints += [row] if kind != "none" else []
    return {"M": (root @ root.T / nv + np.eye(nv)).tolist(), "h": (4 * rng.normal(size=nv)).tolist(), "contacts": contacts, "joints": joints}


def moved_problem(problem, data, t):
    """The problem with its data moved by t along the one direction of `data`."""
    changes = {name: getattr(problem, name) + t * getattr(data, name)[0] for name in ("M", "h", "W", "bias", "mu", "slip")
               if getattr(data, name) is not None}
    return replace(problem, **changes)


@pytest.mark.parametrize("law", ["cone", "pyramid"])
def test_random_problems_against_differences(law):
    """By every load and coefficient, and along a random change of all data at once."""
    compared, modes, worst = 0, set(), 0.0
    for seed in range(200):
        problem = read_problem(random_problem(seed))
        answer = kn.solve(problem, law)
        if answer.verdict is not Verdict.DETERMINATE:
            assert answer.sensitivities.refused
            continue
        data = random_change(problem, seed)
        found = sensitivities(answer, data)
        if found.refused:
            assert "about to" in found.refused[0]
            continue
        compared, modes = compared + 1, modes | set(zip(answer.solution.transitions, answer.solution.modes, strict=True))
        assert all(rates.residual < 1e-12 for rates in found.blocks().values())
        rng = np.random.default_rng([79, seed])
        loads, coefficients = rng.normal(size=len(problem.h)), rng.normal(size=problem.contacts) * (problem.mu > 0.0)
        ways = {"tau": (loads, kn.DataRates(h=loads[None])), "mu": (coefficients, kn.DataRates(mu=coefficients[None])), "data": (np.ones(1), data)}
        for name, (weights, way) in ways.items():
            rates = found.blocks()[name]
            step = min(1e-3, 0.05 * float(np.abs(rates.reach[weights != 0.0]).min(initial=1.0)))
            expected = difference(lambda t, way=way: kn.solve(moved_problem(problem, way, t), law), answer, step)
            worst = max(worst, apart(rates, weights, expected))
    assert compared > 120 and worst < 1e-6
    assert {transition for transition, _ in modes} == {"a1", "a2", "a3", "b1", "b2"}


def random_change(problem, seed):
    rng = np.random.default_rng([78, seed])
    M = rng.normal(size=problem.M.shape)
    slip = rng.normal(size=problem.slip.shape) * problem.sliding[:, None]
    mu = rng.normal(size=problem.mu.shape) * (problem.mu > 0.0)
    return kn.DataRates(*(part[None] for part in (M + M.T, rng.normal(size=problem.h.shape), rng.normal(size=problem.W.shape),
                                                  rng.normal(size=problem.bias.shape), mu, slip)))
