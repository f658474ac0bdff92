"""The residual of a friction problem from W, q, mu and r alone (CONTRACT 5)."""
from __future__ import annotations

from typing import Any

import numpy as np


def cone_residual(W: Any, q: np.ndarray, mu: np.ndarray, r: np.ndarray) -> float:
    """Largest of: violation of K over R, of u~ in K* over U, |r_i.u~_i| over R U. W dense or sparse, rows N, T1, T2."""
    if r.size == 0:
        return 0.0
    with np.errstate(invalid="ignore", over="ignore"):
        force, motion = np.reshape(r, (-1, 3)), np.reshape(np.asarray(W @ r).ravel() + q, (-1, 3))
        R = np.abs(force).max() or 1.0
        U = max(np.abs(motion).max(), np.linalg.norm(q) / np.sqrt(len(force))) or 1.0
        pull, slip = np.linalg.norm(force[:, 1:], axis=1), np.linalg.norm(motion[:, 1:], axis=1)
        outside = np.maximum(pull - mu * force[:, 0], -force[:, 0]).max() / R
        # u~ = u + (mu |u_T|, 0, 0) lies in K* = {u~_N >= mu |u~_T|} exactly when u_N >= 0
        apart = (-motion[:, 0]).max() / U
        power = np.abs((force * motion).sum(axis=1) + mu * slip * force[:, 0]).max() / (R * U)
        residual = max(outside, apart, power, 0.0)
    return float(residual) if np.isfinite(residual) else np.inf
