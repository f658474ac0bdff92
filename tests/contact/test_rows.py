"""Rows, velocities and biases against finite differences of the gap and of the relative velocity along exact motions."""
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from worlds import PAIRS, apart, make_shape, pose, two_bodies

from knuckle.contact.geometry import contact_geometry
from knuckle.contact.settle import settle
from knuckle.model import load
from knuckle.model.structure import Shape
from knuckle.model.system import System


def relative_velocity(c, k):
    return c.velocity[3 * k] * c.n[k] + c.velocity[3 * k + 1] * c.t[k] + c.velocity[3 * k + 2] * c.u[k]


def follow(geometry, q, v, feature, t):
    """Gap and relative velocity of one contact after constant v (a body's twist stays) for t seconds."""
    c = geometry.contacts
    count = geometry.update(geometry.system.integrate(q, t * v), v)
    k = next(j for j in range(count) if (c.feature_A[j], c.feature_B[j]) == feature)
    return c.gap[k], relative_velocity(c, k), c.n[k].copy()


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_bias_is_the_second_rate_of_the_gap(kinds):
    """Central differences with one Richardson step: K, E and the rank of every feature are in it."""
    rng = np.random.default_rng(11)
    for _ in range(4):
        geometry, q, k = apart(kinds, rng)
        c, v = geometry.contacts, rng.normal(size=12)
        geometry.update(q, v)
        feature = (int(c.feature_A[k]), int(c.feature_B[k]))
        rate, bias, n, residual = c.velocity[3 * k], c.bias[3 * k : 3 * k + 3].copy(), c.n[k].copy(), c.residual[k]
        frame, normal_rate = np.array([c.t[k], c.u[k]]), c.motion[k, 5:8].copy()
        np.testing.assert_allclose(c.W[3 * k : 3 * k + 3] @ v, c.velocity[3 * k : 3 * k + 3], atol=1e-12)
        samples = {t: follow(geometry, q, v, feature, t) for t in (-2e-4, -1e-4, 0.0, 1e-4, 2e-4)}
        second = [(samples[h][0] - 2 * samples[0.0][0] + samples[-h][0]) / h**2 for h in (1e-4, 2e-4)]
        first = [(samples[h][1] - samples[-h][1]) / (2 * h) for h in (1e-4, 2e-4)]
        turning = [(samples[h][2] - samples[-h][2]) / (2 * h) for h in (1e-4, 2e-4)]
        assert residual < 1e-9
        assert rate == pytest.approx((samples[1e-4][0] - samples[-1e-4][0]) / 2e-4, abs=1e-5)
        assert bias[0] == pytest.approx((4 * second[0] - second[1]) / 3, abs=2e-6 * (1 + abs(bias[0])) + 3e-7)
        np.testing.assert_allclose(bias[1:], frame @ (4 * first[0] - first[1]) / 3, atol=1e-6 * (1 + np.abs(bias).max()))
        np.testing.assert_allclose(normal_rate, (4 * turning[0] - turning[1]) / 3, atol=1e-5)
        assert abs(n @ normal_rate) < 1e-10


@pytest.mark.parametrize("rows", [3, 1], ids=["rolling", "sliding"])
@pytest.mark.parametrize("fixed", [True, False])
def test_gap_drift_on_ellipsoids(rows, fixed):
    """PHYSICS 2, acceptance: |gap| < 1e-9 m over 0.5 s at rtol 1e-11 without stabilisation."""
    geometry = two_bodies(make_shape("ellipsoid", 2, (0.2, 0.15, 0.1)), make_shape("ellipsoid", 1, (0.5, 0.4, 0.3)), reach=0.5)
    system, c = geometry.system, geometry.contacts
    rng = np.random.default_rng(3)
    start = pose(np.array([0.1, 0.15, 0.38]), Rotation.random(random_state=rng), np.zeros(3), Rotation.random(random_state=rng))
    speed = rng.normal(size=12) * np.repeat([1, 3, 1, 3], 3)
    state = settle(geometry, start, speed, reach=0.5, rolling=(0,) if rows == 3 else (), largest=1.0)
    free = slice(6, 12) if fixed else slice(0, 12)
    v = state.v.copy()
    if fixed:
        v[:6] = 0.0
        geometry.update(state.q, v)
        J = c.W[:rows, 6:]
        v[6:] -= J.T @ np.linalg.solve(J @ J.T, J @ v[6:])

    def rate(t, y):
        q, v = y[:14].copy(), y[14:].copy()
        M, h = system.terms(q, v)
        geometry.update(q, v)
        W = c.W[:rows, free]
        M, h = M[free, free], h[free]
        n = len(h)
        saddle = np.block([[M, -W.T], [W, np.zeros((rows, rows))]])
        acceleration = np.zeros(12)
        acceleration[free] = np.linalg.solve(saddle, np.concatenate([h, -c.bias[:rows]]))[:n]
        return np.concatenate([rate_of(q[:7], v[:6]), rate_of(q[7:], v[6:]), acceleration])

    def rate_of(q, v):
        a, (x, y, z) = q[3:], v[3:]
        return np.concatenate([v[:3], 0.5 * np.array([-a[1] * x - a[2] * y - a[3] * z, a[0] * x + a[2] * z - a[3] * y,
                                                      a[0] * y + a[3] * x - a[1] * z, a[0] * z + a[1] * y - a[2] * x])])

    solution = solve_ivp(rate, (0, 0.5), np.concatenate([state.q, v]), method="DOP853", rtol=1e-11, atol=1e-13)
    worst, slip = 0.0, 0.0
    for y in solution.y.T:
        assert geometry.update(y[:14], y[14:]) == 1
        worst, slip = max(worst, abs(c.gap[0])), max(slip, np.abs(c.velocity[1:3]).max())
    assert worst < 1e-11
    assert (slip < 1e-9) == (rows == 3)
    assert np.linalg.norm(c.point_A[0] - start[7:10]) > 0.02


PLANAR = """<mujoco><worldbody>
<body name="link"><joint type="slide" axis="0 1 0"/><joint axis="0 0 1"/><geom type="sphere" size=".01" mass="1"/></body>
<body name="disk"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint axis="0 0 1"/>
<geom type="sphere" size=".01" mass="1"/></body></worldbody><actuator><motor joint="joint 0"/></actuator></mujoco>"""


def planar_pair(a=0.185, b=0.15):
    system, _ = load(PLANAR.replace("<joint axis", '<joint name="joint 0" axis', 1))
    shapes = [make_shape("ellipsoid", 2, (a, b, b)), Shape("line", "segment", -1, 1, np.array([0.4, 0, 0]), np.zeros(3), np.eye(3), 0.5,
                                                           np.zeros((0, 3)), ())]
    return contact_geometry(System(system.model, extra_shapes=shapes), [(2, 3)], reach=1.0)


@pytest.mark.parametrize("seed", range(8))
def test_line_and_ellipse(seed):
    """PHYSICS 2, last paragraph: d_N = aN0 - rho_c (om_link - w_obj)^2 + 2 om_link v_T, d_T = aT0 - om_link v_N, g = N.(c - p) - h."""
    a, b = 0.185, 0.15
    geometry = planar_pair()
    rng = np.random.default_rng(seed)
    side = 1 if seed % 2 else -1
    # height of the link, its angle, disk x, y, angle
    q = np.array([0.0, rng.normal() * 0.3, rng.normal() * 0.05, side * 0.3, rng.normal()])
    v = rng.normal(size=5)
    assert geometry.update(q, v) == 1
    c = geometry.contacts
    alpha = q[1] - q[4]
    h = np.sqrt((a * np.sin(alpha)) ** 2 + (b * np.cos(alpha)) ** 2)
    N = side * np.array([-np.sin(q[1]), np.cos(q[1]), 0])
    np.testing.assert_allclose(c.n[0], N, atol=1e-15)
    np.testing.assert_allclose(c.t[0], np.cross([0, 0, 1], N), atol=1e-15)
    gap = N[:2] @ (q[2:4] - [0, q[0]]) - h
    assert c.gap[0] == pytest.approx(gap, abs=1e-15)
    q[2:4] -= gap * N[:2]                          # the formula holds at gap 0
    assert geometry.update(q, v) == 1
    frozen = -(v[4] ** 2) * (c.point_A[0] - [*q[2:4], 0]) + v[1] ** 2 * (c.point_B[0] - [0, q[0], 0])
    v_N, v_T = c.velocity[:2]
    rho = a**2 * b**2 / h**3
    aT0, bias = c.t[0] @ frozen, c.bias[:2].copy()
    assert bias[0] == pytest.approx(N @ frozen - rho * (v[1] - v[4]) ** 2 + 2 * v[1] * v_T, abs=1e-12)
    # F4: a_T = t.Arel; d_T is the rate of v_T in the turning frame, a_T + t'.V_rel.
    assert bias[1] == pytest.approx(aT0, abs=1e-12)
    speeds = []
    for t in (1e-5, -1e-5):
        geometry.update(geometry.system.integrate(q, t * v), v)
        speeds.append(c.velocity[1])
    assert (speeds[0] - speeds[1]) / 2e-5 == pytest.approx(aT0 - v[1] * v_N, abs=1e-7)


def test_link_end_touches_as_a_vertex_in_the_plane():
    geometry = planar_pair()
    q = np.array([0.0, 0.0, 0.5, 0.02, 0.0])      # the disk beyond the end of the link
    assert geometry.update(q, np.ones(5)) == 1
    c = geometry.contacts
    assert (c.rank_A[0], c.rank_B[0]) == (2, 1)
    np.testing.assert_allclose(np.abs(c.E_B[0, :3]), [0, 0, 1], atol=1e-15)
    np.testing.assert_allclose(c.point_B[0], [0.4, 0, 0], atol=1e-15)
    assert abs(c.n[0, 2]) < 1e-15


def test_prescribed_motion_of_a_turntable():
    """Ball at radius r on a table that turns with W: the table's point moves with W r and accelerates with -W^2 r (PHYSICS 4)."""
    xml = """<mujoco><worldbody><body name="table"><geom name="top" type="plane" size="1 1 1"/></body>
    <body name="ball" pos=".3 0 .1"><freejoint/><geom name="ball" type="sphere" size=".1" mass="1"/></body></worldbody></mujoco>"""
    system, state = load(xml)
    system.set_moving("table", angular_velocity=(0, 0, 2.0))
    geometry = contact_geometry(system, [(1, 0)])
    assert geometry.update(state.q, np.zeros(6)) == 1
    c = geometry.contacts
    np.testing.assert_allclose(relative_velocity(c, 0), [0, -0.6, 0], atol=1e-14)
    # Arel = -acc_B - w_B x s_B; the ball stays, so the contact moves over the table with s_B = u.
    np.testing.assert_allclose(c.bias[1] * c.t[0] + c.bias[2] * c.u[0], [4 * 0.3 - 2.0 * 0.6, 0, 0], atol=1e-13)
