"""The answer at one instant, compiled: from M, h, W and the contacts to every answer of the regular modes.

Everything is solved in the scaled contact space a = B f + c of `Work`; one factor per unit keeps a circle a circle.
"""
import math
from typing import NamedTuple

from knuckle.compiled import dense
from knuckle.compiled.kernel import Integers, IntegerTable, Matrix, Vector, inner, kernel
from knuckle.complementarity import cone_kernels, energy_kernels, slide_kernels

UNILATERAL, SLIDING, CONE, PLANAR, DRY, PYRAMID = 0, 1, 2, 3, 4, 6       # units.py explains them
MODE_TOLERANCE = 1e-9       # of the scaled problem: below it a force or acceleration is zero
MERGE_TOLERANCE = 1e-8      # two answers closer than this are one: round-off of an answer is far below, physics far above
PIVOT_FLOOR = 1e-11         # a mode whose matrix has a smaller relative pivot is left to the careful search
MODE_BUDGET = 4096          # modes that are enumerated here; more are left to the search
BY_MODES, BY_ENERGY, OPEN, NO_INERTIA = 0, 1, 2, 3      # how `every_answer` proved its answers complete, or not
CONTRADICTION = 16          # and more: 1 + the bilateral row that contradicts the others


class Problem(NamedTuple):
    """M v' = h + W^T f, a = W v' + bias. Rows contact after contact (N, T, U), then joint rows."""
    M: Matrix               # nv x nv
    h: Vector               # nv
    W: Matrix               # rows x nv
    bias: Vector            # rows
    kind: Integers          # units
    first: Integers         # units + 1: first row of each unit, then the number of rows
    size: Integers          # rows of each unit
    mu: Vector              # friction coefficient; bound of a DRY unit
    factor: Matrix          # units x 2: f_T / f_N and f_U / f_N of a SLIDING unit


class Work(NamedTuple):
    """Space for one problem, and the stages as they were computed."""
    factor_M: Matrix        # nv x nv, Cholesky factor
    Z: Matrix               # rows + 1 x nv: M^-1 W^T row by row, then M^-1 h
    scale: Vector           # rows: f = scale f^, a = a^ / scale (times the load)
    load: Vector            # 1: size of the scaled free acceleration
    B: Matrix               # rows x rows, scaled
    c: Vector               # rows, scaled
    modes: Integers         # units: the mode being tried
    row: Integers           # unknowns: base row of each
    mix: Matrix             # unknowns x 2: force on the next two rows per unit of the unknown
    K: Matrix               # unknowns x unknowns
    pivots: Integers
    x: Vector
    bound: Vector           # units: friction coefficient, or scaled bound of a DRY unit
    constant: Vector        # rows: c plus the forces known in this mode
    known: Vector           # rows: the forces known in this mode
    f: Vector               # rows, of the mode being tried
    a: Vector
    response: Matrix        # 4 x unknowns, B3 3 x 3, b3, roots: one sliding contact among the rest
    B3: Matrix
    b3: Vector
    roots: Matrix
    answers: Matrix         # answers x rows: forces, scaled
    accelerations: Matrix   # answers x rows, scaled
    answer_modes: IntegerTable
    counts: Integers        # 0 answers, 1 modes tried, 2 singular modes, 3 modes with several sliding directions, 4 overflow
    signs: Vector           # axes of the contact set being tested
    A: Matrix               # LCP matrix of a contact set
    cone: cone_kernels.ConeWork


@kernel
def contact_space(problem: Problem, work: Work, rows: int, nv: int) -> bool:
    """Z = M^-1 [W^T, h], B = W M^-1 W^T, c = W M^-1 h + bias, unscaled. False unless M is positive definite."""
    for i in range(nv):
        for j in range(nv):
            work.factor_M[i, j] = problem.M[i, j]
    if not dense.cholesky(work.factor_M, nv):
        return False
    for r in range(rows + 1):
        for j in range(nv):
            work.Z[r, j] = problem.W[r, j] if r < rows else problem.h[j]
        dense.cholesky_solve(work.factor_M, work.Z[r], nv)
    for r in range(rows):
        for s in range(r + 1):
            total = 0.0
            for j in range(nv):
                total += problem.W[r, j] * work.Z[s, j]
            work.B[r, s] = total
            work.B[s, r] = total
        total = 0.0
        for j in range(nv):
            total += problem.W[r, j] * work.Z[rows, j]
        work.c[r] = total + problem.bias[r]
    return True


@kernel
def eliminate_bilateral(work: Work, first: int, rows: int, nv: int) -> int:
    """Rows `first`.. hold whatever the rest does: pivot them out of B, c and Z, largest first. A row that the others imply
    is left out; 0 when the rows agree, else 1 + the row that contradicts the others."""
    for r in range(first, rows):
        work.pivots[r] = 0
    largest = 0.0
    for r in range(first, rows):
        largest = max(largest, work.B[r, r])
    for _ in range(first, rows):
        pivot = -1
        for r in range(first, rows):
            if work.pivots[r] == 0 and (pivot < 0 or work.B[r, r] > work.B[pivot, pivot]):
                pivot = r
        if work.B[pivot, pivot] <= 1e-12 * largest:
            break
        work.pivots[pivot] = 1
        inverse = 1.0 / work.B[pivot, pivot]
        for r in range(rows + 1):
            if r == pivot:
                continue
            factor = (work.c[pivot] if r == rows else work.B[r, pivot]) * inverse
            for j in range(nv):
                work.Z[r, j] -= factor * work.Z[pivot, j]
            if r < rows:
                work.c[r] -= factor * work.c[pivot]
                for s in range(rows):
                    if s != pivot:
                        work.B[r, s] -= factor * work.B[pivot, s]
        for r in range(rows):
            if r != pivot:
                work.B[r, pivot] = 0.0
                work.B[pivot, r] = 0.0
        work.c[pivot] = 0.0
    size = 1.0
    for r in range(rows):
        size = max(size, abs(work.c[r]))
    for r in range(first, rows):
        if work.pivots[r] == 0 and abs(work.c[r]) > 1e-9 * size:
            return 1 + r
    return 0


@kernel
def scale_units(problem: Problem, work: Work, units: int, rows: int, nv: int) -> None:
    """One factor per unit gives it unit inertia along its normal; one factor for all gives the load size one."""
    load = 0.0
    for i in range(units):
        first = problem.first[i]
        inertia = work.B[first, first]
        factor = 1.0 / math.sqrt(inertia) if inertia > 0.0 else 1.0
        for r in range(first, first + problem.size[i]):
            work.scale[r] = factor
            size = abs(problem.bias[r])                    # of the terms, not of their sum: what cancels is round-off
            for j in range(nv):
                size += abs(problem.W[r, j] * work.Z[rows, j])
            load = max(load, factor * size)
    work.load[0] = load if load > 0.0 else 1.0
    for r in range(rows):
        work.c[r] *= work.scale[r] / work.load[0]
        for s in range(rows):
            work.B[r, s] *= work.scale[r] * work.scale[s]


@inner
def unknown(work: Work, count: int, row: int, first_mix: float, second_mix: float) -> int:
    work.row[count] = row
    work.mix[count, 0] = first_mix
    work.mix[count, 1] = second_mix
    return count + 1


@inner
def axis_ratio(axis_mode: int, mu: float) -> float:
    """f_T / f_N of an axis that sticks (0), slides forward (1) or back (2)."""
    return 0.0 if axis_mode == 0 else (-mu if axis_mode == 1 else mu)


@kernel
def unknowns_of_modes(problem: Problem, work: Work, units: int, rows: int) -> int:
    """The forces that the modes in `work.modes` leave unknown; forces known beforehand go into `work.constant`."""
    count = 0
    for r in range(rows):
        work.constant[r] = work.c[r]
        work.known[r] = 0.0
    for i in range(units):
        kind, first, mode, mu = problem.kind[i], problem.first[i], work.modes[i], problem.mu[i]
        if kind == DRY and mode > 0:
            force = axis_ratio(mode, mu / (work.scale[first] * work.load[0]))
            work.known[first] = force
            for r in range(rows):
                work.constant[r] += work.B[r, first] * force
        elif kind == DRY or (kind == UNILATERAL and mode == 1):
            count = unknown(work, count, first, 0.0, 0.0)
        elif kind == SLIDING and mode == 1:
            count = unknown(work, count, first, problem.factor[i, 0], problem.factor[i, 1])
        elif (kind == PLANAR or kind == CONE) and mode == 1:
            for k in range(problem.size[i]):
                count = unknown(work, count, first + k, 0.0, 0.0)
        elif kind == PLANAR and mode > 1:
            count = unknown(work, count, first, axis_ratio(mode - 1, mu), 0.0)
        elif kind == PYRAMID and mode > 0:
            t, u = (mode - 1) // 3, (mode - 1) % 3
            count = unknown(work, count, first, axis_ratio(t, mu), axis_ratio(u, mu))
            if t == 0:
                count = unknown(work, count, first + 1, 0.0, 0.0)
            if u == 0:
                count = unknown(work, count, first + 2, 0.0, 0.0)
    return count


@inner
def mixed(work: Work, r: int, k: int) -> float:
    """B[r] times the column of unknown k."""
    base = work.row[k]
    total = work.B[r, base]
    if work.mix[k, 0] != 0.0:
        total += work.mix[k, 0] * work.B[r, base + 1]
    if work.mix[k, 1] != 0.0:
        total += work.mix[k, 1] * work.B[r, base + 2]
    return total


@inner
def regular(K: Matrix, n: int) -> bool:
    """Whether the pivots of a factored matrix stay clear of round-off."""
    smallest, largest = math.inf, 0.0
    for i in range(n):
        smallest = min(smallest, abs(K[i, i]))
        largest = max(largest, abs(K[i, i]))
    return n == 0 or smallest > PIVOT_FLOOR * largest


@inner
def add_unknowns(work: Work, n: int) -> None:
    for k in range(n):
        base = work.row[k]
        work.f[base] += work.x[k]
        if work.mix[k, 0] != 0.0:
            work.f[base + 1] += work.mix[k, 0] * work.x[k]
        if work.mix[k, 1] != 0.0:
            work.f[base + 2] += work.mix[k, 1] * work.x[k]


@inner
def acceleration(work: Work, rows: int) -> None:
    for r in range(rows):
        total = work.c[r]
        for s in range(rows):
            if work.f[s] != 0.0:
                total += work.B[r, s] * work.f[s]
        work.a[r] = total


@kernel
def forces_of_modes(work: Work, n: int, rows: int) -> bool:
    """Solve K x = -constant on the unknowns, then f and a. False when K is singular or nearly so."""
    for i in range(n):
        for k in range(n):
            work.K[i, k] = mixed(work, work.row[i], k)
        work.x[i] = -work.constant[work.row[i]]
    if not (dense.lu_factor(work.K, work.pivots, n) and regular(work.K, n)):
        return False
    dense.lu_solve(work.K, work.pivots, work.x, n)
    for r in range(rows):
        work.f[r] = work.known[r]
    add_unknowns(work, n)
    acceleration(work, rows)
    for k in range(n):
        work.a[work.row[k]] = 0.0                          # what the mode says; the sum above gives it up to round-off
    return True


@inner
def axis_holds(f_N: float, f: float, a: float, bound: float, axis_mode: int, tolerance: float) -> bool:
    if axis_mode == 0:
        return abs(f) <= bound + tolerance
    return a >= -tolerance if axis_mode == 1 else a <= tolerance


@kernel
def modes_hold(problem: Problem, work: Work, units: int, rows: int) -> bool:
    """Every inequality of the modes in `work.modes` for the f and a in `work`."""
    f, a, largest = work.f, work.a, 1.0
    for r in range(rows):
        largest = max(largest, abs(f[r]))
    tolerance = MODE_TOLERANCE * largest
    for i in range(units):
        kind, r, mode, mu = problem.kind[i], problem.first[i], work.modes[i], problem.mu[i]
        if kind == DRY:
            if not axis_holds(0.0, f[r], a[r], mu / (work.scale[r] * work.load[0]), mode, tolerance):
                return False
            continue
        if not (f[r] >= -tolerance and a[r] >= -tolerance):
            return False
        if mode == 0 or kind == UNILATERAL or kind == SLIDING:
            continue
        if kind == CONE:
            if mode == 1 and math.sqrt(f[r + 1] * f[r + 1] + f[r + 2] * f[r + 2]) > mu * f[r] + tolerance:
                return False
        elif kind == PLANAR:
            if not axis_holds(f[r], f[r + 1], a[r + 1], mu * f[r], mode - 1, tolerance):
                return False
        elif not (axis_holds(f[r], f[r + 1], a[r + 1], mu * f[r], (mode - 1) // 3, tolerance)
                  and axis_holds(f[r], f[r + 2], a[r + 2], mu * f[r], (mode - 1) % 3, tolerance)):
            return False
    return True


@kernel
def keep_answer(work: Work, units: int, rows: int) -> None:
    """Add f, a to the answers unless they are the same physics as one already there (PHYSICS 3, item 2)."""
    count = work.counts[0]
    for k in range(count):
        apart = 0.0
        for r in range(rows):
            apart = max(apart, abs(work.answers[k, r] - work.f[r]) / (1.0 + abs(work.f[r])))
            apart = max(apart, abs(work.accelerations[k, r] - work.a[r]) / (1.0 + abs(work.a[r])))
        if apart <= MERGE_TOLERANCE:
            return
    if count == work.answers.shape[0]:
        work.counts[4] = 1
        return
    for r in range(rows):
        work.answers[count, r] = work.f[r]
        work.accelerations[count, r] = work.a[r]
    for i in range(units):
        work.answer_modes[count, i] = work.modes[i]
    work.counts[0] = count + 1


@inner
def mode_count(kind: int) -> int:
    if kind == PYRAMID:
        return 10
    if kind == PLANAR:
        return 4
    return 3 if kind == CONE or kind == DRY else 2


@inner
def next_modes(problem: Problem, work: Work, units: int) -> bool:
    """Count through the modes, last unit fastest. False after the last."""
    for i in range(units - 1, -1, -1):
        work.modes[i] += 1
        if work.modes[i] < mode_count(problem.kind[i]):
            return True
        work.modes[i] = 0
    return False


@inner
def sliding_cones(problem: Problem, work: Work, units: int) -> int:
    count = 0
    for i in range(units):
        if problem.kind[i] == CONE and work.modes[i] == 2:
            count += 1
    return count


@kernel
def one_slide(problem: Problem, work: Work, unit: int, n: int, rows: int, units: int) -> int:
    """Every answer in which CONE `unit` slides while the rest keeps its modes: reduce to one contact, solve its quartic.

    Returns the number of candidates, -1 when the reduction is singular or the contact slides in a continuum of directions.
    """
    first = problem.first[unit]
    for i in range(n):
        for k in range(n):
            work.K[i, k] = mixed(work, work.row[i], k)
    if not (dense.lu_factor(work.K, work.pivots, n) and regular(work.K, n)):
        return -1
    for j in range(4):                                     # the rest answers -constant, and a unit force on N, T, U
        for i in range(n):
            work.response[j, i] = -work.constant[work.row[i]] if j == 3 else -work.B[work.row[i], first + j]
        dense.lu_solve(work.K, work.pivots, work.response[j], n)
        for i in range(3):
            total = work.constant[first + i] if j == 3 else work.B[first + i, first + j]
            for k in range(n):
                total += mixed(work, first + i, k) * work.response[j, k]
            if j == 3:
                work.b3[i] = total
            else:
                work.B3[i, j] = total
    count = slide_kernels.slide_answers(work.B3, work.b3, problem.mu[unit], work.cone.slide, work.cone.chain, work.roots)
    for root in range(count):
        for r in range(rows):
            work.f[r] = work.known[r]
        work.f[first] = work.roots[root, 0]
        for i in range(1, 3):
            work.f[first + i] = -problem.mu[unit] * work.roots[root, i] * work.roots[root, 0]
        for k in range(n):
            force = work.response[3, k]
            for j in range(3):
                force += work.response[j, k] * work.f[first + j]
            work.x[k] = force
        add_unknowns(work, n)
        acceleration(work, rows)
        for k in range(n):
            work.a[work.row[k]] = 0.0
        work.a[first] = 0.0
        if modes_hold(problem, work, units, rows):
            keep_answer(work, units, rows)
    return count


@kernel
def every_regular_answer(problem: Problem, work: Work, units: int, rows: int) -> None:
    """Try every combination of modes; what cannot be settled here is counted in `work.counts`."""
    total = 1
    for i in range(units):
        work.modes[i] = 0
        total = min(total * mode_count(problem.kind[i]), MODE_BUDGET + 1)
    if total > MODE_BUDGET:
        work.counts[4] = 1
        return
    while True:
        work.counts[1] += 1
        slides = sliding_cones(problem, work, units)
        if slides > 1:
            work.counts[3] += 1
        else:
            n = unknowns_of_modes(problem, work, units, rows)
            if slides == 1:
                unit = 0
                while not (problem.kind[unit] == CONE and work.modes[unit] == 2):
                    unit += 1
                if one_slide(problem, work, unit, n, rows, units) < 0:
                    work.counts[2] += 1
            elif not forces_of_modes(work, n, rows):
                work.counts[2] += 1
            elif modes_hold(problem, work, units, rows):
                keep_answer(work, units, rows)
        if not next_modes(problem, work, units):
            return


@kernel
def newton_answer(problem: Problem, work: Work, units: int, rows: int) -> bool:
    """One answer by the cone solver, whatever the number of contacts."""
    for i in range(units):
        dry = problem.kind[i] == DRY
        work.bound[i] = problem.mu[i] / (work.scale[problem.first[i]] * work.load[0]) if dry else problem.mu[i]
    status = cone_kernels.cone_newton(work.B, work.c, problem.kind, problem.first, work.bound, problem.factor, work.f, work.a, work.modes,
                                      work.cone, 1e-12, 7, False)
    if status != cone_kernels.SOLVED:
        return False
    acceleration(work, rows)
    keep_answer(work, units, rows)
    return True


@kernel
def every_answer(problem: Problem, work: Work, units: int, rows: int) -> int:
    """Answers of the scaled problem into `work.answers`; how they were proved complete, or OPEN."""
    for k in range(work.counts.shape[0]):
        work.counts[k] = 0
    cones, pyramids = 0, 0
    for i in range(units):
        cones += problem.kind[i] == CONE
        pyramids += problem.kind[i] == PYRAMID
    if cones > 1 and energy_kernels.unique_by_energy(work.B, problem.kind, problem.first, problem.mu, problem.factor, work.cone) > 0.0:
        if newton_answer(problem, work, units, rows):
            return BY_ENERGY
    every_regular_answer(problem, work, units, rows)
    if work.counts[2] + work.counts[3] + work.counts[4] == 0:
        return BY_MODES
    if pyramids == 0:
        newton_answer(problem, work, units, rows)
    return OPEN


@kernel
def contact_set(problem: Problem, work: Work, units: int) -> int:
    """A of PHYSICS 3 for the signs of the axes in `work.signs` (paper 000, eq 27), into `work.A`; its size."""
    count = 0
    for i in range(units):                                 # columns: what each unknown adds, as in `mixed`
        first, mu = problem.first[i], problem.mu[i]
        if problem.kind[i] == SLIDING:
            count = unknown(work, count, first, problem.factor[i, 0], problem.factor[i, 1])
        elif problem.kind[i] == PLANAR:
            count = unknown(work, count, first, -mu * work.signs[first + 1], 0.0)
        elif problem.kind[i] == PYRAMID:
            count = unknown(work, count, first, -mu * work.signs[first + 1], -mu * work.signs[first + 2])
        elif problem.kind[i] == UNILATERAL:
            count = unknown(work, count, first, 0.0, 0.0)
    for i in range(units):
        axes = problem.first[i] + (0 if problem.kind[i] == DRY else 1)
        if problem.kind[i] == DRY or problem.kind[i] == PLANAR or problem.kind[i] == PYRAMID:
            for r in range(axes, problem.first[i + 1]):
                count = unknown(work, count, r, 0.0, 0.0)
    for i in range(count):
        for k in range(count):
            work.A[i, k] = work.signs[work.row[i]] * mixed(work, work.row[i], k) * work.signs[work.row[k]]
    return count


@inner
def axis_in_set(f: float, a: float, sign: float, tolerance: float) -> bool:
    """Whether (f, a) of one axis lies in the branch a^s >= 0, f = -s (bound - Delta) of the sign."""
    if abs(a) > tolerance:
        return sign * a > 0.0
    return sign * f <= tolerance


@kernel
def set_holds_answer(problem: Problem, work: Work, units: int) -> bool:
    """Whether the contact set of `work.signs` holds one of the answers."""
    for k in range(work.counts[0]):
        inside = True
        for i in range(units):
            first = problem.first[i]
            dry = problem.kind[i] == DRY
            if dry or problem.kind[i] == PLANAR or problem.kind[i] == PYRAMID:
                for r in range(first if dry else first + 1, problem.first[i + 1]):
                    inside = inside and axis_in_set(work.answers[k, r], work.accelerations[k, r], work.signs[r], MODE_TOLERANCE)
        if inside:
            return True
    return False


@kernel
def solve_contacts(problem: Problem, work: Work, units: int, free_rows: int, rows: int, nv: int) -> int:
    """The whole instant from M, h, W on: contact space, bilateral rows out, scaling, every answer."""
    if not contact_space(problem, work, rows, nv):
        return NO_INERTIA
    contradiction = eliminate_bilateral(work, free_rows, rows, nv)
    scale_units(problem, work, units, rows, nv)
    if contradiction > 0:
        return CONTRADICTION + contradiction
    return every_answer(problem, work, units, free_rows)
