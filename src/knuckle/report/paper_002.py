"""Paper 002, section 5: the contact problems of its tables, and its Algorithm 1 for three PUMA 560 around a sphere."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from knuckle.complementarity.result import Result
from knuckle.errors import InputError
from knuckle.instant.answer import Answer, mode_words
from knuckle.instant.problem import ContactProblem
from knuckle.instant.question import ready
from knuckle.instant.ready import ReadySystem
from knuckle.instant.residuals import acceleration_scale
from knuckle.instant.solve import solve as every_answer
from knuckle.report.puma_560 import arm_terms
from knuckle.report.puma_trio import (
    ARMS,
    GRAVITY,
    MASS,
    REST,
    SHIPPED,
    Matrices,
    Placement,
    hand,
    joint_positions,
    matrices,
)
from knuckle.scenario import load

SCENARIOS = {"rolling": "three-puma-sphere", "sliding": "three-puma-sphere-sliding"}
TWISTS = {"rolling": REST, "sliding": (0.0, 0.0, 0.0, 0.0, 0.0, 1.0)}       # of the two variants; m/s, rad/s
PRESS = 3.0                 # N along the normal of contact 3
LETTERS = {"B": "breaking", "R": "rolling", "S": "sliding", "F": "sliding"}
AFTER = 1e-3                # s


def contact_problem(variant: str, mu: float) -> ContactProblem:
    """The instant of tables 1 to 4, through MuJoCo: `sliding` (tables 1, 2) or `rolling` (tables 3, 4) at one friction coefficient."""
    if variant not in SCENARIOS:
        raise InputError("is no variant", key="variant", got=variant, todo=f"one of {', '.join(SCENARIOS)}")
    moment = ready(load(SCENARIOS[variant], {"friction": mu})).modes().moment
    if moment is None:
        raise InputError("leaves no contact problem", key="friction", got=mu)
    return moment.problem


def holding_torque(theta: np.ndarray, placement: Placement = SHIPPED, press: float = PRESS) -> np.ndarray:
    """The scenario's torques: (9) at rest with forces that balance on the sphere. Along the normals `press` at contact 3 and
    press / (2 cos sigma) at the others; upward the weight in the same ratio, because then it has no moment."""
    normal = press * np.array([0.5 / math.cos(placement.sigma), 0.5 / math.cos(placement.sigma), 1.0])
    torque = np.zeros(6 * ARMS)
    for j in range(ARMS):
        arm = arm_terms(theta[6 * j:6 * j + 6], np.zeros(6), GRAVITY)
        force = normal[j] * placement.R[j, :, 2] - MASS * GRAVITY * normal[j] / normal.sum()
        torque[6 * j:6 * j + 6] = arm.g + arm.J.T @ np.append(force, np.cross(placement.p_tt[:, j], force))
    return torque


@dataclass(frozen=True)
class NewConfiguration(Result):
    """Step 6: the state after dt, explicitly, so that contacts that are kept come off by what the step leaves out."""

    q: np.ndarray               # mjData order
    v: np.ndarray
    labels: tuple[str, ...]     # rolling, sliding or breaking, by the answer of step 5
    gap: np.ndarray             # contacts, m, as they are at q
    normal_velocity: np.ndarray     # contacts, m/s
    slip: np.ndarray            # contacts x 2, m/s, along t and o
    gap_error: float            # m, largest |gap| of a contact that is kept, of order dt^4 from rest, else dt^3
    drift_error: float          # m/s, their largest |normal velocity|


@dataclass(frozen=True)
class AlgorithmResult(Result):
    """Algorithm 1, step by step."""

    placement: Placement
    theta: np.ndarray           # 18, rad, step 1.2
    torque: np.ndarray          # 18, N m
    matrices: Matrices          # steps 2 to 4
    problem: ContactProblem     # what step 5 solves
    answer: Any                 # of step 5, whatever `solve` gives
    f: np.ndarray | None        # contacts x 3, N, normal, t, o; None without an answer
    a: np.ndarray | None        # contacts x 3, m/s^2
    twist_rate: np.ndarray | None   # 6, acceleration of the sphere's centre and of its turning, world
    theta_rate: np.ndarray | None   # 18, rad/s^2
    new: NewConfiguration | None    # step 6


def algorithm_1(mu: float, labels: Sequence[str] = ("rolling",) * ARMS, placement: Placement = SHIPPED, torque: np.ndarray | None = None,
                twist: Sequence[float] | None = None, dt: float = AFTER, solve: Callable[[ContactProblem], Any] = every_answer) -> AlgorithmResult:
    """Algorithm 1 with the arms at rest at t0. `labels`: rolling or sliding, contact by contact; the sphere's `twist` (velocity of its centre,
    angular velocity) must agree with them, and need not be given where all roll or all slide. `solve` takes the contact problem and returns an
    `Answer`, whose first solution is taken, or anything with forces f and accelerations a, contacts x 3."""
    # 1
    system = hand(placement, mu)
    if system.state is None:
        raise InputError("has no keyframe", key="model")
    q = joint_positions(system.system, system.state.q, placement)
    theta, moves = q[:6 * ARMS], _twist(labels, twist)
    torque = holding_torque(theta, placement) if torque is None else np.asarray(torque, np.float64)
    # 2, 3, 4
    found = matrices(theta, torque, mu, placement, moves)
    _agree(labels, found)
    problem = found.problem()
    # 5
    answer = solve(problem)
    solution = answer.solution if isinstance(answer, Answer) else answer
    if solution is None:
        return AlgorithmResult(placement, theta, torque, found, problem, answer, None, None, None, None, None)
    f, a = np.asarray(solution.f, np.float64), np.asarray(solution.a, np.float64)
    # 6
    rate = np.linalg.solve(problem.M, problem.h + problem.W.T @ f.ravel())
    # from the point at the palm to the sphere's centre
    twist_rate = np.append(rate[:3] + np.cross(rate[3:6], placement.centre) + np.cross(moves[3:], moves[:3]), rate[3:6])
    v, faster = np.append(np.zeros(6 * ARMS), moves), np.append(rate[6:], twist_rate)
    new = _new_configuration(system, q, v, faster, dt, _modes(problem, f, a, rate))
    return AlgorithmResult(placement, theta, torque, found, problem, answer, f, a, twist_rate, rate[6:], new)


def _twist(labels: Sequence[str], twist: Sequence[float] | None) -> np.ndarray:
    if len(labels) != ARMS or set(labels) - set(TWISTS):
        raise InputError("must be rolling or sliding, one for each contact", key="labels", got=list(labels))
    if twist is None and len(set(labels)) > 1:
        raise InputError("is missing", key="twist", todo="give velocity and angular velocity of the sphere that make these contacts slide")
    return np.array(TWISTS[labels[0]] if twist is None else twist, np.float64)


def _agree(labels: Sequence[str], found: Matrices) -> None:
    drift = np.abs(found.drift).max()
    if drift > 1e-9:
        raise InputError("gives a contact a normal velocity, against (12)", key="twist", got=float(drift))
    for j, (wanted, slides) in enumerate(zip(labels, found.sliding, strict=True)):
        if (wanted == "sliding") != slides:
            raise InputError("does not agree with the slip velocity", key=f"labels.{j}", got=wanted, todo="change it, or the twist")


def _modes(problem: ContactProblem, f: np.ndarray, a: np.ndarray, rate: np.ndarray) -> tuple[str, ...]:
    modes, _ = mode_words(a, problem.sliding, problem.slip, acceleration_scale(problem, rate, f.ravel()), problem.mu)
    return tuple(LETTERS[mode[0]] for mode in modes)


def _new_configuration(system: ReadySystem, q: np.ndarray, v: np.ndarray, rate: np.ndarray, dt: float, labels: tuple[str, ...]) -> NewConfiguration:
    """q and v in mjData's order, arms first; the sphere's frame is that of the world at t0, so that its rates are the same in both."""
    moved = system.system.integrate(q, dt * v + 0.5 * dt * dt * rate)
    faster = v + dt * rate
    gap, velocity = _contacts(system, moved, faster)
    kept = np.array([label != "breaking" for label in labels])
    return NewConfiguration(moved, faster, labels, gap, velocity[:, 0], velocity[:, 1:], float(np.abs(gap[kept]).max(initial=0.0)),
                            float(np.abs(velocity[kept, 0]).max(initial=0.0)))


def _contacts(system: ReadySystem, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gap and velocity of each pair; one that is farther apart than contacts are looked for has the gap infinity."""
    contacts = system.geometry.contacts
    gap, velocity = np.full(ARMS, np.inf), np.full((ARMS, 3), np.nan)
    for k in range(system.geometry.update(q, v)):
        pair = int(contacts.pair[k])
        gap[pair], velocity[pair] = contacts.gap[k], contacts.velocity[3 * k:3 * k + 3]
    return gap, velocity
