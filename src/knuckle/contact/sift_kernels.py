"""Which edges and vertices of two bodies may be nearest to each other: meshes have thousands, and pairs of all of them are too many."""
from knuckle.compiled.kernel import Vector, inner
from knuckle.contact import shape_kernels as shape
from knuckle.contact.shape_kernels import ShapeTable

MANY = 4000              # pairs of edges; fewer are tried without sifting


@inner
def height(m: Vector, x: Vector, foot: Vector) -> float:
    return m[0] * (x[0] - foot[0]) + m[1] * (x[1] - foot[1]) + m[2] * (x[2] - foot[2])


@inner
def meets_ball(p: Vector, r: Vector, centre: Vector, radius: float) -> bool:
    """Whether the line segment from p to r comes as near to the centre as `radius`."""
    length_2, along, far_2 = 0.0, 0.0, 0.0
    for i in range(3):
        length_2 += (r[i] - p[i]) ** 2
        along += (r[i] - p[i]) * (centre[i] - p[i])
    share = min(max(along / length_2, 0.0), 1.0) if length_2 > 0.0 else 0.0
    for i in range(3):
        far_2 += (p[i] + share * (r[i] - p[i]) - centre[i]) ** 2
    return far_2 <= radius * radius


@inner
def comes_near(shapes: ShapeTable, e: int, o: int, slack: float) -> bool:
    """Whether edge e meets the faces of shape o moved outwards by `slack`, and its ball; all that is nearer than `slack` does."""
    p, r = shapes.world_vertices[shapes.edges[e, 0]], shapes.world_vertices[shapes.edges[e, 1]]
    if shapes.kind[o] == shape.PLANE:
        return True
    if not meets_ball(p, r, shapes.pos[o], shapes.bound[o] + slack):
        return False
    low, high = 0.0, 1.0
    for f in range(shapes.face_at[o], shapes.face_at[o + 1]):
        foot = shapes.world_vertices[shapes.loops[shapes.loop_at[f]]]
        above, beyond = height(shapes.world_normals[f], p, foot) - slack, height(shapes.world_normals[f], r, foot) - slack
        if above > 0.0 and beyond > 0.0:
            return False
        if above > 0.0:
            low = max(low, above / (above - beyond))
        elif beyond > 0.0:
            high = min(high, above / (above - beyond))
        if low > high + 1e-9:
            return False
    return True


@inner
def sift(shapes: ShapeTable, s: int, o: int, slack: float) -> None:
    """Mark the edges of shape s, and their vertices, that may be nearer to shape o than `slack`."""
    alone = shapes.edge_at[s] == shapes.edge_at[s + 1]
    for v in range(shapes.vertex_at[s], shapes.vertex_at[s + 1]):
        shapes.near_vertex[v] = 1 if alone else 0
    for e in range(shapes.edge_at[s], shapes.edge_at[s + 1]):
        shapes.near_edge[e] = 1 if comes_near(shapes, e, o, slack) else 0
        if shapes.near_edge[e] == 1:
            for end in range(2):
                shapes.near_vertex[shapes.edges[e, end]] = 1


@inner
def sift_pair(shapes: ShapeTable, A: int, B: int, slack: float) -> bool:
    """Marks both shapes, where it is worth it; False: nothing is marked, and every feature must be tried."""
    edges_A, edges_B = shapes.edge_at[A + 1] - shapes.edge_at[A], shapes.edge_at[B + 1] - shapes.edge_at[B]
    if (edges_A + 1) * (edges_B + 1) < MANY:
        return False
    sift(shapes, A, B, slack)
    sift(shapes, B, A, slack)
    return True
