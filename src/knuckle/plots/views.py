"""From where a scene is looked at: one view of a plane, the two most telling ones of a scene in space."""

from __future__ import annotations

import math

import numpy as np

from knuckle.model import System
from knuckle.plots.outlines import View

ELEVATION = math.radians(18.0)  # of the side views, so that circles and planes are seen as such


def _unit(x: np.ndarray) -> np.ndarray:
    return x / np.linalg.norm(x) + 0.0


def upward(system: System) -> np.ndarray:
    """Against gravity; world z where there is none."""
    gravity = np.array(system.model.opt.gravity, float)
    return np.array([0.0, 0.0, 1.0]) if not gravity.any() else -_unit(gravity)


def planar_view(system: System, w: np.ndarray) -> View:
    """The plane of motion, against gravity up, and world x (else y) to the right rather than to the left."""
    up = upward(system)
    for candidate in (up, np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])):
        flat = candidate - (candidate @ w) * w
        if np.linalg.norm(flat) > 0.5:
            up = _unit(flat)
            break
    right = np.cross(up, w)
    side = -1.0 if next((x for x in right if abs(x) > 1e-6), 1.0) < 0.0 else 1.0
    return View(side * right, up, side * w, "in the plane of motion")


def spatial_views(system: System, points: np.ndarray, forces: np.ndarray) -> list[View]:
    """Two of: from the front, from the side, from above; those in which contacts and forces are best told apart."""
    up = upward(system)
    first = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    right = _unit(first - (first @ up) * up)
    away = np.cross(up, right)
    level = points - points.mean(axis=0) if len(points) else np.zeros((0, 3))
    flat = np.stack([level @ right, level @ away], axis=1)
    if len(flat) > 1 and np.abs(flat).max() > 1e-6:
        # The widest spread of the contacts lies across the paper; ties keep the world's axes.
        values, vectors = np.linalg.eigh(flat.T @ flat)
        if values[1] > 1.2 * values[0]:
            turned = vectors[0, 1] * right + vectors[1, 1] * away
            right = turned if turned @ right >= -1e-12 else -turned
    side = np.cross(up, right)
    views = [
        _side_view(right, up, "from the front"),
        _side_view(side, up, "from the side"),
        View(right, np.cross(up, right), up, "from above"),
    ]
    front, *others = views
    return [front, max(others, key=lambda view: _told_apart(view, points, forces))]


def _side_view(right: np.ndarray, up: np.ndarray, name: str) -> View:
    toward = math.cos(ELEVATION) * np.cross(right, up) + math.sin(ELEVATION) * up
    return View(right, np.cross(toward, right), toward, name)


def _told_apart(view: View, points: np.ndarray, forces: np.ndarray) -> float:
    """Least distance of two contacts over the size of the scene, and the share of the forces that is seen."""
    flat, size = view.of(points), float(np.abs(points - points.mean(axis=0)).max()) if len(points) else 0.0
    apart = [float(np.linalg.norm(a - b)) for i, a in enumerate(flat) for b in flat[:i]]
    seen = np.linalg.norm(view.of(forces), axis=1).sum() / max(float(np.linalg.norm(forces, axis=1).sum()), 1e-300)
    return 2.0 * (min(apart) / size if apart and size > 0.0 else 0.0) + float(seen)
