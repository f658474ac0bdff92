"""From M, h and W to the scaled contact space a = B f + c in which everything is solved; one factor per unit keeps a circle a circle."""
import math
from typing import NamedTuple

from knuckle.compiled import dense
from knuckle.compiled.kernel import Integers, IntegerTable, Matrix, Vector, inner
from knuckle.complementarity.cone_kernels import ConeWork

AGREES = 1e-9               # relative to its terms: a smaller acceleration of a row that cannot move is none
UNTIED = 1e-14              # relative: less inertia between two rows is round-off
IMMOBILE = 1e-12            # of a row's inertia: what bilateral rows leave below it is round-off


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
    load: Vector            # rows: size of the scaled free accelerations in the row's block
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
    forces: Matrix          # answers x rows, N or N m: the answers as they are reported
    motions: Matrix         # answers x rows, relative accelerations
    vdot: Matrix            # answers x nv
    residual: Vector        # answers
    size: Vector            # answers: scale of the relative accelerations
    signs: Vector           # axes of the contact set being tested
    signed: Integers        # rows that a sign is chosen for
    A: Matrix               # LCP matrix of a contact set
    level: Vector           # space for its principal minors
    following: Vector
    minors: Vector
    p: Vector               # 6, see set_kernels
    cone: ConeWork


@inner
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


@inner
def row_sizes(problem: Problem, work: Work, rows: int, nv: int) -> None:
    """Inertia of each row into `work.x`, and the size of the terms of its free acceleration into `work.constant`."""
    for r in range(rows):
        work.x[r] = work.B[r, r]
        size = abs(problem.bias[r])
        for j in range(nv):
            size += abs(problem.W[r, j] * work.Z[rows, j])
        work.constant[r] = size


@inner
def pivot_out(work: Work, pivot: int, rows: int, nv: int) -> None:
    inverse = 1.0 / work.B[pivot, pivot]
    for r in range(rows + 1):
        if r == pivot:
            continue
        factor = (work.c[pivot] if r == rows else work.B[r, pivot]) * inverse
        for j in range(nv):
            work.Z[r, j] -= factor * work.Z[pivot, j]
        if r < rows:
            work.c[r] -= factor * work.c[pivot]
            work.constant[r] += abs(factor) * work.constant[pivot]
            for s in range(rows):
                if s != pivot:
                    work.B[r, s] -= factor * work.B[pivot, s]
    for r in range(rows):
        if r != pivot:
            work.B[r, pivot] = 0.0
            work.B[pivot, r] = 0.0
    work.c[pivot] = 0.0


@inner
def eliminate_bilateral(problem: Problem, work: Work, first: int, rows: int, nv: int) -> int:
    """Rows `first`.. hold whatever the rest does: pivot them out of B, c and Z, the most independent first. A row that the
    others imply is left out; 0 when the rows agree, else 1 + the row that contradicts the others."""
    if first == rows:
        return 0
    row_sizes(problem, work, rows, nv)
    for r in range(first, rows):
        work.pivots[r] = 0
    for _ in range(first, rows):
        pivot = -1
        for r in range(first, rows):                       # what is left of a row, over what it had: the same in any units
            if work.pivots[r] == 0 and (pivot < 0 or work.B[r, r] * work.x[pivot] > work.B[pivot, pivot] * work.x[r]):
                pivot = r
        if work.B[pivot, pivot] <= IMMOBILE * work.x[pivot]:
            break
        work.pivots[pivot] = 1
        pivot_out(work, pivot, rows, nv)
    for r in range(first):                                 # what the held rows leave immobile does not move by round-off
        if work.B[r, r] <= IMMOBILE * work.x[r]:
            for s in range(rows):
                work.B[r, s] = 0.0
                work.B[s, r] = 0.0
            for j in range(nv):
                work.Z[r, j] = 0.0
            if abs(work.c[r]) <= AGREES * work.constant[r]:
                work.c[r] = 0.0
    for r in range(first, rows):
        if work.pivots[r] == 0 and abs(work.c[r]) > AGREES * work.constant[r]:
            return 1 + r
    return 0


@inner
def blocks(problem: Problem, work: Work, units: int) -> None:
    """Units that no inertia ties to one another, each with the number of its block in `work.pivots`; what is left between blocks is round-off."""
    B, block = work.B, work.pivots
    for i in range(units):
        block[i] = i
    for i in range(units):
        for j in range(i):
            if block[i] == block[j]:
                continue
            tied = False
            for r in range(problem.first[i], problem.first[i + 1]):
                for s in range(problem.first[j], problem.first[j + 1]):
                    if abs(B[r, s]) > UNTIED * math.sqrt(B[r, r] * B[s, s]):
                        tied = True
            if tied:
                old = block[i]
                for k in range(units):
                    if block[k] == old:
                        block[k] = block[j]


@inner
def scale_units(problem: Problem, work: Work, units: int, rows: int, nv: int) -> None:
    """One factor per unit gives it unit inertia along its normal; one factor per block gives the load size one."""
    blocks(problem, work, units)
    for r in range(rows):
        work.load[r] = 0.0
    for i in range(units):
        first = problem.first[i]
        inertia = work.B[first, first]
        factor = 1.0 / math.sqrt(inertia) if inertia > 0.0 else 1.0
        for r in range(first, first + problem.size[i]):
            work.scale[r] = factor
            size = abs(problem.bias[r])                    # of the terms, not of their sum: what cancels is round-off
            for j in range(nv):
                size += abs(problem.W[r, j] * work.Z[rows, j])
            for k in range(units):
                if work.pivots[k] == work.pivots[i]:
                    work.load[problem.first[k]] = max(work.load[problem.first[k]], factor * size)
    for i in range(units):
        first = problem.first[i]
        load = work.load[first] if work.load[first] > 0.0 else 1.0
        for r in range(first, first + problem.size[i]):
            work.load[r] = load
            work.c[r] *= work.scale[r] / load
            for j in range(units):
                for s in range(problem.first[j], problem.first[j + 1]):
                    tied = work.pivots[i] == work.pivots[j]
                    work.B[r, s] = work.B[r, s] * work.scale[r] * work.scale[s] if tied else 0.0
