"""The common normal of two convex shapes: the unit vector n (from B into A) of largest separation n.x_A - n.x_B of support points.

For bodies apart that maximum is their distance (separating hyperplanes), it passes smoothly through touching, and slightly inside it
is the depth of the shallowest way out. Every pair of features offers a candidate; each is judged on the whole shapes, so a candidate
of the wrong features can only lose. Newton runs on the normal, two unknowns, never on surface parameters.
"""
import math

from knuckle.compiled.kernel import Matrix, Vector, inner
from knuckle.contact import shape_kernels as shape
from knuckle.contact import sift_kernels
from knuckle.contact import space_kernels as space
from knuckle.contact.shape_kernels import ShapeTable

# m of tolerance where a point is compared with the border of a face or the ends of an edge: so near, the separations of both features
# agree to round-off (3e-8 squared over a metre), and either may win.
NEAR_SURFACE = 3e-8
AT_KINK = 1e-2           # square of the sine between the axis of a rim and a normal that may be caught there
COINCIDENT = 1e-12       # m; closer features of sharp bodies have no direction between them


# Rows of the workspace, 3-vectors that outlive no call; Q takes two rows.
CANDIDATE, START, TRIAL, BACK, X_A, X_B, OTHER, SPARE, ALONG, FOOT, STEP, SPREAD_A, SPREAD_B, NORMAL, Q, ROWS = *range(15), 16


@inner
def separation(shapes: ShapeTable, A: int, B: int, n: Vector, work: Matrix) -> float:
    """n.(x_A - x_B) over the whole shapes; leaves the support points in x_A, x_B."""
    for i in range(3):
        work[BACK, i] = -n[i]
    height_A = shape.support(shapes, A, work[BACK], work[X_A], work[SPARE])
    return -height_A - shape.support(shapes, B, n, work[X_B], work[SPARE])


@inner
def consider(shapes: ShapeTable, A: int, B: int, candidate: Vector, best: float, n: Vector, work: Matrix) -> float:
    value = separation(shapes, A, B, candidate, work)
    if value > best:
        space.copy(candidate, n)
        return value
    return best


@inner
def part_point(shapes: ShapeTable, s: int, part: int, d: Vector, q: Matrix, x: Vector, spread: Vector, spare: Vector) -> None:
    """Support point of one part of a shape without its roundness, and how it moves with d: q' X q (11, 12, 22)."""
    if part >= 0:
        space.copy(shapes.world_vertices[part], x)
        spread[0], spread[1], spread[2] = 0.0, 0.0, 0.0
    elif part == shape.WHOLE:
        shape.ellipsoid_point(shapes, s, d, q, x, spread)
    else:
        sine = shape.rim_point(shapes, s, part, d, x, spare)
        grow = shapes.size[s, 0] / sine if sine > 1e-12 else 0.0
        a, b = space.dot(spare, q[0]), space.dot(spare, q[1])
        spread[0], spread[1], spread[2] = grow * a * a, grow * a * b, grow * b * b


@inner
def look(shapes: ShapeTable, A: int, part_A: int, B: int, part_B: int, along: bool, n: Vector, work: Matrix) -> float:
    """Separation of two parts along n, its tangents q, the support points, and their spread. `along`: n keeps off `work[ALONG]`."""
    if along:
        space.cross(work[ALONG], n, work[Q])
        space.copy(work[ALONG], work[Q + 1])
    else:
        space.tangents(n, work[Q], work[Q + 1])
    for i in range(3):
        work[BACK, i] = -n[i]
    part_point(shapes, A, part_A, work[BACK], work[Q: Q + 2], work[X_A], work[SPREAD_A], work[SPARE])
    part_point(shapes, B, part_B, n, work[Q: Q + 2], work[X_B], work[SPREAD_B], work[SPARE])
    space.combine(work[X_A], -1.0, work[X_B], work[OTHER])
    return space.dot(n, work[OTHER])


@inner
def newton_step(f: float, along: bool, work: Matrix) -> float:
    """The step of n that maximises the separation: (q'(X_A + X_B) q + f) s = q'(x_A - x_B). Its length, or -1 when there is none."""
    g, h = space.dot(work[Q], work[OTHER]), space.dot(work[Q + 1], work[OTHER])
    a, b, c = work[SPREAD_A, 0] + work[SPREAD_B, 0], work[SPREAD_A, 1] + work[SPREAD_B, 1], work[SPREAD_A, 2] + work[SPREAD_B, 2]
    if along:
        b, c, h = 0.0, 1.0 - f, 0.0
    determinant = (a + f) * (c + f) - b * b
    if a + f <= 0.0 or (determinant <= 1e-9 * (a + c + 2.0 * f) ** 2 and f < 0.0):
        f = 0.0                                               # deep inside: the separation is not concave, its spread is
        c = 1.0 if along else c
        determinant = a * c - b * b
    if not determinant > 0.0:
        return -1.0
    s, t = ((c + f) * g - b * h) / determinant, ((a + f) * h - b * g) / determinant
    for i in range(3):
        work[STEP, i] = s * work[Q, i] + t * work[Q + 1, i]
    return math.sqrt(s * s + t * t)


@inner
def climb(shapes: ShapeTable, A: int, part_A: int, B: int, part_B: int, along: bool, reach: float, n: Vector, work: Matrix) -> bool:
    """Newton with backtracking from n to the common normal of two parts; False when they are farther apart than `reach`.

    The separation along any n is a lower bound of the distance, so a pair that starts beyond reach is done at once.
    """
    f, last = look(shapes, A, part_A, B, part_B, along, n, work), math.inf
    for _ in range(60):
        if f > reach:
            return False
        length = newton_step(f, along, work)
        if 0.5 * last < length < 1e-6:                        # does not shrink any more: round-off of a tiny gap
            return True
        if length < 0.0:
            break
        share = 1.0
        while True:
            space.combine(n, share, work[STEP], work[TRIAL])
            space.normalize(work[TRIAL])
            f_trial = look(shapes, A, part_A, B, part_B, along, work[TRIAL], work)
            if f_trial >= f - 1e-14 * (1.0 + abs(f)):
                break
            share *= 0.5
            if share * length < 1e-9:
                return False                                  # caught where the separation has a kink
        f, last = f_trial, share * length
        space.copy(work[TRIAL], n)
        if share * length < 3e-10:                            # Newton squares the error: round-off is reached
            return True
    return False


@inner
def part_centre(shapes: ShapeTable, s: int, part: int, out: Vector, spare: Vector) -> None:
    if part >= 0:
        space.copy(shapes.world_vertices[part], out)
        return
    height = 0.0 if part == shape.WHOLE else (shapes.size[s, 1] if part == shape.RIM_TOP else -shapes.size[s, 1])
    shape.axis(shapes, s, spare)
    space.combine(shapes.pos[s], height, spare, out)


@inner
def best_of_faces(shapes: ShapeTable, A: int, B: int, n: Vector, work: Matrix) -> tuple[float, bool]:
    """Normals of faces; True when the best one is proved: the other body's support point stands above the face."""
    best, proved = -math.inf, False
    for side in range(2):
        s = B if side == 0 else A
        for f in range(shapes.face_at[s], shapes.face_at[s + 1]):
            for i in range(3):
                work[CANDIDATE, i] = shapes.world_normals[f, i] if side == 0 else -shapes.world_normals[f, i]
            value = separation(shapes, A, B, work[CANDIDATE], work)
            if value > best:
                best = value
                space.copy(work[CANDIDATE], n)
                proved = shape.inside_face(shapes, s, f, work[X_A] if side == 0 else work[X_B], 0.0, work[SPARE])
    return best, proved


@inner
def crossing(shapes: ShapeTable, e: int, f: int, slack: float, work: Matrix) -> float:
    """Closest points of two edges: `foot` on e, `other` on f; their directions in `edge`, `step`. Returns the sine of the angle
    between the edges, or -1 when they are parallel or an end would be nearer."""
    p, r = shapes.world_vertices[shapes.edges[e, 0]], shapes.world_vertices[shapes.edges[f, 0]]
    space.combine(shapes.world_vertices[shapes.edges[e, 1]], -1.0, p, work[ALONG])
    space.combine(shapes.world_vertices[shapes.edges[f, 1]], -1.0, r, work[STEP])
    length_e, length_f = space.normalize(work[ALONG]), space.normalize(work[STEP])
    space.cross(work[ALONG], work[STEP], work[SPARE])
    sine_2 = space.dot(work[SPARE], work[SPARE])
    if sine_2 < shape.ALIGNED * shape.ALIGNED:
        return -1.0
    # Products with the short common perpendicular lose nothing where the edges are nearly parallel; those of the edges with one another do.
    space.combine(r, -1.0, p, work[FOOT])
    space.cross(work[FOOT], work[STEP], work[OTHER])
    s = space.dot(work[OTHER], work[SPARE]) / sine_2
    space.cross(work[FOOT], work[ALONG], work[OTHER])
    t = space.dot(work[OTHER], work[SPARE]) / sine_2
    if s < -slack or t < -slack or s > length_e + slack or t > length_f + slack:
        return -1.0
    space.combine(p, s, work[ALONG], work[FOOT])
    space.combine(r, t, work[STEP], work[OTHER])
    return math.sqrt(sine_2)


@inner
def start_between(shapes: ShapeTable, A: int, part_A: int, B: int, part_B: int, along: bool, out: Vector, work: Matrix) -> float:
    """First normal from the centres of two parts, and their distance. A common normal never makes an obtuse angle with it when the
    parts are centrally symmetric, and on that half of the sphere the separation has no other maximum."""
    part_centre(shapes, A, part_A, out, work[SPARE])
    part_centre(shapes, B, part_B, work[OTHER], work[SPARE])
    space.combine(out, -1.0, work[OTHER], out)
    if not along:
        return space.normalize(out)
    space.combine(out, -space.dot(out, work[ALONG]), work[ALONG], out)
    distance = space.normalize(out)
    space.combine(out, -space.dot(out, work[ALONG]), work[ALONG], out)       # what round-off left is much, beside a short distance
    space.normalize(out)
    return distance


@inner
def part_count(shapes: ShapeTable, s: int) -> int:
    """Smooth parts, or vertices that a contact can really touch (those of a cylinder only carry its edge and faces)."""
    if shapes.kind[s] == shape.ELLIPSOID:
        return 1
    return 2 if shapes.kind[s] == shape.CYLINDER else shapes.vertex_at[s + 1] - shapes.vertex_at[s]


@inner
def part_of(shapes: ShapeTable, s: int, i: int) -> int:
    if shapes.kind[s] == shape.ELLIPSOID:
        return shape.WHOLE
    return shape.RIM_TOP - i if shapes.kind[s] == shape.CYLINDER else shapes.vertex_at[s] + i


@inner
def leave_kink(shapes: ShapeTable, A: int, part_A: int, B: int, part_B: int, along: bool, n: Vector, work: Matrix) -> bool:
    """Where n is the axis of a rim the separation has a kink that Newton cannot cross. Tilts n off the axis, uphill; False when n is not
    at such a kink or when the kink is the top (then a cap is nearest)."""
    for side in range(2):
        s, part = (A, part_A) if side == 0 else (B, part_B)
        if part != shape.RIM_TOP and part != shape.RIM_BOTTOM:
            continue
        shape.axis(shapes, s, work[STEP])
        along_axis = space.dot(work[STEP], n)
        if 1.0 - along_axis * along_axis > AT_KINK:
            continue
        for i in range(3):
            n[i] = math.copysign(work[STEP, i], along_axis * work[STEP, i])
        if along:
            space.combine(n, -space.dot(n, work[ALONG]), work[ALONG], n)
            space.normalize(n)
        f = look(shapes, A, part_A, B, part_B, along, n, work)
        space.combine(work[OTHER], -f, n, work[OTHER])
        if along:                                             # n seldom meets the axis itself: no kink, but a narrow ridge
            space.combine(work[OTHER], -space.dot(work[OTHER], work[ALONG]), work[ALONG], work[OTHER])
        if space.normalize(work[OTHER]) <= shapes.size[s, 0] and not along:
            return False
        space.copy(n, work[STEP])
        space.copy(work[OTHER], work[FOOT])
        tilt, top = 1.0, f
        while f <= top and tilt > 1e-9:                       # once above the kink an ascent never comes back to it
            tilt *= 0.25
            space.combine(work[STEP], tilt, work[FOOT], n)
            space.normalize(n)
            f = look(shapes, A, part_A, B, part_B, along, n, work)
        return f > top or along
    return False


@inner
def parts_candidate(shapes: ShapeTable, A: int, part_A: int, B: int, part_B: int, along: bool, reach: float, guess: Vector, best: float,
                    n: Vector, work: Matrix) -> float:
    """The common normal of two parts (`along`: the first is the edge `work[ALONG]`), when it beats `best`."""
    distance = start_between(shapes, A, part_A, B, part_B, along, work[START], work)
    if part_A >= 0 and part_B >= 0:
        found = COINCIDENT < distance <= reach
    else:
        if part_A < 0 and part_B < 0 and space.dot(guess, guess) > 0.0:
            space.copy(guess, work[START])
        found = False
        for _ in range(2):
            found = distance > COINCIDENT and climb(shapes, A, part_A, B, part_B, along, reach, work[START], work)
            if found or not leave_kink(shapes, A, part_A, B, part_B, along, work[START], work):
                break
    return consider(shapes, A, B, work[START], best, n, work) if found else best


@inner
def is_far(shapes: ShapeTable, part: int, sifted: bool) -> bool:
    return sifted and part >= 0 and shapes.near_vertex[part] == 0


@inner
def best_of_parts(shapes: ShapeTable, A: int, B: int, reach: float, guess: Vector, best: float, sifted: bool, n: Vector, work: Matrix) -> float:
    """Parts of A with parts of B, then edges of A with parts of B, then parts of A with edges of B; `sifted`: the marked ones alone."""
    for case in range(3):
        count_A = shapes.edge_at[A + 1] - shapes.edge_at[A] if case == 1 else part_count(shapes, A)
        count_B = shapes.edge_at[B + 1] - shapes.edge_at[B] if case == 2 else part_count(shapes, B)
        for i in range(count_A):
            if sifted and (shapes.near_edge[shapes.edge_at[A] + i] == 0 if case == 1 else is_far(shapes, part_of(shapes, A, i), True)):
                continue
            for j in range(count_B):
                part_A, part_B = part_of(shapes, A, i), part_of(shapes, B, j)
                if case < 2 and is_far(shapes, part_B, sifted):
                    continue
                if case > 0:
                    e = shapes.edge_at[A] + i if case == 1 else shapes.edge_at[B] + j
                    if sifted and shapes.near_edge[e] == 0:
                        continue
                    start, end = shapes.edges[e, 0], shapes.edges[e, 1]
                    space.combine(shapes.world_vertices[end], -1.0, shapes.world_vertices[start], work[ALONG])
                    space.normalize(work[ALONG])
                    part_A, part_B = (start, part_B) if case == 1 else (part_A, start)
                best = parts_candidate(shapes, A, part_A, B, part_B, case > 0, reach, guess, best, n, work)
    return best


@inner
def best_of_edges(shapes: ShapeTable, A: int, B: int, reach: float, best: float, sifted: bool, n: Vector, work: Matrix) -> float:
    """Edges of A that cross edges of B."""
    round_bodies = shapes.radius[A] + shapes.radius[B] > 0.0
    for e in range(shapes.edge_at[A], shapes.edge_at[A + 1]):
        if sifted and shapes.near_edge[e] == 0:
            continue
        for f in range(shapes.edge_at[B], shapes.edge_at[B + 1]):
            if sifted and shapes.near_edge[f] == 0:
                continue
            if crossing(shapes, e, f, NEAR_SURFACE, work) < 0.0:
                continue
            space.cross(work[ALONG], work[STEP], work[CANDIDATE])
            space.combine(work[FOOT], -1.0, work[OTHER], work[START])
            if round_bodies:                                  # well defined however small the angle, where the product is not
                space.copy(work[START], work[CANDIDATE])
                for k in range(4):                            # exactly across both: an end of either must not seem nearer
                    row = ALONG if k % 2 == 0 else STEP
                    space.combine(work[CANDIDATE], -space.dot(work[CANDIDATE], work[row]), work[row], work[CANDIDATE])
            length = space.normalize(work[CANDIDATE])
            if length < COINCIDENT or abs(space.dot(work[CANDIDATE], work[START])) > reach:
                continue
            for _ in range(1 if round_bodies else 2):
                best = consider(shapes, A, B, work[CANDIDATE], best, n, work)
                for i in range(3):
                    work[CANDIDATE, i] = -work[CANDIDATE, i]
    return best


@inner
def common_normal(shapes: ShapeTable, A: int, B: int, reach: float, guess: Vector, n: Vector, work: Matrix) -> float:
    """The normal of largest separation, and that separation. `guess`: a first normal for smooth pairs, or zero."""
    best, proved = best_of_faces(shapes, A, B, n, work)
    # Inside, a support point beyond a thin body looks proved as well: there all features are tried.
    if best > reach or (proved and best >= -0.01 * min(shapes.bound[A], shapes.bound[B])):
        return best
    # Features farther apart than this cannot be the nearest ones of a pair within reach; inside, allow a percent of the bodies.
    reach = max(reach, 0.01 * min(shapes.bound[A], shapes.bound[B])) + shapes.radius[A] + shapes.radius[B]
    sifted = sift_kernels.sift_pair(shapes, A, B, max(reach, -best) + NEAR_SURFACE)
    best = best_of_parts(shapes, A, B, reach, guess, best, sifted, n, work)
    best = best_of_edges(shapes, A, B, reach, best, sifted, n, work)
    if best > -math.inf:
        return best
    # No features near one another: far apart, or round bodies with a centre in common, which must not pass for far apart.
    space.combine(shapes.pos[A], -1.0, shapes.pos[B], work[CANDIDATE])
    if space.normalize(work[CANDIDATE]) < COINCIDENT:
        work[CANDIDATE, 0], work[CANDIDATE, 1], work[CANDIDATE, 2] = 0.0, 0.0, 1.0
    return consider(shapes, A, B, work[CANDIDATE], best, n, work)
