"""Friction with the circular cone on a given Delassus matrix: nothing is called solved before its residual says so."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from knuckle.compiled import kernel
from knuckle.complementarity import cone_kernels
from knuckle.complementarity.cone_kernels import BREAK, CONE, SLIDE, STEPS, ConeWork
from knuckle.complementarity.inputs import holds_numbers
from knuckle.complementarity.residuals_cone import cone_residual
from knuckle.complementarity.result import Result
from knuckle.errors import one_line, shown

LOOSEST = 1e-8                        # CONTRACT 5: a larger tolerance would not deserve the word solved
ROUNDS = 12                           # sweeps and Newton in turn; hardly any solved problem needs more than 8
PACE = {True: 1e9, False: 3e6}        # multiplications a second, compiled and interpreted, on the slow side


@dataclass(frozen=True)
class ConeResult(Result):
    """`outcome`: solved, undecided (r is the best force found), none (certificate) or invalid_input (errors).

    Certificate of none: {"kind": "farkas", "normal": l}: l >= 0, one per contact, and l.u_N <= l.q_N < 0 for every r in the
    cones, so that u_N >= 0 cannot be had.
    """

    outcome: str
    r: np.ndarray | None = None                  # (3k,) rows N, T1, T2
    u: np.ndarray | None = None                  # (3k,) W r + q
    residual: float | None = None                # CONTRACT 5, from W, q, mu, r alone
    modes: list[str] = field(default_factory=list)       # B breaks, R rolls, S slides, F kept and frictionless
    iterations: int = 0                          # Newton steps
    certificate: dict[str, Any] | None = None
    errors: list[str] = field(default_factory=list)


def cone_work(rows: int, units: int) -> ConeWork:
    """Workspace for `cone_newton` and `unique_by_energy`, for problems of at most so many rows and units."""
    n, k = max(rows, 1), max(units, 1)
    shapes: dict[str, Any] = {
        "G": (n, n), "J": (n, n), "Z": (n, 3), "scale": k, "bound": k, "balance": k, "info": 6,
        "local": (3, 3), "b": 3, "force": 3, "slide": 5, "chain": (5, 5), "roots": (4, 4)}
    arrays = {name: np.zeros(shapes.get(name, n)) for name in ConeWork._fields}
    arrays["info"][cone_kernels.MOST_EFFORT] = np.inf
    return ConeWork(**(arrays | {"offset": np.zeros(k + 1, np.int64), "pivots": np.zeros(n, np.int64)}))


def _faults(W: Any, q: np.ndarray, mu: np.ndarray, tol: float, budget_s: float) -> list[str]:
    k, faults = mu.size, []
    if q.shape != (3 * k,):
        faults.append(f"q: needs 3 entries for each of the {k} friction coefficients (got shape {q.shape})")
    if W.shape != (3 * k, 3 * k):
        faults.append(f"W: must be {3 * k} x {3 * k} for {k} contacts (got shape {W.shape})")
    parts = {"W": W, "q": q, "mu": mu}
    faults += [f"{name}: every entry must be finite" for name, part in parts.items() if not np.isfinite(part).all()]
    if (mu < 0.0).any():
        faults.append(f"mu: must not be negative (got {mu.min():g})")
    if not 0.0 < tol <= LOOSEST:
        faults.append(f"tol: must be above 0 and at most {LOOSEST:g} (got {tol})")
    if not budget_s > 0.0:
        faults.append(f"budget_s: must be above 0 (got {budget_s})")
    return faults


def _infeasible_normal(W: np.ndarray, q: np.ndarray, mu: np.ndarray) -> np.ndarray | None:
    """l >= 0 with -(W_N' l) in every K* and l.q_N < 0. Single contacts only: their signs know no round-off."""
    for normal in np.eye(mu.size):
        pull = -(normal @ W[0::3]).reshape(-1, 3)
        if normal @ q[0::3] < 0.0 and (pull[:, 0] >= mu * np.linalg.norm(pull[:, 1:], axis=1)).all():
            return normal
    return None


def _letter(mode: np.int64, mu: float) -> str:
    if mode == BREAK:
        return "B"
    if mu == 0.0:
        return "F"
    return "S" if mode == SLIDE else "R"


def solve_cone(W: Any, q: ArrayLike, mu: ArrayLike, tol: float = 1e-10, budget_s: float = 60.0) -> ConeResult:
    """Find r with u = W r + q and, per contact (rows N, T1, T2), r in K, u~ = u + (mu |u_T|, 0, 0) in K*, r.u~ = 0.

    W (3k x 3k, dense or SciPy sparse) is used as given. Work, not a clock, keeps the budget: same input, same answer.
    """
    given = {"W": W.toarray() if hasattr(W, "toarray") else W, "q": q, "mu": mu, "tol": tol, "budget_s": budget_s}
    if errors := [f"{name}: must be made of real numbers (got {shown(value)})" for name, value in given.items() if not holds_numbers(value)]:
        return ConeResult("invalid_input", errors=errors)
    try:
        dense = np.array(given["W"], dtype=float, order="C")
        q, mu = np.array(q, dtype=float).ravel(), np.array(mu, dtype=float).ravel()
        tol, budget_s = float(tol), float(budget_s)
    except (TypeError, ValueError, OverflowError) as error:
        return ConeResult("invalid_input", errors=[f"W, q and mu must be arrays of numbers ({one_line(str(error))})"])
    k = mu.size
    dense = dense.reshape(0, 0) if dense.size == 0 and k == 0 else dense
    if errors := _faults(dense, q, mu, tol, budget_s):
        return ConeResult("invalid_input", errors=errors)
    n, work = 3 * k, cone_work(3 * k, k)
    r, u, modes = np.zeros(n), np.zeros(n), np.zeros(k, np.int64)
    work.info[cone_kernels.MOST_EFFORT] = budget_s * PACE[kernel.is_compiled()]
    if k:
        kinds, first, factor = np.full(k, CONE), np.arange(0, n + 1, 3), np.zeros((k, 2))
        cone_kernels.cone_newton(dense, q, kinds, first, mu, factor, r, u, modes, work, tol, ROUNDS, False)
    residual = cone_residual(dense, q, mu, r)
    outcome, certificate = "solved" if residual <= tol else "undecided", None
    if outcome == "undecided" and (normal := _infeasible_normal(dense, q, mu)) is not None:
        outcome, certificate = "none", {"kind": "farkas", "normal": normal}
    letters = [_letter(mode, m) for mode, m in zip(modes, mu, strict=True)]
    return ConeResult(outcome, r, dense @ r + q, residual, letters, int(work.info[STEPS]), certificate)
