"""Modes tried one after the other: a linear system for the forces that a mode leaves unknown, then every inequality."""
import math

from knuckle.compiled import dense
from knuckle.compiled.kernel import Matrix, inner, kernel
from knuckle.complementarity import slide_kernels
from knuckle.instant.space_kernels import Problem, Work

UNILATERAL, SLIDING, CONE, PLANAR, DRY, PYRAMID = 0, 1, 2, 3, 4, 6       # units.py explains them
MODE_TOLERANCE = 1e-9       # of the scaled problem: below it a force or acceleration is zero
MERGE_TOLERANCE = 1e-8      # two answers closer than this are one: round-off of an answer is far below, physics far above
PIVOT_FLOOR = 1e-11         # a mode whose matrix has a smaller relative pivot is left to the careful search
LARGEST_FORCE = 1e9         # of the scaled problem, whose load is 1: larger forces are quotients of round-off, or far beyond rigid bodies
MODE_BUDGET = 4096          # modes that are enumerated here; more are left to the search


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
            force = axis_ratio(mode, mu / (work.scale[first] * work.load[first]))
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
    """Whether the pivots of a factored matrix stay clear of round-off, of their own and of the terms they are sums of (of size 1)."""
    smallest, largest = math.inf, 1.0
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


@inner
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


@inner
def modes_hold(problem: Problem, work: Work, units: int, rows: int) -> bool:
    """Every inequality of the modes in `work.modes` for the f and a in `work`."""
    f, a, largest = work.f, work.a, 1.0
    for r in range(rows):
        largest = max(largest, abs(f[r]))
    tolerance = MODE_TOLERANCE * largest
    for i in range(units):
        kind, r, mode, mu = problem.kind[i], problem.first[i], work.modes[i], problem.mu[i]
        if kind == DRY:
            if not axis_holds(0.0, f[r], a[r], mu / (work.scale[r] * work.load[r]), mode, tolerance):
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


@inner
def keep_answer(work: Work, units: int, rows: int) -> None:
    """Add f, a to the answers unless they are the same physics as one already there (PHYSICS 3, item 2), or beyond LARGEST_FORCE."""
    count = work.counts[0]
    for r in range(rows):
        if not abs(work.f[r]) <= LARGEST_FORCE:
            return
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


@inner
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


@inner
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
