"""Shapes as data: what the model hands over, turned into the table that kernels read.

Frames and sizes are MuJoCo's: plane +z, capsule and cylinder along z with size (radius, half length), box and ellipsoid half sizes.
`mesh` stands for its convex hull. `segment` is a zero-thickness link of planar systems: a strip from -size[0] to size[0] along x, half as
wide as size[1] (size[0] when that is 0) along z, touched on the side where the other body is. The cap of a cylinder that stands on a face
touches at four points of its rim, the first of them downhill, and where the border of the face crosses the rim.
"""
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from knuckle.contact.shape_kernels import BOX, CAPSULE, CYLINDER, ELLIPSOID, HULL, PLANE, SEGMENT, SPHERE, ShapeTable
from knuckle.errors import GeometryError
from knuckle.model.structure import Shape

KINDS = {"plane": PLANE, "sphere": SPHERE, "capsule": CAPSULE, "cylinder": CYLINDER, "ellipsoid": ELLIPSOID, "box": BOX, "mesh": HULL,
         "hull": HULL, "segment": SEGMENT}
USED_SIZES = {PLANE: 0, SPHERE: 1, CAPSULE: 2, CYLINDER: 2, ELLIPSOID: 3, BOX: 3, HULL: 0, SEGMENT: 1}
# Pairs that have no contact of the kinds that this room knows.
UNSUPPORTED_PAIRS = {frozenset((PLANE,)): "two planes touch everywhere or nowhere",
                     frozenset((SEGMENT,)): "two lines without thickness have no side",
                     frozenset((PLANE, SEGMENT)): "a line without thickness on a plane has no side; use a box or a capsule"}


@dataclass(frozen=True)
class Polytope:
    """Vertices, edges and faces that a shape brings to the table."""

    vertices: np.ndarray                # n x 3
    edges: np.ndarray                   # m x 2
    faces: tuple[np.ndarray, ...]       # vertex numbers, counter-clockwise from outside
    normals: np.ndarray                 # faces x 3


def shape_table(shapes: Sequence[Shape]) -> ShapeTable:
    """The kernels' table of all shapes, in the given order."""
    for shape in shapes:
        _check(shape)
    parts = [polytope(shape) for shape in shapes]
    vertex_at, edge_at, face_at = (_starts([len(getattr(part, name)) for part in parts]) for name in ("vertices", "edges", "faces"))
    loops = [face + first for part, first in zip(parts, vertex_at, strict=False) for face in part.faces]
    vertices, normals = _stack([part.vertices for part in parts], 3), _stack([part.normals for part in parts], 3)
    edges = _stack([part.edges + first for part, first in zip(parts, vertex_at, strict=False)], 2).astype(np.int64)
    count = len(shapes)

    def of_all(values: list, width: int) -> np.ndarray:
        return np.array(values, dtype=float).reshape(count, width)

    return ShapeTable(
        kind=np.array([KINDS[shape.kind] for shape in shapes], dtype=np.int64), size=of_all([shape.size for shape in shapes], 3),
        radius=np.array([_radius(shape) for shape in shapes]), bound=np.array([_bound(shape) for shape in shapes]),
        body=np.array([shape.body for shape in shapes], dtype=np.int64), geom=np.array([shape.geom for shape in shapes], dtype=np.int64),
        local_pos=of_all([shape.position for shape in shapes], 3), local_mat=of_all([shape.rotation for shape in shapes], 9),
        vertex_at=vertex_at, edge_at=edge_at, face_at=face_at, loop_at=_starts([len(loop) for loop in loops]), vertices=vertices, edges=edges,
        normals=normals, loops=np.concatenate([np.zeros(0, np.int64), *loops]).astype(np.int64),
        pos=np.zeros((count, 3)), mat=np.zeros((count, 9)), world_vertices=vertices.copy(), world_normals=normals.copy(),
        near_vertex=np.zeros(len(vertices), np.int64), near_edge=np.zeros(len(edges), np.int64))


def _starts(lengths: list[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _stack(tables: Sequence[np.ndarray], width: int) -> np.ndarray:
    return np.ascontiguousarray(np.concatenate([np.zeros((0, width)), *tables]))


def _check(shape: Shape) -> None:
    if shape.kind not in KINDS:
        raise GeometryError(f"shape '{shape.name}': kind '{shape.kind}' is not supported (supported: {', '.join(KINDS)})")
    kind = KINDS[shape.kind]
    used = np.asarray(shape.size, dtype=float)[: USED_SIZES[kind]]
    if not (np.isfinite(used).all() and (used > 0.0).all()):
        raise GeometryError(f"shape '{shape.name}': sizes of a {shape.kind} must be positive (got {np.asarray(shape.size).tolist()})")
    if kind == HULL and len(shape.polygons) < 4:
        raise GeometryError(f"shape '{shape.name}': a hull needs vertices and at least 4 faces (got {len(shape.polygons)})")


def _radius(shape: Shape) -> float:
    return float(shape.size[0]) if KINDS[shape.kind] in (SPHERE, CAPSULE, CYLINDER) else 0.0


def _bound(shape: Shape) -> float:
    kind = KINDS[shape.kind]
    if kind == PLANE:
        return np.inf
    if kind == CYLINDER:
        return float(np.hypot(shape.size[0], shape.size[1]))
    if kind == ELLIPSOID:
        return float(np.max(shape.size))
    return float(np.linalg.norm(polytope(shape).vertices, axis=1).max()) + _radius(shape)


def polytope(shape: Shape) -> Polytope:
    return POLYTOPES[KINDS[shape.kind]](shape)


def _solid(vertices: np.ndarray, faces: Sequence[np.ndarray]) -> Polytope:
    """Edges and normals from vertices and faces. Newell's normals (Newell 1972) take polygons that are flat only to round-off."""
    vertices = np.asarray(vertices, dtype=float)
    faces = tuple(np.asarray(face, dtype=np.int64) for face in faces)
    normals, sides = np.zeros((len(faces), 3)), []
    for corners in sorted({len(face) for face in faces}):      # meshes have thousands of faces: all of one length at once
        own = [k for k, face in enumerate(faces) if len(face) == corners]
        loops = np.array([faces[k] for k in own])
        rings = vertices[loops] - vertices[loops].mean(axis=1, keepdims=True)
        normal = np.cross(rings, np.roll(rings, -1, axis=1)).sum(axis=1)
        normals[own] = normal / np.linalg.norm(normal, axis=1, keepdims=True)
        sides.append(np.sort(np.stack([loops, np.roll(loops, -1, axis=1)], axis=2).reshape(-1, 2), axis=1))
    return Polytope(vertices, np.unique(np.concatenate(sides), axis=0), faces, normals)


def _points(vertices: np.ndarray, edges: Sequence[tuple[int, int]] = ()) -> Polytope:
    return Polytope(np.asarray(vertices, dtype=float).reshape(-1, 3), np.array(edges, dtype=np.int64).reshape(-1, 2), (), np.zeros((0, 3)))


def _capsule(shape: Shape) -> Polytope:
    half = float(shape.size[1])
    return _points(np.array([[0.0, 0.0, half], [0.0, 0.0, -half]]), [(0, 1)])


BOX_FACES = ((4, 6, 7, 5), (0, 1, 3, 2), (2, 3, 7, 6), (0, 4, 5, 1), (1, 5, 7, 3), (0, 2, 6, 4))    # +x -x +y -y +z -z


def _box(shape: Shape) -> Polytope:
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    return _solid(corners * shape.size, [np.array(face) for face in BOX_FACES])


def _segment(shape: Shape) -> Polytope:
    """A strip with two sides, local +y and -y."""
    length = float(shape.size[0])
    width = float(shape.size[1]) or length
    corners = np.array([[-length, 0.0, -width], [length, 0.0, -width], [length, 0.0, width], [-length, 0.0, width]])
    return _solid(corners, [np.array([3, 2, 1, 0]), np.array([0, 1, 2, 3])])


def _cylinder(shape: Shape) -> Polytope:
    """Its axis is an edge whose radius makes the flank; the loop of a cap is its centre alone: kernels know the rim around it."""
    half = float(shape.size[1])
    return Polytope(np.array([[0.0, 0.0, half], [0.0, 0.0, -half]]), np.array([[0, 1]]), (np.array([0]), np.array([1])),
                    np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]))


POLYTOPES = {
    PLANE: lambda shape: _points(np.zeros((0, 3))),
    SPHERE: lambda shape: _points(np.zeros((1, 3))),
    CAPSULE: _capsule,
    CYLINDER: _cylinder,
    ELLIPSOID: lambda shape: _points(np.zeros((0, 3))),
    BOX: _box,
    HULL: lambda shape: _solid(shape.vertices, shape.polygons),
    SEGMENT: _segment,
}


def check_pair(a: Shape, b: Shape) -> None:
    """Raises GeometryError, by name, for two shapes that this room cannot bring into contact."""
    _check(a)
    _check(b)
    reason = UNSUPPORTED_PAIRS.get(frozenset((KINDS[a.kind], KINDS[b.kind])))
    if reason:
        raise GeometryError(f"contact of '{a.name}' ({a.kind}) with '{b.name}' ({b.kind}) is not supported: {reason}")
