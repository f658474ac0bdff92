"""Three PUMA 560 around a sphere, from their DH numbers by the formulas of paper 002, section 5: placement and matrices.

The scenario `three-puma-sphere` is the same through MuJoCo. Contact frames have the columns (t, o, n), as the paper's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from xml.etree import ElementTree

import numpy as np
from numpy.typing import ArrayLike

from knuckle import model
from knuckle.complementarity.result import Result
from knuckle.contact.geometry import contact_geometry
from knuckle.contact.kinematics import contact_acceleration
from knuckle.contact.labels import TOLERANCES
from knuckle.contact.pairs import named_pairs
from knuckle.errors import InputError
from knuckle.instant.problem import ContactProblem
from knuckle.instant.ready import PairQuestion, ReadySystem
from knuckle.report.puma_560 import ArmTerms, arm_terms
from knuckle.scenario import load

ARMS = 3
SCENARIO = "three-puma-sphere"
REST = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
GRAVITY = np.array([0.0, 0.0, -9.81])       # m/s^2
MASS, TIP = 0.2, 0.005                      # kg, m, as in the scenario


# --- where everything is: step 1 of Algorithm 1 ---


@dataclass(frozen=True)
class Placement(Result):
    """The parameters of figure 1. Frames of the bases are parallel to that of the palm."""

    r: float = 0.1              # m, radius of the sphere
    sigma: float = math.pi / 4  # rad, of contacts 1 and 2 from the x axis
    b: float = 0.6              # m, b~, from the sphere's centre to the bases, seen from above
    a_cm: float = 0.2           # m, height of the sphere's centre over the palm

    @cached_property
    def p_t(self) -> np.ndarray:
        """Contacts seen from the palm, one a column."""
        c, s = self.r * math.cos(self.sigma), self.r * math.sin(self.sigma)
        return np.array([[c, c, -self.r], [-s, s, 0.0], [self.a_cm] * 3])

    @cached_property
    def p_tt(self) -> np.ndarray:
        """Contacts seen from their bases."""
        away = self.b - self.r
        c, s = away * math.cos(self.sigma), away * math.sin(self.sigma)
        return np.array([[-c, -c, away], [s, -s, 0.0], [self.a_cm] * 3])

    @cached_property
    def bases(self) -> np.ndarray:
        """Origins of S_j seen from the palm."""
        return self.p_t - self.p_tt

    @cached_property
    def R(self) -> np.ndarray:
        """R_P,Cj (3 x 3 x 3). The printed one of contact 2 has no column along the inward normal; this is the mirror image of contact 1."""
        q_x, q_y, q_z = (lambda angle, k=k: _turn_about(k, angle) for k in range(3))
        quarter = 0.5 * math.pi
        return np.stack([q_z(-self.sigma) @ q_y(-quarter), q_z(self.sigma) @ q_y(-quarter), q_z(quarter) @ q_x(quarter)])

    @property
    def centre(self) -> np.ndarray:
        return np.array([0.0, 0.0, self.a_cm])


SHIPPED = Placement()


def _turn_about(axis: int, angle: float) -> np.ndarray:
    R, (i, j) = np.eye(3), ((axis + 1) % 3, (axis + 2) % 3)
    R[i, i] = R[j, j] = math.cos(angle)
    R[j, i] = math.sin(angle)
    R[i, j] = -R[j, i]
    return R


def hand(placement: Placement = SHIPPED, mu: float = 0.4) -> ReadySystem:
    """The scenario's hand and sphere at any placement: its bases moved, its sphere resized."""
    question = load(SCENARIO, {"objects.0.size": [placement.r], "objects.0.position": placement.centre.tolist()})
    if question.model_path is None:
        raise InputError("is missing", key="model")
    root = ElementTree.fromstring(question.model_path.read_text(encoding="utf-8"))
    for body in root.iter("body"):
        word, _, number = body.get("name", "").partition(" ")
        if word == "base":
            body.set("pos", " ".join(repr(float(x)) for x in placement.bases[:, int(number) - 1]))
    system, state = model.compose(ElementTree.tostring(root, encoding="unicode"), question.objects, keyframe=question.keyframe)
    names = [("sphere", f"tip {j + 1}") for j in range(ARMS)]
    geometry = contact_geometry(system, named_pairs(system.shapes, names), tangents={j: placement.R[j, :, 0] for j in range(ARMS)})
    pairs = [PairQuestion(f"arm {j + 1}", names[j], mu) for j in range(ARMS)]
    return ReadySystem(system, geometry, pairs, state=state, torque=system.actuator_torque(state.q, state.v, state.ctrl))


def joint_positions(system: model.System, q: np.ndarray, placement: Placement = SHIPPED) -> np.ndarray:
    """All of q with the last frame of each arm in its contact frame, by inverse kinematics from the posture q."""
    targets = [model.Target(f"arm {j + 1} link 6", tuple(placement.p_t[:, j]), rotation=placement.R[j]) for j in range(ARMS)]
    found = model.reach(system, q, targets)
    if not found.reached:
        worst = int(found.position_error.argmax())
        raise InputError(f"arm {worst + 1} cannot bring its last frame to the contact", key="placement", got=placement.to_dict(),
                         todo=f"move its base: {found.residual:.3g} m or rad are missing")
    return found.q


# --- what acts: steps 2 to 4 ---


@dataclass(frozen=True)
class Matrices(Result):
    """The object's twist is that of its point at the origin of P; order of blocks: n, t, o, each for contacts 1, 2, 3."""

    W: np.ndarray               # 6 x 9, (38), columns t, o, n contact by contact
    M_obj: np.ndarray           # 6 x 6, (41) with the coupling of mass and turning that it lacks
    J_man: np.ndarray           # 9 x 18, (42), rows t, o, n contact by contact
    M_man: np.ndarray           # 18 x 18, (44)
    load_obj: np.ndarray        # 6, g_obj + h_obj
    load_man: np.ndarray        # 18, g_man + h_man - tau
    script_M: np.ndarray        # 24 x 24, (23)
    script_J: np.ndarray        # 24 x 9, (23)
    A: np.ndarray               # 9 x 9, (22)
    b: np.ndarray               # 9, (24)
    bias: np.ndarray            # 9, its part from velocities, F3 and F4
    drift: np.ndarray           # contacts, m/s, normal velocity (12)
    slip: np.ndarray            # contacts x 2, m/s, along t and o
    mu: float

    @property
    def sliding(self) -> np.ndarray:
        return np.hypot(*self.slip.T) > TOLERANCES.slip

    @property
    def A_tilde(self) -> np.ndarray:
        """(26), (27): rows and columns S n, R n, R t, R o."""
        S, A = np.flatnonzero(self.sliding), self.A.copy()
        along = self.slip[S] / np.linalg.norm(self.slip[S], axis=1, keepdims=True)
        # 002 (27), (28)
        A[:, S] -= self.mu * (A[:, ARMS + S] * along[:, 0] + A[:, 2 * ARMS + S] * along[:, 1])
        return np.asarray(A[np.ix_(self._kept, self._kept)])

    @property
    def b_tilde(self) -> np.ndarray:
        return np.asarray(self.b[self._kept])

    @property
    def _kept(self) -> np.ndarray:
        S, R = np.flatnonzero(self.sliding), np.flatnonzero(~self.sliding)
        return np.concatenate([S, R, ARMS + R, 2 * ARMS + R])

    def problem(self) -> ContactProblem:
        """The same as a contact problem: dofs [twist at P, theta], rows N, T, U contact by contact."""
        rows = np.arange(3 * ARMS).reshape(3, ARMS).T.ravel()
        h = np.concatenate([self.load_obj, -self.load_man])
        M = _blocks([self.M_obj, self.M_man])
        # J^T multiplies -theta' (10)
        W = (self.script_J * np.append(np.ones(6), -np.ones(6 * ARMS))[:, None]).T[rows]
        return ContactProblem(M, h, W, self.bias[rows], 3, self.sliding, np.full(ARMS, self.mu), self.slip * self.sliding[:, None],
                              contact_names=tuple(f"arm {j + 1}" for j in range(ARMS)))


def matrices(theta: np.ndarray, torque: np.ndarray, mu: float, placement: Placement = SHIPPED, twist: ArrayLike = REST,
             rates: np.ndarray | None = None) -> Matrices:
    """Steps 2 to 4 at joint positions theta (18) under the torques (18). `twist`: velocity of the sphere's centre, angular velocity; world."""
    rates = np.zeros(6 * ARMS) if rates is None else rates
    arms = [arm_terms(theta[6 * j:6 * j + 6], rates[6 * j:6 * j + 6], GRAVITY) for j in range(ARMS)]
    p, R = placement.p_t, placement.R
    # 002 (38), (39), (42); B_f (37) keeps the force columns
    W = np.hstack([np.vstack([R[j], _hat(p[:, j]) @ R[j]]) for j in range(ARMS)])
    J_man = _blocks([np.hstack([R[j].T, R[j].T @ _hat(placement.p_tt[:, j]).T]) @ arms[j].J for j in range(ARMS)])
    M_obj, load_obj, spatial = _object(placement, np.asarray(twist, np.float64))
    M_man, load_man = _blocks([arm.M for arm in arms]), np.concatenate([arm.g + arm.h for arm in arms]) - torque
    order = np.array([3 * j + axis for axis in (2, 0, 1) for j in range(ARMS)])        # n, t, o
    # 002 (22), (23), (24)
    script_M = _blocks([np.linalg.inv(M_obj), np.linalg.inv(M_man)])
    script_J = np.vstack([W, J_man.T])[:, order]
    A = script_J.T @ script_M @ script_J
    bias = np.concatenate([_bias(placement, j, arms[j], np.asarray(twist, np.float64)) for j in range(ARMS)])[order]
    b = bias + script_J.T @ script_M @ np.concatenate([load_obj, load_man])
    velocity = (W.T @ spatial - J_man @ rates).reshape(ARMS, 3)
    return Matrices(W, M_obj, J_man, M_man, load_obj, load_man, script_M, script_J, A, b, bias, velocity[:, 2], velocity[:, :2], mu)


def _object(placement: Placement, twist: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """M_obj, g_obj + h_obj and the twist with the origin of P as point of reference, fixed in space."""
    c, w = placement.centre, twist[3:]
    mass, inertia = MASS, 0.4 * MASS * placement.r**2 * np.eye(3)
    # 002 (41) has zeros in place of the m [c] beside the diagonal
    M = np.block([[mass * np.eye(3), -mass * _hat(c)], [mass * _hat(c), inertia + mass * _hat(c) @ _hat(c).T]])
    spatial = np.append(twist[:3] - np.cross(w, c), w)
    momentum = M @ spatial
    turning = np.append(np.cross(w, momentum[:3]), np.cross(w, momentum[3:]) + np.cross(spatial[:3], momentum[:3]))
    weight = mass * GRAVITY
    return M, np.append(weight, np.cross(c, weight)) - turning, spatial


def _bias(placement: Placement, j: int, arm: ArmTerms, twist: np.ndarray) -> np.ndarray:
    """Accelerations along t, o, n of contact j that the velocities alone make: J' of (24), with the contact point on its way (F3, F4)."""
    R, w, out = placement.R[j], twist[3:], placement.p_t[:, j] - placement.centre
    n = R[:, 2]
    flat = np.eye(3) - np.outer(n, n)
    found = contact_acceleration(
        n, flat / placement.r, flat / TIP, twist[:3] + np.cross(w, out), w, np.cross(w, twist[:3]) + np.cross(w, np.cross(w, out)),
        arm.velocity, arm.turning, arm.acceleration)
    return np.append(found.relative_acceleration @ R[:, :2], found.gap_acceleration)


def _hat(p: np.ndarray) -> np.ndarray:
    """002 (40)."""
    return np.array([[0.0, -p[2], p[1]], [p[2], 0.0, -p[0]], [-p[1], p[0], 0.0]])


def _blocks(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Block diagonal."""
    rows, columns = np.cumsum([part.shape for part in parts], axis=0).T
    whole = np.zeros((rows[-1], columns[-1]))
    for part, row, column in zip(parts, rows, columns, strict=True):
        whole[row - part.shape[0]:row, column - part.shape[1]:column] = part
    return whole
