"""Shapes of a system as outlines in a view: convex shapes, orthographic projection, nothing hidden."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from knuckle.contact.shapes import polytope
from knuckle.model import System
from knuckle.model.structure import Shape

AROUND = np.linspace(0.0, 2.0 * np.pi, 73)[:-1]
OBJECT, LINK, FIXED = "object", "link", "fixed"


@dataclass(frozen=True)
class View:
    """Orthographic: what lies along `right` and `up` is seen, `toward` points at the eye. Rows are unit vectors of the world."""

    right: np.ndarray  # 3
    up: np.ndarray  # 3
    toward: np.ndarray  # 3
    name: str = ""

    def of(self, points: np.ndarray) -> np.ndarray:
        """World points (or directions) on the paper, ... x 2."""
        return np.asarray(points) @ np.array([self.right, self.up]).T


@dataclass(frozen=True)
class Placed:
    """One shape where it stands."""

    shape: Shape
    role: str  # object, link, fixed
    position: np.ndarray  # 3, m, world
    rotation: np.ndarray  # 3 x 3

    @property
    def depth_key(self) -> tuple[int, int]:
        """Painter's order: what is fixed, then links, then objects."""
        return ((FIXED, LINK, OBJECT).index(self.role), self.shape.body)


def placed_shapes(system: System, q: np.ndarray, v: np.ndarray) -> list[Placed]:
    """Shapes at the state, in the order in which they are painted."""
    system.terms(q, v)
    position, rotation = system.plant.xpos.copy(), system.plant.xmat.reshape(-1, 3, 3).copy()
    placed = [
        Placed(
            shape,
            _role(system, shape.body),
            position[shape.body] + rotation[shape.body] @ shape.position,
            rotation[shape.body] @ np.asarray(shape.rotation).reshape(3, 3),
        )
        for shape in _shown(system)
    ]
    return sorted(placed, key=lambda one: one.depth_key)


def _shown(system: System) -> list[Shape]:
    """Without what only decorates: meshes over a body's contact shapes, geoms around the line that stands for a link."""
    touch = [shape for shape in system.shapes if _touches(system, shape)]
    bodies, lines = {shape.body for shape in touch}, {shape.body for shape in touch if shape.kind == "segment"}

    def decorates(shape: Shape) -> bool:
        return not _touches(system, shape) and (shape.body in lines or (shape.kind == "mesh" and shape.body in bodies))

    return [shape for shape in system.shapes if not decorates(shape)]


def _touches(system: System, shape: Shape) -> bool:
    return shape.geom < 0 or bool(system.model.geom_contype[shape.geom] or system.model.geom_conaffinity[shape.geom])


def _role(system: System, body: int) -> str:
    if int(system.model.body_weldid[body]) == 0:
        return FIXED
    root = int(system.model.body_rootid[body])
    return OBJECT if body in system.objects or root in system.objects else LINK


def outline(placed: Placed, view: View) -> np.ndarray:
    """Corners of the outline on the paper, n x 2; two for a segment, none for a plane."""
    if placed.shape.kind == "plane":
        return np.zeros((0, 2))
    points = _surface(placed, view)
    flat = view.of(placed.position + points @ placed.rotation.T)
    return flat if placed.shape.kind == "segment" else convex_hull(flat)


def edges(placed: Placed, view: View) -> np.ndarray:
    """Edges of a body with flat faces on the paper, n x 2 x 2."""
    solid = polytope(placed.shape)
    return view.of(placed.position + solid.vertices @ placed.rotation.T)[solid.edges]


def _surface(placed: Placed, view: View) -> np.ndarray:
    """Points of the surface, in the shape's frame, whose hull has the outline of the shape."""
    kind, size = placed.shape.kind, np.asarray(placed.shape.size, float)
    in_view = np.outer(np.cos(AROUND), view.right) + np.outer(np.sin(AROUND), view.up)
    seen = in_view @ placed.rotation  # directions of the outline in the shape's frame
    if kind == "segment":
        return np.array([[-size[0], 0.0, 0.0], [size[0], 0.0, 0.0]])
    if kind == "sphere":
        return size[0] * seen
    if kind == "ellipsoid":
        return seen * size**2 / np.linalg.norm(seen * size, axis=1, keepdims=True)
    ends = np.array([[0.0, 0.0, size[1]], [0.0, 0.0, -size[1]]])
    if kind == "capsule":
        return np.concatenate([end + size[0] * seen for end in ends])
    if kind == "cylinder":
        rim = size[0] * np.stack([np.cos(AROUND), np.sin(AROUND), 0.0 * AROUND], axis=1)
        return np.concatenate([end + rim for end in ends])
    if kind == "box":
        return np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size
    return np.asarray(placed.shape.vertices, float).reshape(-1, 3)


def convex_hull(points: np.ndarray) -> np.ndarray:
    """Corners counter-clockwise (Andrew 1979)."""
    ordered = sorted({(float(x), float(y)) for x, y in points})
    if len(ordered) < 3:
        return np.array(ordered).reshape(-1, 2)

    def half(path: list[tuple[float, float]]) -> list[tuple[float, float]]:
        kept: list[tuple[float, float]] = []
        for point in path:
            while len(kept) > 1 and _turn(kept[-2], kept[-1], point) <= 0.0:
                kept.pop()
            kept.append(point)
        return kept[:-1]

    return np.array(half(ordered) + half(ordered[::-1]))


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
