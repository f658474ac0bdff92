"""Paper 000, section IV (figures 7 and 8) and equations (15) to (28), on the shipped scenario `two-finger-lift`.

The hand is derived here a second time, as formulas of two-link fingers, and the paper's contact sets are solved by trying every
complementary choice; nothing of that uses the package.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import knuckle as kn
from knuckle.instant import set_kernels
from knuckle.instant.stage import lay_out

G, LINK, ROD, PALM, MASS, SEMI = 9.81, 0.30, 0.5, 0.10, 3.0, (0.185, 0.15)
PHI = 0.7 * math.pi  # absolute angle of the second link
GRID = np.linspace(0.0, 6.0, 25)
UP = 5  # dof: ellipse.y is the world's z
SETS = list(itertools.product((1.0, -1.0), repeat=2))


@pytest.fixture(scope="module")
def lift():
    system = kn.load("two-finger-lift").compile()
    return lambda tau1, tau2, mu, tau0=2.5: system.modes(tau=np.array([tau0, tau1, tau0, tau2, 0, 0, 0]), mu=mu)


@pytest.fixture(scope="module")
def maps(lift):
    """Answers on the grid, [tau1][tau2], for both friction coefficients of figure 7."""
    return {mu: [[lift(a, b, mu) for b in GRID] for a in GRID] for mu in (0.2, 0.4)}


def letters(answer):
    return "".join(mode[0] for mode in answer.solution.modes)


# --- the hand as formulas ---


def posture():
    """(q1, q2): the second link at PHI touches the ellipse whose centre is 0.30 m off the palm, knee outward."""
    height = math.hypot(SEMI[0] * math.sin(PHI), SEMI[1] * math.cos(PHI))
    q2 = math.asin((height - (PALM * math.sin(PHI) + 0.30 * math.cos(PHI))) / LINK)
    return PHI - q2, q2


def finger_terms(q1, q2):
    """M and the moments of gravity of two uniform rods that hang below the palm; closing is positive, z up."""
    I, half = ROD * LINK**2 / 12, LINK / 2
    cross = ROD * LINK * half * math.cos(q2)
    low = I + ROD * half**2
    M = np.array([[2 * low + ROD * LINK**2 + 2 * cross, low + cross], [low + cross, low]])
    # z of the mass centres: -half sin(q1), -(LINK sin(q1) + half sin(q1 + q2))
    second = ROD * G * half * math.cos(q1 + q2)
    return M, np.array([ROD * G * (half + LINK) * math.cos(q1) + second, second])


def contact_geometry(side):
    """Contact point, n (into the ellipse) and t (n turned by +90 degrees) in (x, z); side +1: finger 1, on the right."""
    n = np.array([-math.sin(PHI), -math.cos(PHI)])
    point = -np.array([SEMI[0] ** 2 * n[0], SEMI[1] ** 2 * n[1]]) / math.hypot(SEMI[0] * n[0], SEMI[1] * n[1])
    mirror = np.array([side, 1.0])
    n, point = n * mirror, point * mirror
    return point + np.array([0.0, -0.30]), n, np.array([-n[1], n[0]])


def hand_problem(tau1, tau2, tau0=2.5):
    """M, h, W (rows N1, T1, N2, T2) in the order finger 1, finger 2, x, z, angle; at rest the bias is zero."""
    q1, q2 = posture()
    M, h, W = np.zeros((7, 7)), np.zeros(7), np.zeros((4, 7))
    block, gravity = finger_terms(q1, q2)
    for k, side in enumerate((1.0, -1.0)):
        dofs = slice(2 * k, 2 * k + 2)
        M[dofs, dofs], h[dofs] = block, gravity + np.array([tau0, (tau1, tau2)[k]])
        point, n, t = contact_geometry(side)
        base = np.array([side * PALM, 0.0])
        knee = base + LINK * np.array([side * math.cos(q1), -math.sin(q1)])
        # closing turns finger 1 clockwise: velocity (r_z, -r_x)
        columns = np.array([[(point - pivot)[1], -(point - pivot)[0]] for pivot in (base, knee)]).T * side
        arm = point - np.array([0.0, -0.30])
        for row, d in ((2 * k, n), (2 * k + 1, t)):
            W[row, dofs] = -d @ columns
            W[row, 4:] = d[0], d[1], arm[0] * d[1] - arm[1] * d[0]
    M[4:, 4:] = np.diag([MASS, MASS, MASS * (SEMI[0] ** 2 + SEMI[1] ** 2) / 4])
    h[UP] = -MASS * G
    return M, h, W


def contact_set(M, h, W, mu, signs):
    """A and b of (27), (28) for rolling contacts: z = (f_N1, f_N2, Delta_1, Delta_2), a_T = s a^s, f_T = -s (mu f_N - Delta)."""
    s = np.array(signs)
    N, T = W[0::2], W[1::2]
    forces = np.vstack([N - mu * s[:, None] * T, s[:, None] * T])  # W_mu with the opposite signs
    rows = np.vstack([N, s[:, None] * T])
    return rows @ np.linalg.solve(M, forces.T), rows @ np.linalg.solve(M, h)


def answers_of_sets(M, h, W, mu):
    """Every (f, a) of (22), (23), (26) over all contact sets, equal ones merged."""
    found = []
    for signs in SETS:
        A, b = contact_set(M, h, W, mu, signs)
        for chosen in itertools.product((False, True), repeat=4):
            active, z = np.flatnonzero(chosen), np.zeros(4)
            if len(active):
                z[active] = np.linalg.solve(A[np.ix_(active, active)], -b[active])
            y = A @ z + b
            if min(z.min(), y.min(), (mu * z[:2] - z[2:]).min()) < -1e-9:  # (22), (23)
                continue
            s = np.array(signs)
            answer = np.concatenate([z[:2], -s * (mu * z[:2] - z[2:]), y[:2], s * y[2:]])
            if all(np.abs(answer - other).max() > 1e-7 for other in found):
                found.append(answer)
    return found


# --- the model behind the figures ---


def test_the_state_is_setup_a_to_the_last_bit(lift):
    q1, q2 = posture()
    assert (q1, q2) == pytest.approx((1.08587152, 1.11324334), abs=5e-9)
    contacts = lift(3, 3, 0.4).moment.contacts
    assert contacts.q[:4] == pytest.approx([q1, q2, q1, q2], abs=1e-15)
    assert np.abs(contacts.gap).max() < 1e-15
    assert not contacts.v.any()
    for k, side in enumerate((1.0, -1.0)):
        point, n, t = contact_geometry(side)
        assert contacts.point[k] == pytest.approx([point[0], 0, point[1]], abs=1e-14)
        assert contacts.frame[k, 0] == pytest.approx([n[0], 0, n[1]], abs=1e-14)
        assert contacts.frame[k, 1] == pytest.approx([t[0], 0, t[1]], abs=1e-14)


def test_equations_of_motion_of_the_hand(lift):
    """(11), (14): M, h and W against the formulas of two-link fingers."""
    problem = lift(1.7, 4.4, 0.4).moment.problem
    M, h, W = hand_problem(1.7, 4.4)
    assert np.abs(problem.M - M).max() < 1e-14
    assert np.abs(problem.h - h).max() < 1e-13
    assert np.abs(problem.W - W).max() < 1e-14
    assert np.abs(problem.bias).max() < 1e-15


@pytest.mark.parametrize("signs", SETS)
@pytest.mark.parametrize("mu", [0.2, 0.4])
def test_matrix_of_a_contact_set(lift, mu, signs):
    """(27), and A is a P-matrix for all four contact sets."""
    problem = lift(2.0, 2.0, mu).moment.problem
    stage = lay_out(problem, "pyramid")
    stage.work.signs[[1, 3]] = signs
    n = set_kernels.contact_set(stage.units, stage.work, stage.count)
    scale = stage.work.scale[[0, 2, 1, 3]]  # each unit has one scale; the kernel's matrix is scaled on both sides
    A = contact_set(*hand_problem(2.0, 2.0), mu, signs)[0]
    assert n == 4
    assert np.abs(stage.work.A[:4, :4] / np.outer(scale, scale) - A).max() < 1e-12 * np.abs(A).max()
    minors = [np.linalg.det(A[np.ix_(c, c)]) for k in range(1, 5) for c in itertools.combinations(range(4), k)]
    assert min(minors) > 0
    assert kn.p_matrix(A).holds


def test_the_contact_sets_hold_one_answer_and_it_is_ours(lift):
    """(15) to (26) with (23): all sets, all complementary choices, merged."""
    rng = np.random.default_rng(0)
    for tau1, tau2, mu in [*rng.uniform([0, 0, 0.05], [6, 6, 1.0], (60, 3)), (2, 2, 0.2), (3, 3, 0.4)]:
        found = answers_of_sets(*hand_problem(tau1, tau2), mu)
        solution = lift(tau1, tau2, mu).solution
        assert len(found) == 1
        ours = np.concatenate([solution.f.T.ravel(), solution.a.T.ravel()])
        assert np.abs(ours - found[0]).max() < 1e-9 * (1 + np.abs(found[0]).max())


# --- figures 7 and 8 ---


@pytest.mark.parametrize("mu", [0.2, 0.4])
def test_only_four_regions_and_one_answer_everywhere(maps, mu):
    answers = [answer for row in maps[mu] for answer in row]
    assert all(answer.verdict.value == "determinate" and answer.complete for answer in answers)
    assert {letters(answer) for answer in answers} == {"RR", "RS", "SR", "SS"}
    assert all(answer.p_matrix.holds for answer in answers)
    assert all(set(answer.solution.transitions) <= {"a1", "a2"} for answer in answers)


@pytest.mark.parametrize("mu", [0.2, 0.4])
def test_friction_law_at_every_point(maps, mu):
    """(15): inside the cone where a_T = 0, at its edge and against a_T elsewhere; f_N > 0 and a_N = 0."""
    for answer in (answer for row in maps[mu] for answer in row):
        (f_N, f_T), (a_N, a_T) = answer.solution.f.T, answer.solution.a.T
        rolls = np.array([mode == "R" for mode in answer.solution.modes])
        assert f_N.min() > 0 and np.abs(a_N).max() < 1e-11
        assert np.abs(a_T[rolls]).max(initial=0) < 1e-11 and (np.abs(f_T) <= mu * f_N + 1e-11).all()
        assert np.abs(f_T + np.sign(a_T) * mu * f_N)[~rolls].max(initial=0) < 1e-11


@pytest.mark.parametrize("mu", [0.2, 0.4])
def test_regions_are_mirror_images(maps, mu):
    for i, j in itertools.combinations_with_replacement(range(len(GRID)), 2):
        one, other = maps[mu][i][j].solution, maps[mu][j][i].solution
        assert letters(maps[mu][i][j]) == letters(maps[mu][j][i])[::-1]
        assert one.f == pytest.approx(other.f[::-1] * [1, -1], abs=1e-10)
        mirrored = other.vdot[[2, 3, 0, 1, 4, 5, 6]] * [1, 1, 1, 1, -1, 1, -1]
        assert one.vdot == pytest.approx(mirrored, abs=1e-9)


def test_the_rolling_region_grows_with_friction_and_is_nested(maps, lift):
    small, large = (
        {(i, j) for i in range(25) for j in range(25) if letters(maps[mu][i][j]) == "RR"} for mu in (0.2, 0.4)
    )
    assert small and small < large
    # on a finer grid around the regions, with coefficients between
    fine = np.linspace(0.0, 4.0, 21)
    before: set[tuple[float, float]] = set()
    for mu in (0.15, 0.2, 0.25, 0.3, 0.35, 0.4):
        region = {(a, b) for a in fine for b in fine if letters(lift(a, b, mu)) == "RR"}
        assert before < region
        before = region


@pytest.mark.parametrize("mu", [0.2, 0.4])
def test_upward_acceleration_grows_with_each_torque(maps, mu):
    """Figure 8: nondecreasing in tau1 and in tau2, negative at no torque, positive at 6 N m."""
    up = np.array([[answer.solution.vdot[UP] for answer in row] for row in maps[mu]])
    assert np.diff(up, axis=0).min() > -1e-10
    assert np.diff(up, axis=1).min() > -1e-10
    assert up[0, 0] < 0 < up[-1, -1]
    assert (np.diff(np.sign(np.diag(up))) != 0).sum() == 1


def static_torque():
    """tau1 = tau2 that carries the object at rest, from statics: its weight, and both joints of one finger."""
    q1, q2 = posture()
    point, n, t = contact_geometry(1.0)
    gravity = finger_terms(q1, q2)[1]
    base = np.array([PALM, 0.0])
    knee = base + LINK * np.array([math.cos(q1), -math.sin(q1)])
    # unknown f_N, f_T on the object, tau; the finger feels -f, whose clockwise moment about a pivot is -(r_z f_x - r_x f_z)
    rows, right = [[n[1], t[1], 0.0]], [MASS * G / 2]
    for pivot, applied, own in ((base, 2.5, 0.0), (knee, 0.0, 1.0)):
        r = point - pivot
        rows.append([-(r[1] * d[0] - r[0] * d[1]) for d in (n, t)] + [own])
        right.append(-applied - gravity[len(rows) - 2])
    f_N, f_T, tau = np.linalg.solve(rows, right)
    return tau, f_N, f_T


def test_static_equilibrium_torque_is_the_zero_of_the_diagonal(lift):
    tau, f_N, f_T = static_torque()
    assert tau == pytest.approx(2.785, abs=5e-4) and abs(f_T) < 0.4 * f_N
    at_rest = lift(tau, tau, 0.4).solution
    assert at_rest.modes == ("R", "R")
    assert np.abs(at_rest.vdot).max() < 1e-11
    assert at_rest.f == pytest.approx(np.array([[f_N, f_T], [f_N, -f_T]]), abs=1e-11)
    # inside one region the acceleration is linear in the torque: its zero on the diagonal
    below, above = (lift(x, x, 0.4).solution.vdot[UP] for x in (2.6, 3.0))
    assert 2.6 + 0.4 * below / (below - above) == pytest.approx(tau, abs=1e-9)


def test_the_default_question_lifts_with_both_contacts_rolling():
    answer = kn.modes(kn.load("two-finger-lift"))
    assert answer.contact_names == ("finger 1", "finger 2")
    assert (answer.verdict.value, answer.solution.modes) == ("determinate", ("R", "R"))
    assert answer.solution.vdot[UP] > 0.5
