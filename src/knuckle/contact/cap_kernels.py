"""Caps of cylinders: a disc in the plane of a face, points of its rim, and where the rim crosses edges and other rims.

Which points of the rim stand for it must not depend on how the cylinder is turned about its own axis: the first lies downhill, so that a can
on a slope tips about the very point of its rim where it does. On a level cap it lies along world x; in a planar system in the plane.
Where another rim or the border of a face cuts the rim, the cuts and the middle of the arc between them stand for it as well.
"""
import math

from knuckle.compiled.kernel import Matrix, Vector, inner
from knuckle.contact import space_kernels as space
from knuckle.contact.normal_kernels import ALONG, CANDIDATE, FOOT, NEAR_SURFACE, STEP, X_A, X_B
from knuckle.contact.shape_kernels import ShapeTable

# That stand for a whole rim. More would fit a sideways push better, but sticking contacts on one plane cost the search for all answers too
# much: a can at rest on a slope is decided in seconds with 4, in half a minute with 5, and no more with 6 or 8.
RIM_POINTS = 4
LEVEL = 1e-6             # sine of the slope of a cap below which nothing is downhill


@inner
def rim_start(down: Vector, plane_normal: Vector, m: Vector, first: Vector, second: Vector) -> None:
    """Two directions in a cap with normal m: where its points begin, and a quarter of the rim further."""
    space.tangents(m, first, second)
    if space.dot(plane_normal, plane_normal) > 0.0:
        space.cross(plane_normal, m, second)
    else:
        space.combine(down, -space.dot(down, m), m, second)
    if space.normalize(second) > LEVEL:
        space.copy(second, first)
    space.cross(m, first, second)


@inner
def rim_point(shapes: ShapeTable, s: int, face: int, down: Vector, plane_normal: Vector, turn: float, x: Vector, work: Matrix) -> None:
    """The point x of the rim of a cap that is `turn` (rad) away from its first."""
    rim_start(down, plane_normal, shapes.world_normals[face], work[CANDIDATE], work[ALONG])
    space.copy(shapes.world_vertices[shapes.loops[shapes.loop_at[face]]], x)
    space.combine(x, shapes.size[s, 0] * math.cos(turn), work[CANDIDATE], x)
    space.combine(x, shapes.size[s, 0] * math.sin(turn), work[ALONG], x)


@inner
def opposite(shapes: ShapeTable, other_face: int, m: Vector, work: Matrix) -> None:
    """X_A: the point of another face straight over X_B."""
    space.combine(shapes.world_vertices[shapes.loops[shapes.loop_at[other_face]]], -1.0, work[X_B], work[FOOT])
    normal = shapes.world_normals[other_face]
    space.combine(work[X_B], space.dot(work[FOOT], normal) / space.dot(m, normal), m, work[X_A])


@inner
def rim_over_edge(shapes: ShapeTable, s: int, face: int, e: int, other_face: int, radius: float, side: float, work: Matrix) -> bool:
    """Where edge e (with a radius) of another body comes over the rim of a cap of s: X_B on the rim, X_A on the edge; False beyond the edge.

    side: -1, 1 for one or the other point; 0 for the middle of the smaller arc between them, under another face.
    """
    m, start = shapes.world_normals[face], shapes.world_vertices[shapes.edges[e, 0]]
    centre = shapes.world_vertices[shapes.loops[shapes.loop_at[face]]]
    space.combine(shapes.world_vertices[shapes.edges[e, 1]], -1.0, start, work[ALONG])
    length = space.normalize(work[ALONG])
    rise = space.dot(work[ALONG], m)
    space.combine(work[ALONG], -rise, m, work[STEP])
    flat = space.normalize(work[STEP])
    space.combine(start, -1.0, centre, work[FOOT])
    height = space.dot(work[FOOT], m)
    space.combine(work[FOOT], -height, m, work[FOOT])
    along = space.dot(work[FOOT], work[STEP])
    space.combine(work[FOOT], -along, work[STEP], work[FOOT])
    square = shapes.size[s, 0] ** 2 - space.dot(work[FOOT], work[FOOT])
    if square < -2.0 * shapes.size[s, 0] * NEAR_SURFACE:
        return False
    if side == 0.0:
        beside = space.normalize(work[FOOT])
        space.combine(centre, shapes.size[s, 0], work[FOOT], work[X_B])
        opposite(shapes, other_face, m, work)
        return beside > NEAR_SURFACE
    reach = side * math.sqrt(max(square, 0.0))
    place = (reach - along) / flat
    space.combine(centre, 1.0, work[FOOT], work[X_B])
    space.combine(work[X_B], reach, work[STEP], work[X_B])
    space.combine(work[X_B], height + place * rise - radius, m, work[X_A])
    return NEAR_SURFACE <= place <= length - NEAR_SURFACE            # an end of the edge is a corner over the disc


@inner
def rim_over_rim(shapes: ShapeTable, s: int, face: int, other: int, other_face: int, side: float, work: Matrix) -> bool:
    """Where the rims of two caps cross: X_B on the rim of s, X_A on the other cap. side: -1, 1, or 0 for the middle of the arc between."""
    m, centre = shapes.world_normals[face], shapes.world_vertices[shapes.loops[shapes.loop_at[face]]]
    space.combine(shapes.world_vertices[shapes.loops[shapes.loop_at[other_face]]], -1.0, centre, work[FOOT])
    space.combine(work[FOOT], -space.dot(work[FOOT], m), m, work[FOOT])
    distance = space.normalize(work[FOOT])
    if distance < NEAR_SURFACE:
        return False
    radius, other_radius = shapes.size[s, 0], shapes.size[other, 0]
    along = 0.5 * (distance + (radius - other_radius) * (radius + other_radius) / distance)
    square = radius * radius - along * along
    if square < 0.0:
        return False
    space.cross(m, work[FOOT], work[STEP])
    space.combine(centre, radius if side == 0.0 else along, work[FOOT], work[X_B])
    space.combine(work[X_B], side * math.sqrt(square), work[STEP], work[X_B])
    opposite(shapes, other_face, m, work)
    return True
