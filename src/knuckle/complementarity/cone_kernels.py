"""Friction problems a = B f + c over units: circular cones, planar contacts, known slips, rows of joints.

Rows of a unit: SLIDING N,T(,U); CONE N,T,U; PLANAR N,T; the others one. `first[u]` is the first row of unit u, `first[-1]`
the number of rows; `mu[u]` the friction coefficient (DRY: bound). SLIDING: f_T = factor[u, 0] f_N, f_U = factor[u, 1] f_N.
"""
import math
from typing import NamedTuple

from knuckle.compiled import dense
from knuckle.compiled.kernel import Integers, Matrix, Vector, inner, kernel
from knuckle.complementarity import slide_kernels

UNILATERAL, SLIDING, CONE, PLANAR, DRY, BILATERAL = 0, 1, 2, 3, 4, 5
BREAK, STICK, SLIDE = 0, 1, 2
ENOUGH = 3e-15          # of scaled data of order one: another step would only change round-off
SOLVED, UNDECIDED = 0, 1
RESIDUAL, STEPS, SWEEPS, PROXIMAL, EFFORT, MOST_EFFORT = 0, 1, 2, 3, 4, 5     # places in ConeWork.info


class ConeWork(NamedTuple):
    """For n rows, k units. G, d, x, y: the problem with sliding folded in, one scale per unit, data of order one."""
    G: Matrix               # n x n
    J: Matrix               # n x n
    Z: Matrix               # n x 3, derivative of the projection, over the unit's own rows
    d: Vector               # n, as all vectors down to `row`
    x: Vector
    y: Vector
    F: Vector
    step: Vector
    rhs: Vector
    start: Vector
    swept: Vector
    centre: Vector
    best: Vector
    row: Vector
    scale: Vector           # k: x = scale f, y = a / scale
    bound: Vector           # k
    balance: Vector         # k: the s_i of the energy test
    info: Vector            # 6, see above; MOST_EFFORT is an input: multiplications before giving up
    local: Matrix           # 3 x 3
    b: Vector               # 3
    force: Vector           # 3
    slide: Vector           # 5: slide polynomial
    chain: Matrix           # 5 x 5
    roots: Matrix           # 4 x 4
    offset: Integers        # k + 1
    pivots: Integers        # n


@inner
def next_draw(draw: int) -> int:
    """Linear congruences: the same numbers everywhere. The upper bits are the random ones."""
    return (draw * 1103515245 + 12345) % 2147483648


@inner
def reduce_units(B: Matrix, kinds: Integers, first: Integers, factor: Matrix, work: ConeWork) -> None:
    """Fold known slip directions into the columns (only a_N of such a unit counts); scale each unit by one factor."""
    units, G, offset = len(kinds), work.G, work.offset
    for u in range(units):                    # offset[0] is 0 for ever
        offset[u + 1] = offset[u] + (1 if kinds[u] == SLIDING else first[u + 1] - first[u])
        diagonal = 0.0
        for i in range(first[u], first[u] + offset[u + 1] - offset[u]):
            total = B[i, i]
            if kinds[u] == SLIDING:
                for j in range(i + 1, first[u + 1]):
                    total += B[i, j] * factor[u, j - i - 1]
            diagonal += abs(total) / (offset[u + 1] - offset[u])
        work.scale[u] = math.sqrt(diagonal) if diagonal > 0.0 else 1.0
    for u in range(units):
        for i in range(offset[u], offset[u + 1]):
            row = first[u] + i - offset[u]
            for v in range(units):
                both = 1.0 / (work.scale[u] * work.scale[v])
                for j in range(offset[v], offset[v + 1]):
                    G[i, j] = B[row, first[v] + j - offset[v]] * both
                if kinds[v] == SLIDING:
                    for j in range(first[v] + 1, first[v + 1]):
                        G[i, offset[v]] += B[row, j] * factor[v, j - first[v] - 1] * both


@inner
def projection(kinds: Integers, mu: Vector, work: ConeWork) -> float:
    """F and Z of `natural_map` for given x and y."""
    x, y, F, Z, square = work.x, work.y, work.F, work.Z, 0.0
    for i in range(work.offset[len(kinds)]):
        F[i], Z[i, 0], Z[i, 1], Z[i, 2] = x[i], 0.0, 0.0, 0.0
    for u in range(len(kinds)):
        o, kind = work.offset[u], kinds[u]
        m, z = work.offset[u + 1] - o, x[o] - y[o]
        if kind == DRY and abs(z) > work.bound[u]:
            F[o] = x[o] - math.copysign(work.bound[u], z)
        elif kind >= DRY or z > 0.0:
            F[o], Z[o, 0] = y[o], 1.0
            radius, T = mu[u] * z, x[o + 1] - y[o + 1] if m > 1 else 0.0
            U = x[o + 2] - y[o + 2] if m > 2 else 0.0
            long = math.sqrt(T * T + U * U)
            for i in range(1, m):
                own, other = (T, U) if i == 1 else (U, T)
                if long <= radius:
                    F[o + i], Z[o + i, i] = y[o + i], 1.0
                else:
                    F[o + i] = x[o + i] - radius * own / long
                    Z[o + i, 0] = mu[u] * own / long
                    if m > 2:
                        Z[o + i, i] = radius / long * (other / long) * (other / long)
                        Z[o + i, 3 - i] = -radius / long * (own / long) * (other / long)
        for i in range(o, o + m):
            square += F[i] * F[i]
    return math.sqrt(square)


@inner
def natural_map(kinds: Integers, mu: Vector, work: ConeWork) -> float:
    """Alart and Curnier's map F = x - proj(x - y), y = G x + d, and Z, the projection's derivative; returns |F|."""
    x, y, near = work.x, work.y, work.info[PROXIMAL]
    for i in range(work.offset[len(kinds)]):
        y[i] = work.d[i] + near * (x[i] - work.centre[i])
        for j in range(work.offset[len(kinds)]):
            y[i] += work.G[i, j] * x[j]
    return projection(kinds, mu, work)


@inner
def newton_step(kinds: Integers, work: ConeWork, shift: float) -> bool:
    """(I - Z + Z (G + shift I)) step = -F; rows whose projection is constant leave the system."""
    Z, step, row, m, n = work.Z, work.step, work.row, 0, work.offset[len(kinds)]
    for i in range(n):
        step[i] = -work.F[i]
    for u in range(len(kinds)):
        o = work.offset[u]
        for i in range(o, work.offset[u + 1]):
            if Z[i, 0] == 0.0 and Z[i, 1] == 0.0 and Z[i, 2] == 0.0:
                continue
            for j in range(n):
                row[j] = 0.0
            for part in range(work.offset[u + 1] - o):
                weight = Z[i, part]
                if weight != 0.0:
                    for j in range(n):
                        row[j] += weight * work.G[o + part, j]
                    row[o + part] += weight * (shift - 1.0)
            row[i] += 1.0
            work.rhs[m], column = -work.F[i], 0
            for j in range(n):
                if Z[j, 0] == 0.0 and Z[j, 1] == 0.0 and Z[j, 2] == 0.0:
                    work.rhs[m] -= row[j] * step[j]
                else:
                    work.J[m, column] = row[j]
                    column += 1
            m += 1
    work.info[EFFORT] += float(m * m * m // 3 + 3 * m * n)
    if not dense.lu_factor(work.J, work.pivots, m):
        return False
    dense.lu_solve(work.J, work.pivots, work.rhs, m)
    m = 0
    for i in range(n):
        if Z[i, 0] != 0.0 or Z[i, 1] != 0.0 or Z[i, 2] != 0.0:
            step[i] = work.rhs[m]
            m += 1
    return True


@inner
def newton(kinds: Integers, mu: Vector, work: ConeWork, cap: int, firmness: float) -> None:
    """Damped semismooth Newton from work.x. The shift serves rank-deficient sets and vanishes with the residual."""
    n, merit, length, forced, uphill, lift = work.offset[len(kinds)], math.inf, 1.0, False, 2, 1.0
    while True:
        trial = natural_map(kinds, mu, work)
        if not forced and length > 0.03 and not trial < (1.0 - 0.1 * length) * merit:
            length *= 0.4
        elif not forced and not trial < merit:          # no descent along the step: go uphill twice, then back and end
            forced, length = True, 0.0 if merit < 1e-13 or uphill == 0 or math.isnan(trial) else 1.0
            uphill -= 1
        else:
            if cap == 0 or trial <= ENOUGH * math.sqrt(n) or length == 0.0 or work.info[EFFORT] >= work.info[MOST_EFFORT]:
                return
            merit, length, forced, cap = trial, 1.0, False, cap - 1
            shift = max(1e-12, firmness * math.sqrt(min(1.0, merit))) + work.info[PROXIMAL]
            while not newton_step(kinds, work, shift * lift):
                lift *= 100.0
                if lift > 1e9:
                    return
            work.info[STEPS] += 1.0
            for i in range(n):
                work.start[i] = work.x[i]
        work.info[EFFORT] += float(n * n)
        for i in range(n):
            work.x[i] = work.start[i] + length * work.step[i]


@inner
def sweep(kinds: Integers, mu: Vector, work: ConeWork, exact: bool) -> None:
    """One pass of nonlinear block Gauss-Seidel over work.x; a contact without an answer of its own keeps its force."""
    G, x = work.G, work.x
    for u in range(len(kinds)):
        o, m = work.offset[u], work.offset[u + 1] - work.offset[u]
        for i in range(3):
            for j in range(3):                # a missing tangent is a frictional row that nothing moves
                work.local[i, j] = G[o + i, o + j] if i < m and j < m else (1.0 if i == j else 0.0)
            work.b[i], work.force[i] = 0.0, x[o + i] if i < m else 0.0
        for i in range(m):
            work.b[i] = work.d[o + i]
            for j in range(work.offset[len(kinds)]):
                work.b[i] += G[o + i, j] * x[j] if j < o or j >= o + m else 0.0
        if m > 1:
            slide_kernels.local_contact(work.local, work.b, mu[u], exact, work.slide, work.chain, work.roots, work.force)
            for i in range(m):
                x[o + i] = work.force[i]
        elif G[o, o] > 0.0:
            z = -work.b[0] / G[o, o]
            if kinds[u] == DRY:
                z = min(max(z, -work.bound[u]), work.bound[u])
            x[o] = z if kinds[u] >= DRY else max(z, 0.0)
    work.info[SWEEPS] += 1.0
    work.info[EFFORT] += float(len(work.d)) ** 2


@inner
def residual_of_motion(c: Vector, kinds: Integers, first: Integers, mu: Vector, f: Vector, a: Vector) -> float:
    """CONTRACT 5: violation of the cone over R, of its dual by u~ over U, of r.u~ = 0 over R U.

    Rows of joints have R and U of their own. Not checked: the substitution f_T = factor f_N of SLIDING.
    """
    worst = 0.0
    for joints in range(2):
        force, motion, square, members = 0.0, 0.0, 0.0, 0
        for u in range(len(kinds)):
            if (joints == 0) == (SLIDING <= kinds[u] <= PLANAR):
                members += 1
                for i in range(first[u], first[u + 1]):
                    force, motion = max(force, abs(f[i])), max(motion, abs(a[i]))
                    square += c[i] * c[i]
        motion = max(motion, math.sqrt(square / max(members, 1)))
        force, motion = force if force > 0.0 else 1.0, motion if motion > 0.0 else 1.0
        for u in range(len(kinds)):
            if (joints == 0) == (SLIDING <= kinds[u] <= PLANAR):
                o, kind = first[u], kinds[u]
                outside, dual, product, slip, pull = -f[o], -a[o], f[o] * a[o], 0.0, 0.0
                if kind == DRY:
                    outside, dual, product = abs(f[o]) - mu[u], 0.0, product + mu[u] * abs(a[o])
                elif kind == BILATERAL:
                    outside, dual, product = 0.0, abs(a[o]), 0.0
                elif kind >= CONE:
                    for i in range(o + 1, first[u + 1]):
                        slip, pull, product = slip + a[i] * a[i], pull + f[i] * f[i], product + f[i] * a[i]
                    outside = max(outside, math.sqrt(pull) - mu[u] * f[o])
                    product += mu[u] * math.sqrt(slip) * f[o]
                worst = max(worst, max(outside / force, max(dual / motion, abs(product) / (force * motion))))
                worst = worst if product == product else math.inf
    return worst


@kernel
def cone_residual(B: Matrix, c: Vector, kinds: Integers, first: Integers, mu: Vector, f: Vector, a: Vector) -> float:
    """Fills a = B f + c; see `residual_of_motion`."""
    for i in range(first[len(kinds)]):
        a[i] = c[i]
        for j in range(len(c)):
            a[i] += B[i, j] * f[j]
    return residual_of_motion(c, kinds, first, mu, f, a)


@inner
def keep_answer(B: Matrix, c: Vector, kinds: Integers, first: Integers, mu: Vector, factor: Matrix, size: float,
                work: ConeWork, f: Vector, a: Vector, modes: Integers) -> None:
    """Forces of work.x in the caller's units, with modes, unless an earlier answer (work.best) was better."""
    for u in range(len(kinds)):
        for i in range(first[u], first[u + 1]):
            if kinds[u] == SLIDING and i > first[u]:
                f[i] = factor[u, i - first[u] - 1] * f[first[u]]
            else:
                f[i] = work.x[work.offset[u] + i - first[u]] * size / work.scale[u]
    residual = cone_residual(B, c, kinds, first, mu, f, a)
    if residual < work.info[RESIDUAL]:
        work.info[RESIDUAL] = residual
        for i in range(len(c)):
            work.best[i] = f[i]
        for u in range(len(kinds)):
            o, holds = work.offset[u], work.Z[work.offset[u], 0] != 0.0
            slides = kinds[u] == SLIDING or (work.offset[u + 1] - o > 1 and work.Z[o + 1, 1] != 1.0)
            modes[u] = (SLIDE if slides else STICK) if holds else (SLIDE if kinds[u] == DRY else BREAK)


@inner
def scale_problem(B: Matrix, c: Vector, kinds: Integers, first: Integers, factor: Matrix, work: ConeWork) -> float:
    """`reduce_units`, and the size of the scaled c."""
    size = 0.0
    reduce_units(B, kinds, first, factor, work)
    for u in range(len(kinds)):
        for i in range(first[u], first[u] + work.offset[u + 1] - work.offset[u]):
            size = max(size, abs(c[i]) / work.scale[u])
    return size if size > 0.0 else 1.0


@kernel
def cone_newton(B: Matrix, c: Vector, kinds: Integers, first: Integers, mu: Vector, factor: Matrix, f: Vector,
                a: Vector, modes: Integers, work: ConeWork, tol: float, rounds: int, warm: bool) -> int:
    """One answer of a = B f + c: rounds of Gauss-Seidel sweeps, each followed by Newton, until `cone_residual` <= tol.

    f is the first guess when `warm`. Every other round walks a proximal path first: G + weight I, weight to 0.
    """
    units, size = len(kinds), scale_problem(B, c, kinds, first, factor, work)
    for u in range(units):
        work.bound[u] = mu[u] * work.scale[u] / size
        for i in range(work.offset[u], work.offset[u + 1]):
            row = first[u] + i - work.offset[u]
            work.d[i] = c[row] / work.scale[u] / size
            work.x[i] = f[row] * work.scale[u] / size if warm else 0.0
    work.info[RESIDUAL], work.info[STEPS], work.info[SWEEPS] = math.inf, 0.0, 0.0
    sweeps = 0 if warm else 2
    for turn in range(rounds):
        for _ in range(sweeps):
            sweep(kinds, mu, work, turn > 0)
        sweeps = 10 if turn == 0 else min(3 * sweeps, 1000)
        for i in range(work.offset[units]):
            work.swept[i] = work.x[i]
        path = 15 if turn % 2 == 1 else 0
        for stage in range(path + 1):
            work.info[PROXIMAL] = 0.2 ** stage if stage < path else 0.0
            for i in range(work.offset[units]):
                work.centre[i] = work.x[i]
            newton(kinds, mu, work, 15 if stage < path else 40, 1e-4 if turn % 4 < 2 else 1e-9)
        keep_answer(B, c, kinds, first, mu, factor, size, work, f, a, modes)
        if work.info[RESIDUAL] <= tol or work.info[EFFORT] >= work.info[MOST_EFFORT]:
            break
        for i in range(work.offset[units]):
            work.x[i] = work.swept[i]
    for i in range(len(c)):
        f[i] = work.best[i]
    work.info[RESIDUAL] = cone_residual(B, c, kinds, first, mu, f, a)
    return SOLVED if work.info[RESIDUAL] <= tol else UNDECIDED
