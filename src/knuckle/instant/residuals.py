"""The independent judge: how far an answer is from the laws, from the problem and the answer alone (CONTRACT 7).

judge_kernels is its compiled twin, for answers that kernels find; a test holds the two together. The careful search has a third, quick
one of its own in scaled numbers (search.violation), which decides nothing that is reported."""
from __future__ import annotations

import numpy as np

from knuckle.instant.judge_kernels import ROUND_OFF_SHARE
from knuckle.instant.problem import AT_REST, ContactProblem


def _relative(violation: float, scale: float) -> float:
    return violation / scale if scale > 0.0 else (0.0 if violation <= 0.0 else np.inf)


def _friction_of_contact(f: np.ndarray, mu: float, slip: np.ndarray, law: str) -> float:
    """Violation of Coulomb's law, in force; PHYSICS 3."""
    f_N, f_t = f[0], f[1:]
    if np.linalg.norm(slip) > AT_REST:
        return float(np.linalg.norm(f_t + mu * f_N * slip / np.linalg.norm(slip)))
    if law == "cone" or len(f_t) == 1:
        return max(float(np.linalg.norm(f_t)) - mu * f_N, 0.0)
    return max(float(np.abs(f_t).max()) - mu * f_N, 0.0)


def _opposition(f: np.ndarray, a: np.ndarray, mu: float, law: str) -> float:
    """| |a_t| f_t + mu f_N a_t |, per axis for the pyramid: force times acceleration."""
    f_t, a_t = f[1:], a[1:]
    size = np.full(len(a_t), np.linalg.norm(a_t)) if law == "cone" else np.abs(a_t)
    return float(np.abs(size * f_t + mu * f[0] * a_t).max())


def acceleration_scale(problem: ContactProblem, vdot: np.ndarray, forces: np.ndarray | None = None) -> float:
    """Size of the accelerations that meet at the rows: of the terms, because their sum may cancel to round-off."""
    free = np.linalg.solve(problem.M, problem.h)
    scale = float((np.abs(problem.W) @ np.maximum(np.abs(vdot), np.abs(free)) + np.abs(problem.bias)).max(initial=0.0))
    if forces is None:
        return scale
    pushed = np.abs(problem.W @ np.linalg.solve(problem.M, problem.W.T)) @ np.abs(forces)
    return max(scale, ROUND_OFF_SHARE * float(pushed.max(initial=0.0)))


def _force_scale(problem: ContactProblem, forces: np.ndarray, A: float) -> float:
    """Size of the forces, at least what gives the stiffest row the acceleration A."""
    inertia = np.einsum("ri,ir->r", problem.W, np.linalg.solve(problem.M, problem.W.T))
    return max(float(np.abs(forces).max(initial=0.0)), A / float(inertia.max(initial=0.0)) if inertia.size and inertia.max() > 0.0 else 0.0)


def residual(problem: ContactProblem, law: str, vdot: np.ndarray, forces: np.ndarray) -> float:
    """Largest violation of motion, contact, complementarity and friction, each over its own scale. `forces`: all rows."""
    k, dim = problem.contacts, problem.dim
    impulse = problem.W.T @ forces
    motion = problem.M @ vdot - problem.h - impulse
    force_size = np.abs(problem.M) @ np.abs(vdot) + np.abs(problem.h) + np.abs(problem.W.T) @ np.abs(forces)
    worst = _relative(float(np.abs(motion).max(initial=0.0)), float(force_size.max(initial=0.0)))
    a = problem.W @ vdot + problem.bias
    A = acceleration_scale(problem, vdot, forces)
    F = _force_scale(problem, forces, A)
    for i in range(k):
        f_i, a_i = forces[dim * i: dim * (i + 1)], a[dim * i: dim * (i + 1)]
        worst = max(worst, _relative(-f_i[0], F), _relative(-a_i[0], A), _relative(abs(f_i[0] * a_i[0]), F * A))
        worst = max(worst, _relative(_friction_of_contact(f_i, problem.mu[i], problem.slip[i], law), F))
        if not problem.sliding[i]:
            worst = max(worst, _relative(_opposition(f_i, a_i, problem.mu[i], law), F * A))
    for j, kind in enumerate(problem.joint_kind):
        f_j, a_j = forces[dim * k + j], a[dim * k + j]
        if kind == "bilateral":
            worst = max(worst, _relative(abs(a_j), A))
        elif kind == "limit":
            worst = max(worst, _relative(-f_j, F), _relative(-a_j, A), _relative(abs(f_j * a_j), F * A))
        elif abs(problem.rate[j]) > AT_REST:
            worst = max(worst, _relative(abs(f_j + problem.bound[j] * np.sign(problem.rate[j])), F))
        else:
            worst = max(worst, _relative(abs(f_j) - problem.bound[j], F), _relative(abs(abs(a_j) * f_j + problem.bound[j] * a_j), F * A))
    return float(worst)
