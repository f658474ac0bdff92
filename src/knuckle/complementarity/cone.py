"""Friction with the circular cone on a given Delassus matrix: nothing is called solved before its residual says so."""
from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from knuckle.compiled import kernel
from knuckle.complementarity import cone_kernels, friction_kernels
from knuckle.complementarity.cone_kernels import BREAK, CONE, STEPS, ConeWork
from knuckle.complementarity.friction_kernels import LONG, NEWTON, PATHS, RESERVE, FrictionWork
from knuckle.complementarity.inputs import all_finite, is_ready, refuse_other_than_numbers
from knuckle.complementarity.lp import farkas_beyond, solve_lp, tightened
from knuckle.complementarity.result import Result
from knuckle.complementarity.workspaces import Kept
from knuckle.errors import Fault, InputError, one_line

LOOSEST = 1e-8                        # CONTRACT 5: a larger tolerance would not deserve the word solved
PACE = {True: 3e9, False: 3e6}        # multiplications a second, compiled and interpreted, on the slow side
SIDES, MOST_PROVED = 16, 60           # of the polygons around the cones in a proof of none; contacts that it may have
LETTERS = "BRS"                       # of cone_kernels.BREAK, STICK, SLIDE; a contact that is kept without friction is F
KEPT = 24                             # contacts up to which a thread keeps its workspaces
INSTANTS = 0.02                       # interpreted work of a problem, per contact squared
KERNEL_MODULES = ("knuckle.compiled.dense", *(f"knuckle.complementarity.{name}_kernels" for name in ("slide", "cone", "interior", "friction")))


@dataclass(frozen=True)
class ConeResult(Result):
    """`outcome`: solved, undecided (r is the best force found), none (certificate) or invalid_input (errors).

    Certificate of none: {"kind": "farkas", "normal": l, "beyond"}: l >= 0, one per contact, and l.u_N <= l.q_N < 0 for every r in the
    cones, so that u_N >= 0 cannot be had (where that holds but for round-off: for r_N and u_N with a sum below `beyond`).
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


def faults_of(W: np.ndarray, q: np.ndarray, mu: np.ndarray, tol: float, budget_s: float) -> list[Fault]:
    k, faults = mu.size, []
    if q.shape != (3 * k,):
        faults.append(Fault(f"needs 3 entries for each of the {k} friction coefficients", key="q", got=q.shape))
    if W.shape != (3 * k, 3 * k):
        faults.append(Fault(f"must be {3 * k} x {3 * k} for {k} contacts", key="W", got=W.shape))
    if k and mu.min() < 0.0:
        faults.append(Fault("must not be negative", key="mu", got=float(mu.min())))
    if not 0.0 < tol <= LOOSEST:
        faults.append(Fault(f"must be above 0 and at most {LOOSEST:g}", key="tol", got=tol))
    if not budget_s > 0.0:
        faults.append(Fault("must be above 0", key="budget_s", got=budget_s))
    return faults


def _none(W: np.ndarray, q: np.ndarray, mu: np.ndarray) -> dict[str, Any] | None:
    """Proof that there is no answer: l >= 0 with -(W_N' l) in every K* and l.q_N < 0, by the linear program over polygons around the cones."""
    for normal in np.eye(mu.size):                           # one contact alone: its signs know no round-off
        pull = -(normal @ W[0::3]).reshape(-1, 3)
        if normal @ q[0::3] < 0.0 and (pull[:, 0] >= mu * np.linalg.norm(pull[:, 1:], axis=1)).all():
            return {"kind": "farkas", "normal": normal, "beyond": np.inf}
    if mu.size > MOST_PROVED:
        return None
    turn = 2.0 * math.pi / SIDES * np.arange(SIDES)
    around = np.stack([np.ones(SIDES), np.cos(turn) / math.cos(math.pi / SIDES), np.sin(turn) / math.cos(math.pi / SIDES)])
    cones = [around * [[1.0], [m], [m]] for m in mu.tolist()]
    program = np.hstack([*(W[0::3, 3 * i:3 * i + 3] @ cone for i, cone in enumerate(cones)), -np.eye(mu.size)])
    terms = np.hstack([*(np.abs(W[0::3, 3 * i:3 * i + 3]) @ np.abs(cone) for i, cone in enumerate(cones)), np.eye(mu.size)])
    proof = solve_lp(np.zeros(program.shape[1]), program, -q[0::3])
    if proof.outcome != "infeasible" or proof.y is None:
        return None
    normal = tightened(program, proof.y)
    beyond = farkas_beyond(program, -q[0::3], normal, terms)
    return {"kind": "farkas", "normal": normal, "beyond": beyond} if beyond > 0.0 else None


@dataclass(frozen=True)
class _Room:
    """Everything a problem of k contacts needs besides its data."""
    work: FrictionWork
    kinds: np.ndarray
    first: np.ndarray
    factor: np.ndarray


def _new_room(k: int) -> _Room:
    return _Room(FrictionWork(cone_work(3 * k, k), np.zeros(3 * k), np.zeros(3 * k)), np.full(k, CONE), np.arange(0, 3 * k + 1, 3), np.zeros((k, 2)))


_room = Kept(_new_room, KEPT)


def prepared(k: int, budget_s: float) -> _Room:
    """Room for problems of k contacts, with the work that each may cost."""
    room = _room(k)
    room.work.cone.info[cone_kernels.MOST_EFFORT] = budget_s * PACE[kernel.is_compiled()]
    return room


def spend(problems: int, k: int) -> None:
    """Many problems in an interpreted process are worth the machine code."""
    kernel.spend(problems * INSTANTS * k * k, *KERNEL_MODULES)


def _read(W: Any, q: Any, mu: Any, tol: Any, budget_s: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, float]:
    """The problem as arrays that kernels may read; InputError with all that is wrong."""
    infinite: list[Fault] = []
    if not (is_ready(W, 2) and is_ready(q, 1) and is_ready(mu, 1) and type(tol) is type(budget_s) is float):
        W = W.toarray() if hasattr(W, "toarray") else W
        refuse_other_than_numbers(W=W, q=q, mu=mu, tol=tol, budget_s=budget_s)
        try:
            W = np.array(W, dtype=float, order="C")
            q, mu = np.array(q, dtype=float).ravel(), np.array(mu, dtype=float).ravel()
            tol, budget_s = float(tol), float(budget_s)
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"must be arrays of numbers ({one_line(str(error))})", key="W, q, mu") from None
        W = W.reshape(0, 0) if W.size == 0 and mu.size == 0 else W
        infinite = [Fault("every entry must be finite", key=name) for name, part in (("W", W), ("q", q), ("mu", mu)) if not all_finite(part)]
    if faults := [*infinite, *faults_of(W, q, mu, tol, budget_s)]:
        raise InputError(faults)
    return W, q, mu, tol, budget_s


def solve_cone(W: Any, q: ArrayLike, mu: ArrayLike, tol: float = 1e-10, budget_s: float = 60.0) -> ConeResult:
    """Find r with u = W r + q and, per contact (rows N, T1, T2), r in K, u~ = u + (mu |u_T|, 0, 0) in K*, r.u~ = 0.

    W (3k x 3k, dense or SciPy sparse) is used as given. Work, not a clock, keeps the budget: same input, same answer.
    """
    try:
        W, q, mu, tol, budget_s = _read(W, q, mu, tol, budget_s)
    except InputError as error:
        return ConeResult("invalid_input", errors=[str(fault) for fault in error.faults])
    k = mu.size
    r, u, modes, judged = np.zeros(3 * k), np.zeros(3 * k), np.zeros(k, np.int64), np.zeros(1)
    spend(1, k)
    room = prepared(k, budget_s)
    part = (W[None], q[None], room.kinds, room.first, mu[None], room.factor, r[None], u[None], modes[None], judged)
    friction_kernels.settle_cones(*part, NEWTON, LONG, room.work, tol)
    certificate = None
    if not judged[0] <= RESERVE * tol:
        certificate = _none(W, q, mu)
        if certificate is None:
            friction_kernels.settle_cones(*part, LONG, PATHS, room.work, tol)
    residual = float(judged[0])                                      # the kernel's last step: from W, q, mu and r alone
    outcome = "none" if certificate else "solved" if residual <= RESERVE * tol else "undecided"
    letters = ["F" if mode != BREAK and m == 0.0 else LETTERS[mode] for mode, m in zip(modes.tolist(), mu.tolist(), strict=True)]
    return ConeResult(outcome, r, u, residual, letters, int(room.work.cone.info[STEPS]), certificate)
