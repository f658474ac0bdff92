"""The PUMA 560 of paper 002 from its Denavit-Hartenberg numbers, by the paper's own formulas: a second way beside MuJoCo.

Numbers: Armstrong, Khatib and Burdick 1986, as revised by Corke and Armstrong-Helouvry 1994 (see scenarios/three-puma-hand.xml).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

JOINTS = 6


@dataclass(frozen=True)
class Link:
    """One link with standard DH parameters; centre of mass, and moments about it, in the frame of the link."""

    a: float                                # m
    d: float                                # m
    twist: int                              # alpha in quarter turns
    mass: float                             # kg
    centre: tuple[float, float, float]      # m
    moments: tuple[float, float, float]     # kg m^2
    motor: float                            # Jm, kg m^2
    gear: float                             # |G|


PUMA_560 = (
    Link(0.0, 0.0, 1, 0.0, (0.0, 0.0, 0.0), (0.0, 0.35, 0.0), 200e-6, 62.6111),
    Link(0.4318, 0.0, 0, 17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539), 200e-6, 107.815),
    Link(0.0203, 0.15005, -1, 4.8, (-0.0203, -0.0141, 0.07), (0.066, 0.086, 0.0125), 200e-6, 53.7063),
    Link(0.0, 0.4318, 1, 0.82, (0.0, 0.019, 0.0), (1.8e-3, 1.3e-3, 1.8e-3), 33e-6, 76.0364),
    Link(0.0, 0.0, -1, 0.34, (0.0, 0.0, 0.0), (0.3e-3, 0.4e-3, 0.3e-3), 33e-6, 71.923),
    Link(0.0, 0.0, 0, 0.09, (0.0, 0.0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3), 33e-6, 76.686),
)


@dataclass(frozen=True)
class ArmTerms:
    """One arm at (theta, rates), in the axes of its base S."""

    T: np.ndarray               # 7 x 4 x 4, frames 0 to 6
    J: np.ndarray               # 6 x 6, J_f: velocity of the last link's point at the origin of S, and its angular velocity
    M: np.ndarray               # 6 x 6, M_f, with the motors
    g: np.ndarray               # 6, N m, torque that gravity asks for
    h: np.ndarray               # 6, N m, torque that Coriolis and centripetal accelerations ask for
    velocity: np.ndarray        # 3, m/s, of the last origin
    turning: np.ndarray         # 3, rad/s, of the last link
    acceleration: np.ndarray    # 3, m/s^2, of the last origin at theta'' = 0


def frames(theta: np.ndarray) -> np.ndarray:
    """DH frames 0 to 6 (7 x 4 x 4)."""
    T = np.tile(np.eye(4), (JOINTS + 1, 1, 1))
    for k, link in enumerate(PUMA_560):
        c, s = np.cos(theta[k]), np.sin(theta[k])
        cos, sin = float(link.twist == 0), float(link.twist)
        T[k + 1] = T[k] @ np.array([[c, -s * cos, s * sin, link.a * c], [s, c * cos, -c * sin, link.a * s],
                                    [0.0, sin, cos, link.d], [0.0, 0.0, 0.0, 1.0]])
    return T


def arm_terms(theta: np.ndarray, rates: np.ndarray, gravity: np.ndarray) -> ArmTerms:
    """Jacobian, mass matrix (43), gravity and velocity torques."""
    T = frames(theta)
    axes, joints = T[:JOINTS, :3, 2], T[:JOINTS, :3, 3]
    # Jm G^2 on the diagonal, as the tool box that the paper used puts it
    M, g, h = np.diag([link.motor * link.gear**2 for link in PUMA_560]), np.zeros(JOINTS), np.zeros(JOINTS)
    turning, angular, acceleration = np.zeros(3), np.zeros(3), np.zeros(3)         # of link k at theta'' = 0
    for k, link in enumerate(PUMA_560):
        angular = angular + np.cross(turning, axes[k]) * rates[k]
        turning = turning + axes[k] * rates[k]
        R, origin = T[k + 1, :3, :3], T[k + 1, :3, 3]
        centre, I = origin + R @ np.array(link.centre), R @ np.diag(link.moments) @ R.T
        J_v, J_w = np.zeros((3, JOINTS)), np.zeros((3, JOINTS))
        J_v[:, : k + 1], J_w[:, : k + 1] = np.cross(axes[: k + 1], centre - joints[: k + 1]).T, axes[: k + 1].T
        # 002 (43)
        M += link.mass * J_v.T @ J_v + J_w.T @ I @ J_w
        g -= link.mass * gravity @ J_v
        h += link.mass * J_v.T @ (acceleration + _swing(turning, angular, centre - joints[k]))
        h += J_w.T @ (I @ angular + np.cross(turning, I @ turning))
        acceleration = acceleration + _swing(turning, angular, origin - joints[k])
    J = np.vstack([np.cross(joints, axes).T, axes.T])
    velocity = J[:3] @ rates + np.cross(turning, T[-1, :3, 3])
    return ArmTerms(T, J, M, g, h, velocity, turning, acceleration)


def _swing(turning: np.ndarray, angular: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Acceleration of a point against another of the same body, at r from it."""
    return np.asarray(np.cross(angular, r) + np.cross(turning, np.cross(turning, r)))
