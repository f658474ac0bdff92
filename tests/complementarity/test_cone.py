"""`solve_cone` and `cone_newton`: closed forms, manufactured answers, degenerate sets, published problems, bad input."""
import contextlib
import io
import math
import os
import subprocess
import sys

import numpy as np
import pytest
import siconos_cone
from judges import cone_residual

from knuckle.compiled import kernel
from knuckle.complementarity.cone import cone_work, solve_cone
from knuckle.complementarity.cone_kernels import BILATERAL, CONE, DRY, PLANAR, SLIDING, UNILATERAL, cone_newton

G = 9.81


def incline(angle):
    return np.array([-G * math.cos(angle), G * math.sin(angle), 0.0])


@pytest.mark.parametrize(("angle", "mu"), [(0.3, 0.5), (0.6, 0.3), (1.2, 0.0), (0.4, 0.9)])
def test_block_on_incline(angle, mu):
    result = solve_cone(np.eye(3), incline(angle), [mu])
    slips = mu < math.tan(angle)
    assert result.outcome == "solved"
    assert result.modes == [("F" if mu == 0 else "S") if slips else "R"]
    slip = G * (math.sin(angle) - mu * math.cos(angle)) if slips else 0.0
    assert np.allclose(result.u, [0.0, slip, 0.0], atol=1e-13)


@pytest.mark.parametrize(("angle", "mu"), [(0.3, 0.5), (0.9, 0.3)])
def test_ball_on_incline_rolls_while_mu_reaches_two_sevenths_of_the_slope(angle, mu):
    result = solve_cone(np.diag([1.0, 3.5, 3.5]), incline(angle), [mu])
    assert result.modes == ["R" if mu >= math.tan(angle) * 2 / 7 else "S"]
    if result.modes == ["R"]:
        assert np.allclose(result.r, [G * math.cos(angle), -2 / 7 * G * math.sin(angle), 0.0], atol=1e-13)


def manufactured(rng, W, mu, modes):
    """q that makes a chosen answer (B, S, R per contact) the problem's own."""
    r, u = np.zeros(3 * len(mu)), np.zeros(3 * len(mu))
    for i, mode in enumerate(modes):
        turn = rng.uniform(0, 2 * math.pi)
        e = np.array([math.cos(turn), math.sin(turn)])
        if mode == "B":
            u[3 * i], u[3 * i + 1:3 * i + 3] = rng.uniform(0.1, 2.0), rng.normal() * e
        else:
            r[3 * i] = rng.uniform(0.1, 2.0)
            r[3 * i + 1:3 * i + 3] = -mu[i] * r[3 * i] * e * (1.0 if mode == "S" else rng.uniform(0, 0.9))
            u[3 * i + 1:3 * i + 3] = rng.uniform(0.1, 2.0) * e * (mode == "S")
    return u - W @ r, r, u


def test_manufactured_answers_come_back():
    rng = np.random.default_rng(1)
    for _ in range(200):
        k = int(rng.integers(1, 7))
        A = rng.normal(size=(3 * k, 3 * k)) * 0.15
        W, mu, modes = np.eye(3 * k) + A @ A.T, rng.uniform(0.05, 0.4, k), list(rng.choice(["B", "S", "R"], k))
        q, r, u = manufactured(rng, W, mu, modes)
        result = solve_cone(W, q, mu)
        assert result.outcome == "solved"
        assert result.modes == modes                # well conditioned and little friction: one answer
        assert np.abs(result.r - r).max() < 1e-12
        assert np.abs(result.u - u).max() < 1e-12


def test_random_full_rank():
    rng = np.random.default_rng(2)
    for _ in range(300):
        k = int(rng.integers(1, 7))
        A = rng.normal(size=(3 * k, 3 * k + rng.integers(0, 6)))
        W, q, mu = A @ A.T, rng.normal(size=3 * k), rng.uniform(0, 1.5, k)
        result = solve_cone(W, q, mu)
        assert result.outcome == "solved"
        assert result.residual <= 1e-10
        assert abs(result.residual - cone_residual(W, q, mu, result.r)) < 1e-14


def test_every_contact_twice_and_thrice():
    rng = np.random.default_rng(3)
    for times in (2, 3):
        for _ in range(40):
            k = int(rng.integers(1, 5))
            A = np.vstack([rng.normal(size=(3 * k, 3 * k + 2))] * times)
            mu = np.concatenate([rng.uniform(0, 1, k)] * times)
            assert solve_cone(A @ A.T, A @ rng.normal(size=3 * k + 2), mu).outcome == "solved"


def test_many_contacts_on_one_body():
    """Rank 6 at most, up to 20 contacts: hyperstatic throughout."""
    rng = np.random.default_rng(4)
    for _ in range(60):
        k = int(rng.integers(2, 21))
        rows = []
        for _ in range(k):
            frame = np.linalg.qr(rng.normal(size=(3, 3)))[0]
            at = rng.normal(size=3) * 0.1
            rows += [np.concatenate([d, np.cross(at, d)]) for d in frame]
        W = np.array(rows)
        inverse = np.concatenate([np.ones(3), 1 / rng.uniform(0.01, 0.1, 3)])
        result = solve_cone((W * inverse) @ W.T, W @ rng.normal(size=6), rng.uniform(0, 1, k))
        assert result.outcome == "solved"


def test_degenerate_answers_on_every_border():
    rng = np.random.default_rng(5)
    for _ in range(200):
        k = int(rng.integers(1, 6))
        A = rng.normal(size=(3 * k, 3 * k + 3))
        W, mu, r, u = A @ A.T, rng.uniform(0.1, 1, k), np.zeros(3 * k), np.zeros(3 * k)
        for i in range(k):
            turn, border = rng.uniform(0, 2 * math.pi), rng.integers(4)
            e = np.array([math.cos(turn), math.sin(turn)])
            if border == 1:                                      # sticks on the edge of its cone
                r[3 * i:3 * i + 3] = [1.0, *(-mu[i] * e)]
            elif border == 2:                                    # leaves with no acceleration along the normal
                u[3 * i + 1:3 * i + 3] = e
            elif border == 3:                                    # barely slides
                r[3 * i:3 * i + 3] = [1.0, *(-mu[i] * e)]
                u[3 * i + 1:3 * i + 3] = 1e-9 * e
        assert solve_cone(W, u - W @ r, mu).outcome == "solved"


def test_four_fingers_on_the_equator_hold_or_let_fall():
    """PHYSICS 3, item 10: both answers are exact; one of them must come out."""
    rows = []
    for i in range(4):
        out = np.array([math.cos(i * math.pi / 2), math.sin(i * math.pi / 2), 0.0])
        frame = [-out, np.cross([0, 0, 1.0], out), np.array([0, 0, 1.0])]
        rows += [np.concatenate([d, np.cross(0.04 * out, d)]) for d in frame]
    W = np.array(rows)
    inverse = np.concatenate([np.full(3, 5.0), np.full(3, 1 / 1.3e-4)])
    assert solve_cone((W * inverse) @ W.T, W @ [0, 0, -G, 0, 0, 0], [0.5] * 4).outcome == "solved"


ROWS = {UNILATERAL: 1, SLIDING: 3, CONE: 3, PLANAR: 2, DRY: 1, BILATERAL: 1}


def unit_answer(rng, kind, mu, factor):
    """Force and acceleration of one unit that obey its law."""
    side, moves, turn = rng.choice([-1.0, 1.0]), rng.integers(3), rng.uniform(0, 2 * math.pi)
    if kind == BILATERAL:
        return rng.normal(size=1), np.zeros(1)
    if kind == DRY:
        return (np.array([side * mu]), np.array([-side])) if moves else (np.array([mu * rng.uniform(-0.9, 0.9)]), np.zeros(1))
    f, a = np.zeros(ROWS[kind]), np.zeros(ROWS[kind])
    if moves == 0:
        a[0], a[1:] = rng.uniform(0.1, 1.0), rng.normal(size=ROWS[kind] - 1)
        return f, a
    e = {1: np.zeros(0), 2: np.array([side]), 3: np.array([math.cos(turn), math.sin(turn)])}[ROWS[kind]]
    f[0] = rng.uniform(0.1, 1.0)
    if kind == SLIDING:
        f[1:], a[1:] = factor * f[0], rng.normal(size=2)
    else:
        f[1:] = -mu * f[0] * e * (1.0 if moves == 1 else 0.5)
        a[1:] = 0.7 * e * (moves == 1)
    return f, a


def test_units_of_every_kind_together():
    rng = np.random.default_rng(6)
    for _ in range(300):
        kinds = rng.choice(list(ROWS), size=rng.integers(1, 6))
        first = np.concatenate([[0], np.cumsum([ROWS[kind] for kind in kinds])]).astype(np.int64)
        n, k, mu, turn = first[-1], len(kinds), rng.uniform(0.05, 0.3, len(kinds)), rng.uniform(0, 6, len(kinds))
        factor = -mu[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        A = rng.normal(size=(n, n)) * 0.15
        B = np.eye(n) + A @ A.T
        f, a = (np.concatenate(part) for part in zip(*(unit_answer(rng, *u) for u in zip(kinds, mu, factor, strict=True)), strict=True))
        f_found, a_found, modes, work = np.zeros(n), np.zeros(n), np.zeros(k, np.int64), cone_work(n, k)
        assert cone_newton(B, a - B @ f, kinds, first, mu, factor, f_found, a_found, modes, work, 1e-12, 5, False) == 0
        assert np.abs(f_found - f).max() < 1e-11
        assert np.abs(a_found - a).max() < 1e-11


def test_rotated_tangents_permuted_contacts_and_other_units_change_nothing():
    rng = np.random.default_rng(7)
    for _ in range(100):
        k = int(rng.integers(1, 6))
        A = rng.normal(size=(3 * k, 3 * k)) * 0.2
        W, q, mu = np.eye(3 * k) + A @ A.T, rng.normal(size=3 * k) - 0.5, rng.uniform(0.1, 0.4, k)
        plain = solve_cone(W, q, mu)
        T, order = np.zeros((3 * k, 3 * k)), rng.permutation(k)
        for i, j in enumerate(order):
            turn = rng.uniform(0, 2 * math.pi)
            T[3 * i, 3 * j] = 1.0
            T[3 * i + 1:3 * i + 3, 3 * j + 1:3 * j + 3] = [[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]]
        force, length = 10 ** rng.uniform(-6, 6, 2)
        other = solve_cone(T @ W @ T.T * length / force, T @ q * length, mu[order])
        assert other.outcome == plain.outcome == "solved"
        assert np.abs(T.T @ other.r / force - plain.r).max() < 1e-10


def test_inputs_stay_and_answers_repeat():
    rng = np.random.default_rng(8)
    A = rng.normal(size=(9, 9))
    W, q, mu = A @ A.T + 1e-5 * rng.normal(size=(9, 9)), rng.normal(size=9), np.array([0.3, 0.6, 0.9])
    copies = W.copy(), q.copy(), mu.copy()
    one, two = solve_cone(W, q, mu), solve_cone(W, q, mu)
    assert all((x == y).all() for x, y in zip(copies, (W, q, mu), strict=True))
    assert one.r.tobytes() == two.r.tobytes()
    sparse = pytest.importorskip("scipy.sparse")
    assert solve_cone(sparse.csc_matrix(W), q, mu).r.tobytes() == one.r.tobytes()


def test_none_comes_with_a_certificate():
    W = np.zeros((6, 6))
    W[:3, :3] = np.eye(3)
    result = solve_cone(W, [-1.0, 0, 0, -1.0, 0, 0], [0.5, 0.5])     # nothing moves the second contact, and it closes
    assert result.outcome == "none"
    normal, q = result.certificate["normal"], np.array([-1.0, -1.0])
    assert normal @ q < 0
    assert (normal >= 0).all()
    pull = -(normal @ W[0::3]).reshape(-1, 3)
    assert (pull[:, 0] >= 0.5 * np.linalg.norm(pull[:, 1:], axis=1)).all()


@pytest.mark.parametrize(("W", "q", "mu", "options", "word"), [
    (np.eye(3), [1, 2], [0.1], {}, "q"),
    (np.eye(4), [1, 2, 3], [0.1], {}, "W"),
    (np.eye(3), [1, np.nan, 3], [0.1], {}, "q"),
    (np.full((3, 3), np.inf), [1, 2, 3], [0.1], {}, "W"),
    (np.eye(3), [1, 2, 3], [-0.1], {}, "mu"),
    (np.eye(3), [1, 2, 3], [0.1], {"tol": 1e-3}, "tol"),
    (np.eye(3), [1, 2, 3], [0.1], {"budget_s": 0}, "budget_s"),
    ("text", [1, 2, 3], [0.1], {}, "numbers"),
])
def test_bad_input_is_named(W, q, mu, options, word):
    result = solve_cone(W, q, mu, **options)
    assert result.outcome == "invalid_input"
    assert any(word in error for error in result.errors)


def test_no_contacts():
    result = solve_cone(np.zeros((0, 0)), [], [])
    assert result.outcome == "solved"
    assert result.r.size == 0


SAMPLE = """
import numpy as np
from knuckle.complementarity.cone import solve_cone
from knuckle.complementarity.slide_kernels import slide_roots
rng = np.random.default_rng(11)
for _ in range(6):
    k = int(rng.integers(1, 4)); A = rng.normal(size=(3 * k, 3 * k)); out = np.zeros((4, 4))
    found = solve_cone(A @ A.T, rng.normal(size=3 * k), rng.uniform(0, 1, k))
    count = slide_roots(A[:3, :3].copy(), rng.normal(size=3), 2.0, out)
    print(found.r.tobytes().hex(), found.iterations, count, out.tobytes().hex())
"""


@pytest.mark.skipif(not kernel.is_compiled(), reason="this process is interpreted itself")
def test_interpreted_equals_compiled():
    environment = os.environ | {"KNUCKLE_INTERPRETED": "1"}
    command = [sys.executable, "-c", SAMPLE]
    interpreted = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    with contextlib.redirect_stdout(io.StringIO()) as compiled:
        exec(SAMPLE, {})
    assert interpreted == compiled.getvalue()


@pytest.mark.skipif(not siconos_cone.FOLDER.exists(), reason="shared/data/external is not beside this checkout")
def test_published_problems_in_text():
    files = siconos_cone.small_texts()
    assert len(files) == 27
    missed = [file.name for file in files if solve_cone(*siconos_cone.read(file)).outcome != "solved"]
    assert not missed


@pytest.mark.skipif(not siconos_cone.FOLDER.exists(), reason="shared/data/external is not beside this checkout")
@pytest.mark.parametrize("name", ["LMGC_100_PR_PerioBox-i00361-60-03000", "fclib_local_problem_test"])
def test_published_problems_in_hdf5(name):
    result = solve_cone(*siconos_cone.read(siconos_cone.FOLDER / "hdf5" / f"{name}.hdf5"))
    assert result.outcome == "solved"
    assert result.residual <= 1e-10


def test_huge_friction_is_judged_with_all_its_digits():
    """r.u~ holds mu |u_T| r_N: at mu 1e6 a slip of round-off is an error of 1e-9 or more, and is not called solved."""
    rng = np.random.default_rng(9)
    for _ in range(300):
        V = rng.normal(size=(3, 4))
        W, q, mu = V @ V.T, rng.normal(size=3), [10.0 ** rng.uniform(4, 9)]
        found = solve_cone(W, q, mu)
        assert found.outcome == "undecided" or cone_residual(W, q, mu, found.r) <= 1e-10


def test_a_heavy_body_on_a_light_one_is_never_called_impossible():
    for ratio in 10.0 ** np.arange(4, 13):
        W = np.zeros((6, 6))
        W[:3, :3], W[3:, 3:] = np.eye(3), np.eye(3) * (1.0 + 1.0 / ratio)
        W[:3, 3:] = W[3:, :3] = -np.eye(3)
        assert solve_cone(W, [-9.81, 0, 0, 0, 0, 0], [0.5, 0.5]).outcome != "none"


def test_read_only_and_huge_arrays(recwarn):
    W, q = np.eye(3) * 1e200, np.array([-1e200, 0.0, 0.0])
    W.flags.writeable = q.flags.writeable = False
    assert solve_cone(W, q, [0.5]).outcome == "solved" and not recwarn.list
