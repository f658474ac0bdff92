"""The last digits of a friction problem's answer, where large forces nearly cancel: motions are summed with twice the digits, Newton's steps correct
what is left, and forces are rounded so that their errors cancel."""
import math

from knuckle.compiled.kernel import Integers, Matrix, Vector, inner
from knuckle.complementarity import cone_kernels
from knuckle.complementarity.cone_kernels import PROXIMAL, ConeWork

EPSILON = 1.2e-16          # of one operation
HALVES = 134217729.0        # 2^27 + 1 parts a number into two of 26 bits (Dekker)
CORRECTIONS = 4
WELL = 1e-2                 # of the tolerance: corrections are cheap, and a small residual is not a small error
SHIFT = 1e-10               # for rank-deficient sets; what it leaves the next correction takes
SWEEPS_OF_ROUNDING = 30
SHAKES = 40


@inner
def exact_motion(W: Matrix, q: Vector, r: Vector, u: Vector) -> None:
    """u = W r + q, summed with twice the digits (products by Dekker, sums by Knuth)."""
    for i in range(len(q)):
        total, rest = q[i], 0.0
        for j in range(len(q)):
            a, b = W[i, j], r[j]
            if a == 0.0 or b == 0.0:
                continue
            product = a * b
            part, other = HALVES * a, HALVES * b
            a_high, b_high = part - (part - a), other - (other - b)
            a_low, b_low = a - a_high, b - b_high
            rest += ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
            after = total + product
            back = after - total
            rest += (total - (after - back)) + (product - back)
            total = after
        u[i] = total + rest


@inner
def round_off(W: Matrix, q: Vector, mu: Vector, r: Vector, u: Vector) -> float:
    """What plain sums may leave wrong in the residual, in mu |u_T| r_N mu times as much."""
    most, motion, square, rough = 0.0, 0.0, 0.0, 1.0
    for i in range(len(mu)):
        rough = max(rough, 1.0 + mu[i])
    for i in range(len(q)):
        terms = abs(q[i])
        for j in range(len(q)):
            terms += abs(W[i, j] * r[j])
        most, motion, square = max(most, terms), max(motion, abs(u[i])), square + q[i] * q[i]
    motion = max(motion, math.sqrt(3.0 * square / max(len(q), 1)))
    return rough * (len(q) + 8) * EPSILON * most / motion if motion > 0.0 else math.inf


@inner
def exact_residual(W: Matrix, q: Vector, kinds: Integers, first: Integers, mu: Vector, r: Vector, u: Vector) -> float:
    """The residual of CONTRACT 5, u = W r + q without round-off to speak of. Not finite numbers: infinite."""
    exact_motion(W, q, r, u)
    for i in range(len(q)):
        if not abs(u[i]) < math.inf:                     # halves of huge numbers overflow: the plain sum decides
            return cone_kernels.cone_residual(W, q, kinds, first, mu, r, u)
    return cone_kernels.residual_of_motion(q, kinds, first, mu, r, u)


@inner
def load_scaled(kinds: Integers, mu: Vector, r: Vector, u: Vector, size: float, work: ConeWork) -> None:
    """x and y of Newton's method at (r, u), and with them F and Z."""
    for i in range(len(kinds)):
        for j in range(3):
            work.x[3 * i + j] = r[3 * i + j] * work.scale[i] / size
            work.y[3 * i + j] = u[3 * i + j] / work.scale[i] / size
    cone_kernels.projection(kinds, mu, work)


@inner
def last_place(x: float) -> float:
    """The distance to the next number of the same power of two."""
    return math.ldexp(1.0, math.frexp(x)[1] - 53) if abs(x) > 1e-290 else 0.0


@inner
def round_forces(W: Matrix, r: Vector, u: Vector, work: ConeWork) -> None:
    """Move single forces by whole units of their last place while that brings the rows that shall not move nearer to rest.

    Forces that are rounded one by one leave W times their round-off in u; of the neighbouring numbers some leave far less. Descent along one
    coordinate at a time, on the grid of numbers.
    """
    n, Z = len(r), work.Z
    for i in range(n):                                   # rows at rest: normals that are kept, tangents that stick
        N = i - i % 3
        work.row[i] = 1.0 if Z[N, 0] != 0.0 and (i == N or (Z[N + 1, 1] == 1.0 and Z[N + 2, 2] == 1.0)) else 0.0
        work.rhs[i] = u[i] * work.row[i]
    for _ in range(SWEEPS_OF_ROUNDING):
        moved = False
        for j in range(n):
            slope, bend, unit, before = 0.0, 0.0, last_place(r[j]), r[j]
            for i in range(n):
                slope += W[i, j] * work.rhs[i]
                bend += W[i, j] * W[i, j] * work.row[i]
            if Z[j - j % 3, 0] == 0.0 or not abs(slope) > 0.5 * bend * unit > 0.0:
                continue
            r[j] -= math.floor(slope / bend / unit + 0.5) * unit
            for i in range(n):
                work.rhs[i] += work.row[i] * W[i, j] * (r[j] - before)
            moved = moved or r[j] != before
        if not moved:
            return


@inner
def shake(r: Vector, reach: int, draw: int) -> int:
    """Move every force by up to `reach` units of its last place; the state of the generator."""
    for j in range(len(r)):
        draw = cone_kernels.next_draw(draw)
        r[j] += (draw // 65536 % (2 * reach + 1) - reach) * last_place(r[j])
    return draw


@inner
def refine(W: Matrix, q: Vector, kinds: Integers, first: Integers, mu: Vector, r: Vector, u: Vector, best: float, size: float, kept: Vector,
           work: ConeWork, tol: float) -> float:
    """Better last digits for r, if there are any; its residual. `size`: the load in work's units."""
    n, draw = len(q), 1
    work.info[PROXIMAL] = 0.0
    for turn in range(CORRECTIONS + SHAKES):
        if best <= (WELL * tol if turn < CORRECTIONS else tol):
            return best
        for i in range(n):
            kept[i] = r[i]
        load_scaled(kinds, mu, r, u, size, work)
        if turn < CORRECTIONS:
            if not cone_kernels.newton_step(kinds, work, SHIFT):
                continue
            for i in range(n):
                r[i] += work.step[i] * size / work.scale[i // 3]
        else:
            draw = shake(r, 64, draw)
        exact_residual(W, q, kinds, first, mu, r, u)
        load_scaled(kinds, mu, r, u, size, work)
        round_forces(W, r, u, work)
        now = exact_residual(W, q, kinds, first, mu, r, u)
        if not now < best:
            for i in range(n):
                r[i] = kept[i]
            now = exact_residual(W, q, kinds, first, mu, r, u)
        best = min(now, best)
    return best
