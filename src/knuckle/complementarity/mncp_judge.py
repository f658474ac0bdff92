"""How far a point is from solving a mixed complementarity problem, from F, G and the point alone (CONTRACT 7)."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

SURE = 1e-8            # relative: a longer Newton step means that the answer may be elsewhere, or nowhere
MENDED = 0.3           # of what was wrong may be left after the step
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


def scales_of_unknowns(values: np.ndarray, J: np.ndarray, S: np.ndarray, x: np.ndarray) -> np.ndarray:
    """How large each unknown is, in whatever units: itself, or what changes some equation by all its terms."""
    terms = np.abs(values - S.sum(axis=1)) + np.abs(S).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = np.where(J != 0.0, terms[:, None] / np.abs(J), 0.0)
    return np.abs(x) + reach.max(axis=0, initial=0.0)


def only_stationary(f: Callable[[np.ndarray], np.ndarray], J: np.ndarray, u: np.ndarray, v: np.ndarray, S: np.ndarray, around: np.ndarray) -> str:
    """Why a small residual is no answer: v^2 + 1e-12 is small and flat at 0 and has no root. Empty where nothing speaks against it.

    What is left must be round-off, or a Newton step that is short must take it away. f: F and G; S: what each unknown adds to each equation;
    `around`: sizes of F and G near the point."""
    p, s, x = u.size, row_scales(J), np.concatenate([u, v])
    values = f(x)
    wrong, scale = natural(values, s, u), scales_of_unknowns(values, J, S, x)
    active = np.concatenate([values[:p] / s[:p] < u, np.ones(v.size, dtype=bool)])
    columns = np.concatenate([(u > 0.0) | active[:p], np.ones(v.size, dtype=bool)])
    if (wrong[:p][~active[:p]] > SURE * scale[:p][~active[:p]]).any():
        return "an unknown is not zero where its complement is not"
    rows, part = (J / s[:, None])[active][:, columns], wrong[active]
    noise = NOISE * (np.abs(rows) @ scale[columns] + (around / s)[active])
    if (np.abs(part) <= noise).all():
        return ""
    scaled = rows * scale[columns]
    if not np.isfinite(scaled).all():
        return "the equations change by more than numbers can hold here"
    step = np.linalg.lstsq(scaled, -part, rcond=1e-12)[0] * scale[columns]
    moved = x.copy()
    moved[columns] += step
    moved[:p] = np.maximum(moved[:p], 0.0)
    left = np.maximum(np.abs(rows @ step + part), np.abs(natural(f(moved), s, moved[:p])[active]) - MENDED * np.abs(part))
    if not (left <= noise).all():
        return f"a stationary point of the merit that is no answer: equations are off by {left.max():.1e}, and no small change mends them"
    if (np.abs(step) > SURE * scale[columns]).any():
        return f"the equations are so nearly singular here that an answer may be {np.abs(step).max():.1e} away, or nowhere"
    return ""
