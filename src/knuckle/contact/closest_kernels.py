"""Contacts of all pairs: normals, points, gaps, frames, curvature."""
import math

from knuckle.compiled.kernel import Matrix, Vector, inner, kernel
from knuckle.contact import manifold_kernels as manifold
from knuckle.contact import normal_kernels as normal
from knuckle.contact import shape_kernels as shape
from knuckle.contact import space_kernels as space
from knuckle.contact.manifold_kernels import UNRESOLVED, Contacts, Search
from knuckle.contact.normal_kernels import BACK, NORMAL, OTHER, SPARE, SPREAD_A, Q
from knuckle.contact.shape_kernels import ShapeTable
from knuckle.model.kernels import Plant

FULL = -1                # what find_contacts returns instead of a count when there are too few slots (or UNRESOLVED)
FAR = 1e6                # m; a reach that skips nothing


@inner
def frame(search: Search, pair: int, n: Vector, t: Vector, u: Vector) -> None:
    """PHYSICS 1: t = w x n in the plane; in space the given tangent, else world x, projected. u = n x t."""
    w, wish = search.plane_normal, search.tangent[pair]
    space.tangents(n, t, u)
    if space.dot(w, w) > 0.0:
        space.combine(n, -space.dot(n, w), w, n)
        space.normalize(n)
        space.cross(w, n, t)
    elif space.dot(wish, wish) > 0.0:
        space.combine(wish, -space.dot(wish, n), n, u)
        if space.normalize(u) > 1e-6:
            space.copy(u, t)
    space.cross(n, t, u)


@inner
def complete(shapes: ShapeTable, search: Search, k: int, contacts: Contacts) -> None:
    """Bodies, frame, curvature and directions of slot k."""
    work, pair, n = contacts.work, contacts.pair[k], contacts.n[k]
    frame(search, pair, n, contacts.t[k], contacts.u[k])
    space.copy(contacts.t[k], work[Q])
    space.copy(contacts.u[k], work[Q + 1])
    for side in range(2):
        s = search.pairs[pair, side]
        feature = contacts.feature_A[k] if side == 0 else contacts.feature_B[k]
        K, E = (contacts.K_A[k], contacts.E_A[k]) if side == 0 else (contacts.K_B[k], contacts.E_B[k])
        for i in range(3):
            work[BACK, i] = -n[i] if side == 0 else n[i]
        space.copy(contacts.point_A[k] if side == 0 else contacts.point_B[k], work[SPARE])
        rank = shape.surface(shapes, s, feature % 8, feature // 8, work[BACK], work[Q: Q + 2], work[SPARE], work[SPREAD_A], K, E)
        if side == 0:
            contacts.rank_A[k], contacts.body_A[k] = rank, shapes.body[s]
        else:
            contacts.rank_B[k], contacts.body_B[k] = rank, shapes.body[s]


@inner
def pair_normal(shapes: ShapeTable, search: Search, pair: int, reach: float, n: Vector, work: Matrix) -> float:
    """The common normal of a pair and its separation; -inf for a plane (its corners tell) and for bodies farther apart than `reach`."""
    A, B = search.pairs[pair, 0], search.pairs[pair, 1]
    if shapes.kind[B] == shape.PLANE:
        shape.axis(shapes, B, n)
    elif shapes.kind[A] == shape.PLANE:
        shape.axis(shapes, A, n)
        for i in range(3):
            n[i] = -n[i]
    else:
        best = normal.common_normal(shapes, A, B, reach, search.guess[pair], n, work)
        return best if best > -math.inf else math.inf
    return -math.inf


@inner
def touch_pair(shapes: ShapeTable, search: Search, pair: int, count: int, contacts: Contacts) -> int:
    """Points of one pair. Features beyond reach are skipped at first; if nothing fits then, all are tried: far apart, or UNRESOLVED."""
    n, found, separation = contacts.work[NORMAL], UNRESOLVED, -math.inf
    for attempt in range(4):
        if attempt % 2 == 0:
            reach = search.reach if attempt == 0 else FAR
            separation = pair_normal(shapes, search, pair, reach, n, contacts.work)
            if separation > search.reach:
                return count
        found = manifold.touch(shapes, search, pair, count, n, shape.ALIGNED if attempt % 2 == 0 else shape.STRICTLY, contacts)
        nearest = math.inf
        for k in range(count, found):
            nearest = min(nearest, contacts.gap[k])
        # Points over a face prove its normal only if they reach the separation along it.
        if found > count and separation > -math.inf and nearest > separation + 2.0 * shape.ALIGNED * shapes.bound[search.pairs[pair, 0]]:
            found = UNRESOLVED
        if found != UNRESOLVED:
            break
    return found


@kernel
def find_contacts(plant: Plant, shapes: ShapeTable, search: Search, contacts: Contacts) -> int:
    """Fills slots for every pair nearer than search.reach; their number, FULL (too few slots) or UNRESOLVED (slot 0 names the pair)."""
    for s in range(shapes.kind.size):
        shape.place_origin(plant, shapes, s)
    count, work = 0, contacts.work
    for pair in range(search.pairs.shape[0]):
        A, B = search.pairs[pair, 0], search.pairs[pair, 1]
        space.combine(shapes.pos[A], -1.0, shapes.pos[B], work[OTHER])
        if math.sqrt(space.dot(work[OTHER], work[OTHER])) - shapes.bound[A] - shapes.bound[B] > search.reach:
            continue
        shape.place(plant, shapes, A)
        shape.place(plant, shapes, B)
        count = touch_pair(shapes, search, pair, count, contacts)
        if count < 0:
            contacts.pair[0] = pair
            return UNRESOLVED
    if count == contacts.gap.size:
        return FULL
    for k in range(count):
        complete(shapes, search, k, contacts)
    return count
