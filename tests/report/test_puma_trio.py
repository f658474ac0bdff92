"""Three PUMA 560 around a sphere: the paper's matrices from the DH numbers equal those of Knuckle's contact problem through MuJoCo."""

import math

import numpy as np
import pytest

import knuckle as kn
from knuckle.errors import InputError
from knuckle.report import puma_trio as trio
from knuckle.report.puma_trio import Placement, hand, joint_positions, matrices

BLOCKS = np.arange(9).reshape(3, 3).T.ravel()  # blocks n, t, o from rows N, T, U contact by contact


def placements(count, seed):
    random = np.random.default_rng(seed)
    return [Placement(*random.uniform([0.05, 0.6, 0.5, 0.15], [0.12, 1.0, 0.65, 0.3])) for _ in range(count)]


def through_mujoco(placement, mu, torque, move):
    """Knuckle's problem at this placement; `move` makes velocities of the 24 dofs that are consistent with contact."""
    system = hand(placement, mu)
    q = joint_positions(system.system, system.state.q, placement)
    v = move(system.modes(q, np.zeros(24), np.append(torque, np.zeros(6))).moment.problem)
    answer = system.modes(q, v, np.append(torque, np.zeros(6)))
    return q, v, answer.moment


def agree(ours, theirs, tolerance=1e-10):
    assert np.abs(ours - theirs).max() < tolerance * (1 + np.abs(theirs).max())


def compare(placement, torque, mu, move):
    q, v, moment = through_mujoco(placement, mu, torque, move)
    problem = moment.problem
    ours = matrices(q[:18], torque, mu, placement, v[18:], v[:18])
    Z = np.linalg.solve(problem.M, problem.W.T)
    agree(ours.A, (problem.W @ Z)[np.ix_(BLOCKS, BLOCKS)])
    agree(ours.b, (Z.T @ problem.h + problem.bias)[BLOCKS])
    agree(ours.M_man, problem.M[:18, :18])
    agree(ours.load_man, -problem.h[:18])
    return ours, moment


def test_the_matrices_of_the_printed_configuration():
    """p_t, p_tt and the bases of figure 1; frames are rotations whose third column is the inward normal."""
    for placement in [Placement(), *placements(5, 1)]:
        c, s = math.cos(placement.sigma), math.sin(placement.sigma)
        assert placement.bases == pytest.approx(placement.b * np.array([[c, c, -1], [-s, s, 0], [0, 0, 0]]), abs=1e-15)
        inward = (placement.centre[:, None] - placement.p_t) / placement.r
        for j in range(3):
            assert placement.R[j] @ placement.R[j].T == pytest.approx(np.eye(3), abs=1e-15)
            assert np.linalg.det(placement.R[j]) == pytest.approx(1.0)
            assert placement.R[j][:, 2] == pytest.approx(inward[:, j], abs=1e-14)


def test_the_printed_frame_of_contact_2_has_no_inward_normal():
    placement = Placement()
    printed = trio._turn_about(0, 0.5 * math.pi) @ trio._turn_about(2, -placement.sigma)
    assert max(printed.T @ placement.R[1][:, 2]) < 0.9


def test_the_shipped_scenario_has_this_placement():
    system, placement = kn.load("three-puma-sphere").compile(), Placement()
    moment = system.modes().moment
    assert moment.contacts.point == pytest.approx(placement.p_t.T, abs=1e-15)
    assert moment.contacts.frame == pytest.approx(placement.R.transpose(0, 2, 1)[:, [2, 0, 1]], abs=1e-13)
    assert system.system.model.body("sphere").mass == trio.MASS
    moved = hand(placement, 0.4)
    assert moved.state.q == pytest.approx(system.state.q, abs=1e-15)
    assert joint_positions(moved.system, moved.state.q) == pytest.approx(system.state.q, abs=1e-13)
    assert moved.modes().solution.f == pytest.approx(moment.system.modes().solution.f, abs=1e-11)


def test_the_last_frames_are_the_contact_frames():
    for placement in placements(8, 2):
        system = hand(placement)
        q = joint_positions(system.system, system.state.q, placement)
        system.system.terms(q, np.zeros(24))
        for j in range(3):
            body = system.system.body(f"arm {j + 1} link 6")
            agree(system.system.plant.xpos[body], placement.p_t[:, j])
            agree(system.system.plant.xmat[body].reshape(3, 3), placement.R[j])


def test_a_base_out_of_reach_is_said():
    placement = Placement(b=1.2)
    system = hand(placement)
    with pytest.raises(InputError, match="cannot bring its last frame"):
        joint_positions(system.system, system.state.q, placement)


@pytest.mark.parametrize("number", range(8))
def test_matrices_at_rest_equal_knuckles(number):
    random = np.random.default_rng(number)
    ours, _ = compare(placements(8, 3)[number], 10 * random.normal(size=18), random.uniform(0.1, 1.0), lambda problem: np.zeros(24))
    assert not ours.sliding.any()


@pytest.mark.parametrize("number", range(8))
def test_matrices_in_motion_equal_knuckles(number):
    """Arms and sphere move as they like, but along the contacts: Coriolis, centripetal and curvature terms of (24)."""
    random = np.random.default_rng(number)

    def move(problem):
        normals, v = problem.W[::3], random.normal(size=24)
        return v - np.linalg.pinv(normals) @ (normals @ v)

    ours, moment = compare(placements(8, 4)[number], 10 * random.normal(size=18), random.uniform(0.1, 1.0), move)
    assert ours.sliding.all()
    agree(ours.slip, moment.problem.slip)
    assert np.abs(ours.drift).max() < 1e-12


def test_the_printed_mass_matrix_lacks_a_coupling():
    """(41) with the reference point in the palm. With the centre of mass in its place no coupling is needed, and A is the same."""
    system, placement = hand(), Placement()
    ours = matrices(joint_positions(system.system, system.state.q)[:18], np.zeros(18), 0.4)
    about_centre = ours.script_J.copy()
    about_centre[3:6] -= np.cross(placement.centre, ours.script_J[:3].T).T
    inertia = np.diag([trio.MASS] * 3 + [0.4 * trio.MASS * placement.r**2] * 3)
    M = ours.script_M.copy()
    M[:6, :6] = np.linalg.inv(inertia)
    agree(about_centre.T @ M @ about_centre, ours.A)
    printed = ours.M_obj.copy()
    printed[:3, 3:] = printed[3:, :3] = 0.0
    M[:6, :6] = np.linalg.inv(printed)
    assert np.abs(ours.script_J.T @ M @ ours.script_J - ours.A).max() > 0.1 * np.abs(ours.A).max()


@pytest.mark.parametrize("twist", [(0, 0, 0, 0, 0, 1), (0, 0, 0, 1, 0, 0), (0, 0, 0, 0, 0, 0)])
def test_reduced_equations_hold_at_the_answer(twist):
    """(25): a = A~ c + b~ over S n, R n, R t, R o, for all sliding, contact 3 rolling, and all rolling."""
    system = hand()
    theta = joint_positions(system.system, system.state.q)[:18]
    ours = matrices(theta, system.torque[:18], 0.3, twist=twist)
    answer = kn.solve(ours.problem())
    S, R = np.flatnonzero(ours.sliding), np.flatnonzero(~ours.sliding)
    assert len(S) == {(0, 0, 0, 0, 0, 1): 3, (0, 0, 0, 1, 0, 0): 2}.get(twist, 0)
    a, c = (np.concatenate([x[S, 0], x[R, 0], x[R, 1], x[R, 2]]) for x in (answer.solution.a, answer.solution.f))
    agree(a, ours.A_tilde @ c + ours.b_tilde)
    assert (c[: len(S) + len(R)] > 0).all()
