"""Semismooth Newton for mixed complementarity problems, and the polish by the active equations."""
from __future__ import annotations

import numpy as np

from knuckle.complementarity.mncp_judge import natural, row_scales
from knuckle.complementarity.mncp_system import MncpSystem

FIRST, SOFTEST, FIRMEST = 1e-3, 1e-16, 1e12         # Levenberg and Marquardt's shift
SMOOTHING = (1.0, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4)  # over |Phi| at the start
STAGE = 15                          # steps for each of these
GIVE_UP = 4                         # polishing steps in a row without gain
RANK = 1e-12


def fischer_burmeister(u: np.ndarray, F: np.ndarray, tau: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """u + F - sqrt(u^2 + F^2 + tau^2), zero exactly where u, F > 0 and 2 u F = tau^2, and its derivatives (one of many at u = F = tau = 0)."""
    length = np.sqrt(u * u + F * F + tau * tau)
    safe = np.where(length > 0.0, length, 1.0)
    by_u = np.where(length > 0.0, 1.0 - u / safe, 1.0 - np.sqrt(0.5))
    by_F = np.where(length > 0.0, 1.0 - F / safe, 1.0 - np.sqrt(0.5))
    # where both are positive the difference would lose its digits
    total = np.where((u > 0.0) & (F > 0.0), u + F + length, 1.0)
    return np.where((u > 0.0) & (F > 0.0), (2.0 * u * F - tau * tau) / total, u + F - length), by_u, by_F


def shifted_step(H: np.ndarray, phi: np.ndarray, shift: float) -> np.ndarray:
    """Least |H d + phi|^2 + shift |d|^2; NaN, which no one takes for a step, where the numbers overflow."""
    n = H.shape[1]
    try:
        return np.linalg.lstsq(np.vstack([H, np.sqrt(shift) * np.eye(n)]), np.concatenate([-phi, np.zeros(n)]), rcond=None)[0]
    except np.linalg.LinAlgError:
        return np.full(n, np.nan)


class _Smoothed:
    """Phi = (FB(u, F/s), G/s) with the row scales where a stage begins."""

    def __init__(self, system: MncpSystem, x: np.ndarray) -> None:
        self.system, self.steps, self.s = system, 0, row_scales(system.jacobian(x))

    def map(self, x: np.ndarray, tau: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        p, scaled = self.system.p, self.system.values(x) / self.s
        phi, by_u, by_F = fischer_burmeister(x[:p], scaled[:p], tau)
        return np.concatenate([phi, scaled[p:]]), by_u, np.concatenate([by_F, np.ones(self.system.m)])

    def descend(self, x: np.ndarray, tau: float, goal: float, most: int) -> np.ndarray:
        """Levenberg-Marquardt steps on Phi = 0, kept at u >= 0, until |Phi| <= goal."""
        p, shift, steps, J = self.system.p, FIRST, 0, self.system.jacobian(x)
        self.s = row_scales(J)
        phi, by_u, by_F = self.map(x, tau)
        length = float(np.linalg.norm(phi))
        while steps < most and length > goal and shift <= FIRMEST and np.isfinite(J).all():
            H = by_F[:, None] * (J / self.s[:, None])
            H[range(p), range(p)] += by_u
            trial = x + shifted_step(H, phi, shift * min(1.0, length))
            trial[:p] = np.maximum(trial[:p], 0.0)
            there, steps = self.map(trial, tau), steps + 1
            fallen = float(np.linalg.norm(there[0]))
            if not fallen < (1.0 - 1e-4) * length:      # also where the functions are not defined
                shift = max(10.0 * shift, 1e-10)
                continue
            shift = max(shift * (0.1 if fallen < 0.5 * length else 0.5), SOFTEST)
            x, (phi, by_u, by_F), length, J = trial, there, fallen, self.system.jacobian(trial)
        self.steps += steps
        return x


def newton(system: MncpSystem, x: np.ndarray, goal: float, most: int, smooth: bool) -> tuple[np.ndarray, int]:
    """The point with the least |Phi| and the number of steps; `smooth`: along a path of smoothed problems, so that few starts go astray."""
    equations = _Smoothed(system, x)
    first = float(np.abs(equations.map(x, 0.0)[0]).max(initial=0.0))
    for tau in (SMOOTHING if smooth else ()):
        x = equations.descend(x, tau * first, max(goal, 0.1 * tau * first), STAGE)
    return equations.descend(x, 0.0, goal, most), equations.steps


def polish(system: MncpSystem, x: np.ndarray, most: int = 200) -> tuple[np.ndarray, int]:
    """Newton on the active equations: F_i = 0 where u_i > F_i / s_i, else u_i = 0, and G = 0; least-norm steps where they are singular."""
    p, best, least, idle, steps = system.p, x, np.inf, 0, 0
    while idle < GIVE_UP and steps < most:
        values, J = system.values(x), system.jacobian(x)
        if not (np.isfinite(values).all() and np.isfinite(J).all()):
            break
        s = row_scales(J)
        wrong = natural(values, s, x[:p])
        size = float(np.abs(wrong).max(initial=0.0))
        idle = 0 if size < 0.9 * least else idle + 1
        if size < least:
            best, least = x, size
        if size == 0.0:
            break
        held = np.concatenate([x[:p] > values[:p] / s[:p], np.ones(system.m, dtype=bool)])
        free, step = held.copy(), np.zeros(system.n)
        step[:p][~held[:p]] = -x[:p][~held[:p]]
        rows = (J / s[:, None])[held]
        step[free] = np.linalg.lstsq(rows[:, free], -(wrong[held] + rows[:, ~free] @ step[~free]), rcond=RANK)[0]
        x, steps = x + step, steps + 1
        x[:p] = np.maximum(x[:p], 0.0)
    return best, steps
