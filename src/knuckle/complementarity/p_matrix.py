"""P matrices: every principal minor positive, so that the complementarity problem has one answer for every b."""
from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from knuckle.complementarity import minor_kernels
from knuckle.complementarity.inputs import refuse_other_than_numbers
from knuckle.complementarity.lp import matrix_and_vectors
from knuckle.complementarity.result import Result
from knuckle.complementarity.workspaces import Kept
from knuckle.errors import InputError, UnsupportedError

LARGEST = 20           # 2^20 minors take some 3 ms
ROUND_OFF = 1e-13      # of a minor, relative to the product of its rows' lengths
SURE = 1e-9            # smaller minors are factorised one by one
APART = 1e-3           # of the largest minor
EXACT = 4096           # so many minors may be computed in rational numbers


@dataclass(frozen=True)
class PMatrix(Result):
    """`margin`: smallest principal minor of D A D with unit diagonal, -inf where a diagonal entry is not positive."""

    holds: bool
    margin: float
    witness: list[int] | None      # index set of a non-positive minor
    exact: bool = True             # False: the margin is a lower bound (large A with positive definite symmetric part)


def _space(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For the minors of two levels, and for all of them with the guard against small pivots."""
    size = max((n - k) ** 2 << k for k in range(n))
    return np.empty(size), np.empty(size), np.empty(2 << n)


_room = Kept(_space, 16)


def p_matrix(A: ArrayLike) -> PMatrix:
    """Whether A is a P matrix, by how much, and a minor that shows that it is not."""
    refuse_other_than_numbers(A=A)
    (A,) = matrix_and_vectors(A)
    n = A.shape[0]
    if A.shape != (n, n):
        raise InputError("A must be square", key="A", got=A.shape)
    if n == 0:
        return PMatrix(True, 1.0, None)
    diagonal = np.diag(A)
    if (diagonal <= 0.0).any():
        return PMatrix(False, -np.inf, [int(diagonal.argmin())])
    with np.errstate(all="ignore"):        # what overflows is decided in rational numbers
        return _large(A) if n > LARGEST else _judged(A, diagonal)


def _judged(A: np.ndarray, diagonal: np.ndarray) -> PMatrix:
    """All minors at once; those that round-off may have carried to where they are one by one."""
    n = A.shape[0]
    B = A / np.sqrt(diagonal)[:, np.newaxis] / np.sqrt(diagonal)
    level, following, room = _room(n)
    # no term of a minor is larger than the product of its rows' lengths (Hadamard)
    minors, lengths = room[:1 << n], np.maximum(np.linalg.norm(B, axis=1), 1.0)
    enough = SURE + 100.0 * ROUND_OFF * lengths.prod()
    for guarded in (False, True):                  # pivots are quotients of minors: the guard against small ones is for minors far apart
        least = minor_kernels.principal_minors(A, n, level, following, room if guarded else minors)
        if minors[least] > enough and (guarded or minors[least] > APART * minors.max()):
            return PMatrix(True, float(minors[least]), None)
    products = np.ones(1)
    for length in lengths:
        products = np.concatenate([products, length * products])
    doubtful = np.flatnonzero(~(minors > SURE + 100.0 * ROUND_OFF * products))
    return _small_minors(A, B, diagonal, doubtful, float(np.delete(minors, doubtful).min(initial=np.inf)))


def _large(A: np.ndarray) -> PMatrix:
    """Ostrowski and Taussky: minors of A are at least those of its symmetric part when that is positive definite."""
    scale = np.sqrt(np.diag(A))
    B = np.ascontiguousarray(A / scale[:, np.newaxis] / scale)
    factor = np.zeros_like(B)
    if minor_kernels.surely_p(B, B.shape[0], factor):
        return PMatrix(True, float(np.prod(np.diag(factor)) ** 2), None, exact=False)
    pair = 1.0 - B * B.T
    np.fill_diagonal(pair, np.inf)
    i, j = np.unravel_index(pair.argmin(), pair.shape)
    if pair[i, j] <= 0.0 and _exact_minor(A, [int(i), int(j)]) <= 0:
        return PMatrix(False, float(pair[i, j]), sorted([int(i), int(j)]), exact=False)
    raise UnsupportedError(
        "a matrix of this size is only judged by its symmetric part and its minors up to 2 x 2, which leave it open",
        key="A", got=A.shape, todo=f"at most {LARGEST} rows")


def _members(bits: int, n: int) -> list[int]:
    return [i for i in range(n) if bits >> i & 1]


def _small_minors(A: np.ndarray, B: np.ndarray, diagonal: np.ndarray, wanted: np.ndarray, others: float) -> PMatrix:
    """The minors of the index sets `wanted`, bits, each by its own factorisation; in rational numbers where its sign is within round-off. The
    least of the rest is `others`."""
    n = B.shape[0]
    lengths = np.linalg.norm(B, axis=1)
    wanted = wanted[wanted > 0]
    sizes = sum((wanted >> i) & 1 for i in range(n))
    groups = [wanted[sizes == size] for size in range(1, n + 1)]
    sets, values, unsure = [np.zeros(0, wanted.dtype)], [np.zeros(0)], [np.zeros(0, bool)]
    for chunk in (chunk for group in groups if group.size for chunk in np.array_split(group, 1 + group.size // 20_000)):
        member = ((chunk[:, np.newaxis] >> np.arange(n)) & 1).astype(bool)
        index = np.nonzero(member)[1].reshape(chunk.size, -1)
        minors = np.linalg.det(B[index[:, :, np.newaxis], index[:, np.newaxis, :]])
        sets.append(chunk)
        values.append(minors)
        unsure.append(~(np.abs(minors) > ROUND_OFF * np.where(member, lengths, 1.0).prod(axis=1) + 1e-12))
    bits, minors, doubtful = np.concatenate(sets), np.concatenate(values), np.concatenate(unsure)
    for k in np.nonzero(doubtful)[0][:EXACT]:
        chosen = _members(int(bits[k]), n)
        minors[k] = _nearest(_exact_minor(A, chosen) / math.prod(Fraction(float(x)) for x in diagonal[chosen]))
    if np.isnan(minors).any():
        raise UnsupportedError("too many minors of this matrix overflow", key="A", got=A.shape, todo="scale its rows and columns")
    if minors.size == 0 or (minors.min() > 0.0 and others < minors.min()):
        return PMatrix(True, others, None)
    k = int(minors.argmin())                       # the first, hence a smallest, of equal ones
    if minors[k] > 0.0:
        return PMatrix(True, float(minors[k]), None)
    return PMatrix(False, float(minors[k]), _members(int(bits[k]), n))


def _nearest(exact: Fraction) -> float:
    """The nearest number with the sign of the exact one."""
    try:
        return float(exact) or 5e-324 * ((exact > 0) - (exact < 0))
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def _exact_minor(A: np.ndarray, chosen: list[int]) -> Fraction:
    """Determinant of a principal submatrix; floating-point numbers are fractions."""
    rows = [[Fraction(float(A[i, j])) for j in chosen] for i in chosen]
    determinant = Fraction(1)
    while rows:
        pivot = next((row for row in rows if row[0] != 0), None)
        if pivot is None:
            return Fraction(0)
        if rows.index(pivot) % 2:
            determinant = -determinant
        determinant *= pivot[0]
        others = [row for row in rows if row is not pivot]
        rows = [[x - row[0] / pivot[0] * y for x, y in zip(row[1:], pivot[1:], strict=True)] for row in others]
    return determinant
