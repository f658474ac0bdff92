"""Linear programs whose every answer is proved on the data as given."""
from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from knuckle.complementarity import lp_kernels
from knuckle.complementarity.lp_kernels import LpWork
from knuckle.errors import Fault, InputError

KERNEL_MODULES = ("knuckle.compiled.dense", "knuckle.complementarity.tableau_kernels", "knuckle.complementarity.lp_kernels")
"""What linear programs run in, callees first: much work promotes these alone (compiled.kernel.spend)."""
EPSILON = 2.220446049250313e-16
NEARLY = 1e-9               # of its terms
OUTCOMES = {
    lp_kernels.OPTIMAL: "optimal",
    lp_kernels.INFEASIBLE: "infeasible",
    lp_kernels.UNBOUNDED: "unbounded",
    lp_kernels.UNDECIDED: "undecided",
}


@dataclass(frozen=True)
class LpResult:
    """`outcome` optimal (x, y, value), infeasible (y: A'y <= 0, b.y > 0), unbounded (x, ray) or undecided."""

    outcome: str
    x: np.ndarray | None = None        # (n,)
    value: float | None = None
    y: np.ndarray | None = None        # (m,) dual solution, or Farkas' certificate
    ray: np.ndarray | None = None      # (n,) A ray = 0, c.ray < 0
    errors: list[str] = field(default_factory=list)


def lp_work(m: int, n: int) -> LpWork:
    """Workspace for programs of at most m rows and n variables."""
    rows = max(m, 1)
    return LpWork(
        T=np.zeros((m + 2, n + 1)), basic=np.zeros(rows, np.int64), nonbasic=np.zeros(n, np.int64),
        row=np.ones(rows), column=np.ones(n), sign=np.ones(n), x=np.zeros(n), y=np.zeros(m), ray=np.zeros(n),
        rest=np.zeros(rows), value=np.zeros(1), basis=np.zeros((rows, rows)), pivots=np.zeros(rows, np.int64), entry=np.zeros(rows), cost=np.zeros(n))


def matrix_and_vectors(A: ArrayLike, **vectors: ArrayLike) -> tuple[np.ndarray, ...]:
    """Fresh float64 arrays, finite and of the right dimensions, or all that is wrong with them."""
    faults, arrays = [], []
    for name, value, dimension in [("A", A, 2), *((name, value, 1) for name, value in vectors.items())]:
        try:
            array = np.array(value, dtype=float, order="C")
        except (TypeError, ValueError):
            faults.append(Fault("must be an array of real numbers", key=name, got=value))
            continue
        if array.size == 0 and array.ndim < dimension:
            array = array.reshape((0,) * dimension)
        if array.ndim != dimension:
            faults.append(Fault(f"must have {dimension} dimension{'s'[:dimension - 1]}", key=name, got=array.shape))
        elif not np.isfinite(array).all():
            faults.append(Fault("must be finite", key=name, got=float(array[~np.isfinite(array)][0])))
        arrays.append(array)
    if faults:
        raise InputError(faults)
    return tuple(arrays)


def solve_lp(c: ArrayLike, A: ArrayLike, b: ArrayLike, free: ArrayLike | None = None) -> LpResult:
    """Minimise c.x subject to A x = b and x >= 0, except where `free`."""
    A, c, b = matrix_and_vectors(A, c=c, b=b)
    m, n = b.size, c.size
    flags = np.zeros(n, dtype=bool) if free is None else np.array(free, dtype=bool)
    if A.size == 0:
        A = np.zeros((m, n))
    if A.shape != (m, n) or flags.shape != (n,):
        raise InputError("A must have a row for each entry of b and a column for each of c", key="A", got=A.shape)
    work = lp_work(m, n)
    outcome = OUTCOMES[lp_kernels.solve(c, A, b, flags, m, n, work)]
    if outcome == "optimal":
        return LpResult(outcome, x=work.x, value=float(work.value[0]), y=work.y)
    if outcome == "infeasible":
        return LpResult(outcome, y=work.y)
    if outcome == "unbounded":
        return LpResult(outcome, x=work.x, ray=work.ray)
    return LpResult(outcome, errors=["no outcome could be proved within round-off"])


def lp_ranges(costs: np.ndarray, A: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Least and largest value of each row of `costs` subject to A x = b, x >= 0, infinite where none is proved; None where there is no such x."""
    (m, n), count = A.shape, len(costs)
    least, most = np.full(count, -np.inf), np.full(count, np.inf)
    if count and n and not lp_kernels.ranges(np.ascontiguousarray(costs), A, b, np.zeros(n, dtype=bool), m, n, lp_work(m, n), least, most):
        return None
    return least, most


def farkas_beyond(A: np.ndarray, b: np.ndarray, y: np.ndarray, terms: np.ndarray | None = None) -> float:
    """By y every x >= 0 with A x = b has a sum above this number: infinite where A'y <= 0 < b.y, large where that fails by round-off alone,
    0 where it fails by more. A larger slack, however small, may be what lets a far x in. `terms`: sizes of what A's entries are summed from."""
    operations = 2.0 * EPSILON * (y.size + 4)
    slack, noise = A.T @ y, operations * ((np.abs(A) if terms is None else terms).T @ np.abs(y))
    depth = float(b @ y) - operations * float(np.abs(b) @ np.abs(y))
    if not depth > 0.0 or (slack > noise).any():
        return 0.0
    above = float(np.where(slack + noise > 0.0, slack + noise, 0.0).max(initial=0.0))
    return depth / above if above > 0.0 else np.inf


def tightened(A: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Multipliers y >= 0 of size 1, moved by the least so that slacks A'y that are nearly zero are zero up to round-off."""
    y = np.maximum(y, 0.0)
    y = y / (y.max(initial=0.0) or 1.0)
    held = y > NEARLY
    tight = np.abs(A.T @ y) <= NEARLY * (np.abs(A).T @ y)
    rows = A[np.ix_(held, tight)].T
    y[~held] = 0.0
    y[held] = np.maximum(y[held] - np.linalg.lstsq(rows, rows @ y[held], rcond=1e-12)[0], 0.0)
    return y
