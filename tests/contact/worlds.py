"""Small worlds of two bodies, and support functions written apart from the kernels."""
import itertools

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from knuckle.contact.geometry import Geometry, contact_geometry
from knuckle.model import load
from knuckle.model.structure import Shape
from knuckle.model.system import System

SIZES = {"plane": (1, 1, 1), "sphere": (0.3, 0, 0), "capsule": (0.2, 0.4, 0), "cylinder": (0.25, 0.35, 0), "ellipsoid": (0.5, 0.3, 0.2),
         "box": (0.3, 0.4, 0.2), "mesh": (0, 0, 0)}
PAIRS = [pair for pair in itertools.combinations_with_replacement(SIZES, 2) if pair != ("plane", "plane")]
TWO_FREE = """<mujoco><option gravity="0 0 0"/><worldbody>
<body name="b"><freejoint/><geom type="sphere" size=".1" mass="2"/></body>
<body name="a"><freejoint/><geom type="sphere" size=".1" mass="1"/></body></worldbody></mujoco>"""


def make_shape(kind: str, body: int, size: tuple = (), seed: int = 0, position: tuple = (0, 0, 0), rotation: np.ndarray | None = None) -> Shape:
    vertices, polygons = hull_of(seed) if kind == "mesh" else (np.zeros((0, 3)), ())
    full = np.zeros(3)
    full[: len(size or SIZES[kind])] = size or SIZES[kind]
    return Shape(f"{kind}{body}", kind, -1, body, full, np.array(position, float), np.eye(3) if rotation is None else rotation, 0.5, vertices,
                 polygons)


def hull_of(seed: int) -> tuple[np.ndarray, tuple]:
    points = np.random.default_rng(seed).normal(size=(12, 3))
    points *= 0.4 / np.linalg.norm(points, axis=1)[:, None]
    hull = ConvexHull(points)
    outward = [np.cross(points[s[1]] - points[s[0]], points[s[2]] - points[s[0]]) @ e[:3] > 0
               for s, e in zip(hull.simplices, hull.equations, strict=True)]
    return points, tuple(s if out else s[::-1] for s, out in zip(hull.simplices, outward, strict=True))


def two_bodies(shape_a: Shape, shape_b: Shape, reach: float = 10.0) -> Geometry:
    """Both bodies free: body 2 is A, body 1 is B."""
    system, _ = load(TWO_FREE)
    full = System(system.model, extra_shapes=[shape_a, shape_b])
    return contact_geometry(full, [(2, 3)], reach)


def pose(position_a: np.ndarray, rotation_a: Rotation, position_b: np.ndarray, rotation_b: Rotation) -> np.ndarray:
    quaternions = [r.as_quat(scalar_first=True) for r in (rotation_b, rotation_a)]
    return np.concatenate([position_b, quaternions[0], position_a, quaternions[1]])


def random_pair(kinds: tuple[str, str], rng: np.random.Generator, reach: float = 10.0) -> tuple[Geometry, np.ndarray]:
    """Two bodies in random poses, and the state."""
    seeds = rng.integers(1000, size=2)
    geometry = two_bodies(make_shape(kinds[0], 2, seed=int(seeds[0])), make_shape(kinds[1], 1, seed=int(seeds[1])), reach)
    turns = Rotation.random(2, random_state=rng)
    away = rng.normal(size=3)
    away *= rng.uniform(0.9, 1.3) / np.linalg.norm(away)
    if kinds[0] == "plane":
        away = -turns[0].as_matrix()[:, 2] * rng.uniform(0.5, 1.0)
    return geometry, pose(away, turns[0], np.zeros(3), turns[1])


def apart(kinds: tuple[str, str], rng: np.random.Generator) -> tuple[Geometry, np.ndarray, int]:
    """As random_pair, with a gap; and the number of the nearest contact."""
    while True:
        geometry, q = random_pair(kinds, rng)
        count = geometry.update(q, np.zeros(12))
        nearest = int(np.argmin(geometry.contacts.gap[:count]))
        if geometry.contacts.gap[nearest] > 0.01:
            return geometry, q, nearest


def support(shape: Shape, rotation: np.ndarray, position: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Support point of a shape, from its definition."""
    d, size = rotation.T @ direction, shape.size
    match shape.kind:
        case "sphere":
            x = size[0] * d
        case "capsule":
            x = np.array([0, 0, size[1] * np.sign(d[2])]) + size[0] * d
        case "ellipsoid":
            x = size**2 * d / np.linalg.norm(size * d)
        case "box":
            x = np.sign(d) * size
        case "mesh":
            x = shape.vertices[np.argmax(shape.vertices @ d)]
        case "cylinder":
            x = np.array([*(size[0] * d[:2] / np.hypot(d[0], d[1])), size[1] * np.sign(d[2])])
    return position + rotation @ x
