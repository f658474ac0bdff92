"""Residuals that know nothing of any solver (CONTRACT 7)."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def lcp_residual(A: ArrayLike, b: ArrayLike, z: ArrayLike) -> float:
    """max|min(z, w)| over 1 + max|z| + max|w|, w = A z + b, every row scaled by the largest entry of A in it."""
    A, b, z = (np.asarray(part, dtype=float) for part in (A, b, z))
    if z.size == 0:
        return 0.0
    size = np.abs(A).max(axis=1)
    size[size == 0.0] = 1.0
    w = (A @ z + b) / size
    with np.errstate(invalid="ignore", over="ignore"):
        residual = np.abs(np.minimum(z, w)).max() / (1.0 + np.abs(z).max() + np.abs(w).max())
    return float(residual) if np.isfinite(residual) else np.inf
