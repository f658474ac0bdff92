"""A quadratic in a box: conjugate gradients inside a face, a step along the chopped gradient to leave it."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

LEAVE = 0.9          # a face is left when the chopped part is so large a share of the projected gradient
FLAT = 1e-14         # curvature over |H p| |p|: below it a direction counts as flat, and is followed to the wall

Product = Callable[[np.ndarray], np.ndarray]


@dataclass
class QuadraticStep:
    """A point of the box, how far the model falls there, and what it cost."""

    d: np.ndarray
    gradient: np.ndarray        # of the model at d
    iterations: int = 0         # steps of conjugate gradients and out of faces
    products: int = 0

    def moved(self, p: np.ndarray, product: Product, lower: np.ndarray, upper: np.ndarray) -> bool:
        """Exact line search along p, as far as the walls allow; whether a wall was reached."""
        Hp = product(p)
        self.products, self.iterations = self.products + 1, self.iterations + 1
        curvature, room = float(p @ Hp), np.full(p.size, np.inf)
        room[p > 0.0] = (upper - self.d)[p > 0.0] / p[p > 0.0]
        room[p < 0.0] = (lower - self.d)[p < 0.0] / p[p < 0.0]
        farthest = float(room.min(initial=np.inf))
        curved = curvature > FLAT * np.linalg.norm(Hp) * np.linalg.norm(p)
        length = -float(self.gradient @ p) / curvature if curved else np.inf
        stopped = length >= farthest
        length = min(length, farthest)
        if not np.isfinite(length):
            raise FloatingPointError("the quadratic has no bound in its box")
        self.gradient = self.gradient + length * Hp
        self.d = np.clip(self.d + length * p, lower, upper)
        if stopped:                                     # on the wall to the last bit
            met = room <= farthest
            self.d[met] = np.where(p[met] > 0.0, upper[met], lower[met])
        return stopped


def projected_parts(gradient: np.ndarray, d: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Internal gradient (inside the face of d) and chopped gradient (what leads off the walls into the box)."""
    inside = (d > lower) & (d < upper)
    inward = ~inside & (lower < upper) & (((d <= lower) & (gradient < 0.0)) | ((d >= upper) & (gradient > 0.0)))
    return np.where(inside, gradient, 0.0), np.where(inward, gradient, 0.0)


def minimise_quadratic(product: Product, g: np.ndarray, lower: np.ndarray, upper: np.ndarray, tolerance: float, most: int) -> QuadraticStep:
    """g.d + d.H d / 2 over lower <= d <= upper, from d = 0, down to a projected gradient of `tolerance` or `most` products."""
    at = QuadraticStep(np.clip(np.zeros(g.size), lower, upper), np.array(g, dtype=float))
    if at.d.any():
        at.gradient, at.products = at.gradient + product(at.d), 1
    while at.products < most:
        internal, chopped = projected_parts(at.gradient, at.d, lower, upper)
        whole = float(np.linalg.norm(internal + chopped))
        if whole <= tolerance:
            break
        if np.linalg.norm(chopped) > LEAVE * whole:
            at.moved(-chopped, product, lower, upper)
        else:
            _along_face(at, product, internal, lower, upper, tolerance, most)
    return at


def _along_face(at: QuadraticStep, product: Product, internal: np.ndarray, lower: np.ndarray, upper: np.ndarray, tolerance: float, most: int) -> None:
    """Conjugate gradients over the face of at.d until a wall is met, the face is not worth it or the cap is reached."""
    inside = (at.d > lower) & (at.d < upper)
    p = -internal
    for _ in range(2 * int(inside.sum())):
        if at.moved(p, product, lower, upper) or at.products >= most:
            return
        following, chopped = projected_parts(at.gradient, at.d, lower, upper)
        length = float(np.linalg.norm(following))
        if length <= tolerance or np.linalg.norm(chopped) > LEAVE * np.linalg.norm(following + chopped):
            return
        p = -following + p * (length / np.linalg.norm(internal)) ** 2
        if p @ at.gradient >= 0.0:                      # round-off took the conjugacy away
            p = -following
        internal = following
