"""The uniqueness test speaks for every c, so no right-hand side may ever show two answers where it says one."""
import math

import numpy as np
import pytest

from knuckle.complementarity.cone import cone_work
from knuckle.complementarity.cone_kernels import BILATERAL, CONE, DRY, PLANAR, SLIDING, UNILATERAL, cone_newton
from knuckle.complementarity.energy_kernels import unique_by_energy

ROWS = {UNILATERAL: 1, SLIDING: 3, CONE: 3, PLANAR: 2, DRY: 1, BILATERAL: 1}


class Problem:
    def __init__(self, B, kinds, mu, factor=None):
        self.B, self.kinds, self.mu = np.ascontiguousarray(B), np.array(kinds, np.int64), np.array(mu, float)
        self.first = np.concatenate([[0], np.cumsum([ROWS[kind] for kind in kinds])]).astype(np.int64)
        self.factor = np.zeros((len(kinds), 2)) if factor is None else factor
        self.work = cone_work(len(B), len(kinds))

    def margin(self):
        return unique_by_energy(self.B, self.kinds, self.first, self.mu, self.factor, self.work)

    def answer(self, c, guess=None):
        f = np.zeros(len(c)) if guess is None else guess.copy()
        a, modes = np.zeros(len(c)), np.zeros(len(self.kinds), np.int64)
        status = cone_newton(self.B, c, self.kinds, self.first, self.mu, self.factor, f, a, modes, self.work, 1e-11, 3,
                             guess is not None)
        return status, f, a


def force_of(rng, kind, mu, factor):
    """A random force of one unit: none, inside, on the border."""
    choice = rng.integers(3)
    if kind == DRY:
        return np.array([mu * (rng.uniform(-1, 1) if choice else rng.choice([-1.0, 1.0]))])
    if kind == BILATERAL:
        return rng.normal(size=1)
    N = rng.uniform(0.1, 2.0) if choice else 0.0
    if kind == UNILATERAL:
        return np.array([N])
    if kind == SLIDING:
        return N * np.array([1.0, *factor])
    t = rng.normal(size=ROWS[kind] - 1)
    return np.array([N, *(mu * N * t / np.linalg.norm(t) * (1.0 if choice == 1 else rng.uniform()))])


def disagreement(problem, rng, starts):
    """Largest distance between two answers to one c, over guesses at answers of very different kinds."""
    forces = [np.concatenate([force_of(rng, *unit) for unit in zip(problem.kinds, problem.mu, problem.factor, strict=True)])
              for _ in range(starts)]
    c = rng.normal(size=len(problem.B)) - problem.B @ forces[0]
    answers = [found for found in [problem.answer(c)] + [problem.answer(c, f) for f in forces] if found[0] == 0]
    if len(answers) < 2:
        return 0.0
    return max(np.abs(x[1] - answers[0][1]).max() / (1.0 + np.abs(answers[0][1]).max()) for x in answers)


def test_never_unique_where_two_answers_exist():
    rng = np.random.default_rng(5)
    proved = ambiguous = 0
    for _ in range(2000):
        k = int(rng.integers(1, 4))
        A = rng.normal(size=(3 * k, 3 * k + rng.integers(0, 6)))
        problem = Problem(A @ A.T, [CONE] * k, rng.uniform(0.1, 3.0, k))
        margin, apart = problem.margin(), disagreement(problem, rng, 6)
        proved += margin > 0.0
        ambiguous += apart > 1e-6
        assert not (margin > 0.0 and apart > 1e-6)
    assert proved > 50
    assert ambiguous > 50


def test_mixed_units_never_unique_where_two_answers_exist():
    rng = np.random.default_rng(6)
    proved = ambiguous = 0
    for _ in range(1000):
        kinds = rng.choice([UNILATERAL, SLIDING, SLIDING, CONE, PLANAR, DRY, BILATERAL], size=rng.integers(1, 4))
        rows = sum(ROWS[kind] for kind in kinds)
        A = rng.normal(size=(rows, rows + rng.integers(0, 4)))
        turn, mu = rng.uniform(0, 2 * math.pi, len(kinds)), rng.uniform(0.1, 2.0, len(kinds))
        problem = Problem(A @ A.T, kinds, mu, -mu[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1))
        margin, apart = problem.margin(), disagreement(problem, rng, 6)
        proved += margin > 0.0
        ambiguous += apart > 1e-6
        assert not (margin > 0.0 and apart > 1e-6)
    assert proved > 100
    assert ambiguous > 10


def test_pair_inequality_of_maximum_dissipation():
    """df.da <= mu |df_N| |da_t| for any two answers of one contact (derivation (2)), and df_N da_N <= 0."""
    rng = np.random.default_rng(7)
    for _ in range(2000):
        mu, pair = rng.uniform(0, 2), []
        for _ in range(2):
            f, a = np.zeros(3), np.zeros(3)
            kind, turn = rng.integers(3), rng.uniform(0, 2 * math.pi)
            e = np.array([math.cos(turn), math.sin(turn)])
            if kind == 0:
                a = np.array([rng.exponential(), *(rng.exponential() * e)])
            else:
                f[0] = rng.exponential()
                f[1:] = -mu * f[0] * e * (1.0 if kind == 1 else rng.uniform())
                a[1:] = rng.exponential() * e * (kind == 1)
            pair.append((f, a))
        df, da = pair[0][0] - pair[1][0], pair[0][1] - pair[1][1]
        assert df[0] * da[0] <= 1e-15
        assert df[1:] @ da[1:] <= mu * abs(df[0]) * np.linalg.norm(da[1:]) + 1e-14


def test_ball_on_plane_up_to_the_threshold_that_the_normal_weight_lifts():
    """B = diag(1, 7/2, 7/2)/m decouples: weight w proves mu < 2 sqrt(2 w / 7), 1.069 at w = 1; weights go up to 4."""
    B = np.diag([1.0, 3.5, 3.5]) / 0.3
    for mu in (0.2, 1.0, 1.02, 1.5, 2.0):
        assert Problem(B, [CONE], [mu]).margin() > 0.0
    assert Problem(B, [CONE], [2.2]).margin() == 0.0


def test_painleve_rod_is_not_called_unique():
    kappa, theta = 1.0 / 3.0, math.atan(2.0)
    s, c = math.sin(theta), math.cos(theta)
    B = np.array([[1 + c * c / kappa, -s * c / kappa], [-s * c / kappa, 1 + s * s / kappa]])
    for mu, unique in ((0.5, True), (1.2, True), (1.4, False), (3.0, False)):     # mu_P = 4/3
        assert (Problem(np.pad(B, (0, 1)) + np.diag([0, 0, 1.0]), [SLIDING], [mu], np.array([[mu, 0.0]])).margin() > 0) == unique


def grasp(rng):
    """Three fingers of three joints with spherical tips on a sphere, at rest; their inverse inertia at the tips is anisotropic."""
    m, radius = 0.2, 0.04
    W, inverse = np.zeros((9, 6)), np.diag([1 / m] * 3 + [1 / (0.4 * m * radius**2)] * 3)
    fingers = np.zeros((9, 9))
    for i in range(3):
        angle = 2 * math.pi * i / 3 + rng.normal() * 0.1
        out = np.array([math.cos(angle), math.sin(angle), 0.0])
        frame = np.array([-out, [-out[1], out[0], 0.0], [0.0, 0.0, 1.0]])
        for row, direction in enumerate(frame):
            W[3 * i + row] = np.concatenate([direction, np.cross(radius * out, direction)])
        # distal links are lighter: effective tip masses of 50 to 200 g along the finger's own axes
        turn = np.linalg.qr(rng.normal(size=(3, 3)) * 0.2 + np.eye(3))[0]
        fingers[3 * i:3 * i + 3, 3 * i:3 * i + 3] = turn @ np.diag(1 / rng.uniform(0.05, 0.2, 3)) @ turn.T
    return W @ inverse @ W.T + fingers


@pytest.mark.parametrize(("mu", "share"), [(0.5, 0.9), (0.8, 0.5)])
def test_usual_grasps_are_proved_unique(mu, share):
    rng = np.random.default_rng(8)
    proved = [Problem(grasp(rng), [CONE] * 3, [mu] * 3).margin() > 0 for _ in range(200)]
    assert np.mean(proved) > share


def test_margin_does_not_depend_on_units():
    rng = np.random.default_rng(9)
    B = grasp(rng)
    margin = Problem(B, [CONE] * 3, [0.3] * 3).margin()
    assert margin > 0.0
    assert Problem(B * 1e6, [CONE] * 3, [0.3] * 3).margin() == pytest.approx(margin, rel=1e-9)
