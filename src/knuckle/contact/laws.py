"""Friction laws: one coefficient per contact, or a user's function, frozen for the instant."""
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from knuckle.compiled.callbacks import CompiledLaw
from knuckle.errors import InputError

# mu(contact number, slip speed in m/s, position in the world in m); compiled laws take the position as three numbers
FrictionLaw = Callable[[int, float, np.ndarray], float]
ARGUMENTS = "contact number, slip speed, position"


def friction(law: float | Sequence[float] | FrictionLaw | CompiledLaw, slips: np.ndarray, points: np.ndarray, each: str = "contacts") -> np.ndarray:
    """mu of every contact at this instant. `slips` n x 2 (or n x 1 in the plane), `points` n x 3. `each`: what a list has one number for."""
    count = len(points)
    if callable(law):
        ask, speeds = _caller(law), np.linalg.norm(np.reshape(slips, (count, -1)), axis=1) if count else np.zeros(0)
        mu = np.array([_number(law, ask(k, float(speeds[k]), np.array(points[k], float))) for k in range(count)], float)
    else:
        mu = _numbers(law)
        if mu.ndim > 1 or (mu.ndim == 1 and mu.size != count):
            raise InputError(f"give one friction coefficient, or one for each of the {count} {each}", key="mu", got=law)
        mu = np.broadcast_to(mu, (count,)).copy()
    for k in range(count):
        if not (np.isfinite(mu[k]) and mu[k] >= 0.0):
            raise InputError("a friction coefficient must be a finite number >= 0", key=f"contacts.{k}.mu", got=float(mu[k]))
    return mu


def _caller(law: Any) -> FrictionLaw:
    """The law as a function of contact number, slip speed and position."""
    if isinstance(law, CompiledLaw):
        if law.arity != 5:
            raise InputError("a compiled friction law takes 5 numbers", key=law.name, got=law.arity, todo="contact, slip speed, x, y, z")
        return lambda contact, speed, x: law(float(contact), speed, *x.tolist())
    try:
        inspect.signature(law).bind(0, 0.0, np.zeros(3))
    except TypeError:
        raise InputError("a friction law takes three arguments", key="mu", got=getattr(law, "__name__", law), todo=ARGUMENTS) from None
    except ValueError:                                     # written in C, without a signature: the call will tell
        pass
    called: FrictionLaw = law
    return called


def _number(law: Any, value: Any) -> float:
    if np.ndim(value) == 0 and np.asarray(value).dtype.kind in "fiu":
        return float(value)
    raise InputError("a friction law must give a number", key=f"mu, {getattr(law, '__name__', 'law')}", got=value)


def _numbers(given: Any) -> np.ndarray:
    try:
        mu = np.array(given)
    except ValueError:                                     # lists of different lengths
        mu = np.array(None)
    if mu.dtype.kind not in "fiu":
        raise InputError("is no friction coefficient", key="mu", got=given, todo=f"give a number, a list of numbers, or a law of {ARGUMENTS}")
    return mu.astype(float)
