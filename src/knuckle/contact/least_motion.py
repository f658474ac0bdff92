"""The least motion that does what is wanted: a small quadratic program with equations and inequalities."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LACKING = 1e-12      # m or rad; an inequality this far from fulfilled is fulfilled
PULLING = 1e-12      # a multiplier below this pulls: its inequality is let go
DEPENDENT = 1e-10    # of the largest singular value; rows that depend on one another more than this are one


@dataclass(frozen=True)
class Rows:
    """What one step has to do: W step = wanted in the first rows, W step >= wanted in the others."""

    W: np.ndarray
    wanted: np.ndarray
    equal: int
    error: float                # the largest that is still wrong, m or rad


def least_motion(M: np.ndarray, rows: Rows) -> np.ndarray:
    """The x of least x'Mx that does what the rows want; equalities in the sense of least squares where they depend on one another.

    Inequalities by active sets: what is passed becomes an equality, what pulls is let go (Goldfarb and Idnani 1983, in small).
    """
    factor = np.linalg.inv(np.linalg.cholesky(M))
    scaled = rows.W @ factor.T
    active = list(range(rows.equal))
    x = np.zeros(len(M))
    for _ in range(2 * len(scaled) + 1):
        x = np.linalg.lstsq(scaled[active], rows.wanted[active], rcond=DEPENDENT)[0] if active else np.zeros(len(M))
        push = np.linalg.lstsq(scaled[active].T, x, rcond=DEPENDENT)[0]
        pulling = [k for k, force in zip(active, push, strict=True) if k >= rows.equal and force < -PULLING]
        if pulling:
            active = [k for k in active if k not in pulling]
            continue
        lacking = rows.wanted - scaled @ x
        lacking[active] = 0.0
        lacking[:rows.equal] = 0.0
        if lacking.max(initial=0.0) <= LACKING:
            break
        active.append(int(lacking.argmax()))
    return factor.T @ x
