"""Contact kinematics with curvature (PHYSICS 2): one small linear system for smooth surfaces, edges and vertices at any gap."""
import math
from typing import NamedTuple

from knuckle.compiled import dense
from knuckle.compiled.kernel import Integers, Matrix, Vector, inner, kernel
from knuckle.contact import space_kernels as space

# Where the results stand in `out`.
GAP_ACCELERATION, RESIDUAL, RELATIVE, NORMAL_RATE, MIGRATION_A, MIGRATION_B, OUT_SIZE = 0, 1, 2, 5, 8, 11, 14
# Relative pivot below which F6 counts as singular (F7); round-off leaves 1e-15, honest curvatures stay far above.
SINGULAR = 1e-10
NO_GAP = 1e-12       # m; below it two vertices coincide and have no common normal (F6)


class Linear(NamedTuple):
    """Workspace of the system F6: at most two unknowns on each surface and two of the turning normal."""

    system: Matrix      # 6 x 6
    factors: Matrix     # 6 x 6
    rotation: Matrix    # 6 x 6
    known: Vector       # 6
    unknown: Vector     # 6
    pivots: Integers    # 6
    basis: Matrix       # 2 x 3, tangents
    slip: Vector        # 3
    turn: Matrix        # 2 x 3, w_X x n


@inner
def column_dot(a: Matrix, p: int, b: Matrix, q: int, n: int) -> float:
    total = 0.0
    for i in range(n):
        total += a[i, p] * b[i, q]
    return total


@inner
def rotate_columns(a: Matrix, v: Matrix, p: int, q: int, n: int) -> bool:
    pp, qq, pq = column_dot(a, p, a, p, n), column_dot(a, q, a, q, n), column_dot(a, p, a, q, n)
    if pq * pq <= 1e-32 * pp * qq:
        return False
    zeta = (qq - pp) / (2.0 * pq)
    tangent = (1.0 if zeta >= 0.0 else -1.0) / (abs(zeta) + math.sqrt(1.0 + zeta * zeta))
    cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
    sine = cosine * tangent
    for i in range(n):
        a[i, p], a[i, q] = cosine * a[i, p] - sine * a[i, q], sine * a[i, p] + cosine * a[i, q]
        v[i, p], v[i, q] = cosine * v[i, p] - sine * v[i, q], sine * v[i, p] + cosine * v[i, q]
    return True


@inner
def least_norm(a: Matrix, v: Matrix, b: Vector, x: Vector, n: int) -> None:
    """Least-squares solution of least norm by one-sided Jacobi rotations (Hestenes 1958). Destroys a."""
    for i in range(n):
        x[i] = 0.0
        for j in range(n):
            v[i, j] = 1.0 if i == j else 0.0
    for _ in range(30):
        turned = False
        for p in range(n - 1):
            for q in range(p + 1, n):
                turned = rotate_columns(a, v, p, q, n) or turned
        if not turned:
            break
    largest = 0.0
    for j in range(n):
        largest = max(largest, column_dot(a, j, a, j, n))
    for j in range(n):
        square = column_dot(a, j, a, j, n)
        if square > SINGULAR * SINGULAR * largest and square > 0.0:
            part = 0.0
            for i in range(n):
                part += a[i, j] * b[i]
            for i in range(n):
                x[i] += v[i, j] * part / square


@inner
def solve_system(work: Linear, size: int) -> None:
    """x of system x = known: LU, or the least-squares solution of least norm where the system is singular (F7)."""
    for i in range(size):
        work.unknown[i] = work.known[i]
        for j in range(size):
            work.factors[i, j] = work.system[i, j]
    regular = dense.lu_factor(work.factors, work.pivots, size)
    if regular:
        smallest, largest = abs(work.factors[0, 0]), abs(work.factors[0, 0])
        for i in range(1, size):
            smallest, largest = min(smallest, abs(work.factors[i, i])), max(largest, abs(work.factors[i, i]))
        regular = smallest > SINGULAR * largest
    if regular:
        dense.lu_solve(work.factors, work.pivots, work.unknown, size)
        return
    for i in range(size):
        for j in range(size):
            work.factors[i, j] = work.system[i, j]
    least_norm(work.factors, work.rotation, work.known, work.unknown, size)


@inner
def surface_equations(work: Linear, K: Vector, E: Vector, rank: int, sign: float, length: float, side: int, at: int, size: int) -> None:
    """Two rows of F6 for one body: E'(n' + sign K E a) = E'(w x n), and its part of the slip equation, -sign E a."""
    for i in range(rank):
        e = E[3 * i: 3 * i + 3]
        row = at + i
        for j in range(rank):
            work.system[row, at + j] = sign * length * space.bilinear(e, K, E[3 * j: 3 * j + 3])
        for j in range(2):
            across = space.dot(e, work.basis[j])
            work.system[row, size - 2 + j] = across
            work.system[size - 2 + j, row] = -sign * across
        work.known[row] = length * space.dot(e, work.turn[side])


@inner
def read_solution(n: Vector, K_A: Vector, K_B: Vector, E_A: Vector, E_B: Vector, rank_A: int, rank_B: int, w_A: Vector, w_B: Vector,
                  gap: float, length: float, work: Linear, out: Vector) -> None:
    """s_A, s_B, n' and what F4, F5 make of them apart from the accelerations of the material points."""
    size = rank_A + rank_B + 2
    worst = 0.0
    for i in range(size):
        left = -work.known[i]
        for j in range(size):
            left += work.system[i, j] * work.unknown[j]
        worst = max(worst, abs(left) if i >= size - 2 else abs(left) / length)
    out[RESIDUAL] = worst
    s_A, s_B, turning = out[MIGRATION_A: MIGRATION_A + 3], out[MIGRATION_B: MIGRATION_B + 3], out[NORMAL_RATE: NORMAL_RATE + 3]
    for i in range(3):
        turning[i] = (work.basis[0, i] * work.unknown[size - 2] + work.basis[1, i] * work.unknown[size - 1]) / length
        s_A[i], s_B[i] = 0.0, 0.0
        for j in range(rank_A):
            s_A[i] += E_A[3 * j + i] * work.unknown[j]
        for j in range(rank_B):
            s_B[i] += E_B[3 * j + i] * work.unknown[rank_A + j]
    # F5 (F3 at gap 0)
    out[GAP_ACCELERATION] = (2.0 * space.dot(turning, work.slip) - gap * space.dot(turning, turning)
                             - space.bilinear(s_A, K_A, s_A) - space.bilinear(s_B, K_B, s_B))
    # F4: w_A x s_A - w_B x s_B
    space.cross(w_A, s_A, work.turn[0])
    space.cross(w_B, s_B, work.turn[1])
    for i in range(3):
        out[RELATIVE + i] = work.turn[0, i] - work.turn[1, i]


@kernel
def contact_kinematics(n: Vector, K_A: Vector, K_B: Vector, E_A: Vector, E_B: Vector, rank_A: int, rank_B: int,
                       V_A: Vector, w_A: Vector, acc_A: Vector, V_B: Vector, w_B: Vector, acc_B: Vector,
                       gap: float, work: Linear, out: Vector) -> bool:
    """F3-F7 for one contact; False when it has no normal (vertex on vertex without a gap).

    Unknown: a, b (s_A = E_A a, s_B = E_B b) and length * n' in the tangents, so that all are speeds. Lengths are measured in radii
    of curvature: the residual and the rank do not depend on the unit of length.
    """
    if rank_A == 0 and rank_B == 0 and abs(gap) <= NO_GAP:
        return False
    size = rank_A + rank_B + 2
    curvature = 0.0
    for i in range(9):
        curvature = max(curvature, abs(K_A[i]), abs(K_B[i]))
    length = 1.0 / curvature if curvature > 0.0 else (abs(gap) if abs(gap) > NO_GAP else 1.0)
    space.tangents(n, work.basis[0], work.basis[1])
    space.combine(V_A, -1.0, V_B, work.slip)
    space.combine(work.slip, -space.dot(n, work.slip), n, work.slip)
    space.cross(w_A, n, work.turn[0])
    space.cross(w_B, n, work.turn[1])
    for i in range(size):
        for j in range(size):
            work.system[i, j] = 0.0
    surface_equations(work, K_A, E_A, rank_A, 1.0, length, 0, 0, size)                    # F6, second line
    surface_equations(work, K_B, E_B, rank_B, -1.0, length, 1, rank_A, size)              # F6, third line
    for j in range(2):                                                                    # F6, first line
        work.system[size - 2 + j, size - 2 + j] = gap / length
        work.known[size - 2 + j] = space.dot(work.basis[j], work.slip)
    solve_system(work, size)
    read_solution(n, K_A, K_B, E_A, E_B, rank_A, rank_B, w_A, w_B, gap, length, work, out)
    for i in range(3):
        out[RELATIVE + i] += acc_A[i] - acc_B[i]
        out[GAP_ACCELERATION] += n[i] * (acc_A[i] - acc_B[i])
    return True
