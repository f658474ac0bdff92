"""How far a point is from solving a mixed complementarity problem, from F, G and the point alone (CONTRACT 7)."""
from __future__ import annotations

import numpy as np

SURE = 1e-8            # relative: a longer Newton step means that the answer may be elsewhere, or nowhere
NOISE = 64 * np.finfo(float).eps


def row_scales(J: np.ndarray) -> np.ndarray:
    """The largest entry of each row of the Jacobian, 1 where it is zero."""
    size = np.abs(J).max(axis=1, initial=0.0)
    return np.where(size > 0.0, size, 1.0)


def natural(values: np.ndarray, s: np.ndarray, u: np.ndarray) -> np.ndarray:
    """min(u, F / s) and G / s: zero at an answer."""
    scaled = values / s
    return np.concatenate([np.minimum(u, scaled[:u.size]), scaled[u.size:]])


def mncp_residual(values: np.ndarray, J: np.ndarray, u: np.ndarray, v: np.ndarray) -> float:
    """max(|min(u, F/s)|, |G|/s) over 1 + max|u| + max|v| + max|F/s|; with affine F the residual of an LCP."""
    if not (np.isfinite(values).all() and np.isfinite(J).all() and np.isfinite(u).all() and np.isfinite(v).all()):
        return np.inf
    s = row_scales(J)
    size = 1.0 + sum(np.abs(part).max(initial=0.0) for part in (u, v, values[:u.size] / s[:u.size]))
    return float(np.abs(natural(values, s, u)).max(initial=0.0) / size)


def merit(values: np.ndarray, u: np.ndarray, z: np.ndarray) -> float:
    """002 (4): |F - z|^2 + |G|^2 + (u.z)^2."""
    with np.errstate(over="ignore", invalid="ignore"):
        return float(((values[:u.size] - z) ** 2).sum() + (values[u.size:] ** 2).sum() + (u @ z) ** 2)


def only_stationary(values: np.ndarray, J: np.ndarray, u: np.ndarray, v: np.ndarray, around: np.ndarray) -> str:
    """Why a small residual is no answer: v^2 + 1e-12 is small and flat at 0 and has no root. Empty where nothing speaks against it.

    What is left must be round-off, or a Newton step that is short must take it away. `around`: sizes of F and G near the point."""
    p, s, x = u.size, row_scales(J), np.concatenate([u, v])
    wrong = natural(values, s, u)
    active = np.concatenate([values[:p] / s[:p] < u, np.ones(v.size, dtype=bool)])
    columns = np.concatenate([(u > 0.0) | active[:p], np.ones(v.size, dtype=bool)])
    rows, part = (J / s[:, None])[active][:, columns], wrong[active]
    noise = NOISE * (np.abs(rows) @ (1.0 + np.abs(x[columns])) + (around / s)[active])
    if (np.abs(part) <= noise).all():
        return ""
    step = np.linalg.lstsq(rows, -part, rcond=1e-12)[0]
    size, left = 1.0 + np.abs(x[columns]), np.abs(rows @ step + part)       # each by its own: a large unknown hides no other equation
    if (left > noise).any():
        return f"a stationary point of the merit that is no answer: equations are off by {left.max():.1e}, and no small change mends them"
    if (np.abs(step) > SURE * size).any():
        return f"the equations are so nearly singular here that an answer may be {np.abs(step).max():.1e} away, or nowhere"
    return ""
