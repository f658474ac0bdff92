"""Friction laws: one coefficient per contact, or a user's function, frozen for the instant."""
from collections.abc import Callable, Sequence

import numpy as np

from knuckle.errors import InputError

# mu(contact number, slip speed in m/s, position in the world in m)
FrictionLaw = Callable[[int, float, np.ndarray], float]


def friction(law: float | Sequence[float] | FrictionLaw, slips: np.ndarray, points: np.ndarray) -> np.ndarray:
    """mu of every contact at this instant. `slips` n x 2 (or n x 1 in the plane), `points` n x 3."""
    count = len(points)
    if callable(law):
        speeds = np.linalg.norm(np.reshape(slips, (count, -1)), axis=1)
        mu = np.array([float(law(k, float(speeds[k]), np.array(points[k]))) for k in range(count)])
    else:
        mu = np.array(law, dtype=float)
        if mu.ndim > 1 or (mu.ndim == 1 and mu.size != count):
            raise InputError(f"give one friction coefficient, or one for each of the {count} contacts", key="mu", got=law)
        mu = np.broadcast_to(mu, (count,)).copy()
    for k in range(count):
        if not (np.isfinite(mu[k]) and mu[k] >= 0.0):
            raise InputError("a friction coefficient must be a finite number >= 0", key=f"contacts.{k}.mu", got=float(mu[k]))
    return mu
