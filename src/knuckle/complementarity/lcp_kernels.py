"""Linear complementarity: 0 <= z, 0 <= w = A z + b, z.w = 0; side rows A z + b >= 0 may follow the n first."""
from typing import NamedTuple

from knuckle.compiled.kernel import Flags, Integers, Matrix, Vector, inner, kernel
from knuckle.complementarity import tableau_kernels

SOLVED, RAY, CAPPED, UNSURE = 0, 1, 2, 3
ACCEPT = 1e-9       # a negative part below this, relative to the solution's size, is round-off
DOUBT = 1e-7        # between ACCEPT and this nothing is claimed
RANK = 1e-11        # pivots of the scaled matrix below this count as zero ...
RANK_DOUBT = 1e-13  # ... which is beyond doubt only below this
MOST_PICKS = 2_000_000      # sets of further tight rows, of all singular bases together
SAME = 1e-8         # vertices closer than this, relative to their size, are one ...
ROUND_OFF = 1e-14
DIFFERENT = 1e-6    # ... unless they differ by so much of the terms of some row
TIE = 1e-11         # ratios closer than this are tied
DOUBTS, SINGULAR, OVERFLOW, PIVOTS, DROPPED, PICKS = 0, 1, 2, 3, 4, 5      # places in LcpWork.tally


class LcpWork(NamedTuple):
    """Workspace for up to N complementary rows and R rows in all; `lcp_work` allocates it."""
    A: Matrix             # (R + 1) x N scaled matrix; the last row normalises rays
    b: Vector             # R + 1
    row: Vector           # R: w = (scaled w) / row
    column: Vector        # N: z = (scaled z) * column
    cover: Vector         # N: Lemke's covering vector, positive
    T: Matrix             # (R + 1) x (max(N, R) + 2) tableau
    basic: Integers       # variable of each tableau row
    nonbasic: Integers    # variable of each tableau column
    place: Integers       # 2 N + 1: row of a basic variable, -1 - column of a nonbasic one
    support: Integers     # indices with z > 0
    equations: Integers   # rows with w = 0
    others: Integers      # the remaining rows
    picks: Integers       # which of these are tight at a vertex
    x: Vector             # z on the support
    rest: Vector          # right-hand side left over
    kept: Vector          # N: right-hand side of Lemke's last tableau
    least: Vector         # 1: smallest pivot used
    basis: Flags          # N: last basis, tried first by `solve`
    z: Vector             # N: the answer
    vertices: Matrix      # capacity x N: what `vertices` found
    tally: Integers       # 6: counts, see DOUBTS ... PICKS (DROPPED: pivots taken for zero that are not exactly zero)


@inner
def scale(A: Matrix, b: Vector, n: int, rows: int, work: LcpWork) -> None:
    """Fill work.A, work.b with rows and columns near 1 (powers of two: exact) and max|b| near 1."""
    for j in range(n):
        work.column[j] = 1.0
    for sweep in range(2):
        for i in range(rows):
            size = 0.0
            for j in range(n):
                size = max(size, abs(A[i, j]) * work.column[j])
            work.row[i] = tableau_kernels.power_of_two(size)
        for j in range(n):
            size = 0.0
            for i in range(rows):
                size = max(size, abs(A[i, j]) * work.row[i])
            work.column[j] = tableau_kernels.power_of_two(size)
    size = 0.0
    for i in range(rows):
        size = max(size, abs(b[i]) * work.row[i])
    shrink = tableau_kernels.power_of_two(size)
    for i in range(rows):
        for j in range(n):
            work.A[i, j] = work.row[i] * A[i, j] * work.column[j]
        work.row[i] *= shrink
        work.b[i] = work.row[i] * b[i]
    for j in range(n):
        work.column[j] /= shrink


@inner
def solve_support(m: int, e: int, work: LcpWork) -> int:
    """Solve A x + b = 0 on equations x support, complete pivoting, one refinement; the rank, -1 when inconsistent."""
    T = work.T
    for i in range(e):
        for j in range(m):
            T[i, j] = work.A[work.equations[i], work.support[j]]
        T[i, m] = -work.b[work.equations[i]]
        work.basic[i] = -1
    for j in range(m):
        work.nonbasic[j] = -1
        work.x[j] = 0.0
    rank, work.least[0] = 0, 1.0
    while rank < m:
        r, c, size = 0, 0, 0.0
        for i in range(e):
            if work.basic[i] < 0:
                for j in range(m):
                    if work.nonbasic[j] < 0 and abs(T[i, j]) > size:
                        r, c, size = i, j, abs(T[i, j])
        if not size > RANK:
            if size > RANK_DOUBT:
                work.tally[DOUBTS] += 1
            if size > 0.0:
                work.tally[DROPPED] += 1
            break
        tableau_kernels.exchange(T, r, c, e, m + 1)
        work.basic[r], work.nonbasic[c] = c, r
        work.least[0] = min(work.least[0], size)
        rank += 1
    for i in range(e):
        if work.basic[i] >= 0:
            work.x[work.basic[i]] = T[i, m]
        elif abs(T[i, m]) > ACCEPT:
            if abs(T[i, m]) < DOUBT:
                work.tally[DOUBTS] += 1
            return -1
    for i in range(e):                                    # x_true = x + T (residual of the pivot rows)
        work.rest[i] = -work.b[work.equations[i]]
        for j in range(m):
            work.rest[i] -= work.A[work.equations[i], work.support[j]] * work.x[j]
    for i in range(e):
        if work.basic[i] >= 0:
            for c in range(m):
                if work.nonbasic[c] >= 0:
                    work.x[work.basic[i]] += T[i, c] * work.rest[work.nonbasic[c]]
    return rank


@inner
def admit(m: int, n: int, rows: int, work: LcpWork) -> bool:
    """Whether x on the support is a solution (then in work.z). Neither surely one nor surely none: a doubt."""
    largest, lowest = 1.0, 0.0
    for j in range(n):
        work.z[j] = 0.0
    for k in range(m):
        largest = max(largest, abs(work.x[k]))
        lowest = min(lowest, work.x[k])
        work.z[work.support[k]] = max(work.x[k], 0.0)
    doubt = max(DOUBT, 1e-14 / work.least[0]) * largest
    if not lowest >= -doubt:
        return False
    for i in range(rows):
        total = work.b[i]
        for k in range(m):
            total += work.A[i, work.support[k]] * work.x[k]
        lowest = min(lowest, total)
        if not lowest >= -doubt:
            return False
    if lowest >= -ACCEPT * largest:
        return True
    work.tally[DOUBTS] += 1
    return False


@inner
def tells_apart(n: int, rows: int, v: int, work: LcpWork) -> bool:
    """Whether work.z is another point than vertex v: by its size, or by a row of which the difference is a part, be the row's terms small ones."""
    apart, size = 0.0, 1.0
    for j in range(n):
        apart = max(apart, abs(work.vertices[v, j] - work.z[j]))
        size = max(size, abs(work.z[j]))
    if apart > SAME * size:
        return True
    for i in range(rows):
        terms, most = abs(work.b[i]), 0.0
        for j in range(n):
            terms += abs(work.A[i, j]) * max(work.z[j], work.vertices[v, j])
            if abs(work.vertices[v, j] - work.z[j]) > ROUND_OFF * size:
                most = max(most, abs(work.A[i, j] * (work.vertices[v, j] - work.z[j])))
        if most > DIFFERENT * terms:
            return True
    return False


@inner
def keep(n: int, rows: int, count: int, work: LcpWork) -> int:
    """Store work.z as a vertex unless it is there already; the new count."""
    for v in range(count):
        if not tells_apart(n, rows, v, work):
            return count
    if count == work.vertices.shape[0]:
        work.tally[OVERFLOW] = 1
        return count
    for j in range(n):
        work.vertices[count, j] = work.z[j]
    return count + 1


@inner
def next_pick(d: int, total: int, picks: Integers) -> bool:
    """The next d of `total` in lexicographic order, in place."""
    k = d - 1
    while k >= 0 and picks[k] == total - d + k:
        k -= 1
    if k < 0:
        return False
    picks[k] += 1
    for i in range(k + 1, d):
        picks[i] = picks[i - 1] + 1
    return True


@inner
def vertices_on_support(mask: int, n: int, rows: int, recede: bool, count: int, work: LcpWork) -> int:
    """Vertices of {A x + b = 0 on the support, x >= 0, A x + b >= 0 elsewhere}: tight rows make up the rank."""
    m, rest = 0, 0
    for i in range(rows):
        if i < n and (mask >> i) & 1:
            work.support[m] = i
            work.equations[m] = i
            m += 1
        else:
            work.others[rest] = i
            rest += 1
    e = m
    if recede:
        work.equations[e] = rows
        e += 1
    rank = solve_support(m, e, work)
    if rank < 0 or rank == m:
        if rank == m and admit(m, n, rows, work):
            count = keep(n, rows, count, work)
        return count
    work.tally[SINGULAR] += 1
    d = m - rank
    if d > rest:
        return count
    for k in range(d):
        work.picks[k] = k
    more = True
    while more:
        for k in range(d):
            work.equations[e + k] = work.others[work.picks[k]]
        if solve_support(m, e + d, work) == m and admit(m, n, rows, work):
            count = keep(n, rows, count, work)
        more = next_pick(d, rest, work.picks)
        work.tally[PICKS] += 1
        if work.tally[PICKS] > MOST_PICKS:
            work.tally[OVERFLOW] = 1
            return count
    return count


@kernel
def vertices(A: Matrix, b: Vector, n: int, rows: int, recede: bool, work: LcpWork) -> int:
    """All vertices of the solution set into work.vertices; their number. `recede`: its extreme rays (b = 0, sum 1).

    The set is a union of polyhedra {z_a >= 0, w_a = 0, z_b = 0, w_b >= 0}; none holds a line, so a polyhedron without
    a vertex is empty, and singular bases need no other treatment than the further tight rows of their vertices.
    """
    scale(A, b, n, rows, work)
    for k in range(6):
        work.tally[k] = 0
    if recede:
        for i in range(rows):
            work.b[i] = 0.0
        for j in range(n):
            work.A[rows, j] = 1.0
        work.b[rows] = -1.0
    count = 0
    for mask in range(1 if recede else 0, 1 << n):
        count = vertices_on_support(mask, n, rows, recede, count, work)
    for v in range(count):
        for j in range(n):
            work.vertices[v, j] *= work.column[j]
    return count


@inner
def inverse_entry(i: int, j: int, work: LcpWork) -> float:
    """Entry (i, j) of the basis inverse: the column of w_j, wherever it is."""
    place = work.place[j]
    if place < 0:
        return work.T[i, -1 - place]
    return 1.0 if place == i else 0.0


@inner
def lexicographic_before(i: int, k: int, c: int, n: int, work: LcpWork) -> bool:
    """Tied rows: Lemke's path cannot cycle when the lexicographically smaller row of the basis inverse leaves."""
    for j in range(n):
        difference = inverse_entry(i, j, work) / work.T[i, c] - inverse_entry(k, j, work) / work.T[k, c]
        if abs(difference) > TIE:
            return difference < 0.0
    return i < k


@inner
def leaving_row(c: int, n: int, work: LcpWork) -> int:
    """Ratio test; -1 when nothing bounds the entering variable. The artificial variable leaves whenever it may."""
    T = work.T
    size = 0.0
    for i in range(n):
        size = max(size, abs(T[i, c]))
    floor = max(TIE * size, 1e-13)
    best, ratio = -1, 0.0
    for i in range(n):
        if T[i, c] > floor and (best < 0 or max(T[i, n + 1], 0.0) / T[i, c] < ratio):
            best, ratio = i, max(T[i, n + 1], 0.0) / T[i, c]
    if best < 0:
        return -1
    limit = ratio + TIE * max(1.0, ratio)
    first = best
    for i in range(n):
        if i != first and T[i, c] > floor and T[i, n + 1] / T[i, c] <= limit:
            if work.basic[i] == 2 * n:
                return i
            if work.basic[best] != 2 * n and lexicographic_before(i, best, c, n, work):
                best = i
    return best


@inner
def lemke(n: int, limit: int, work: LcpWork) -> int:
    """Lemke's method on the scaled problem, condensed tableau n x (n + 2); the answer's basis in work.basis.

    Variables: w_i is i, z_j is n + j, the artificial one is 2 n (w - A z - cover z_0 = b).
    """
    T = work.T
    r, c, least = 0, n, work.b[0] / work.cover[0]
    for i in range(n):
        for j in range(n):
            T[i, j] = -work.A[i, j]
        T[i, n], T[i, n + 1] = -work.cover[i], work.b[i]
        work.basic[i], work.nonbasic[i] = i, n + i
        work.place[i], work.place[n + i] = i, -1 - i
        if work.b[i] / work.cover[i] <= least:            # of tied rows the last is the lexicographic minimum
            r, least = i, work.b[i] / work.cover[i]
        work.basis[i] = False
    work.nonbasic[n], work.place[2 * n] = 2 * n, -1 - n
    if least >= 0.0:
        return SOLVED
    for pivot in range(limit):
        tableau_kernels.exchange(T, r, c, n, n + 2)
        leaves, enters = work.basic[r], work.nonbasic[c]
        work.basic[r], work.nonbasic[c] = enters, leaves
        work.place[enters], work.place[leaves] = r, -1 - c
        work.tally[PIVOTS] = pivot + 1
        if leaves == 2 * n:
            for i in range(n):
                if work.basic[i] >= n:
                    work.basis[work.basic[i] - n] = True
            return SOLVED
        c = -1 - work.place[leaves + n if leaves < n else leaves - n]
        r = leaving_row(c, n, work)
        if r < 0:
            work.picks[0] = c
            return RAY
    return CAPPED


@inner
def solve_basis(n: int, work: LcpWork) -> bool:
    """The answer that belongs to work.basis, if it is one: one factorisation and a sign check."""
    m = 0
    for j in range(n):
        if work.basis[j]:
            work.support[m] = j
            work.equations[m] = j
            m += 1
    return solve_support(m, m, work) >= 0 and admit(m, n, n, work)


@inner
def tableau_answer(n: int, work: LcpWork) -> bool:
    """Lemke's own numbers, for a last basis that is too ill-conditioned to factorise anew."""
    m = 0
    for i in range(n):
        if work.basic[i] >= n:
            work.support[m] = work.basic[i] - n
            work.x[m] = work.T[i, n + 1]
            m += 1
    work.least[0] = 1.0
    return admit(m, n, n, work)


@kernel
def solve(A: Matrix, b: Vector, n: int, warm: bool, limit: int, work: LcpWork) -> int:
    """One answer in work.z: the last basis first if `warm`, then Lemke. SOLVED, RAY, CAPPED or UNSURE."""
    scale(A, b, n, n, work)
    work.tally[PIVOTS] = 0
    status = SOLVED
    if not (warm and solve_basis(n, work)):
        status = lemke(n, limit, work)
        if status == SOLVED:
            for i in range(n):                           # the fresh factorisation overwrites the tableau
                work.kept[i] = work.T[i, n + 1]
                work.others[i] = work.basic[i]
            if not solve_basis(n, work):
                for i in range(n):
                    work.T[i, n + 1] = work.kept[i]
                    work.basic[i] = work.others[i]
                status = SOLVED if tableau_answer(n, work) else UNSURE
    for j in range(n):
        work.z[j] *= work.column[j]
    return status
