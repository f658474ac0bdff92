"""Paper 002's route: the merit (4) least in u, z >= 0, by a box solver or as bounded least squares."""
from __future__ import annotations

import numpy as np

from knuckle.complementarity.box import BoxResult, minimise_in_box
from knuckle.complementarity.mncp_judge import merit
from knuckle.complementarity.mncp_newton import shifted_step
from knuckle.complementarity.mncp_system import MncpSystem

BLOCKED = 1e-12


class Merit:
    """f(t) = |F - z|^2 + |G|^2 + (u.z)^2 over t = (u, v, z), with gradient and products of its Hessian."""

    def __init__(self, system: MncpSystem) -> None:
        self.system, p, m = system, system.p, system.m
        self.u, self.x, self.z = slice(0, p), slice(0, p + m), slice(p + m, 2 * p + m)
        self.lower = np.concatenate([np.zeros(p), np.full(m, -np.inf), np.zeros(p)])
        self.upper = np.full(2 * p + m, np.inf)
        self.at, self.J, self.rest = np.full(2 * p + m, np.nan), np.zeros((p + m, p + m)), np.zeros(p + m)
        self.H: np.ndarray | None = None

    def value(self, t: np.ndarray) -> float:
        return merit(self.system.values(t[self.x]), t[self.u], t[self.z])

    def _move(self, t: np.ndarray) -> None:
        if np.array_equal(t, self.at):
            return
        self.at, self.J, self.H = t.copy(), self.system.jacobian(t[self.x]), None
        self.rest = self.system.values(t[self.x])
        self.rest[:self.system.p] -= t[self.z]

    def gradient(self, t: np.ndarray) -> np.ndarray:
        self._move(t)
        slope, power = np.zeros(t.size), float(t[self.u] @ t[self.z])
        slope[self.x] = 2.0 * self.J.T @ self.rest
        slope[self.z] = -2.0 * self.rest[:self.system.p] + 2.0 * power * t[self.u]
        slope[self.u] += 2.0 * power * t[self.z]
        return slope

    def product(self, t: np.ndarray, d: np.ndarray) -> np.ndarray:
        return self._hessian(t) @ d

    def _hessian(self, t: np.ndarray) -> np.ndarray:
        """Gauss and Newton's part, that of u.z, and the curvature of F and G as far as it is known."""
        self._move(t)
        if self.H is not None:
            return self.H
        p, n, u, z = self.system.p, self.system.n, t[self.u], t[self.z]
        R = np.hstack([self.J, -np.eye(n, p)])
        turn, cross = np.concatenate([z, np.zeros(n - p), u]), np.zeros((n + p, n + p))
        cross[range(p), range(n, n + p)] = cross[range(n, n + p), range(p)] = float(u @ z)
        self.H = 2.0 * (R.T @ R + np.outer(turn, turn) + cross)
        bend = self.system.curvature(t[self.x], self.rest)
        if bend is not None and np.isfinite(bend).all():
            self.H[self.x, self.x] += 2.0 * bend
        return self.H


def by_box(system: MncpSystem, t: np.ndarray, goal: float, most: int) -> tuple[np.ndarray, BoxResult]:
    """The box solver on (3), (4)."""
    f = Merit(system)
    found = minimise_in_box(f.value, f.gradient, f.product, f.lower, f.upper, t, tolerance=1e-16, target=goal, most_iterations=most)
    return (t if found.x is None else found.x), found


def by_least_squares(system: MncpSystem, t: np.ndarray, goal: float, most: int) -> tuple[np.ndarray, int]:
    """Projected Levenberg-Marquardt on (F - z, G, u_i z_i), u, z >= 0: coordinates that press against a bound are held."""
    p, n, shift, steps = system.p, system.n, 1e-3, 0

    def rest(t: np.ndarray) -> np.ndarray:
        values = system.values(t[:n])
        values[:p] -= t[n:]
        return np.concatenate([values, t[:p] * t[n:]])

    here, J, bounded = rest(t), system.jacobian(t[:n]), np.r_[0:p, n:n + p]
    value = float(here @ here)
    while steps < most and value > goal and shift < 1e12 and np.isfinite(J).all():
        H = np.zeros((n + p, n + p))
        H[:n, :n], H[range(p), range(n, n + p)] = J, -1.0
        H[range(n, n + p), range(p)], H[range(n, n + p), range(n, n + p)] = t[n:], t[:p]
        slope, free = H.T @ here, np.ones(t.size, dtype=bool)
        free[bounded] = (t[bounded] > BLOCKED) | (slope[bounded] < 0.0)
        step = np.zeros(t.size)
        step[free] = shifted_step(H[:, free], here, shift * min(1.0, value))
        trial = t + step
        trial[bounded] = np.maximum(trial[bounded], 0.0)
        there, steps = rest(trial), steps + 1
        fallen = float(there @ there)
        if not fallen < (1.0 - 1e-6) * value:
            shift = max(10.0 * shift, 1e-10)
            continue
        shift = max(shift * (0.1 if fallen < 0.5 * value else 0.5), 1e-16)
        t, here, value, J = trial, there, fallen, system.jacobian(trial[:n])
    return t, steps
