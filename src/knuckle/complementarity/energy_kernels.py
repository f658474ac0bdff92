"""Uniqueness of a friction problem's answer for every c at once, by a quadratic form (docs/derivations)."""
import math

from knuckle.compiled import dense
from knuckle.compiled.kernel import Integers, Matrix, Vector, inner, kernel
from knuckle.complementarity import cone_kernels
from knuckle.complementarity.cone_kernels import CONE, PLANAR, ConeWork


@inner
def energy_form(kinds: Integers, mu: Vector, work: ConeWork, weight: float, share: float) -> bool:
    """Cholesky factor, in work.J, of form (4) of the derivation with the friction terms times `share`."""
    G, Q, n = work.G, work.J, work.offset[len(kinds)]
    for i in range(n):
        work.row[i] = 1.0
    for u in range(len(kinds)):
        if kinds[u] <= PLANAR:
            work.row[work.offset[u]] = weight
    for i in range(n):
        for j in range(i + 1):
            Q[i, j] = 0.5 * (work.row[i] * G[i, j] + work.row[j] * G[j, i])
    for u in range(len(kinds)):
        o, friction = work.offset[u], 0.5 * share * mu[u]
        if friction > 0.0 and (kinds[u] == CONE or kinds[u] == PLANAR):
            Q[o, o] -= friction * work.balance[u]
            for t in range(o + 1, work.offset[u + 1]):
                for i in range(n):
                    part = friction / work.balance[u] * G[t, i]
                    for j in range(i + 1):
                        Q[i, j] -= part * G[t, j]
    return dense.cholesky(Q, n)


@inner
def inverse_square(v: Vector, start: int, work: ConeWork, n: int) -> float:
    """v' Q^-1 v by one forward substitution; entries of v before `start` are zero."""
    z, square = work.rhs, 0.0
    for i in range(start, n):
        total = v[i]
        for j in range(start, i):
            total -= work.J[i, j] * z[j]
        z[i] = total / work.J[i, i]
        square += z[i] * z[i]
    return square


@inner
def centre_balance(kinds: Integers, work: ConeWork, n: int) -> None:
    """s_i at which log det of the form in work.J is stationary: derivation (5)."""
    for u in range(len(kinds)):
        o, above = work.offset[u], 0.0
        if kinds[u] == CONE or kinds[u] == PLANAR:
            for t in range(o + 1, work.offset[u + 1]):
                above += inverse_square(work.G[t], 0, work, n)
            for i in range(n):
                work.row[i] = 1.0 if i == o else 0.0
            work.balance[u] = math.sqrt(max(above, 1e-300) / inverse_square(work.row, o, work, n))


@kernel
def unique_by_energy(B: Matrix, kinds: Integers, first: Integers, mu: Vector, factor: Matrix, work: ConeWork) -> float:
    """Positive: for every c at most one answer, in forces and accelerations. Zero says nothing.

    The value is the smallest pivot of the certifying form, blocks being scaled to a mean diagonal of 1.
    """
    cone_kernels.reduce_units(B, kinds, first, factor, work)
    n, fits = work.offset[len(kinds)], True
    for attempt in range(16):                 # 4 normal weights; with 0 and 1/2 of the friction they choose the balance
        weight, stage = 2.0 ** (attempt // 4) if attempt < 12 else 0.5, attempt % 4
        if stage > 0 and not fits:
            continue
        positive = energy_form(kinds, mu, work, weight, 0.25 * stage if stage % 2 == 0 else 1.0)
        if stage % 2 == 0:
            fits = positive
            if positive:
                centre_balance(kinds, work, n)
        elif positive:
            margin = math.inf
            for i in range(n):
                margin = min(margin, work.J[i, i] * work.J[i, i])
            if margin > 1e-10:                # far above the round-off of the form
                return margin
    return 0.0
