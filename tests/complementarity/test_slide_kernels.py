"""All sliding answers of one contact at zero slip, against a dense scan of the direction and against closed forms."""
import math

import numpy as np
import pytest

from knuckle.complementarity.slide_kernels import CONTINUUM, slide_roots


def roots(B, b, mu):
    out = np.zeros((4, 4))
    count = slide_roots(np.ascontiguousarray(B, dtype=float), np.asarray(b, dtype=float), float(mu), out)
    return out[: max(count, 0)], count


def scanned(B, b, mu, samples=3000):
    """Directions where the slip is parallel to the direction itself, by sign changes on a grid and bisection."""
    def across(phi):
        c, s = np.cos(phi), np.sin(phi)
        d = np.stack([np.ones_like(c), -mu * c, -mu * s])
        f_N = -b[0] / (B[0] @ d)
        a = f_N * (B @ d) + np.asarray(b)[:, None]
        return c * a[2] - s * a[1], f_N, c * a[1] + s * a[2]

    phi = np.linspace(0.0, 2.0 * math.pi, samples + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return _crossings(across, phi, np.abs(B).max() * (1.0 + mu), np.abs(b).max())


def _crossings(across, phi, B_size, b_size):
    value = across(phi)[0]
    low, high, sign = phi[:-1], phi[1:], np.sign(value[:-1])
    change = sign * np.sign(value[1:]) < 0
    low, high, sign = low[change], high[change], sign[change]
    for _ in range(60):
        middle = 0.5 * (low + high)
        left = np.sign(across(middle)[0]) == sign
        low, high = np.where(left, middle, low), np.where(left, high, middle)
    value, f_N, speed = across(low)
    kept = (np.abs(value) < 1e-6 * (np.abs(f_N) * B_size + b_size)) & (f_N > 1e-9) & (speed > 1e-9)      # a pole of f_N changes sign as well
    return low[kept]


@pytest.mark.parametrize("symmetric", [True, False])
def test_every_scanned_answer_is_found_and_every_root_is_an_answer(symmetric):
    rng = np.random.default_rng(20 + symmetric)
    several = 0
    for _ in range(1000):
        A = rng.normal(size=(3, 3)) * ([3.0, 1.0, 0.1] if symmetric else 1.0)
        B = A @ A.T if symmetric else A
        b, mu = rng.normal(size=3), rng.uniform(0.0, 8.0 if symmetric else 4.0)     # several slides are rare
        found, count = roots(B, b, mu)
        assert count >= 0
        several += count > 1
        angles = np.arctan2(found[:, 2], found[:, 1])
        for phi in scanned(B, b, mu):
            assert np.abs(np.angle(np.exp(1j * (angles - phi)))).min() < 1e-7
        for f_N, c, s, speed in found:
            a = B @ (f_N * np.array([1.0, -mu * c, -mu * s])) + b
            size = np.abs(b).max() + f_N * np.abs(B).max() * (1.0 + mu)
            assert np.abs(a - speed * np.array([0.0, c, s])).max() < 1e-12 * size
            assert f_N >= 0.0
            assert speed >= 0.0
    assert several > 20


def test_three_answers_of_a_manufactured_contact():
    """Two chosen directions of slip fix the tangential rows; both must come out, and one more between them."""
    mu, b = 2.0, np.array([-1.0, 0.0, 0.0])
    n = np.array([1.0, 0.2, 0.1])
    chosen = np.array([0.3, 1.9])
    d = np.array([[1.0, -mu * math.cos(p), -mu * math.sin(p)] for p in chosen])
    slip = np.array([[0.0, math.cos(p), math.sin(p)] for p in chosen]) * [[0.5], [0.8]]
    f_N = 1.0 / (d @ n)
    assert (f_N > 0).all()
    tangent = np.linalg.lstsq(d * f_N[:, None], slip, rcond=None)[0].T
    found, _ = roots(np.vstack([n, tangent[1:]]), b, mu)
    angles = np.arctan2(found[:, 2], found[:, 1])
    for phi, speed, force in zip(chosen, [0.5, 0.8], f_N, strict=True):
        nearest = np.abs(np.angle(np.exp(1j * (angles - phi)))).argmin()
        assert abs(angles[nearest] - phi) < 1e-12
        assert abs(found[nearest, 3] - speed) < 1e-12
        assert abs(found[nearest, 0] - force) < 1e-12


def test_block_on_incline_slides_straight_down():
    angle, mu, g = 0.6, 0.3, 9.81
    found, count = roots(np.eye(3), [-g * math.cos(angle), g * math.sin(angle), 0.0], mu)
    assert count == 1
    assert np.allclose(found[0], [g * math.cos(angle), 1.0, 0.0, g * (math.sin(angle) - mu * math.cos(angle))], atol=1e-14)
    assert roots(np.eye(3), [-g * math.cos(angle), g * math.sin(angle), 0.0], 0.7)[1] == 0


def test_border_of_sticking_is_an_answer():
    found, count = roots(np.eye(3), [-1.0, 0.5, 0.0], 0.5)
    assert count == 1
    assert found[0, 3] == 0.0


def test_double_root():
    """f_N = 1 and a_t = (3.6 - 3) e_T + 0.8 e_U - (sin, -cos): across = 1 - 0.6 sin + 0.8 cos touches zero where (cos, sin) = (-0.8, 0.6).

    There the slip 0.6 sin + 0.8 cos has the speed zero; the second matrix adds isotropic -1 to make it 1.
    """
    for extra in (0.0, -1.0):
        B = np.array([[1.0, 0.0, 0.0], [-3.0, extra, 1.0], [0.0, -1.0, extra]])
        found, count = roots(B, [-1.0, 3.6, 0.8], 1.0)
        assert count == 1
        assert np.allclose(found[0], [1.0, -0.8, 0.6, -extra], atol=1e-7)


def test_isotropic_contact_pressed_straight_has_no_slide_and_its_negative_a_continuum():
    assert roots(np.eye(3), [-1.0, 0.0, 0.0], 0.5)[1] == 0
    assert roots(np.diag([1.0, -1.0, -1.0]), [-1.0, 0.0, 0.0], 0.5)[1] == CONTINUUM
    assert roots(np.eye(3), [-1.0, 0.0, 0.0], 0.0)[1] == CONTINUUM       # slip zero in every direction: the sticking border


def test_frictionless():
    found, count = roots(np.diag([2.0, 1.0, 1.0]), [-1.0, 3.0, 4.0], 0.0)
    assert count == 1
    assert np.allclose(found[0], [0.5, 0.6, 0.8, 5.0], atol=1e-15)
