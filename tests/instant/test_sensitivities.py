"""Sensitivities against differences of whole answers, against closed forms, and up to the ends of what they are true for."""
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import knuckle as kn
from knuckle.errors import InputError
from knuckle.instant.active_mode import cell_of
from knuckle.instant.answer import Verdict
from knuckle.instant.problem import read_problem
from knuckle.instant.sensitivities import sensitivities
from knuckle.instant.stage import lay_out

sys.path.insert(0, str(Path(__file__).parents[1]))
from oracles.real_grasps import GRASPS, HANDS, simulated

TRIPOD = """<mujoco><option gravity="1 0.4 -9.81"/><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="tripod" pos="0 0 0.3"><freejoint/><geom name="top" type="box" size=".2 .15 .02" mass="2" contype="0" conaffinity="0"/>
<geom name="one" type="sphere" size=".02" pos=".2 0 -.28" mass=".1"/><geom name="two" type="sphere" size=".03" pos="-.1 .15 -.27" mass=".1"/>
<geom name="three" type="ellipsoid" size=".03 .02 .04" pos="-.12 -.14 -.26" mass=".1"/></body></worldbody>
<keyframe><key name="slides" qpos="0 0 .3 1 0 0 0" qvel=".5 -.2 0 0 0 .8"/><key name="rests" qpos="0 0 .3 1 0 0 0"/></keyframe></mujoco>"""
# A finger of three joints with dry friction presses a ball against the floor; one joint stands at its stop, two more are coupled.
FINGER = """<mujoco><compiler autolimits="true"/><option gravity="0 0 -9.81"/><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="ball" pos="0 0 .05"><freejoint/><geom name="ball" type="sphere" size=".05" mass=".3"/></body>
<body name="base" pos="-.25 .02 .12"><joint name="lift" type="slide" axis="0 0 1" damping=".1" frictionloss=".3"/>
<geom type="sphere" size=".01" mass=".2" contype="0" conaffinity="0"/>
<body name="link"><joint name="yaw" axis="0 0 1" range="0 1" armature=".01"/><joint name="pitch" axis="0 1 0" frictionloss=".05" stiffness=".5"/>
<geom type="capsule" fromto="0 0 0 .12 0 0" size=".008" mass=".1" contype="0" conaffinity="0"/>
<body name="tip" pos=".12 0 0"><joint name="bend" axis="0 1 0" damping=".01"/>
<geom type="capsule" fromto="0 0 0 .08 0 0" size=".008" mass=".05" contype="0" conaffinity="0"/>
<geom name="tip" type="sphere" size=".012" pos=".0925 0 0" mass=".02"/>
<body name="nail" pos=".09 0 0"><joint name="nail" axis="0 0 1" frictionloss=".002" armature="1e-4"/>
<geom type="sphere" size=".004" pos="0 0 .03" mass=".01" contype="0" conaffinity="0"/></body>
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
    ways = {"tau": (1e-4, lambda w: lambda t: ask(tau=here.tau + t * w)),
            "actuators": (1e-4, lambda w: lambda t: ask(tau=here.tau + t * w @ actuators)),
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
    """Along a random load, random coefficients, and a random change of all data at once."""
    compared, modes, worst = 0, set(), 0.0
    for seed in range(200 if law == "cone" else 60):
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
            expected = difference(lambda t, at=problem, way=way: kn.solve(moved_problem(at, way, t), law), answer, step)
            worst = max(worst, apart(rates, weights, expected))
    assert compared > (120 if law == "cone" else 35) and worst < 1e-6
    assert {transition for transition, _ in modes} == {"a1", "a2", "a3", "b1", "b2"}


def random_change(problem, seed):
    rng = np.random.default_rng([78, seed])
    M = rng.normal(size=problem.M.shape)
    slip = rng.normal(size=problem.slip.shape) * problem.sliding[:, None]
    mu = rng.normal(size=problem.mu.shape) * (problem.mu > 0.0)
    return kn.DataRates(*(part[None] for part in (M + M.T, rng.normal(size=problem.h.shape), rng.normal(size=problem.W.shape),
                                                  rng.normal(size=problem.bias.shape), mu, slip)))


def test_what_is_given_must_fit():
    answer = kn.solve(random_problem(0))
    nv = len(answer.problem.h)
    with pytest.raises(InputError, match=r"(?s)data\.h: has the wrong shape .*data\.bias: has a number that is not finite"):
        sensitivities(answer, kn.DataRates(h=np.zeros((1, nv + 1)), bias=np.full((1, len(answer.problem.bias)), np.nan)))
    with pytest.raises(InputError, match="as many directions each"):
        sensitivities(answer, kn.DataRates(h=np.zeros((1, nv)), mu=np.zeros((2, answer.problem.contacts))))
    with pytest.raises(InputError, match=r"(?s)data\.h: must be an array of real numbers \(got abc\).*data\.mu: must have rows of one length"):
        sensitivities(answer, kn.DataRates(h="abc", mu=[[0.1], [0.1, 0.2]]))


@pytest.mark.parametrize("wrong", [3, None, "two-finger-lift"])
def test_what_is_no_answer_and_no_rates_is_refused(wrong):
    with pytest.raises(InputError, match="answer: must be the Answer of a solve"):
        kn.sensitivities(wrong)
    with pytest.raises(InputError, match="data: must be DataRates"):
        kn.sensitivities(block(0.2), wrong if wrong is not None else np.zeros(2))


# --- closed forms ---

AL, G, MASS = 0.4, 9.81, 1.7


def block(mu, slip=0.0, law="cone", load=0.0, dim=2):
    """On an incline, t downhill."""
    rows = {"W_N": [0, 1.0, 0], "W_T": [1.0, 0, 0], "W_U": [0, 0, 1.0]}
    contact = {"label": "sliding" if slip else "rolling", "mu": mu, "slip": [slip, 0.0][:dim - 1]}
    contact |= {axis: rows[axis][:dim] for axis in list(rows)[:dim]}
    h = [MASS * G * np.sin(AL), -MASS * G * np.cos(AL) + load, 0.0][:dim]
    return kn.solve({"M": (MASS * np.eye(dim)).tolist(), "h": h, "contacts": [contact]}, law)


@pytest.mark.parametrize("law", ["cone", "pyramid"])
@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize(("mu", "slip"), [(0.3, 0.0), (0.3, 0.8), (0.3, -0.8), (0.6, 0.0)])
def test_a_block_on_an_incline(law, dim, mu, slip):
    """da/dmu = -g cos al downhill, +g cos al uphill, 0 at rest; at rest and sliding from rest mu may go up or down to tan al."""
    found = block(mu, slip, law, dim=dim).sensitivities
    downhill = 0.0 if slip == 0.0 and mu > np.tan(AL) else 1.0 if slip >= 0.0 else -1.0
    assert found.mu.vdot[0, 0] == pytest.approx(-downhill * G * np.cos(AL), rel=1e-12)
    assert found.mu.f[0, 1, 0] == pytest.approx(-downhill * MASS * G * np.cos(AL), rel=1e-12)
    assert found.tau.vdot[0, 0] == pytest.approx(1 / MASS if downhill else 0.0, rel=1e-12)
    assert found.tau.vdot[0, 1] == pytest.approx(downhill * mu / MASS, rel=1e-12)      # a lift takes friction away
    assert found.tau.reach[1, 1] == pytest.approx(MASS * G * np.cos(AL) if downhill else MASS * G * (np.cos(AL) - np.sin(AL) / mu), rel=1e-12)
    if slip == 0.0:
        low, high = found.mu.reach[0]
        assert (low if mu > np.tan(AL) else high) == pytest.approx(np.tan(AL) - mu, rel=1e-12)
    assert found.mu.exact == (law == "pyramid" or dim == 2 or slip != 0.0 or mu > np.tan(AL))
    assert found.q is None and found.state is None and found.actuators is None


def test_a_painleve_rod_jams_at_its_critical_friction():
    """f_N = -b / A, A = 1/m + l^2/J (cos^2 - mu sin cos), until A = 0 at mu = 4/3 (kappa = 1/3, tan = 2)."""
    answer = kn.modes("painleve-rod-contact")
    found, f_N, mu = answer.sensitivities, answer.solution.f[0, 0], float(answer.problem.mu[0])
    # A is proportional to 4/3 - mu
    assert found.mu.f[0, 0, 0] == pytest.approx(f_N / (4 / 3 - mu), rel=1e-10)
    assert found.mu.reach[0] == pytest.approx((-mu, 4 / 3 - mu), rel=1e-10)
    assert "singular" in found.mu.limiting[0][1] and found.mu.exact


def test_a_billiard_ball_turns_its_friction_with_its_slip():
    """a = -mu g u/|u|: by mu along -u, by the velocity of the ball -mu g (1 - u u')/|u|."""
    system = kn.load("billiard").compile()
    answer = system.modes()
    found, here = answer.sensitivities, answer.moment.contacts
    mu, g = float(answer.problem.mu[0]), float(np.linalg.norm(system.system.model.opt.gravity))
    slip = here.velocity[0, 1:] @ here.frame[0, 1:]
    size = np.linalg.norm(slip)
    np.testing.assert_allclose(found.mu.vdot[:3, 0], -g * slip / size, atol=1e-12)
    turn = -mu * g * (np.eye(3) - np.outer(slip, slip) / size ** 2) / size
    np.testing.assert_allclose(found.v.vdot[:3, :2], turn[:, :2], atol=1e-9)
    assert found.state_directions.shape == (12, 10)          # the height stays, and its rate
    assert found.v.limiting[0][0].endswith("slip speed")


@pytest.mark.parametrize("law", ["cone", "pyramid"])
def test_a_first_bit_of_friction(law):
    """A block without friction that begins to slide: by mu as if it slid, up to where it would stick; by the load as without friction."""
    found = block(0.0, dim=3, law=law).sensitivities
    assert found.mu.vdot[0, 0] == pytest.approx(-G * np.cos(AL), rel=1e-12)
    assert found.tau.vdot[0, 1] == 0.0 and not np.isfinite(found.tau.reach[0]).any()
    assert found.mu.reach[0] == pytest.approx((0.0, np.tan(AL)), rel=1e-12)
    assert found.mu.exact == (law == "pyramid")


# --- refused on boundaries ---


def one_row(kind, h, **more):
    return kn.solve({"M": [[1.0]], "h": [h], "contacts": [], "joints": [{"kind": kind, "W": [1.0], **more}]})


@pytest.mark.parametrize(("answer", "word"), [
    (lambda: block(np.tan(AL)), "friction"),
    (lambda: block(np.tan(AL), dim=3), "friction"),
    (lambda: block(np.tan(AL) * (1 + 1e-9), dim=3, law="pyramid"), "friction"),
    (lambda: block(0.3, load=MASS * G * np.cos(AL)), "normal force"),
    (lambda: block(0.3, 1.0, load=MASS * G * np.cos(AL)), "normal force"),
    (lambda: block(0.3, 5e-9), "slip is about to stop"),
    (lambda: one_row("dry_friction", 1.0, bound=1.0), "dry friction"),
    (lambda: one_row("limit", 0.0), "normal force"),
    (lambda: kn.modes("four-legged-table"), "force_indeterminate"),
    (lambda: kn.modes("painleve-rod"), "indeterminate"),
    (lambda: kn.modes("painleve-rod-inconsistent"), "inconsistent"),
    (lambda: kn.solve({"M": [[1.0]]}), "invalid_input"),
])
def test_refused_where_a_mode_is_about_to_change(answer, word):
    found = answer().sensitivities
    assert found.refused and word in found.refused[0], found.refused
    assert not found.blocks() and found.to_dict() == {"refused": list(found.refused)}
    assert word in found._repr_html_()


def test_next_to_a_boundary_they_hold_that_far():
    found = block(np.tan(AL) * (1 + 1e-6)).sensitivities
    assert not found.refused
    assert found.mu.reach[0, 0] == pytest.approx(-1e-6 * np.tan(AL), rel=1e-6)


# --- how far they are true ---


def cell(answer):
    stage = lay_out(answer.problem, answer.law)
    scaled = np.concatenate([answer.solution.f.ravel(), answer.solution.joint_f])[stage.row_of[:stage.free_rows]] / stage.force_unit
    return cell_of(stage, scaled, stage.B @ scaled + stage.c)


def test_modes_hold_up_to_every_end_and_change_behind_it():
    """Of loads and coefficients, where modes are linear: the pyramid, and the plane."""
    ends, kinds = 0, set()
    for seed in range(150):
        problem = read_problem(random_problem(seed))
        answer = kn.solve(problem, "pyramid")
        found = answer.sensitivities
        if found.refused:
            continue
        number = seed % len(problem.h), seed % problem.contacts
        ways = [(found.tau, number[0], kn.DataRates(h=np.eye(len(problem.h))[[number[0]]])),
                (found.mu, number[1], kn.DataRates(mu=np.eye(problem.contacts)[[number[1]]]))]
        for rates, j, way in ways:
            assert rates.exact
            if rates is found.mu and problem.mu[j] == 0.0:
                continue                                   # a first bit of friction is another mode
            for end, limit in zip(rates.reach[j], rates.limiting[j], strict=True):
                if not np.isfinite(end) or abs(end) < 1e-6 or limit.endswith(": mu") or abs(end) > 1e4:
                    continue
                inside, outside = (kn.solve(moved_problem(problem, way, share * end), "pyramid") for share in (0.9999, 1.0001))
                if inside.verdict is Verdict.DETERMINATE:
                    ends, kinds = ends + 1, kinds | {limit.partition(": ")[2]}
                    assert cell(inside) == cell(answer), (seed, limit)
                    assert outside.verdict is not Verdict.DETERMINATE or cell(outside) != cell(answer), (seed, limit)
    assert ends > 200 and {"normal force", "opening", "the equations of the modes become singular"} <= kinds


# --- scenarios, against differences of whole answers along the manifold of contact ---


def asked(name, law=None, mu=None, factor=1.0, still=()):
    system = kn.load(name).compile()
    v = system.state.v.copy()
    v[list(still)] = 0.0
    return system, system.modes(None, v, factor * system.torque, mu, law)


@pytest.mark.parametrize(("question", "transitions"), [
    (dict(name="two-finger-lift"), ("a1", "a1")),
    (dict(name="two-finger-lift", mu=[0.05, 0.4]), ("a2", "a1")),
    (dict(name="two-finger-lift", factor=8.0), ("a1", "a1")),
    (dict(name="three-finger-sphere"), ("a1",) * 3),
    (dict(name="three-finger-sphere", mu=[0.2, 0.8, 0.8]), None),
    (dict(name="three-finger-sphere", mu=0.2), ("a2",) * 3),
    (dict(name="three-finger-sphere", mu=0.2, law="pyramid"), ("a2",) * 3),
    (dict(name="incline", mu=0.2), ("a2", "a2")),
    (dict(name="billiard"), ("b1",)),
    (dict(name="v-groove", still=[4]), ("b1", "b1")),
    (dict(name="painleve-rod-contact"), ("b1",)),
])
def test_shipped_scenarios(question, transitions):
    system, answer = asked(**question)
    assert transitions is None or answer.solution.transitions == transitions
    assert max(worst_errors(system, answer).values()) < 1e-7


@pytest.mark.parametrize(("key", "mu", "law"), [("slides", 0.3, "cone"), ("rests", 0.02, "cone"), ("rests", 0.02, "pyramid"),
                                                ("slides", 0.0, "cone")])
def test_a_tripod_on_feet_of_three_kinds(tmp_path, key, mu, law):
    (tmp_path / "tripod.xml").write_text(TRIPOD)
    system = kn.load(tmp_path / "tripod.xml", {"keyframe": key}).compile()
    assert max(worst_errors(system, system.modes(mu=mu, law=law)).values()) < 1e-7


def pressed(tmp_path, moving):
    """The finger and its ball; `moving`: at rates that keep its contacts, stop and coupling."""
    (tmp_path / "finger.xml").write_text(FINGER)
    system = kn.load(tmp_path / "finger.xml").compile()
    q, v = system.state.q, system.state.v.copy()
    if moving:
        v[:] = 0, -0.3, 0, 2, 1, 0.5, 0.1, 0, 0, 0, -1
        count, joints = system.geometry.update(q, v), system.system.joint_rows(q, v)
        rows = [system.geometry.contacts.W[3 * k] for k in range(count)]
        rows += [row for row, kind in zip(joints.W, joints.kind, strict=True) if kind != "dry_friction"]
        v -= np.linalg.pinv(np.array(rows)) @ (np.array(rows) @ v)
    return system, q, v


@pytest.mark.parametrize("law", ["cone", "pyramid"])
@pytest.mark.parametrize(("moving", "mu", "tau"), [(False, 0.5, (0, -0.2, 0.1)), (False, 0.1, (2.0, -0.2, 0.02)), (True, 0.5, (0, -0.1, 0.4))])
def test_a_finger_with_stop_coupling_and_dry_friction(tmp_path, law, moving, mu, tau):
    system, q, v = pressed(tmp_path, moving)
    answer = system.modes(q, v, np.array([0] * 6 + list(tau) + [0, 0]), mu, law)
    assert {"limit", "bilateral"} <= set(answer.problem.joint_kind)
    assert ("dry_friction" in answer.problem.joint_kind) != moving and "nail friction" in answer.moment.contacts.moving_joints
    assert max(worst_errors(system, answer).values()) < 1e-7
    nail = answer.sensitivities.v.limiting[-1]
    assert nail[int(moving)] == "nail friction: rate"      # turns back at +1 rad/s less, or at -1 rad/s more


# --- features and faces ---

ON_A_TABLE = """<mujoco><option gravity="{pull} 0 -9.81"/><worldbody><geom name="table" type="box" size=".1 .1 .05" friction=".1"/>
<body name="thing" pos="{x} 0 {z}"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
<joint name="tilt" axis="0 1 0"/><geom name="thing" type="{kind}" size=".04 .05 .03" mass="1" friction=".1"/></body></worldbody></mujoco>"""


def on_a_table(tmp_path, kind, x, pull):
    (tmp_path / "table.xml").write_text(ON_A_TABLE.format(kind=kind, x=x, z=0.05 + {"sphere": 0.04, "box": 0.03}[kind], pull=pull))
    return kn.load(tmp_path / "table.xml").compile()


@pytest.mark.parametrize("x", [0.0, 0.08, -0.08])
def test_faces_that_lie_flat(tmp_path, x):
    """In the middle, and over the edge, where a corner of the table carries the box as well: faces are found as such up to 1e-6 rad."""
    system = on_a_table(tmp_path, "box", x, 2.0)
    answer = system.modes()
    assert answer.problem.contacts == 2 and answer.verdict is Verdict.DETERMINATE
    assert not answer.sensitivities.refused
    assert max(worst_errors(system, answer).values()) < 1e-6


def test_a_contact_on_the_border_of_a_feature(tmp_path):
    """A sphere over the very edge of the table: loads are one thing, the next state another."""
    found = on_a_table(tmp_path, "sphere", 0.1, 2.0).modes().sensitivities
    assert "border of a feature" in found.refused[0]
    assert found.tau is not None and found.mu is not None and found.q is None and found.state_directions is None
    assert not on_a_table(tmp_path, "sphere", 0.0999, 2.0).modes().sensitivities.refused


# --- what is shown ---


def test_as_a_document_and_in_a_notebook():
    answer = kn.modes("two-finger-lift")
    found = answer.sensitivities
    assert answer.sensitivities is found
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert set(document) == {"refused", "tau", "actuators", "mu", "q", "v", "state", "state_directions"}
    np.testing.assert_array_equal(document["mu"]["f"], found.mu.f)
    assert document["mu"]["reach"][0][1] is None
    assert "finger 1: friction" in found._repr_html_()
    system = kn.load("two-finger-lift").compile()
    np.testing.assert_array_equal(system.sensitivities().tau.vdot, found.tau.vdot)


def test_a_real_hand():
    """The Allegro hand round a sphere that slips in part: 22 dofs, dry friction in every joint, five contacts with three kinds of mode."""
    if not (HANDS / "wonik_allegro" / "right_hand.xml").exists():
        pytest.skip("the hands are not beside the project (../shared/data/hands)")
    model, data = simulated(*GRASPS["allegro-sphere"])
    system, state = kn.from_mujoco(model, data)
    answer = system.modes(state.q, state.v, mu=0.3)
    assert set(answer.solution.transitions) >= {"a1", "a2"}
    assert max(worst_errors(system, answer).values()) < 1e-6
