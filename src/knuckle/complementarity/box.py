"""Least value of a smooth function in a box: trust regions in the largest norm, each with a quadratic model in a box."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from knuckle.complementarity.box_quadratic import minimise_quadratic, projected_parts
from knuckle.complementarity.inputs import holds_numbers
from knuckle.complementarity.result import Result
from knuckle.errors import shown

ENOUGH, GOOD = 0.1, 0.75       # share of the model's decrease at which a step is taken, and at which the region grows
SHRINK, GROW = 0.25, 2.0
SMALLEST = 1e-14               # a trust region below this (relative to x) moves nothing
FAR = 1e10                     # no trust region grows beyond this
ROUND_OFF = 1e-15              # of a function's values, relative: decreases below it are believed, but not for long
IDLE = 5
NUDGE = 1e-7                   # for products by differences of the gradient

Function = Callable[[np.ndarray], float]
Gradient = Callable[[np.ndarray], np.ndarray]
HessianProduct = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class BoxResult(Result):
    """`outcome`: stationary (projected gradient below tolerance), target (value below it), stalled (no step decreases the value
    any more), capped (iterations or products used up) or invalid_input (errors)."""

    outcome: str
    x: np.ndarray | None = None                  # (n,)
    value: float | None = None
    slope: float | None = None                   # largest entry of the projected gradient
    iterations: int = 0                          # trust regions that were solved (box iterations)
    evaluations: int = 0                         # of the function
    quadratic_iterations: int = 0                # steps of the solver of the models
    products: int = 0                            # of the Hessian with a vector
    errors: list[str] = field(default_factory=list)


def _faults(lower: np.ndarray, upper: np.ndarray, x: np.ndarray) -> list[str]:
    if x.ndim != 1 or lower.shape != x.shape or upper.shape != x.shape:
        return [f"lower, upper and x0: must have one length (got {lower.shape}, {upper.shape} and {x.shape})"]
    faults = []
    if not np.isfinite(x).all():
        faults.append(f"x0: every entry must be finite (got {shown(x)})")
    if np.isnan(lower).any() or np.isnan(upper).any() or (lower > upper).any():
        faults.append("lower: must not be above upper, and neither may be undefined")
    elif (lower == np.inf).any() or (upper == -np.inf).any():
        faults.append("lower and upper: leave no finite number between them")
    return faults


def _by_differences(gradient: Gradient, lower: np.ndarray, upper: np.ndarray) -> HessianProduct:
    """Products of the Hessian from two gradients, taken inside the box."""
    def product(x: np.ndarray, d: np.ndarray) -> np.ndarray:
        length = NUDGE * (1.0 + np.abs(x).max(initial=0.0)) / (np.abs(d).max(initial=0.0) or 1.0)
        ahead, back = np.clip(x + length * d, lower, upper), np.clip(x - length * d, lower, upper)
        span = max(float(np.abs(ahead - back).max(initial=0.0)), 1e-300)
        return (gradient(ahead) - gradient(back)) * (np.abs(d).max(initial=0.0) / span)
    return product


def minimise_in_box(fun: Function, gradient: Gradient, product: HessianProduct | None, lower: ArrayLike, upper: ArrayLike, x0: ArrayLike,
                    tolerance: float = 1e-9, target: float = -np.inf, radius: float = 1.0, most_iterations: int = 500,
                    most_products: int = 100_000) -> BoxResult:
    """Stationary point of `fun` in lower <= x <= upper (infinite where there is no bound), no higher than x0, which is moved into the box.

    `product(x, d)` is the Hessian at x times d; None: by differences of the gradient. Points where `fun` is not finite are stepped back from."""
    given = {"lower": lower, "upper": upper, "x0": x0}
    if errors := [f"{name}: must be made of real numbers (got {shown(value)})" for name, value in given.items() if not holds_numbers(value)]:
        return BoxResult("invalid_input", errors=errors)
    x = np.atleast_1d(np.array(x0, dtype=float))
    low, high = (np.array(np.broadcast_to(part, x.shape) if np.ndim(part) == 0 else part, dtype=float) for part in (lower, upper))
    if errors := _faults(low, high, x):
        return BoxResult("invalid_input", errors=errors)
    x = np.clip(x, low, high)
    value, slope = float(fun(x)), np.asarray(gradient(x), dtype=float)
    if not np.isfinite(value) or slope.shape != x.shape or not np.isfinite(slope).all():
        return BoxResult("invalid_input", errors=[f"fun and gradient: must be finite at the start (got {value:g} and {shown(slope)})"])
    run = _Run(fun, gradient, product or _by_differences(gradient, low, high), low, high, x, value, slope, radius)
    outcome = run.until(tolerance, target, most_iterations, most_products)
    return BoxResult(outcome, run.x, run.value, float(np.abs(run.projected).max(initial=0.0)), run.iterations, run.evaluations,
                     run.quadratic_iterations, run.products)


@dataclass
class _Run:
    fun: Function
    gradient: Gradient
    product: HessianProduct
    lower: np.ndarray
    upper: np.ndarray
    x: np.ndarray
    value: float
    slope: np.ndarray
    radius: float
    iterations: int = 0
    evaluations: int = 1
    quadratic_iterations: int = 0
    products: int = 0
    idle: int = 0                   # steps in a row whose gain is round-off

    @property
    def projected(self) -> np.ndarray:
        return sum(projected_parts(self.slope, self.x, self.lower, self.upper))  # type: ignore[return-value] # of two arrays

    def until(self, tolerance: float, target: float, most_iterations: int, most_products: int) -> str:
        with np.errstate(all="ignore"):                 # what overflows is stepped back from
            while True:
                length = float(np.linalg.norm(self.projected))
                if self.value <= target:
                    return "target"
                if length <= tolerance:
                    return "stationary"
                if self.idle > IDLE or self.radius <= SMALLEST * (1.0 + np.abs(self.x).max(initial=0.0)):
                    return "stalled"
                if self.iterations >= most_iterations or self.products >= most_products:
                    return "capped"
                self.step(length, most_products - self.products)

    def step(self, length: float, most: int) -> None:
        """One model in the box cut by the trust region; the step is taken when the function falls as the model says."""
        low, high = np.maximum(self.lower - self.x, -self.radius), np.minimum(self.upper - self.x, self.radius)
        x = self.x
        # the model is solved the better the nearer the end, so that convergence is faster than linear
        self.iterations += 1
        try:
            model = minimise_quadratic(lambda d: self.product(x, d), self.slope, low, high, min(0.1, np.sqrt(length)) * length,
                                       min(most, 4 * x.size + 20))
        except FloatingPointError:                      # products that are not finite
            self.radius *= SHRINK
            return
        self.quadratic_iterations += model.iterations
        self.products += model.products
        # model.gradient = slope + H d
        expected = -0.5 * float(model.d @ (self.slope + model.gradient))
        trial = np.clip(x + model.d, self.lower, self.upper)
        met = (model.d <= self.lower - x) | (model.d >= self.upper - x)     # on the wall to the last bit
        trial[met] = np.where(model.d <= self.lower - x, self.lower, self.upper)[met]
        value = float(self.fun(trial))
        self.evaluations += 1
        size = float(np.abs(model.d).max(initial=0.0))
        noise = ROUND_OFF * abs(self.value)
        share = (self.value - value + noise) / (expected + noise) if expected > 0.0 else -1.0
        self.idle = self.idle + 1 if expected <= noise else 0
        if not share >= ENOUGH:                         # also where the value is not a number
            self.radius = SHRINK * min(self.radius, size)
            return
        slope = np.asarray(self.gradient(trial), dtype=float)
        if not np.isfinite(slope).all():
            self.radius = SHRINK * min(self.radius, size)
            return
        if share >= GOOD and size >= 0.99 * self.radius:
            self.radius = min(GROW * self.radius, FAR)
        self.x, self.value, self.slope = trial, value, slope
