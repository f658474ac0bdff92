"""Friction problems by an interior point method: slow and steady where Newton's method is lost, as under heavy bodies on light ones.

In the scaled variables x = (mu r_N, r_T) and y = (u_N / mu + |u_T|, u_T) both cones are the circular one of slope 1 that is its own dual,
and an answer is x in it, y in it, x.y = 0. Newton's steps go along the path x o y = m (1, 0, 0), m to 0, with the scaling of
Nesterov and Todd, and |u_T| is differentiated with the rest (Acary, Armand, Nguyen: nonsmooth interior points for friction).

The workspace is that of Newton's method. Here step and start are the steps of x and y, F is u, bound |u_T|, balance the weights of the products, Z
the scaling H, J the factored matrix, swept and centre the scales of its rows and columns, row the units of x.
"""
import math

from knuckle.compiled import dense
from knuckle.compiled.kernel import Matrix, Vector, inner, kernel
from knuckle.complementarity import cone_kernels
from knuckle.complementarity.cone_kernels import EFFORT, MOST_EFFORT, ConeWork

STEPS_AT_MOST = 120
CENTRED = 0.95          # of the way to the border
NEAR = 1e-15            # scaled products of x and y that end the path
STUCK = 1e-10           # shorter steps lead nowhere


@inner
def scale_cones(W: Matrix, q: Vector, mu: Vector, force: float, work: ConeWork) -> float:
    """G and d of y = G x + d for x of order one where forces are `force` times as large as the load; work.row: units of x. The unit of y.

    A contact without friction has one row.
    """
    offset, most = work.offset, 0.0
    for u in range(len(mu)):
        offset[u + 1] = offset[u] + (3 if mu[u] > 0.0 else 1)
        diagonal = (W[3 * u, 3 * u] + W[3 * u + 1, 3 * u + 1] + W[3 * u + 2, 3 * u + 2]) / 3.0
        work.scale[u] = 1.0 / math.sqrt(diagonal) if diagonal > 0.0 else 1.0
        for i in range(offset[u], offset[u + 1]):
            work.row[i] = work.scale[u] / mu[u] if i == offset[u] and mu[u] > 0.0 else work.scale[u]
            work.d[i] = work.row[i] * q[3 * u + i - offset[u]]
            most = max(most, abs(work.d[i]))
    most = most if most > 0.0 else 1.0
    for u in range(len(mu)):
        for i in range(offset[u], offset[u + 1]):
            work.d[i] /= most
            for v in range(len(mu)):
                for j in range(offset[v], offset[v + 1]):
                    work.G[i, j] = force * work.row[i] * W[3 * u + i - offset[u], 3 * v + j - offset[v]] * work.row[j]
    return most


@inner
def depth(x: Vector, o: int, m: int) -> float:
    """x0^2 - |x_T|^2, without cancellation; x0^2 where the cone is a half-line."""
    if m == 1:
        return x[o] * x[o]
    long = math.sqrt(x[o + 1] * x[o + 1] + x[o + 2] * x[o + 2])
    return (x[o] - long) * (x[o] + long)


@inner
def scaling(work: ConeWork, units: int) -> bool:
    """Nesterov and Todd: symmetric blocks H with H x = y, into work.Z. False where x or y has left its cone."""
    x, y, H = work.x, work.y, work.Z
    for u in range(units):
        o, m = work.offset[u], work.offset[u + 1] - work.offset[u]
        deep_x, deep_y = depth(x, o, m), depth(y, o, m)
        if not (deep_x > 0.0 and deep_y > 0.0 and x[o] > 0.0 and y[o] > 0.0):
            return False
        if m == 1:
            H[o, 0] = y[o] / x[o]
            continue
        long_x, long_y = math.sqrt(deep_x), math.sqrt(deep_y)
        product = (x[o] * y[o] + x[o + 1] * y[o + 1] + x[o + 2] * y[o + 2]) / (long_x * long_y)
        half = 0.5 / math.sqrt(0.5 * (1.0 + product))
        for i in range(3):
            for j in range(3):
                own = half * (y[o + i] / long_y + (x[o + i] if i == 0 else -x[o + i]) / long_x)
                other = half * (y[o + j] / long_y + (x[o + j] if j == 0 else -x[o + j]) / long_x)
                H[o + i, j] = 2.0 * own * other
            H[o + i, i] += -1.0 if i == 0 else 1.0
            for j in range(3):
                H[o + i, j] *= long_y / long_x
    return True


@inner
def path_matrix(work: ConeWork, units: int) -> bool:
    """Factor of G + d|u_T| + H in work.J, rows and columns scaled to 1 (work.bound of the unit is |u_T|, work.F is u). False if it is singular."""
    J, G, n = work.J, work.G, work.offset[units]
    for i in range(n):
        for j in range(n):
            J[i, j] = G[i, j]
    for u in range(units):
        o, m = work.offset[u], work.offset[u + 1] - work.offset[u]
        for i in range(1, m):
            share = work.F[o + i] / work.bound[u] if work.bound[u] > 0.0 else 0.0
            for j in range(n):
                J[o, j] += share * G[o + i, j]
        for i in range(m):
            for j in range(m):
                J[o + i, o + j] += work.Z[o + i, j]
    for i in range(n):
        size = 0.0
        for j in range(n):
            size = max(size, abs(J[i, j]))
        if not 0.0 < size < math.inf:
            return False
        work.swept[i] = 1.0 / size
        for j in range(n):
            J[i, j] /= size
    for j in range(n):
        size = 0.0
        for i in range(n):
            size = max(size, abs(J[i, j]))
        work.centre[j] = 1.0 / size if size > 0.0 else 1.0
        for i in range(n):
            J[i, j] *= work.centre[j]
    work.info[EFFORT] += float(n * n * n // 3 + 4 * n * n)
    return dense.lu_factor(J, work.pivots, n)


@inner
def direction(work: ConeWork, units: int, aim: float) -> None:
    """Steps of x and y (work.step, work.start) towards x o y = aim balance."""
    n = work.offset[units]
    for u in range(units):
        o, m = work.offset[u], work.offset[u + 1] - work.offset[u]
        deep = depth(work.x, o, m)
        for i in range(m):
            pull = aim * work.balance[u] * (work.x[o + i] if i == 0 else -work.x[o + i]) / deep
            work.start[o + i] = pull - work.y[o + i]
            work.rhs[o + i] = work.swept[o + i] * (pull - work.F[o + i] - (work.bound[u] if i == 0 and m > 1 else 0.0))
    dense.lu_solve(work.J, work.pivots, work.rhs, n)
    for i in range(n):
        work.step[i] = work.rhs[i] * work.centre[i]
    for u in range(units):
        o, m = work.offset[u], work.offset[u + 1] - work.offset[u]
        for i in range(m):
            for j in range(m):
                work.start[o + i] -= work.Z[o + i, j] * work.step[o + j]


@inner
def to_border(x: Vector, step: Vector, work: ConeWork, units: int) -> float:
    """The longest step, at most 1 / CENTRED, that keeps x in its cones."""
    longest = 1.0 / CENTRED
    for u in range(units):
        o, m = work.offset[u], work.offset[u + 1] - work.offset[u]
        if m == 1:
            if step[o] < 0.0:
                longest = min(longest, -x[o] / step[o])
            continue
        long = math.sqrt(step[o + 1] * step[o + 1] + step[o + 2] * step[o + 2])
        a, c = (step[o] - long) * (step[o] + long), depth(x, o, m)
        b = x[o] * step[o] - x[o + 1] * step[o + 1] - x[o + 2] * step[o + 2]
        square = b * b - a * c
        if square >= 0.0 and b < 0.0:
            longest = min(longest, c / (math.sqrt(square) - b))
        elif square >= 0.0 and a < 0.0:
            longest = min(longest, -(b + math.sqrt(square)) / a)
    return longest


@inner
def motion(work: ConeWork, units: int) -> float:
    """u = G x + d into work.F, |u_T| into work.bound; the largest difference between y and what x makes of it."""
    n, worst = work.offset[units], 0.0
    for i in range(n):
        work.F[i] = work.d[i]
        for j in range(n):
            work.F[i] += work.G[i, j] * work.x[j]
    for u in range(units):
        o, m = work.offset[u], work.offset[u + 1] - work.offset[u]
        work.bound[u] = math.sqrt(work.F[o + 1] * work.F[o + 1] + work.F[o + 2] * work.F[o + 2]) if m > 1 else 0.0
        worst = max(worst, abs(work.F[o] + work.bound[u] - work.y[o]))
        for i in range(1, m):
            worst = max(worst, abs(work.F[o + i] - work.y[o + i]))
    return worst


@inner
def begin(work: ConeWork, units: int, spread: float, draw: int) -> None:
    """x and y along (1, 0, 0), y as large as what x makes of it.

    With a `spread`, in powers of ten, each unit has sizes of its own, and the path is another one: its products x.y stay in these proportions
    (work.balance), and where one path ends another may lead on.
    """
    total = 0.0
    for u in range(units):
        draw = cone_kernels.next_draw(draw)
        size = 10.0 ** (spread * (draw / 1073741824.0 - 1.0))
        draw = cone_kernels.next_draw(draw)
        work.balance[u] = 10.0 ** (spread * (draw / 1073741824.0 - 1.0)) * size
        total += work.balance[u] / units
        for i in range(work.offset[u], work.offset[u + 1]):
            work.x[i] = size if i == work.offset[u] else 0.0
            work.y[i] = 0.0
    most = max(1.0, motion(work, units))
    for u in range(units):
        work.y[work.offset[u]] = most * work.balance[u] / work.x[work.offset[u]]
        work.balance[u] /= total


@kernel
def interior(W: Matrix, q: Vector, mu: Vector, force: float, spread: float, draw: int, work: ConeWork, r: Vector) -> int:
    """Forces r near an answer, if the path leads there; the steps taken. `force`: how much larger than the load forces may be."""
    units, unit = len(mu), scale_cones(W, q, mu, force, work)
    begin(work, units, spread, draw)
    taken, n = 0, work.offset[units]
    for step in range(STEPS_AT_MOST):
        apart, product = motion(work, units), 0.0
        for i in range(n):
            product += work.x[i] * work.y[i]
        product /= units
        if (product <= NEAR and apart <= 1e-13) or work.info[EFFORT] >= work.info[MOST_EFFORT]:
            break
        if not (scaling(work, units) and path_matrix(work, units)):
            break
        direction(work, units, 0.0)
        length = min(to_border(work.x, work.step, work, units), to_border(work.y, work.start, work, units))
        aim = (1.0 - min(length, 1.0)) ** 3 if length >= 0.1 else 0.8
        direction(work, units, max(aim, 1e-6) * product)
        length = CENTRED * min(to_border(work.x, work.step, work, units), to_border(work.y, work.start, work, units))
        if not length > STUCK:
            break
        for i in range(n):
            work.x[i] += length * work.step[i]
            work.y[i] += length * work.start[i]
        taken = step + 1
    for u in range(units):
        for i in range(3):
            row = work.offset[u] + i
            r[3 * u + i] = work.x[row] * work.row[row] * force * unit if row < work.offset[u + 1] else 0.0
    return taken
