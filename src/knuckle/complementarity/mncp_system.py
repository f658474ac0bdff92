"""F and G of a mixed complementarity problem as one map of x = (u, v): evaluated, counted, differentiated."""
from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from knuckle.errors import one_line, shown

STEP = 6e-6                # cube root of the smallest difference: the best step of second-order differences
WRONG, TINY = 1e-4, 1e-8   # a given Jacobian may differ so much from differences
CONTENT = (ArithmeticError, ValueError, IndexError, TypeError, np.linalg.LinAlgError)    # what a formula raises where it is not defined

Map = Callable[..., Any]


def _takes_both(function: Map) -> bool:
    """Whether a function is called with (u, v), or with x alone: two arguments without default, or one."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return True
    if any(each.kind is each.VAR_POSITIONAL for each in parameters):
        return True
    places = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    return sum(each.default is each.empty for each in places) != 1


class MncpSystem:
    """`values(x)`: F then G, NaN where they are not defined; `jacobian(x)`: its p + m rows. `fault`: what was wrong last."""

    def __init__(self, F: Map | None, G: Map | None, p: int, m: int, jacobian: Map | None, curvature: Map | None = None) -> None:
        self.p, self.m, self.n = p, m, p + m
        self.maps = [(name, function, size, _takes_both(function)) for name, function, size in (("F", F, p), ("G", G, m)) if function and size]
        self.given = None if jacobian is None else (jacobian, _takes_both(jacobian))
        self.curved = curvature
        self.evaluations, self.jacobians, self.fault = 0, 0, ""

    def _called(self, name: str, function: Map, both: bool, x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """An array of the shape; NaN, and a fault, where the user's function does not give one."""
        wanted = " x ".join(map(str, shape))
        try:
            value = function(x[:self.p].copy(), x[self.p:].copy()) if both else function(x.copy())
            value = value.toarray() if hasattr(value, "toarray") else value
            array = np.asarray(value)
            if array.dtype.kind not in "fiu":
                self.fault = f"{name}: must give {wanted} real numbers (got {shown(value)})"
                return np.full(shape, np.nan)
            array = array.astype(float)
        except CONTENT as error:
            self.fault = f"{name}: raised {type(error).__name__} ({one_line(str(error))}) at (u, v) = {shown(x)}"
            return np.full(shape, np.nan)
        if array.shape != shape and not (array.size == np.prod(shape) and array.squeeze().shape == np.empty(shape).squeeze().shape):
            self.fault = f"{name}: must give {wanted} numbers (got shape {array.shape})"
            return np.full(shape, np.nan)
        if not np.isfinite(array).all():
            self.fault = f"{name}: must be finite (got {shown(float(array[~np.isfinite(array)][0]))} at (u, v) = {shown(x)})"
        return array.reshape(shape)

    def values(self, x: np.ndarray) -> np.ndarray:
        self.evaluations += 1
        parts = [self._called(name, function, both, x, (size,)) for name, function, size, both in self.maps]
        return np.concatenate(parts) if parts else np.zeros(0)

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        """Row by row the derivatives of F, then G, by u, then v."""
        self.jacobians += 1
        if self.given is not None:
            return self._called("jacobian", *self.given, x, (self.n, self.n))
        return self.differences(x)

    def checked_jacobian(self, x: np.ndarray) -> tuple[np.ndarray, str]:
        """What F and G themselves say, and what is wrong with a Jacobian that was given; its digits are the better ones where it is right."""
        if self.given is None:
            return self.differences(x), ""
        J, D = self.jacobian(x), self.differences(x)
        if not np.isfinite(D).all():
            return D, "jacobian: cannot be checked, F and G are not defined around the point"
        wrong = np.abs(J - D).max(axis=1, initial=0.0)
        size = np.maximum(np.abs(D).max(axis=1, initial=0.0), np.abs(self.values(x)))
        if (wrong <= WRONG * size + TINY).all():
            return J, ""
        row = int((wrong - WRONG * size).argmax())
        return D, f"jacobian: row {row} is off by {wrong[row]:.1e} from differences of the functions"

    def differences(self, x: np.ndarray) -> np.ndarray:
        J, here = np.zeros((self.n, self.n)), None
        for k in range(self.n):
            h = STEP * (1.0 + abs(x[k]))
            if k >= self.p or x[k] >= h:
                J[:, k] = (self._moved(x, k, h) - self._moved(x, k, -h)) / (2.0 * h)
                if np.isfinite(J[:, k]).all():
                    continue
            here = self.values(x) if here is None else here           # second order from one side: u must not leave u >= 0
            J[:, k] = (4.0 * self._moved(x, k, h) - self._moved(x, k, 2.0 * h) - 3.0 * here) / (2.0 * h)
        return J

    def around(self, x: np.ndarray) -> np.ndarray:
        """The least, over three distances, of the largest |F|, |G| so far away: what is below its round-off is not told from zero here."""
        least = np.full(self.n, np.inf)
        for nearer in (1.0, 1e-3, 1e-6):
            most = np.zeros(self.n)
            for k in range(self.n):
                there = np.abs(self._moved(x, k, nearer * STEP * (1.0 + abs(x[k]))))
                most = np.maximum(most, np.where(np.isfinite(there), there, 0.0))
            least = np.minimum(least, most)
        return least

    def shares(self, x: np.ndarray) -> np.ndarray:
        """dF_i/dx_j x_j, what each unknown adds to each equation, by differences that are relative to the unknown: the same in all units."""
        S = np.zeros((self.n, self.n))
        for k in np.flatnonzero(x).tolist():
            S[:, k] = (self._moved(x, k, STEP * x[k]) - self._moved(x, k, -STEP * x[k])) / (2.0 * STEP)
        return S

    def _moved(self, x: np.ndarray, k: int, h: float) -> np.ndarray:
        there = x.copy()
        there[k] += h
        return self.values(there)

    def curvature(self, x: np.ndarray, weight: np.ndarray) -> np.ndarray | None:
        """The sum of weight times the Hessians of (F, G): given, or by differences of a Jacobian that was given; None where there is neither."""
        if self.curved is not None:
            return self._called("curvature", lambda u, v: self.curved(u, v, weight), True, x, (self.n, self.n))  # type: ignore[misc] # not None
        if self.given is None:
            return None
        H = np.zeros((self.n, self.n))
        for k in range(self.n):
            h = STEP * (1.0 + abs(x[k]))
            ahead, back = x.copy(), x.copy()
            ahead[k], back[k] = x[k] + h, x[k] - h if k >= self.p else max(x[k] - h, 0.0)
            H[:, k] = (self.jacobian(ahead) - self.jacobian(back)).T @ weight / (ahead[k] - back[k])
        H = 0.5 * (H + H.T)
        return H if np.isfinite(H).all() else None
