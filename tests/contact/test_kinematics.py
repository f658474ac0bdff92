"""F1-F7 of PHYSICS 2 against finite differences of exact motions."""
import json
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import expm

from knuckle.contact.kinematics import contact_acceleration
from knuckle.errors import GeometryError

CASES = json.loads((Path(__file__).parent.parent / "data/spatial/kin_cases.json").read_text())
PLANE = np.zeros((3, 3))
Z = np.array([0.0, 0.0, 1.0])
FLAT = np.diag([1.0, 1.0, 0.0])


def directions(value):
    return None if value is None else np.array(value, dtype=float).reshape(3, -1)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_kin_cases(case):
    i, expected = case["inputs"], case["expected"]
    result = contact_acceleration(i["n"], i["KA"], i["KB"], i["VA"], i["wA"], i["accA"], i["VB"], i["wB"], i["accB"], i["gap"],
                                  directions(i["EA"]), directions(i["EB"]))
    assert result.gap_acceleration == pytest.approx(expected["gdd"], rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(result.relative_acceleration, expected["Arel"], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(result.normal_rate, expected["n_dot"], rtol=1e-9, atol=1e-9)
    assert result.residual < 1e-9
    scaled = [np.array(i[k]) * 1000.0 for k in ("VA", "accA", "VB", "accB")]           # millimetres
    other = contact_acceleration(i["n"], np.array(i["KA"]) / 1e3, np.array(i["KB"]) / 1e3, scaled[0], i["wA"], scaled[1], scaled[2], i["wB"],
                                 scaled[3], 1e3 * i["gap"], directions(i["EA"]), directions(i["EB"]))
    assert other.gap_acceleration == pytest.approx(1e3 * expected["gdd"], rel=1e-9, abs=1e-9)


def matrix(turn, t):
    """exp(t [w])"""
    x, y, z = turn * t
    return expm(np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]))


def path(p, v, a, t):
    return p + t * v + t * t / 2 * a


def second(f, h=3e-3):
    """Central difference of order 8: round-off 1e-10, truncation below it."""
    weights = (-205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560)
    return sum(w * (f(k * h) + f(-k * h)) * (0.5 if k == 0 else 1.0) for k, w in enumerate(weights)) / h**2


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("gap", [0.0, 0.2])
def test_sphere_inside_or_outside_a_sphere(seed, gap):
    """Gap = |c_A - c_B| - R_A - R_B; a negative R_B is a bowl of radius |R_B| around a smaller ball."""
    rng = np.random.default_rng(seed)
    R_A, R_B = 0.3, 0.7 if seed % 2 else -0.8
    n = rng.normal(size=3)
    n /= np.linalg.norm(n)
    v_A, w_A, a_A, v_B, w_B, a_B = rng.normal(size=(6, 3))
    distance = R_A + R_B + gap
    sign = 1.0 if distance > 0 else -1.0

    def gap_at(t):
        d = path(distance * n, v_A, a_A, t) - path(np.zeros(3), v_B, a_B, t)
        return sign * np.linalg.norm(d) - R_A - R_B

    r_A, r_B = -R_A * n, R_B * n
    P = np.eye(3) - np.outer(n, n)
    result = contact_acceleration(n, P / R_A, P / R_B, v_A + np.cross(w_A, r_A), w_A, a_A + np.cross(w_A, np.cross(w_A, r_A)),
                                  v_B + np.cross(w_B, r_B), w_B, a_B + np.cross(w_B, np.cross(w_B, r_B)), gap)
    assert result.gap_acceleration == pytest.approx(second(gap_at), rel=2e-9, abs=2e-9)


@pytest.mark.parametrize("seed", range(6))
def test_ellipsoid_on_a_turning_plane(seed):
    """Gap = n.(c - p) - |D R' n| with n fixed in the plane's body."""
    rng = np.random.default_rng(seed)
    axes = np.array([0.5, 0.3, 0.2])
    gap = 0.1 * (seed % 2)
    v_A, w_A, a_A, v_B, w_B, a_B = rng.normal(size=(6, 3))
    m = -Z
    x = axes**2 * m / np.linalg.norm(axes * m)
    centre = gap * Z - x
    h = np.linalg.norm(axes * m)
    X = (np.diag(axes**2) - np.outer(axes**2 * m, axes**2 * m) / h**2) / h
    K_A = np.zeros((3, 3))
    K_A[:2, :2] = np.linalg.inv(X[:2, :2])

    def gap_at(t):
        n = matrix(w_B, t) @ Z
        local = matrix(w_A, t).T @ n
        d = path(centre, v_A, a_A, t) - path(np.zeros(3), v_B, a_B, t)
        return n @ d - np.linalg.norm(axes * local)

    result = contact_acceleration(Z, K_A, PLANE, v_A + np.cross(w_A, x), w_A, a_A + np.cross(w_A, np.cross(w_A, x)), v_B, w_B, a_B, gap)
    assert result.gap_acceleration == pytest.approx(second(gap_at), rel=2e-9, abs=2e-9)


@pytest.mark.parametrize("seed", range(4))
def test_edge_on_edge(seed):
    """Gap = (p_A - p_B).(e_A x e_B)/|e_A x e_B|, reference points on the edges."""
    rng = np.random.default_rng(seed)
    e_A, e_B = np.array([1.0, 0.0, 0.0]), np.array([0.6, 0.8, 0.0])
    v_A, w_A, a_A, v_B, w_B, a_B = rng.normal(size=(6, 3))
    gap = 0.15 * (seed % 2)

    def gap_at(t):
        a, b = matrix(w_A, t) @ e_A, matrix(w_B, t) @ e_B
        n = np.cross(a, b)
        d = path(gap * Z, v_A, a_A, t) - path(np.zeros(3), v_B, a_B, t)
        return n @ d / np.linalg.norm(n)

    result = contact_acceleration(Z, PLANE, PLANE, v_A, w_A, a_A, v_B, w_B, a_B, gap, e_A.reshape(3, 1), e_B.reshape(3, 1))
    assert result.gap_acceleration == pytest.approx(second(gap_at), rel=2e-9, abs=2e-9)


def at_rest(**changes):
    motions = dict(V_A=np.zeros(3), w_A=np.zeros(3), acc_A=np.zeros(3), V_B=np.zeros(3), w_B=np.zeros(3), acc_B=np.zeros(3))
    return motions | {k: np.array(v, dtype=float) for k, v in changes.items()}


def test_plane_on_plane_sliding_is_consistent():
    result = contact_acceleration(Z, PLANE, PLANE, **at_rest(V_A=[1, 2, 0], acc_A=[0, 0, 3], w_A=[0, 0, 5]))
    assert (result.gap_acceleration, result.residual) == pytest.approx((3.0, 0.0), abs=1e-12)


def test_plane_on_plane_turning_together():
    """Both turn with w: n' = w x n, gdd = n.acc + 2 n'.u."""
    result = contact_acceleration(Z, PLANE, PLANE, **at_rest(V_A=[1, 2, 0], w_A=[0.3, 0, 0], w_B=[0.3, 0, 0]))
    assert result.gap_acceleration == pytest.approx(2 * np.cross([0.3, 0, 0], Z) @ [1, 2, 0], abs=1e-12)
    assert result.residual < 1e-12


def test_plane_tipping_on_plane_is_refused_by_the_residual():
    assert contact_acceleration(Z, PLANE, PLANE, **at_rest(w_A=[0.1, 0, 0])).residual > 1e-3


@pytest.mark.parametrize("tipping", [0.0, 0.2])
def test_cylinder_on_plane(tipping):
    """Rolling about its axis x is consistent, tipping about y is not (F7); rolling without slip keeps the gap: gdd = n.acc - R w^2."""
    R, w = 0.5, 3.0
    K = np.diag([0.0, 1 / R, 0.0])
    result = contact_acceleration(Z, K, PLANE, **at_rest(w_A=[w, tipping, 0], acc_A=[0, 0, R * w * w]))
    assert (result.residual > 1e-3) == (tipping > 0)
    if not tipping:
        assert result.gap_acceleration == pytest.approx(0.0, abs=1e-12)


def test_ball_in_a_bowl_of_its_own_radius():
    turning = contact_acceleration(Z, FLAT / 0.3, -FLAT / 0.3, **at_rest(w_A=[1, 2, 3]))
    assert turning.residual > 1e-3      # the rate of turning stays, but a whole region touches
    assert contact_acceleration(Z, FLAT / 0.3, -FLAT / 0.3, **at_rest(acc_A=[0, 0, 1])).gap_acceleration == pytest.approx(1.0)


@pytest.mark.parametrize(("changes", "words"), [
    ({"n": [0, 0, 2.0]}, "unit"), ({"n": [np.nan, 0, 1]}, "finite"), ({"gap": np.inf}, "gap"), ({"K_A": np.diag([1, 1, 1])}, "K_A"),
    ({"K_B": np.ones((2, 2))}, "K_B"), ({"E_A": [[0.0], [0.0], [1.0]]}, "E_A"), ({"E_A": np.zeros((3, 0)), "E_B": np.zeros((3, 0))}, "vertex"),
    ({"V_A": [1, 2]}, "V_A")])
def test_input_that_describes_no_contact(changes, words):
    given = dict(n=Z, K_A=FLAT, K_B=FLAT, **at_rest()) | changes
    with pytest.raises(GeometryError, match=words):
        contact_acceleration(**given)


@pytest.mark.parametrize("name", ["n", "K_A", "K_B", "V_A", "w_B", "acc_A", "gap", "E_A", "E_B"])
@pytest.mark.parametrize("value", ["abc", [[1], [2, 3], 4], [1j, 0, 0], 1j, {}, object(), [None, 0, 0], np.array(["0", "0", "1"]), b"1",
                                   ["0", "0", "1"], 10**400], ids=lambda value: type(value).__name__)
def test_what_is_no_number_is_refused_by_name(name, value):
    given = {"n": Z, "K_A": FLAT, "K_B": FLAT, **dict.fromkeys(("V_A", "w_A", "acc_A", "V_B", "w_B", "acc_B"), np.zeros(3))}
    with pytest.raises(GeometryError, match=f"^{name} must be"):
        contact_acceleration(**(given | {name: value}))


@pytest.mark.parametrize("gap", [None, np.zeros(3), [0.1], np.inf])
def test_a_gap_is_one_number(gap):
    with pytest.raises(GeometryError, match="^gap must be a finite number"):
        contact_acceleration(Z, FLAT, FLAT, *np.zeros((6, 3)), gap=gap)
