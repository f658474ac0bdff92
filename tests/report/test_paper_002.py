"""Algorithm 1 of paper 002, from its own matrices: the same answers as the shipped scenarios give through MuJoCo, and an honest step 6."""

from types import SimpleNamespace

import numpy as np
import pytest

import knuckle as kn
from knuckle.errors import InputError
from knuckle.report.paper_002 import SCENARIOS, algorithm_1, contact_problem, holding_torque
from knuckle.report.puma_560 import frames
from knuckle.report.puma_trio import Placement

VARIANTS = [(variant, mu) for variant, values in (("sliding", (0.1, 0.2, 0.4, 0.5)), ("rolling", (0.1, 0.2, 0.4, 0.6, 0.8))) for mu in values]


@pytest.mark.parametrize(("variant", "mu"), VARIANTS)
def test_algorithm_1_equals_the_scenario(variant, mu):
    """Steps 1 to 5 from the DH numbers, and the whole instant through MuJoCo."""
    ours = algorithm_1(mu, (variant,) * 3)
    answer = kn.load(SCENARIOS[variant], {"friction": mu}).compile().modes()
    assert (ours.answer.verdict.value, ours.answer.solution.modes) == ("determinate", answer.solution.modes)
    assert ours.f == pytest.approx(answer.solution.f, abs=1e-10)
    assert ours.a == pytest.approx(answer.solution.a, abs=1e-9)
    assert ours.theta_rate == pytest.approx(answer.solution.vdot[:18], abs=1e-9)
    assert ours.twist_rate == pytest.approx(answer.solution.vdot[18:], abs=1e-9)
    kind = "rolling" if answer.solution.modes[0] == "R" else "sliding"
    assert ours.new.labels == (kind,) * 3


@pytest.mark.parametrize(("variant", "mu"), VARIANTS)
def test_problems_of_the_tables(variant, mu):
    problem = contact_problem(variant, mu)
    assert (problem.contacts, problem.dim, len(problem.h)) == (3, 3, 24)
    assert problem.sliding.tolist() == [variant == "sliding"] * 3 and (problem.mu == mu).all()


def test_torques_of_the_scenario():
    """Those of the keyframe, and at other placements whatever holds the sphere there."""
    system = kn.load("three-puma-sphere").compile()
    assert holding_torque(system.state.q[:18]) == pytest.approx(system.torque[:18], abs=1e-12)
    placement = Placement(r=0.08, sigma=1.0, b=0.62, a_cm=0.22)
    held = algorithm_1(0.8, placement=placement)
    assert held.new.labels == ("rolling",) * 3
    assert np.abs(held.twist_rate).max() < 1e-11 and np.abs(held.theta_rate).max() < 1e-11
    assert held.f[:, 0] == pytest.approx(3.0 * np.array([0.5 / np.cos(1.0), 0.5 / np.cos(1.0), 1.0]), rel=1e-11)


@pytest.mark.parametrize(("variant", "order"), [("rolling", 4), ("sliding", 4)])
def test_error_of_step_6(variant, order):
    """From rest, and with a sphere that turns about its middle, a kept contact comes off by dt^4, and its normal velocity by dt^3."""
    coarse, fine = (algorithm_1(0.1, (variant,) * 3, dt=dt).new for dt in (2e-2, 1e-2))
    assert np.log2(coarse.gap_error / fine.gap_error) == pytest.approx(order, abs=0.1)
    assert np.log2(coarse.drift_error / fine.drift_error) == pytest.approx(order - 1, abs=0.1)
    assert fine.gap_error == np.abs(fine.gap).max() < 2e-6


def test_step_6_moves_along_the_answer():
    """Velocities and places follow from the accelerations; the sphere's quaternion stays unit."""
    ours, dt = algorithm_1(0.2, ("sliding",) * 3, dt=1e-3), 1e-3
    start = kn.load("three-puma-sphere").compile().state.q
    assert ours.new.q[:18] - start[:18] == pytest.approx(0.5 * dt * dt * ours.theta_rate, abs=1e-14)
    assert ours.new.q[18:21] - start[18:21] == pytest.approx(0.5 * dt * dt * ours.twist_rate[:3], abs=1e-14)
    angle = dt + 0.5 * dt * dt * ours.twist_rate[5]
    assert ours.new.q[21:] == pytest.approx([np.cos(angle / 2), 0, 0, np.sin(angle / 2)], abs=1e-8)
    assert np.linalg.norm(ours.new.q[21:]) == pytest.approx(1.0, abs=1e-15)
    assert ours.new.v[23] == pytest.approx(1.0 + dt * ours.twist_rate[5])
    # slip after dt: that of t0 and its acceleration
    assert ours.new.slip == pytest.approx(ours.matrices.slip + dt * ours.a[:, 1:], abs=1e-5)


def test_arms_that_pull_break_their_contacts():
    ours = algorithm_1(0.4, torque=holding_torque(algorithm_1(0.4).theta, press=-3.0), dt=1e-2)
    assert ours.new.labels == ("breaking",) * 3
    assert np.abs(ours.f).max() < 1e-12
    assert (ours.new.gap > 1e-6).all() and (ours.new.normal_velocity > 0).all()
    for j in range(3):  # by the DH frames
        T, base = frames(ours.new.q[6 * j : 6 * j + 6]), ours.placement.bases[:, j]
        apart = np.linalg.norm(base + T[-1, :3] @ [0, 0, -0.005, 1] - ours.new.q[18:21])
        assert ours.new.gap[j] == pytest.approx(apart - 0.105, abs=1e-14)
    # mostly the acceleration of the gap, and the sphere's fall from the level of the tips
    assert ours.new.gap == pytest.approx(0.5e-4 * ours.a[:, 0] + (0.5e-4 * 9.81) ** 2 / 0.21, rel=2e-3)
    assert ours.new.gap_error == 0.0


@pytest.mark.parametrize(("labels", "axis"), [(("sliding", "sliding", "rolling"), (1, 0, 0)), (("rolling", "sliding", "sliding"), (1, -1, 0))])
def test_mixed_labels(labels, axis):
    """A sphere that turns about a contact rolls there and slides at the others."""
    twist = np.append(np.zeros(3), np.array(axis) / np.linalg.norm(axis))
    ours = algorithm_1(0.6, labels, twist=twist)
    assert ours.matrices.sliding.tolist() == [label == "sliding" for label in labels]
    assert ours.answer.verdict.value == "determinate"
    assert len(ours.matrices.b_tilde) == 5
    assert (ours.f[:, 0] > 0).all()


def test_another_solver_for_step_5():
    """Anything that takes the problem and returns f and a."""
    seen = []

    def other(problem):
        seen.append(problem)
        solution = kn.solve(problem).solution
        return SimpleNamespace(f=solution.f.tolist(), a=solution.a.tolist())

    one, two = algorithm_1(0.1, solve=other), algorithm_1(0.1)
    assert len(seen) == 1 and isinstance(one.answer, SimpleNamespace)
    assert one.new.q.tobytes() == two.new.q.tobytes() and one.new.labels == two.new.labels


def test_a_result_is_json_ready():
    document = algorithm_1(0.1).to_dict()
    assert document["placement"] == {"r": 0.1, "sigma": np.pi / 4, "b": 0.6, "a_cm": 0.2}
    assert len(document["matrices"]["A"]) == 9 and document["new"]["labels"] == ["sliding"] * 3


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"labels": ("rolling",) * 2}, "labels"),
        ({"labels": ("rolling", "rolling", "slipping")}, "labels"),
        ({"labels": ("rolling", "sliding", "sliding")}, "twist"),
        ({"labels": ("sliding",) * 3, "twist": np.zeros(6)}, "labels.0"),
        ({"twist": (1.0, 0, 0, 0, 0, 0)}, "twist"),
        ({"placement": Placement(b=1.4)}, "placement"),
    ],
)
def test_questions_that_make_no_sense(given, key):
    with pytest.raises(InputError) as caught:
        algorithm_1(0.4, **given)
    assert caught.value.faults[0].key == key


def test_there_are_two_variants():
    with pytest.raises(InputError, match="rolling, sliding"):
        contact_problem("breaking", 0.1)
