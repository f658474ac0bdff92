"""Shapes as kernels see them: support points, outward normals, curvature, and the feature (vertex, edge, face) in a direction.

A shape is a table of vertices, edges and faces plus what is round about it: a radius around vertices and edges (sphere = one vertex,
capsule = two vertices and an edge), a smooth surface (ellipsoid), or two rim circles (cylinder: an edge with a radius, two faces).
"""
import math
from typing import NamedTuple

from knuckle.compiled.kernel import Integers, IntegerTable, Matrix, Vector, inner
from knuckle.contact import space_kernels as space
from knuckle.model.kernels import Plant

PLANE, SPHERE, CAPSULE, CYLINDER, ELLIPSOID, BOX, HULL, SEGMENT = 0, 1, 2, 3, 4, 5, 6, 7
# What a contact touches on a body.
VERTEX, EDGE, FACE, SMOOTH, RIM = 0, 1, 2, 3, 4
# Parts of a shape that a common normal may end on: a vertex (its row in the table), the ellipsoid, one of the two rims.
WHOLE, RIM_TOP, RIM_BOTTOM = -1, -2, -3
# rad; edges and faces closer to parallel than this touch along a line or a face: several points instead of one.
ALIGNED = 1e-6
# The same where a point beyond the border of a face still has a normal that close to the face's: the contact is on the edge.
STRICTLY = 1e-10


class ShapeTable(NamedTuple):
    """All shapes of a system. Rows of vertices, edges and faces of shape s: `vertex_at[s]` to `vertex_at[s + 1]` and so on."""

    kind: Integers          # ns
    size: Matrix            # ns x 3, MuJoCo's meaning
    radius: Vector          # ns, roundness of vertices and edges
    bound: Vector           # ns, radius of a ball around the origin of the shape that holds it
    body: Integers          # ns
    geom: Integers          # ns, -1 when it is no geom of the model
    local_pos: Matrix       # ns x 3, in the body frame
    local_mat: Matrix       # ns x 9
    vertex_at: Integers     # ns + 1
    edge_at: Integers       # ns + 1
    face_at: Integers       # ns + 1
    loop_at: Integers       # faces + 1
    vertices: Matrix        # in the frame of the shape
    edges: IntegerTable     # rows of `vertices`
    normals: Matrix         # outward, of faces, in the frame of the shape
    loops: Integers         # rows of `vertices` around each face
    pos: Matrix             # ns x 3, world; from here on written by `place_origin` and `place`
    mat: Matrix             # ns x 9
    world_vertices: Matrix
    world_normals: Matrix
    near_vertex: Integers   # 1: of the pair being looked at, it may be nearest to the other shape (sift_kernels)
    near_edge: Integers


@inner
def place_origin(plant: Plant, shapes: ShapeTable, s: int) -> None:
    b = shapes.body[s]
    for i in range(3):
        total = plant.xpos[b, i]
        for j in range(3):
            total += plant.xmat[b, 3 * i + j] * shapes.local_pos[s, j]
        shapes.pos[s, i] = total


@inner
def place(plant: Plant, shapes: ShapeTable, s: int) -> None:
    """Frame, vertices and face normals in the world, after `place_origin`."""
    b = shapes.body[s]
    for i in range(3):
        for j in range(3):
            total = 0.0
            for k in range(3):
                total += plant.xmat[b, 3 * i + k] * shapes.local_mat[s, 3 * k + j]
            shapes.mat[s, 3 * i + j] = total
    R = shapes.mat[s]
    for a in range(shapes.vertex_at[s], shapes.vertex_at[s + 1]):
        for i in range(3):
            shapes.world_vertices[a, i] = shapes.pos[s, i] + space.dot(R[3 * i: 3 * i + 3], shapes.vertices[a])
    for f in range(shapes.face_at[s], shapes.face_at[s + 1]):
        for i in range(3):
            shapes.world_normals[f, i] = space.dot(R[3 * i: 3 * i + 3], shapes.normals[f])


@inner
def axis(shapes: ShapeTable, s: int, out: Vector) -> None:
    """The symmetry axis of a plane, capsule or cylinder (local z)."""
    out[0], out[1], out[2] = shapes.mat[s, 2], shapes.mat[s, 5], shapes.mat[s, 8]


@inner
def ellipsoid_support(shapes: ShapeTable, s: int, d: Vector, x: Vector) -> None:
    R, size = shapes.mat[s], shapes.size[s]
    a = size[0] * size[0] * (R[0] * d[0] + R[3] * d[1] + R[6] * d[2])
    b = size[1] * size[1] * (R[1] * d[0] + R[4] * d[1] + R[7] * d[2])
    c = size[2] * size[2] * (R[2] * d[0] + R[5] * d[1] + R[8] * d[2])
    for i in range(3):
        x[i] = R[3 * i] * a + R[3 * i + 1] * b + R[3 * i + 2] * c
    h = math.sqrt(space.dot(x, d))
    for i in range(3):
        x[i] = shapes.pos[s, i] + x[i] / h


@inner
def ellipsoid_point(shapes: ShapeTable, s: int, d: Vector, q: Matrix, x: Vector, spread: Vector) -> None:
    """x = D2 m / h and X = (D2 - D2 m m' D2 / h^2) / h of PHYSICS 2; spread = q' X q (11, 12, 22)."""
    R, size = shapes.mat[s], shapes.size[s]
    h2, cross_1, cross_2 = 0.0, 0.0, 0.0
    spread[0], spread[1], spread[2] = 0.0, 0.0, 0.0
    for i in range(3):                                        # body axes
        d2 = size[i] * size[i]
        m = R[i] * d[0] + R[3 + i] * d[1] + R[6 + i] * d[2]
        a = R[i] * q[0, 0] + R[3 + i] * q[0, 1] + R[6 + i] * q[0, 2]
        b = R[i] * q[1, 0] + R[3 + i] * q[1, 1] + R[6 + i] * q[1, 2]
        h2 += d2 * m * m
        cross_1 += d2 * m * a
        cross_2 += d2 * m * b
        spread[0] += d2 * a * a
        spread[1] += d2 * a * b
        spread[2] += d2 * b * b
    h = math.sqrt(h2)
    spread[0] = (spread[0] - cross_1 * cross_1 / h2) / h
    spread[1] = (spread[1] - cross_1 * cross_2 / h2) / h
    spread[2] = (spread[2] - cross_2 * cross_2 / h2) / h
    ellipsoid_support(shapes, s, d, x)


@inner
def rim_point(shapes: ShapeTable, s: int, part: int, d: Vector, x: Vector, c: Vector) -> float:
    """The point of a rim farthest along d, the rim's tangent c there, and the sine between d and the axis."""
    axis(shapes, s, x)
    space.cross(x, d, c)
    sine = space.normalize(c)
    height = shapes.size[s, 1] if part == RIM_TOP else -shapes.size[s, 1]
    out = shapes.size[s, 0] if sine > 1e-12 else 0.0
    # c x axis instead of d - (d.axis) axis: a unit vector across the axis however small the angle.
    r0, r1, r2 = c[1] * x[2] - c[2] * x[1], c[2] * x[0] - c[0] * x[2], c[0] * x[1] - c[1] * x[0]
    x[0] = shapes.pos[s, 0] + height * x[0] + out * r0
    x[1] = shapes.pos[s, 1] + height * x[1] + out * r1
    x[2] = shapes.pos[s, 2] + height * x[2] + out * r2
    return sine


@inner
def support(shapes: ShapeTable, s: int, d: Vector, x: Vector, spare: Vector) -> float:
    """The point x of shape s farthest along the unit vector d; returns its height d.x."""
    if shapes.kind[s] == ELLIPSOID:
        ellipsoid_support(shapes, s, d, x)
        return space.dot(d, x)
    if shapes.kind[s] == CYLINDER:
        axis(shapes, s, x)
        rim_point(shapes, s, RIM_TOP if space.dot(d, x) >= 0.0 else RIM_BOTTOM, d, x, spare)
        return space.dot(d, x)
    best = -math.inf
    top = shapes.vertex_at[s]
    for a in range(shapes.vertex_at[s], shapes.vertex_at[s + 1]):
        height = space.dot(d, shapes.world_vertices[a])
        if height > best:
            best, top = height, a
    space.combine(shapes.world_vertices[top], shapes.radius[s], d, x)
    return best + shapes.radius[s]


@inner
def feature(shapes: ShapeTable, s: int, d: Vector, aligned: float, spare: Vector) -> tuple[int, int]:
    """What shape s shows in the direction d: (VERTEX, EDGE, FACE or SMOOTH, its row in the table). `aligned`: rad."""
    kind = shapes.kind[s]
    if kind == ELLIPSOID:
        return SMOOTH, 0
    if kind == PLANE:
        return FACE, -1
    for f in range(shapes.face_at[s], shapes.face_at[s + 1]):
        space.combine(d, -1.0, shapes.world_normals[f], spare)
        if space.dot(spare, spare) < aligned * aligned:
            return FACE, f
    if kind == CYLINDER:
        axis(shapes, s, spare)
        return (EDGE, shapes.edge_at[s]) if abs(space.dot(d, spare)) < aligned else (SMOOTH, 0)
    top, best = shapes.vertex_at[s], -math.inf
    for a in range(shapes.vertex_at[s], shapes.vertex_at[s + 1]):
        height = space.dot(d, shapes.world_vertices[a])
        if height > best:
            top, best = a, height
    for e in range(shapes.edge_at[s], shapes.edge_at[s + 1]):
        a, b = shapes.edges[e, 0], shapes.edges[e, 1]
        if a == top or b == top:
            space.combine(shapes.world_vertices[a], -1.0, shapes.world_vertices[b], spare)
            if abs(space.dot(spare, d)) < aligned * math.sqrt(space.dot(spare, spare)):
                return EDGE, e
    return VERTEX, top


@inner
def inside_face(shapes: ShapeTable, s: int, f: int, x: Vector, slack: float, spare: Vector) -> bool:
    """Whether x stands above face f of shape s, with `slack` metres of tolerance."""
    if shapes.kind[s] == PLANE:
        return True
    if shapes.kind[s] == CYLINDER:
        space.combine(x, -1.0, shapes.pos[s], spare)
        along = space.dot(spare, shapes.world_normals[f])
        return space.dot(spare, spare) - along * along <= (shapes.size[s, 0] + slack) ** 2
    m = shapes.world_normals[f]
    last = shapes.loops[shapes.loop_at[f + 1] - 1]
    for k in range(shapes.loop_at[f], shapes.loop_at[f + 1]):
        a, b = shapes.world_vertices[last], shapes.world_vertices[shapes.loops[k]]
        e0, e1, e2 = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        r0, r1, r2 = x[0] - a[0], x[1] - a[1], x[2] - a[2]
        side = m[0] * (e1 * r2 - e2 * r1) + m[1] * (e2 * r0 - e0 * r2) + m[2] * (e0 * r1 - e1 * r0)
        if side < -slack * math.sqrt(e0 * e0 + e1 * e1 + e2 * e2):
            return False
        last = shapes.loops[k]
    return True


@inner
def outer_product(c: Vector, factor: float, K: Vector) -> None:
    for i in range(3):
        for j in range(3):
            K[3 * i + j] = factor * c[i] * c[j]


@inner
def ellipsoid_operator(shapes: ShapeTable, s: int, m: Vector, q: Matrix, x: Vector, spread: Vector, K: Vector) -> None:
    """K = T (T' X T)^-1 T' (PHYSICS 2) with T the rows of q."""
    ellipsoid_point(shapes, s, m, q, x, spread)
    determinant = spread[0] * spread[2] - spread[1] * spread[1]
    a, b, c = spread[2] / determinant, -spread[1] / determinant, spread[0] / determinant
    for i in range(3):
        for j in range(3):
            K[3 * i + j] = (a * q[0, i] * q[0, j] + b * (q[0, i] * q[1, j] + q[1, i] * q[0, j]) + c * q[1, i] * q[1, j])


@inner
def surface(shapes: ShapeTable, s: int, what: int, row: int, m: Vector, q: Matrix, x: Vector, spread: Vector, K: Vector, E: Vector) -> int:
    """Shape operator K and the directions E the contact may take, on the feature (what, row) with outward normal m.

    Returns the number of directions. q holds two tangents of m, x the contact point, then it is overwritten. A rim is a curve: E is its
    tangent, K its curvature along it.
    """
    for i in range(3):
        E[i], E[3 + i] = q[0, i], q[1, i]
    outer_product(m, 0.0, K)
    radius = shapes.radius[s]
    if what == SMOOTH:
        ellipsoid_operator(shapes, s, m, q, x, spread, K)
        return 2
    if what == RIM:
        axis(shapes, s, spread)
        space.combine(x, -1.0, shapes.pos[s], x)
        space.cross(spread, x, E)                            # not axis x m: on a cap m is the axis
        space.normalize(E)
        space.cross(spread, m, x)
        outer_product(E, space.normalize(x) / shapes.size[s, 0], K)
        return 1
    if what == FACE:
        return 2
    if what == VERTEX:
        if radius == 0.0 or shapes.kind[s] == CYLINDER:
            return 0
        for i in range(3):
            for j in range(3):
                K[3 * i + j] = ((1.0 if i == j else 0.0) - m[i] * m[j]) / radius
        return 2
    space.combine(shapes.world_vertices[shapes.edges[row, 1]], -1.0, shapes.world_vertices[shapes.edges[row, 0]], E)
    space.normalize(E)
    if radius == 0.0:
        return 1
    space.cross(E, m, x)                                     # around the edge; then E and x are the two directions
    outer_product(x, 1.0 / radius, K)
    space.copy(x, E[3:6])
    return 2
