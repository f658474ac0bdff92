"""Settling: a state of another simulator, with its soft contacts, brought to exact contact (CONTRACT 2)."""
from dataclasses import dataclass

import numpy as np

from knuckle.contact.geometry import Geometry
from knuckle.contact.labels import TOLERANCES, Tolerances
from knuckle.errors import GeometryError

LARGEST = 1e-3       # m; a state that must move farther is another state (CONTRACT 2)
MOST_STEPS = 30


@dataclass(frozen=True)
class Settled:
    """A state with gap 0 and no normal drift at the chosen contacts."""

    q: np.ndarray
    v: np.ndarray
    displacement: float         # m, the farthest that a contact point moved on either body
    largest_gap: float          # m, before
    largest_drift: float        # m/s, before
    pairs: tuple[int, ...]      # pairs that are now in contact, as rows of the search


def settle(geometry: Geometry, q: np.ndarray, v: np.ndarray, reach: float = LARGEST, rolling: tuple[int, ...] = (),
           tolerances: Tolerances = TOLERANCES, largest: float = LARGEST) -> Settled:
    """Moves (q, v) the least, in the metric of the inertia, to gap 0 and zero drift at every contact nearer than `reach`.

    `rolling`: pairs whose slip is removed as well. Raises GeometryError when a contact point would move more than `largest` metres or
    when no such state is near.
    """
    q, v = np.array(q, dtype=float), np.array(v, dtype=float)
    count = geometry.update(q, v)
    chosen = sorted({int(geometry.contacts.pair[k]) for k in range(count) if geometry.contacts.gap[k] <= reach})
    first_gap = max((abs(float(geometry.contacts.gap[k])) for k in _near(geometry, count, chosen, reach)), default=0.0)
    shift = 0.0
    for _ in range(MOST_STEPS):
        near = _near(geometry, count, chosen, reach)
        gaps = geometry.contacts.gap[near].copy()
        if np.abs(gaps).max(initial=0.0) <= 1e-2 * tolerances.gap:
            break
        step = _least_motion(geometry, q, v, [3 * k for k in near], -gaps)
        shift += _point_motion(geometry, near, step)
        if shift > largest:
            raise GeometryError(f"settling would move a contact point by more than {1e3 * largest:g} mm (largest gap {1e3 * first_gap:.3g} "
                                "mm); start closer to contact or settle with a larger limit")
        q = geometry.system.integrate(q, step)
        count = geometry.update(q, v)
    else:
        raise GeometryError(f"settling found no state in which all of {len(chosen)} pairs touch (a gap of {np.abs(gaps).max():.3g} m is left)")
    rows = [3 * k for k in _near(geometry, count, chosen, reach)]
    drift = float(np.abs(geometry.contacts.velocity[rows]).max(initial=0.0))
    axes = (1,) if geometry.system.plane is not None else (1, 2)
    rows += [3 * k + axis for k in _near(geometry, count, chosen, reach) if int(geometry.contacts.pair[k]) in rolling for axis in axes]
    v = v + _least_motion(geometry, q, v, rows, -geometry.contacts.velocity[rows])
    geometry.update(q, v)
    left = float(np.abs(geometry.contacts.velocity[rows]).max(initial=0.0))
    if left > tolerances.drift:
        raise GeometryError(f"no velocity keeps all of {len(chosen)} pairs in contact (a normal velocity of {left:.3g} m/s is left)")
    return Settled(q, v, shift, first_gap, drift, tuple(chosen))


def _near(geometry: Geometry, count: int, chosen: list[int], reach: float) -> list[int]:
    return [k for k in range(count) if int(geometry.contacts.pair[k]) in chosen and geometry.contacts.gap[k] <= reach]


def _least_motion(geometry: Geometry, q: np.ndarray, v: np.ndarray, rows: list[int], wanted: np.ndarray) -> np.ndarray:
    """The x of least x'Mx with W x = wanted, in the sense of least squares where rows depend on one another."""
    M, _ = geometry.system.terms(q, v)
    factor = np.linalg.inv(np.linalg.cholesky(M))
    scaled = geometry.contacts.W[rows] @ factor.T
    return factor.T @ np.linalg.lstsq(scaled, np.array(wanted), rcond=1e-10)[0]


def _point_motion(geometry: Geometry, near: list[int], step: np.ndarray) -> float:
    """The farthest that the material points of both bodies move at the contacts, in metres."""
    contacts, system = geometry.contacts, geometry.system
    moves = [0.0]
    for k in near:
        for body, point in ((contacts.body_A[k], contacts.point_A[k]), (contacts.body_B[k], contacts.point_B[k])):
            J, _, _ = system.point(int(body), point)
            moves.append(float(np.linalg.norm(J @ step)))
    return max(moves)
