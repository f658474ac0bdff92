"""Small dense linear programs: minimise c.x, A x = b, x >= 0 but for the free ones; every status has its proof."""
import math
from typing import NamedTuple

from knuckle.compiled import dense
from knuckle.compiled.kernel import Flags, Integers, Matrix, Vector, inner, kernel
from knuckle.complementarity import tableau_kernels

OPTIMAL, INFEASIBLE, UNBOUNDED, UNDECIDED = 0, 1, 2, 3
CHECK = 1e-9      # certificates: against the sum of the absolute values of the terms, in the caller's numbers ...
FLOOR = 1e-11     # ... or in scaled units, where all terms are the round-off of many pivots themselves
ROUND_OFF = 1e-15 # of a sum of some dozen terms, over the sum of their absolute values
FARTHEST = 1e6    # in scaled units, where b has size 1: "infeasible" speaks of all x up to it
COST = 1e-10      # reduced costs of the scaled problem below this are round-off
PIVOT = 1e-9      # and entries of its tableau
REBUILDS = 2      # a tableau whose proof fails is made anew from its basis, at most so often: pivots add up round-off


class LpWork(NamedTuple):
    """Workspace for up to M rows and N variables; `lp_work` allocates it."""
    T: Matrix             # (M + 2) x (N + 1): rows, costs of phase 1 (row m) and 2 (row m + 1), right-hand side last
    basic: Integers       # M: variable of each row; n + i is the artificial variable of row i
    nonbasic: Integers    # N: variable of each column
    row: Vector           # M: scaled row = row * given row, negative where b < 0
    column: Vector        # N: x = column * scaled x
    sign: Vector          # N: -1 where a free variable runs downwards
    x: Vector             # N: the optimum (also: a feasible point, when unbounded)
    y: Vector             # M: dual; or Farkas' certificate: A'y <= 0, b.y > 0
    ray: Vector           # N: A ray = 0, ray >= 0, c.ray < 0, when unbounded
    rest: Vector          # M
    value: Vector         # 1: c.x
    basis: Matrix         # M x M: factors of the basis, when the tableau is made anew
    pivots: Integers      # M
    entry: Vector         # M: one column of the new tableau
    cost: Vector          # N: of one of several programs


@inner
def prepare(c: Vector, A: Matrix, b: Vector, m: int, n: int, work: LpWork) -> None:
    """Scale (powers of two), make b >= 0, start from artificial variables."""
    T = work.T
    for j in range(n):
        work.column[j], work.sign[j], work.nonbasic[j] = 1.0, 1.0, j
    for sweep in range(2):
        for i in range(m):
            size = 0.0
            for j in range(n):
                size = max(size, abs(A[i, j]) * work.column[j])
            work.row[i] = tableau_kernels.power_of_two(size)
        for j in range(n):
            size = 0.0
            for i in range(m):
                size = max(size, abs(A[i, j]) * work.row[i])
            work.column[j] = tableau_kernels.power_of_two(size)
    size, dear = 0.0, 0.0
    for i in range(m):
        size = max(size, abs(b[i]) * work.row[i])
    for j in range(n):
        dear = max(dear, abs(c[j]) * work.column[j])
    size, dear = tableau_kernels.power_of_two(size), tableau_kernels.power_of_two(dear)
    for j in range(n):
        T[m, j], T[m + 1, j] = 0.0, dear * c[j] * work.column[j]
    T[m, n], T[m + 1, n] = 0.0, 0.0
    for i in range(m):
        work.basic[i] = n + i
        if b[i] < 0.0:
            work.row[i] = -work.row[i]
        for j in range(n):
            T[i, j] = work.row[i] * A[i, j] * work.column[j]
            T[m, j] -= T[i, j]
        T[i, n] = size * work.row[i] * b[i]
        T[m, n] -= T[i, n]
    work.value[0] = 1.0 / size
    work.rest[0] = 1.0 / dear


@inner
def entering(cost: int, n: int, bland: bool, free: Flags, work: LpWork) -> int:
    """The column to bring in (most negative reduced cost, or Bland's first), -1 at the optimum; no artificial ones."""
    best, steepest = -1, -COST
    for j in range(n):
        variable = work.nonbasic[j]
        if variable < n:
            slope = work.T[cost, j]
            if free[variable]:
                slope = -abs(slope)
            if bland and slope < -COST and (best < 0 or variable < work.nonbasic[best]):
                best = j
            elif not bland and slope < steepest:
                best, steepest = j, slope
    return best


@inner
def leaving(c: int, m: int, n: int, bland: bool, free: Flags, work: LpWork) -> int:
    """Ratio test: of tied rows the largest pivot (Bland: the first variable)."""
    T = work.T
    best, ratio = -1, 0.0
    for i in range(m):
        if T[i, c] > PIVOT and not (work.basic[i] < n and free[work.basic[i]]):
            theta = max(T[i, n], 0.0) / T[i, c]
            if best < 0 or theta < ratio - 1e-12 or (
                    theta <= ratio + 1e-12 and (work.basic[i] < work.basic[best] if bland else T[i, c] > T[best, c])):
                best, ratio = i, theta if best < 0 else min(theta, ratio)
    return best


@inner
def pivot(r: int, c: int, m: int, n: int, work: LpWork) -> None:
    tableau_kernels.exchange(work.T, r, c, m + 2, n + 1)
    work.basic[r], work.nonbasic[c] = work.nonbasic[c], work.basic[r]


@inner
def simplex(cost: int, m: int, n: int, free: Flags, work: LpWork) -> int:
    """Minimise the cost in row `cost`: OPTIMAL, UNDECIDED after too many steps, 10 + the column that nothing bounds."""
    stalled = 0
    for step in range(50 * (m + n) + 100):
        bland = stalled > m + n
        c = entering(cost, n, bland, free, work)
        if c < 0:
            return OPTIMAL
        if work.T[cost, c] > 0.0:                         # a free variable that runs downwards
            work.sign[work.nonbasic[c]] *= -1.0
            for i in range(m + 2):
                work.T[i, c] = -work.T[i, c]
        r = leaving(c, m, n, bland, free, work)
        if r < 0:
            return 10 + c
        stalled = stalled + 1 if work.T[r, n] <= 1e-12 * work.T[r, c] else 0
        pivot(r, c, m, n, work)
    return UNDECIDED


@inner
def drive_out(m: int, n: int, work: LpWork) -> None:
    """Artificial variables that are basic at zero leave by any pivot; the rows where none is left are redundant."""
    for i in range(m):
        if work.basic[i] >= n:
            best, size = -1, PIVOT
            for j in range(n):
                if work.nonbasic[j] < n and abs(work.T[i, j]) > size:
                    best, size = j, abs(work.T[i, j])
            if best >= 0:
                pivot(i, best, m, n, work)


@inner
def read_multipliers(cost: int, m: int, n: int, price: float, work: LpWork) -> None:
    """y of the given rows: minus the reduced costs of the artificial variables, plus their own cost `price`."""
    for i in range(m):
        work.y[i] = price * work.row[i]
    for j in range(n):
        if work.nonbasic[j] >= n:
            i = work.nonbasic[j] - n
            work.y[i] = (price - work.T[cost, j]) * work.row[i]


@inner
def read_point(A: Matrix, b: Vector, m: int, n: int, unit: float, free: Flags, work: LpWork) -> None:
    """x of the given problem from the tableau, refined once by the basis inverse (artificial columns)."""
    for j in range(n):
        work.x[j] = 0.0
    for i in range(m):
        if work.basic[i] < n:
            j = work.basic[i]
            work.x[j] = unit * work.T[i, n] * work.column[j] * work.sign[j]
    for i in range(m):
        total = b[i]
        for j in range(n):
            total -= A[i, j] * work.x[j]
        work.rest[i] = total * work.row[i]
    for i in range(m):
        if work.basic[i] < n:
            total = 0.0
            for j in range(n):
                if work.nonbasic[j] >= n:
                    total += work.T[i, j] * work.rest[work.nonbasic[j] - n]
            j = work.basic[i]
            work.x[j] += total * work.column[j] * work.sign[j]
            if not free[j]:
                work.x[j] = max(work.x[j], 0.0)


@inner
def solves(A: Matrix, b: Vector, m: int, n: int, scale: float, unit: float, work: LpWork,
           x: Vector) -> bool:
    """A x = scale b, row by row, within CHECK of the size of its terms."""
    for i in range(m):
        total, size = -scale * b[i], abs(scale * b[i])
        for j in range(n):
            total += A[i, j] * x[j]
            size += abs(A[i, j] * x[j])
        if not abs(total) <= CHECK * size + FLOOR * unit / abs(work.row[i]):
            return False
    return True


@inner
def bounded_below(c: Vector, A: Matrix, m: int, n: int, unit: float, free: Flags, work: LpWork) -> bool:
    """A'y <= c (equal for free variables) within CHECK."""
    for j in range(n):
        total, size = c[j], abs(c[j])
        for i in range(m):
            total -= A[i, j] * work.y[i]
            size += abs(A[i, j] * work.y[i])
        if not (abs(total) if free[j] else -total) <= CHECK * size + FLOOR * unit / work.column[j]:
            return False
    return True


@inner
def farkas(A: Matrix, b: Vector, m: int, n: int, unit: float, free: Flags, work: LpWork) -> bool:
    """Whether y proves that A x = b has no x >= 0 up to FARTHEST: b.y > 0 is more than A'y, where it is not <= 0, can make up for."""
    gain, size, slack = 0.0, 0.0, 0.0
    for i in range(m):
        gain += b[i] * work.y[i]
        size += abs(b[i] * work.y[i])
    for j in range(n):
        total, terms = 0.0, 0.0
        for i in range(m):
            total += A[i, j] * work.y[i]
            terms += abs(A[i, j] * work.y[i])
        over = abs(total) if free[j] else total
        slack += max(over + ROUND_OFF * terms, 0.0) * work.column[j]
    return gain > CHECK * size and gain > FARTHEST * unit * slack


@inner
def unbounded(c: int, cost: Vector, A: Matrix, b: Vector, m: int, n: int, work: LpWork) -> int:
    """The ray along which the variable of column c grows, checked."""
    for j in range(n):
        work.ray[j] = 0.0
    j = work.nonbasic[c]
    work.ray[j] = work.column[j] * work.sign[j]
    for i in range(m):
        if work.basic[i] < n:
            j = work.basic[i]
            ray = -work.T[i, c]
            work.ray[j] = (ray if abs(ray) > PIVOT else 0.0) * work.column[j] * work.sign[j]
    slope, size = 0.0, 0.0
    for j in range(n):
        slope += cost[j] * work.ray[j]
        size += abs(cost[j] * work.ray[j])
    return UNBOUNDED if slope < -CHECK * size and solves(A, b, m, n, 0.0, 1.0, work, work.ray) else UNDECIDED


@inner
def scaled_column(variable: int, A: Matrix, b: Vector, m: int, n: int, unit: float, work: LpWork) -> None:
    """The scaled column of a variable (-1: the right side) into work.entry."""
    for i in range(m):
        if variable < 0:
            work.entry[i] = work.row[i] * b[i] / unit
        elif variable < n:
            work.entry[i] = work.row[i] * A[i, variable] * work.column[variable] * work.sign[variable]
        else:
            work.entry[i] = 1.0 if variable == n + i else 0.0


@inner
def scaled_cost(c: Vector, variable: int, n: int, dear: float, work: LpWork) -> float:
    return c[variable] * work.column[variable] * work.sign[variable] / dear if 0 <= variable < n else 0.0


@inner
def price(c: Vector, m: int, n: int, dear: float, work: LpWork) -> None:
    """The costs of phase 2 in the tableau's basis."""
    T = work.T
    for j in range(n + 1):
        T[m + 1, j] = scaled_cost(c, work.nonbasic[j], n, dear, work) if j < n else 0.0
    for i in range(m):
        cost = scaled_cost(c, work.basic[i], n, dear, work)
        if cost != 0.0:
            for j in range(n + 1):
                T[m + 1, j] -= cost * T[i, j]


@inner
def rebuild(c: Vector, A: Matrix, b: Vector, m: int, n: int, unit: float, dear: float, work: LpWork) -> bool:
    """The tableau of the same basis from the data, without the round-off of the pivots that led to it."""
    T = work.T
    for k in range(m):
        scaled_column(work.basic[k], A, b, m, n, unit, work)
        for i in range(m):
            work.basis[i, k] = work.entry[i]
    if not dense.lu_factor(work.basis, work.pivots, m):
        return False
    for j in range(n + 1):
        variable = work.nonbasic[j] if j < n else -1
        scaled_column(variable, A, b, m, n, unit, work)
        dense.lu_solve(work.basis, work.pivots, work.entry, m)
        T[m, j] = 1.0 if variable >= n else 0.0
        for i in range(m):
            T[i, j] = work.entry[i]
            if work.basic[i] >= n:
                T[m, j] -= work.entry[i]
    price(c, m, n, dear, work)
    return True


@inner
def optimal(c: Vector, A: Matrix, b: Vector, m: int, n: int, unit: float, dear: float, free: Flags, work: LpWork) -> bool:
    """Whether x and the multipliers of the tableau prove each other optimal; leaves the value."""
    read_multipliers(m + 1, m, n, 0.0, work)
    worth, gap, size = 0.0, 0.0, 0.0
    for j in range(n):
        worth += c[j] * work.x[j]
        size += abs(c[j] * work.x[j])
    for i in range(m):
        work.y[i] *= dear
        gap += b[i] * work.y[i]
        size += abs(b[i] * work.y[i])
    work.value[0] = worth
    return abs(worth - gap) <= CHECK * size + FLOOR * unit * dear and bounded_below(c, A, m, n, 10.0 * dear, free, work)


@inner
def phase_two(c: Vector, A: Matrix, b: Vector, m: int, n: int, unit: float, dear: float, free: Flags, work: LpWork) -> int:
    """From a feasible tableau to a proved status, or UNDECIDED."""
    outcome = simplex(m + 1, m, n, free, work)
    read_point(A, b, m, n, unit, free, work)
    if outcome == UNDECIDED or not solves(A, b, m, n, 1.0, unit, work, work.x):
        return UNDECIDED
    if outcome != OPTIMAL:
        return unbounded(outcome - 10, c, A, b, m, n, work)
    return OPTIMAL if optimal(c, A, b, m, n, unit, dear, free, work) else UNDECIDED


@inner
def phase_one(c: Vector, A: Matrix, b: Vector, free: Flags, m: int, n: int, unit: float, dear: float, work: LpWork) -> bool:
    """To a feasible tableau; False with the proof that there is none."""
    for _ in range(REBUILDS + 1):
        outcome = simplex(m, m, n, free, work)             # its cost is bounded below: no end is round-off
        if outcome == OPTIMAL and -work.T[m, n] <= 1e-10:
            break
        read_multipliers(m, m, n, 1.0, work)
        if outcome == OPTIMAL and farkas(A, b, m, n, unit, free, work):
            return False
        if not rebuild(c, A, b, m, n, unit, dear, work):
            break
    return True


@inner
def proved_status(c: Vector, A: Matrix, b: Vector, free: Flags, m: int, n: int, unit: float, dear: float, work: LpWork) -> int:
    """Phase 2, from a new tableau of the same basis where the proof fails."""
    status = UNDECIDED
    for _ in range(REBUILDS + 1):
        drive_out(m, n, work)
        status = phase_two(c, A, b, m, n, unit, dear, free, work)
        if status != UNDECIDED or not rebuild(c, A, b, m, n, unit, dear, work):
            break
    return status


@kernel
def solve(c: Vector, A: Matrix, b: Vector, free: Flags, m: int, n: int, work: LpWork) -> int:
    """Two-phase simplex method. The proof of the status (x and y, y alone, x and ray) was checked on the given data."""
    prepare(c, A, b, m, n, work)
    unit, dear = work.value[0], work.rest[0]
    if not phase_one(c, A, b, free, m, n, unit, dear, work):
        return INFEASIBLE
    return proved_status(c, A, b, free, m, n, unit, dear, work)


@kernel
def ranges(costs: Matrix, A: Matrix, b: Vector, free: Flags, m: int, n: int, work: LpWork, least: Vector, most: Vector) -> bool:
    """Least and largest value of each cost, one program from where the last ended; infinite where no bound is proved. False: infeasible."""
    cost = work.cost
    prepare(costs[0], A, b, m, n, work)
    unit = work.value[0]
    if not phase_one(costs[0], A, b, free, m, n, unit, work.rest[0], work):
        return False
    for k in range(costs.shape[0]):
        dear = 0.0
        for j in range(n):
            dear = max(dear, abs(costs[k, j]) * work.column[j])
        dear = 1.0 / tableau_kernels.power_of_two(dear)
        for side in range(2):
            for j in range(n):
                cost[j] = costs[k, j] if side == 0 else -costs[k, j]
            price(cost, m, n, dear, work)
            proved = proved_status(cost, A, b, free, m, n, unit, dear, work) == OPTIMAL
            if side == 0:
                least[k] = work.value[0] if proved else -math.inf
            else:
                most[k] = -work.value[0] if proved else math.inf
    return True
