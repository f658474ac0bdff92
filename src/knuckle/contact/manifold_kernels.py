"""Contact points of one pair from its common normal; line and face contacts as several points.

Along the normal each shape shows a feature to the other: a smooth point, a vertex, an edge or a face. A corner of one body over a face
or an edge of the other, and two edges that cross, are points with one exact normal each.
"""
import math
from typing import NamedTuple

from knuckle.compiled.kernel import Integers, IntegerTable, Matrix, Vector, inner
from knuckle.contact import cap_kernels as cap
from knuckle.contact import normal_kernels as normal
from knuckle.contact import shape_kernels as shape
from knuckle.contact import space_kernels as space
from knuckle.contact.normal_kernels import (
    ALONG,
    BACK,
    CANDIDATE,
    FOOT,
    OTHER,
    SPARE,
    START,
    STEP,
    X_A,
    X_B,
)
from knuckle.contact.shape_kernels import ShapeTable

MOST_POINTS = 8          # of one pair; of more the nearest, of equally near ones those that keep apart
SAME_POINT = 1e-7        # m; a corner found from both bodies, or twice beside a border, counts once
EQUALLY_NEAR = 1e-9      # m
UNRESOLVED = -2          # instead of a count: the normal fits no point


class Search(NamedTuple):
    """Which pairs to look at, and how."""

    pairs: IntegerTable      # np x 2, rows of the shape table: A, B
    guess: Matrix            # np x 3, first normal for a smooth pair; zero: from the centres
    tangent: Matrix          # np x 3, direction that t follows; zero: PHYSICS 1
    plane_normal: Vector     # w of a planar system, else zero
    down: Vector             # unit direction of gravity, zero where there is none: where the points of a rim begin
    reach: float             # m; contacts with a larger gap are left out


class Contacts(NamedTuple):
    """Slots for contacts. The geometry kernel writes the first part, contact_rows the second."""

    pair: Integers           # row of Search.pairs
    body_A: Integers
    body_B: Integers
    feature_A: Integers      # 8 * row + what (VERTEX, EDGE, FACE, SMOOTH, RIM): stays while the contact stays on its feature
    feature_B: Integers
    point_A: Matrix          # nc x 3, world
    point_B: Matrix
    n: Matrix                # nc x 3, from B into A
    t: Matrix
    u: Matrix
    gap: Vector              # nc, m
    K_A: Matrix              # nc x 9
    K_B: Matrix
    E_A: Matrix              # nc x 6, one direction after the other
    E_B: Matrix
    rank_A: Integers         # number of directions: 2 smooth, 1 edge or rim, 0 vertex
    rank_B: Integers
    W: Matrix                # 3 nc x nv, rows N, T, U
    bias: Vector             # 3 nc, accelerations at v' = 0
    velocity: Vector         # 3 nc
    residual: Vector         # nc, F7; infinite where the contact has no normal
    motion: Matrix           # nc x 14, gap acceleration, residual, Arel, n', s_A, s_B of kinematics_kernels, at v' = 0
    work: Matrix             # normal_kernels.ROWS x 3


@inner
def corner_count(shapes: ShapeTable, search: Search, s: int, what: int) -> int:
    if shapes.kind[s] == shape.ELLIPSOID:
        return 1
    if shapes.kind[s] == shape.CYLINDER:
        return cap.RIM_POINTS if what == shape.FACE and space.dot(search.plane_normal, search.plane_normal) == 0.0 else 2
    return shapes.vertex_at[s + 1] - shapes.vertex_at[s]


@inner
def corner(shapes: ShapeTable, search: Search, s: int, what: int, row: int, i: int, d: Vector, x: Vector, work: Matrix) -> tuple[int, int]:
    """Corner i of shape s seen along d: its surface point x and its feature. A cylinder has the farthest point of each rim, or, standing
    on a cap, points of that rim (cap_kernels says which); an ellipsoid has its one support point."""
    if shapes.kind[s] == shape.ELLIPSOID:
        shape.ellipsoid_support(shapes, s, d, x)
        return shape.SMOOTH, 0
    if shapes.kind[s] == shape.CYLINDER and what != shape.FACE:
        shape.rim_point(shapes, s, shape.RIM_TOP if i == 0 else shape.RIM_BOTTOM, d, x, work[SPARE])
        return shape.RIM, i
    if shapes.kind[s] == shape.CYLINDER:
        turn = 2.0 * math.pi * i / corner_count(shapes, search, s, what)
        cap.rim_point(shapes, s, row, search.down, search.plane_normal, turn, x, work)
        return shape.VERTEX, cap.RIM_POINTS * (row - shapes.face_at[s]) + i
    vertex = shapes.vertex_at[s] + i
    space.combine(shapes.world_vertices[vertex], shapes.radius[s], d, x)
    return shape.VERTEX, vertex


@inner
def lies_in(shapes: ShapeTable, e: int, what: int, row: int) -> bool:
    """Whether edge e belongs to the feature (what, row): a face, or the edge itself."""
    if what == shape.EDGE:
        return e == row
    on = 0
    for k in range(shapes.loop_at[row], shapes.loop_at[row + 1]):
        if shapes.loops[k] == shapes.edges[e, 0] or shapes.loops[k] == shapes.edges[e, 1]:
            on += 1
    return on == 2


@inner
def off_edge(shapes: ShapeTable, s: int, what: int, row: int, x: Vector, work: Matrix) -> float:
    """Distance of a surface point x from the edge it should be on, roundness aside; 0 for other features."""
    if what != shape.EDGE:
        return 0.0
    start = shapes.world_vertices[shapes.edges[row, 0]]
    space.combine(shapes.world_vertices[shapes.edges[row, 1]], -1.0, start, work[ALONG])
    length = space.normalize(work[ALONG])
    space.combine(x, -1.0, start, work[SPARE])
    along = space.dot(work[SPARE], work[ALONG])
    space.combine(work[SPARE], -along, work[ALONG], work[SPARE])
    across = abs(math.sqrt(space.dot(work[SPARE], work[SPARE])) - shapes.radius[s])
    return max(-along, along - length, across)


@inner
def crowded(first: int, count: int, contacts: Contacts) -> int:
    """Of the points of a pair and a new one (work row X_A) the two nearest to one another, and of those the later: its slot, -1 the new one."""
    work, least, out = contacts.work, math.inf, -1
    for k in range(first, count):
        for j in range(first, k + 1):
            space.combine(contacts.point_A[k], -1.0, work[X_A] if j == k else contacts.point_A[j], work[OTHER])
            square = space.dot(work[OTHER], work[OTHER])
            if square < (1.0 - EQUALLY_NEAR) * least:
                least, out = square, -1 if j == k else k
    return out


@inner
def slot_for(search: Search, first: int, count: int, gap: float, contacts: Contacts) -> int:
    """Where a point of a pair goes whose place is in work row X_A: the next slot, that of a farther one, or -1 (known already, or too many).

    In the plane, points that differ only across it are one contact, half way between.
    """
    work = contacts.work
    if count >= contacts.gap.size:
        return -1
    farthest = first
    for k in range(first, count):
        space.combine(work[X_A], -1.0, contacts.point_A[k], work[OTHER])
        across = space.dot(work[OTHER], search.plane_normal)
        if space.dot(work[OTHER], work[OTHER]) - across * across < SAME_POINT * SAME_POINT:
            space.combine(contacts.point_A[k], 0.5 * across, search.plane_normal, contacts.point_A[k])
            space.combine(contacts.point_B[k], 0.5 * across, search.plane_normal, contacts.point_B[k])
            return -1
        if contacts.gap[k] > contacts.gap[farthest]:
            farthest = k
    if count - first < MOST_POINTS:
        return count
    if abs(contacts.gap[farthest] - gap) < EQUALLY_NEAR:
        return crowded(first, count, contacts)
    return farthest if contacts.gap[farthest] > gap else -1


@inner
def add(search: Search, pair: int, first: int, count: int, swap: bool, n: Vector, what_A: int, row_A: int, what_B: int, row_B: int,
        contacts: Contacts) -> int:
    """Notes a point of a pair: surface points in work rows X_A, X_B, normal n. With `swap` all that is given of A and B changes place."""
    work = contacts.work
    if swap:
        for i in range(3):
            work[X_A, i], work[X_B, i] = work[X_B, i], work[X_A, i]
        what_A, row_A, what_B, row_B = what_B, row_B, what_A, row_A
    sign = -1.0 if swap else 1.0
    gap = sign * (space.dot(n, work[X_A]) - space.dot(n, work[X_B]))
    if gap > search.reach:
        return count
    k = slot_for(search, first, count, gap, contacts)
    if k < 0:
        return count
    contacts.gap[k] = gap
    for i in range(3):
        contacts.n[k, i] = sign * n[i]
    space.copy(work[X_A], contacts.point_A[k])
    space.copy(work[X_B], contacts.point_B[k])
    contacts.pair[k], contacts.feature_A[k], contacts.feature_B[k] = pair, 8 * row_A + what_A, 8 * row_B + what_B
    return max(count, k + 1)


@inner
def corners_on_face(shapes: ShapeTable, search: Search, pair: int, first: int, count: int, swap: bool, what: int, row: int, face: int,
                    contacts: Contacts) -> int:
    """Corners of A over a face of B (`swap`: the other way round), each with the exact normal of the face."""
    s, o = (search.pairs[pair, 1], search.pairs[pair, 0]) if swap else (search.pairs[pair, 0], search.pairs[pair, 1])
    work = contacts.work
    if face < 0:
        shape.axis(shapes, o, work[STEP])
        space.copy(shapes.pos[o], work[FOOT])
    else:
        space.copy(shapes.world_normals[face], work[STEP])
        space.copy(shapes.world_vertices[shapes.loops[shapes.loop_at[face]]], work[FOOT])
    for i in range(3):
        work[START, i] = -work[STEP, i]
    for i in range(corner_count(shapes, search, s, what)):
        what_s, row_s = corner(shapes, search, s, what, row, i, work[START], work[X_A], work)
        height = space.dot(work[X_A], work[STEP]) - space.dot(work[FOOT], work[STEP])
        if height <= search.reach and shape.inside_face(shapes, o, face, work[X_A], normal.NEAR_SURFACE, work[SPARE]):
            space.combine(work[X_A], -height, work[STEP], work[X_B])
            count = add(search, pair, first, count, swap, work[STEP], what_s, row_s, shape.FACE, face, contacts)
    return count


@inner
def rim_crossings(shapes: ShapeTable, search: Search, pair: int, first: int, count: int, swap: bool, what: int, row: int, face: int,
                  contacts: Contacts) -> int:
    """Where the rim of a cap of B crosses edges of A in its feature (what, row), or the rim of a cap of A (`swap`: the other way round)."""
    s, o = (search.pairs[pair, 1], search.pairs[pair, 0]) if swap else (search.pairs[pair, 0], search.pairs[pair, 1])
    discs, work = what == shape.FACE and shapes.kind[s] == shape.CYLINDER, contacts.work
    if shapes.kind[o] != shape.CYLINDER or row < 0 or (what != shape.EDGE and what != shape.FACE):
        return count
    for e in range(shapes.edge_at[s], shapes.edge_at[s + 1]):        # a cylinder has one edge, its axis
        if not (discs or lies_in(shapes, e, what, row)):
            continue
        for end in range(2 if discs and swap else 0, 3 if what == shape.FACE else 2):
            side = 2.0 * end - 1.0 if end < 2 else 0.0
            what_s, row_s, what_o, row_o = shape.EDGE, e, shape.RIM, face - shapes.face_at[o] + 2 * end
            if discs:
                found = cap.rim_over_rim(shapes, o, face, s, row, side, work)
                what_s, row_s = shape.RIM, row - shapes.face_at[s] + 2 * end
            else:
                found = cap.rim_over_edge(shapes, o, face, e, row, shapes.radius[s], side, work)
            if end == 2:                                             # a point of the rim over the other face
                found = found and shape.inside_face(shapes, s, row, work[X_A], normal.NEAR_SURFACE, work[SPARE])
                what_s, row_s, what_o, row_o = shape.FACE, row, shape.VERTEX, 2 * cap.RIM_POINTS + e
            if found:
                count = add(search, pair, first, count, swap, shapes.world_normals[face], what_s, row_s, what_o, row_o, contacts)
    return count


@inner
def ends_beside_edge(shapes: ShapeTable, search: Search, pair: int, first: int, count: int, swap: bool, e: int, f: int, n: Vector,
                     contacts: Contacts) -> int:
    """Ends of an edge e of A beside a parallel edge f of B (`swap`: the other way round)."""
    s, o = (search.pairs[pair, 1], search.pairs[pair, 0]) if swap else (search.pairs[pair, 0], search.pairs[pair, 1])
    work = contacts.work
    start = shapes.world_vertices[shapes.edges[f, 0]]
    space.combine(shapes.world_vertices[shapes.edges[f, 1]], -1.0, start, work[ALONG])
    length = space.normalize(work[ALONG])
    for i in range(2):
        vertex = shapes.edges[e, i]
        space.combine(shapes.world_vertices[vertex], -1.0, start, work[FOOT])
        along = space.dot(work[FOOT], work[ALONG])
        if along < -normal.NEAR_SURFACE or along > length + normal.NEAR_SURFACE:
            continue
        space.combine(start, along, work[ALONG], work[X_B])
        space.combine(shapes.world_vertices[vertex], -1.0, work[X_B], work[CANDIDATE])
        if shapes.radius[s] + shapes.radius[o] == 0.0:       # sharp edges have the one normal; else each end its own exact one
            space.combine(work[CANDIDATE], -1.0, work[CANDIDATE], work[CANDIDATE])
            space.combine(work[CANDIDATE], -1.0 if swap else 1.0, n, work[CANDIDATE])
        space.normalize(work[CANDIDATE])
        space.combine(shapes.world_vertices[vertex], -shapes.radius[s], work[CANDIDATE], work[X_A])
        space.combine(work[X_B], shapes.radius[o], work[CANDIDATE], work[X_B])
        # The end of a cylinder's edge is a point of its rim.
        what, row = (shape.RIM, i) if shapes.kind[s] == shape.CYLINDER else (shape.VERTEX, vertex)
        count = add(search, pair, first, count, swap, work[CANDIDATE], what, row, shape.EDGE, f, contacts)
    return count


@inner
def crossings(shapes: ShapeTable, search: Search, pair: int, first: int, count: int, what_A: int, row_A: int, what_B: int, row_B: int,
              n: Vector, contacts: Contacts) -> int:
    """Edges of two faces (or edges) in one plane that cross between their ends."""
    A, B = search.pairs[pair, 0], search.pairs[pair, 1]
    work = contacts.work
    for e in range(shapes.edge_at[A], shapes.edge_at[A + 1]):
        if not lies_in(shapes, e, what_A, row_A):
            continue
        for f in range(shapes.edge_at[B], shapes.edge_at[B + 1]):
            if lies_in(shapes, f, what_B, row_B) and normal.crossing(shapes, e, f, -normal.NEAR_SURFACE, work) >= 0.0:
                space.combine(work[FOOT], -shapes.radius[A], n, work[X_A])
                space.combine(work[OTHER], shapes.radius[B], n, work[X_B])
                count = add(search, pair, first, count, False, n, shape.EDGE, e, shape.EDGE, f, contacts)
    return count


@inner
def single_point(shapes: ShapeTable, search: Search, pair: int, count: int, what_A: int, row_A: int, what_B: int, row_B: int, n: Vector,
                 contacts: Contacts) -> int:
    """One contact between two pointed or smooth features; the count, or UNRESOLVED."""
    A, B = search.pairs[pair, 0], search.pairs[pair, 1]
    work = contacts.work
    gap = normal.separation(shapes, A, B, n, work)
    # An edge has no support point of its own: it touches opposite the other body's.
    if what_B == shape.EDGE:
        space.combine(work[X_A], -gap, n, work[X_B])
    elif what_A == shape.EDGE:
        space.combine(work[X_B], gap, n, work[X_A])
    space.combine(work[X_A], -gap, n, work[FOOT])
    space.combine(work[FOOT], -1.0, work[X_B], work[FOOT])
    off = math.sqrt(space.dot(work[FOOT], work[FOOT]))
    off = max(off, off_edge(shapes, A, what_A, row_A, work[X_A], work), off_edge(shapes, B, what_B, row_B, work[X_B], work))
    if off > 2.0 * normal.NEAR_SURFACE:                      # n is not where the bodies are nearest
        return UNRESOLVED
    # The smooth part of a cylinder is a rim.
    if what_A == shape.SMOOTH and shapes.kind[A] == shape.CYLINDER:
        shape.axis(shapes, A, work[SPARE])
        what_A, row_A = shape.RIM, 0 if space.dot(work[SPARE], n) < 0.0 else 1
    if what_B == shape.SMOOTH and shapes.kind[B] == shape.CYLINDER:
        shape.axis(shapes, B, work[SPARE])
        what_B, row_B = shape.RIM, 0 if space.dot(work[SPARE], n) > 0.0 else 1
    return add(search, pair, count, count, False, n, what_A, row_A, what_B, row_B, contacts)


@inner
def touch(shapes: ShapeTable, search: Search, pair: int, count: int, n: Vector, aligned: float, contacts: Contacts) -> int:
    """The points of a pair with common normal n; UNRESOLVED when no feature fits it."""
    A, B = search.pairs[pair, 0], search.pairs[pair, 1]
    work, first = contacts.work, count
    for i in range(3):
        work[BACK, i] = -n[i]
    what_A, row_A = shape.feature(shapes, A, work[BACK], aligned, work[SPARE])
    what_B, row_B = shape.feature(shapes, B, n, aligned, work[SPARE])
    edges = what_A == shape.EDGE and what_B == shape.EDGE
    if not edges and what_A != shape.FACE and what_B != shape.FACE:
        return single_point(shapes, search, pair, count, what_A, row_A, what_B, row_B, n, contacts)
    parallel = edges and normal.crossing(shapes, row_A, row_B, math.inf, work) < 0.0
    for side in range(2):
        swap = side == 1
        what, row, against, face = (what_B, row_B, what_A, row_A) if swap else (what_A, row_A, what_B, row_B)
        if against == shape.FACE:
            count = rim_crossings(shapes, search, pair, first, count, swap, what, row, face, contacts)
            count = corners_on_face(shapes, search, pair, first, count, swap, what, row, face, contacts)
        if parallel:
            count = ends_beside_edge(shapes, search, pair, first, count, swap, row, face, n, contacts)
    flat = shape.EDGE <= what_A <= shape.FACE and shape.EDGE <= what_B <= shape.FACE
    if flat and not parallel and row_A >= 0 and row_B >= 0:                                  # a plane (row -1) has no edges
        count = crossings(shapes, search, pair, first, count, what_A, row_A, what_B, row_B, n, contacts)
    missed = count == first and count < contacts.gap.size and row_A >= 0 and row_B >= 0
    return UNRESOLVED if missed else count
