"""Every shipped scenario: it loads, touches exactly, and is answered with the numbers of its closed form (PHYSICS 4)."""

from __future__ import annotations

import math

import numpy as np
import pytest

import knuckle as kn
from knuckle.scenario import shipped_names

G = 9.81
EXPECTED = {  # verdict, modes of the first answer
    "billiard": ("determinate", "S"),
    "four-legged-table": ("force_indeterminate", "RRRR"),
    "incline": ("force_indeterminate", "RR"),
    "painleve-rod": ("indeterminate", "B"),
    "painleve-rod-contact": ("determinate", "S"),
    "painleve-rod-inconsistent": ("inconsistent", None),
    "painleve-rod-separates": ("determinate", "B"),
    "template": ("determinate", "RRR"),
    "three-finger-sphere": ("determinate", "RRR"),
    "three-puma-sphere": ("determinate", "RRR"),
    "three-puma-sphere-sliding": ("determinate", "SSS"),
    "two-finger-lift": ("determinate", "RR"),
    "v-groove": ("force_indeterminate", "RR"),
}


@pytest.fixture(scope="module")
def answers():
    """Each scenario is answered once."""
    found = {}

    def answer(name):
        if name not in found:
            found[name] = kn.load(name).compile().modes()
        return found[name]

    return answer


def test_the_list_is_complete():
    assert set(EXPECTED) == set(shipped_names())


@pytest.mark.parametrize("name", EXPECTED)
def test_verdict_and_modes(answers, name):
    answer, (verdict, modes) = answers(name), EXPECTED[name]
    assert (answer.verdict.value, answer.complete, answer.continuum) == (verdict, True, False)
    assert modes is None or "".join(mode[0] for mode in answer.solution.modes) == modes
    assert all(solution.residual < 1e-11 for solution in answer.solutions)


@pytest.mark.parametrize("name", EXPECTED)
def test_contacts_touch_to_the_last_digits(answers, name):
    contacts = answers(name).moment.contacts
    assert len(contacts.gap) > 0
    assert np.abs(contacts.gap).max() < 1e-14  # a mesh is placed with some 1e-15 m of round-off
    assert np.abs(contacts.velocity[:, 0]).max() < 1e-14
    assert not answers(name).moment.system.notes


@pytest.mark.parametrize("name", EXPECTED)
def test_title_description_and_notes(name):
    scenario = kn.load(name)
    assert scenario.title and scenario.description


@pytest.mark.parametrize("name", EXPECTED)
def test_typed_equals_compiled(answers, name):
    """The stages as data, solved once more, bit for bit."""
    ours = answers(name)
    typed = kn.solve(ours.moment.problem, ours.law)
    assert (typed.verdict, len(typed.solutions)) == (ours.verdict, len(ours.solutions))
    for one, other in zip(ours.solutions, typed.solutions, strict=True):
        for field in ("f", "a", "vdot", "joint_f", "joint_a"):
            assert getattr(one, field).tobytes() == getattr(other, field).tobytes(), field
        assert (one.modes, one.transitions) == (other.modes, other.transitions)
    for field in ("force_range", "acceleration_range"):
        assert np.array_equal(getattr(ours, field), getattr(typed, field))


# --- closed forms ---

RODS = [name for name in EXPECTED if name.startswith("painleve")]


def rod_numbers(problem):
    """A and b of the one sliding contact: a_N = A f_N + b."""
    force = problem.W[0] - problem.mu[0] * np.sign(problem.slip[0, 0]) * problem.W[1]
    return (
        problem.W[0] @ np.linalg.solve(problem.M, force),
        problem.W[0] @ np.linalg.solve(problem.M, problem.h) + problem.bias[0],
    )


@pytest.mark.parametrize("name", RODS)
def test_painleve_rod(answers, name):
    """A = 1/m + l^2/J (cos^2 - mu sin cos), b = w^2 l sin - g; the verdict follows from their signs."""
    answer = answers(name)
    problem, v = answer.moment.problem, answer.moment.contacts.v
    m, l, angle = 1.0, 0.5, math.atan(2.0)
    J, mu, w = m * l * l / 3, problem.mu[0], v[2]
    A = 1 / m + l * l / J * (math.cos(angle) ** 2 - mu * math.sin(angle) * math.cos(angle))
    b = w * w * l * math.sin(angle) - G
    assert rod_numbers(problem) == pytest.approx((A, b), rel=1e-12)
    assert abs(problem.slip[0, 0]) == pytest.approx(1.0, rel=1e-14)
    holds = {True: [0.0], False: []}[b > 0] + {True: [-b / A], False: []}[A * b < 0]
    assert sorted(s.f[0, 0] for s in answer.solutions) == pytest.approx(sorted(holds), rel=1e-12)
    for solution in answer.solutions:
        assert abs(solution.f[0, 1]) == pytest.approx(mu * solution.f[0, 0], rel=1e-14)
        assert solution.a[0, 0] == pytest.approx(A * solution.f[0, 0] + b, abs=1e-12)
    assert answer.p_matrix.holds == (A > 0)


def test_the_four_rods_are_the_four_regions(answers):
    regions = {name: tuple(x > 0 for x in rod_numbers(answers(name).moment.problem)) for name in RODS}
    assert regions == {
        "painleve-rod": (False, True),
        "painleve-rod-contact": (True, False),
        "painleve-rod-separates": (True, True),
        "painleve-rod-inconsistent": (False, False),
    }


@pytest.mark.parametrize(("above", "verdict"), [(1e-6, "inconsistent"), (-1e-6, "determinate")])
def test_critical_friction_of_the_rod(above, verdict):
    """A uniform rod at tan = 2 is paradoxical from mu = 4/3 on."""
    overrides = {"contacts.0.mu": 4 / 3 + above}
    assert kn.load("painleve-rod-inconsistent", overrides).compile().modes().verdict.value == verdict


def test_block_stays_on_the_incline(answers):
    """Corners: N = m g / 2 (cos -+ sin h / l), friction in all m g sin."""
    answer, weight = answers("incline"), 2.0 * G
    normals = weight / 2 * np.array([0.8 - 0.6 * 0.5, 0.8 + 0.6 * 0.5])
    assert len(answer.solutions) == 2
    for solution in answer.solutions:
        assert np.abs(solution.vdot).max() < 1e-12
        assert np.sort(solution.f[:, 0]) == pytest.approx(normals, rel=1e-12)
        assert abs(solution.f[:, 1].sum()) == pytest.approx(0.6 * weight, rel=1e-12)
    assert np.sort(answer.force_range[:, 0, :], axis=0) == pytest.approx(np.stack([normals, normals], axis=1))
    room = 0.8 * normals.sum() - 0.6 * weight  # what one corner may leave to the other
    assert np.ptp(answer.force_range[:, 1, :], axis=1) == pytest.approx([room, room], rel=1e-9)


@pytest.mark.parametrize("mu", [0.0, 0.3, 0.7, 0.75 - 1e-6])
def test_block_slides_down_the_incline(mu):
    """g (sin - mu cos) downhill, and then all forces are unique."""
    answer = kn.load("incline", {"friction": mu}).compile().modes()
    assert answer.verdict.value == "determinate"
    assert {mode[0] for mode in answer.solution.modes} == {"S" if mu else "F"}
    a = G * (0.6 - 0.8 * mu)
    assert answer.solution.vdot == pytest.approx([0.8 * a, -0.6 * a, 0.0], abs=1e-11)


@pytest.mark.parametrize("mu", [0.75 + 1e-6, 2.0])
def test_block_sticks_from_the_tangent_of_the_slope_on(mu):
    answer = kn.load("incline", {"friction": mu}).compile().modes()
    assert answer.solution.modes == ("R", "R")
    assert np.abs(answer.solution.vdot).max() < 1e-11


def test_billiard_ball(answers):
    """Friction mu m g against the slip; the slip, whose direction stays, loses 7/2 mu g."""
    answer = answers("billiard")
    problem, R, m, mu = answer.moment.problem, 0.028575, 0.17, 0.2
    slip = np.array([2.0 + 30.0 * R, 20.0 * R])  # v + w x (0, 0, -R) with v = (2, 0, 0), w = (20, -30, 50)
    assert problem.slip[0] == pytest.approx(slip, rel=1e-13)
    along, force = slip / np.hypot(*slip), mu * m * G
    solution = answer.solution
    assert solution.f[0] == pytest.approx([m * G, *(-force * along)], rel=1e-12)
    assert solution.vdot[:3] == pytest.approx([*(-mu * G * along), 0.0], abs=1e-12)
    twist = force * R / (0.4 * m * R * R) * np.array([-along[1], along[0], 0.0])  # r x f / J
    assert solution.vdot[3:] == pytest.approx(twist, rel=1e-11, abs=1e-10)
    assert solution.a[0, 1:] == pytest.approx(-3.5 * mu * G * along, rel=1e-11)


def test_ball_in_the_groove(answers):
    """It rolls about the line through both contacts; the flanks squeeze as much as friction across the groove allows."""
    answer, m, mu, R = answers("v-groove"), 0.1, 0.5, 0.02
    a = G * math.sin(0.1) / 1.8
    along = m * (a - G * math.sin(0.1)) / 2
    assert answer.solution.vdot == pytest.approx([a, 0, 0, 0, a * math.sqrt(2) / R, 0], abs=1e-10)
    # each flank: N + F = H across the slope, and F^2 + along^2 <= mu^2 N^2
    H = m * G * math.cos(0.1) / math.sqrt(2)
    root = math.sqrt(H * H - (1 - mu * mu) * (H * H + along * along))
    ends = [(H - root) / (1 - mu * mu), (H + root) / (1 - mu * mu)]
    for force_range in answer.force_range:
        assert force_range[0] == pytest.approx(ends, rel=1e-9)
        assert force_range[1] == pytest.approx([along, along], rel=1e-9)


def test_table_stands_and_its_feet_share_the_load_as_they_like(answers):
    answer, weight = answers("four-legged-table"), 10 * G
    assert answer.contact_names == ("front left", "front right", "back left", "back right")
    assert answer.force_range[:, 0] == pytest.approx(np.tile([0.0, weight / 2], (4, 1)), abs=1e-8)
    assert len(answer.solutions) >= 2
    for solution in answer.solutions:
        assert np.abs(solution.vdot).max() < 1e-12
        front_left, front_right, back_left, back_right = solution.f[:, 0]
        assert front_left == pytest.approx(back_right, abs=1e-9) and front_right == pytest.approx(back_left, abs=1e-9)
        assert front_left + front_right == pytest.approx(weight / 2, rel=1e-11)


def test_three_fingers_hold_the_sphere(answers):
    """1 N along each normal and a third of the weight across it; nothing moves, and the cones are far."""
    answer = answers("three-finger-sphere")
    solution, frame = answer.solution, answer.moment.contacts.frame
    assert answer.contact_names == ("finger 1", "finger 2", "finger 3")
    assert np.abs(solution.vdot).max() < 1e-11
    world = np.einsum("ck,ckx->cx", solution.f, frame)
    assert np.einsum("cx,cx->c", world, frame[:, 0]) == pytest.approx(np.ones(3), abs=1e-11)
    assert world[:, 2] == pytest.approx(np.full(3, 0.1 * G / 3), abs=1e-11)
    assert np.abs(world.sum(axis=0) - [0, 0, 0.1 * G]).max() < 1e-11
    assert (np.hypot(*solution.f[:, 1:].T) < 0.5 * 0.8 * solution.f[:, 0]).all()


PUMA_NORMAL = np.array([3 / math.sqrt(2), 3 / math.sqrt(2), 3.0])  # N, what the torques of the three arms press with
NEEDED = 0.2 * G / PUMA_NORMAL.sum()  # mu that carries the sphere


def test_three_pumas_hold_the_sphere(answers):
    """The forces that the torques were made from; nothing moves."""
    answer = answers("three-puma-sphere")
    solution, frame = answer.solution, answer.moment.contacts.frame
    assert np.abs(solution.vdot).max() < 1e-11
    assert solution.f[:, 0] == pytest.approx(PUMA_NORMAL, rel=1e-11)
    world = np.einsum("ck,ckx->cx", solution.f[:, 1:], frame[:, 1:])
    assert world == pytest.approx(np.outer(NEEDED * PUMA_NORMAL, [0, 0, 1]), abs=1e-11)


@pytest.mark.parametrize("mu", [0.1, 0.2, NEEDED - 1e-3, NEEDED + 1e-3, 0.4, 0.5, 0.6, 0.8])
def test_three_pumas_at_rest(mu):
    """Paper 002, tables 3 and 4: at mu 0.1 all contacts begin to slide, and none breaks; with enough friction all roll."""
    answer = kn.load("three-puma-sphere", {"friction": mu}).compile().modes()
    solution, slides = answer.solution, mu < NEEDED
    assert (answer.verdict.value, answer.complete) == ("determinate", True)
    assert solution.modes == ("S" if slides else "R",) * 3
    assert solution.transitions == ("a2" if slides else "a1",) * 3
    assert np.abs(solution.a[:, 0]).max() < 1e-11 and (solution.f[:, 0] > 1.0).all() and (solution.f[:, 0] < 4.0).all()
    friction, along = np.hypot(*solution.f[:, 1:].T), np.hypot(*solution.a[:, 1:].T)
    if slides:
        assert friction == pytest.approx(mu * solution.f[:, 0], rel=1e-10)
        assert np.einsum("ck,ck->c", solution.f[:, 1:], solution.a[:, 1:]) == pytest.approx(-friction * along, rel=1e-10)
        assert solution.vdot[20] == pytest.approx(friction.sum() / 0.2 - G, abs=1e-3)  # friction is nearly vertical
    else:
        assert along.max() < 1e-11


@pytest.mark.parametrize("mu", [0.1, 0.2, 0.4, 0.5])
def test_three_pumas_with_all_contacts_sliding(mu):
    """Paper 002, tables 1 and 2: every contact is kept. Friction along the equator holds the sphere in the middle and lets it fall."""
    answer = kn.load("three-puma-sphere-sliding", {"friction": mu}).compile().modes()
    solution, slip = answer.solution, answer.moment.problem.slip
    assert (answer.verdict.value, solution.modes, solution.transitions) == ("determinate", ("S",) * 3, ("b1",) * 3)
    assert np.abs(solution.a[:, 0]).max() < 1e-11 and (solution.f[:, 0] > 1.0).all() and (solution.f[:, 0] < 4.0).all()
    assert np.hypot(*slip.T) == pytest.approx(np.full(3, 0.1), rel=1e-14)
    assert solution.f[:, 1:] == pytest.approx(-mu * solution.f[:, :1] * slip / 0.1, abs=1e-12)
    normals = solution.f[:, 0]
    assert solution.vdot[18:21] == pytest.approx([0, 0, -G], abs=1e-3)
    assert solution.vdot[23] == pytest.approx(-mu * normals.sum() * 0.1 / (0.4 * 0.2 * 0.1**2), rel=1e-12)


def test_template_settles_a_state_of_few_digits():
    """As a user's: rounded angles are brought to exact contact, and what was moved is said."""
    rounded = {f"{joint} {k}": x for k in (1, 2, 3) for joint, x in (("proximal", -0.4615), ("distal", 1.437))}
    answer = kn.load("template", {"state.joints": rounded}).compile().modes()
    assert (answer.verdict.value, answer.solution.modes) == ("determinate", ("R", "R", "R"))
    assert np.abs(answer.moment.contacts.gap).max() < 1e-12
    assert answer.moment.system.notes
