"""Mixed nonlinear complementarity problems in paper 002's form (2): nothing is called solved before its residual says so."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from knuckle.complementarity.inputs import holds_numbers
from knuckle.complementarity.mncp_judge import merit, mncp_residual, only_stationary
from knuckle.complementarity.mncp_merit import by_box, by_least_squares
from knuckle.complementarity.mncp_newton import newton, polish
from knuckle.complementarity.mncp_system import Map, MncpSystem
from knuckle.complementarity.result import Result
from knuckle.errors import shown

LOOSEST = 1e-8                  # CONTRACT 5: a larger tolerance would not deserve the word solved
GOAL = 1e-24                    # merit at which a method hands over to the polish, over 1 + the merit at the start
MOST_SIZE = 2000                # dense algebra; beyond it an answer takes hours
# of further starts, where the first one did not lead to an answer
SPREADS = (0.3, 0.3, 1.0, 1.0, 3.0, 3.0, 0.1, 0.1, 10.0, 1.0, 0.3, 1.0, 3.0, 0.1, 1.0, 10.0)


@dataclass(frozen=True)
class MncpResult(Result):
    """`outcome`: solved, undecided (the best point found, and why) or invalid_input. The last three counts are of method `box`."""

    outcome: str
    u: np.ndarray | None = None                  # (p,) u >= 0
    v: np.ndarray | None = None                  # (m,)
    z: np.ndarray | None = None                  # (p,) F(u, v), a negative rest cut off
    x: np.ndarray | None = None                  # (p + m,) u, v
    merit: float | None = None                   # 002 (4) at u, v, z
    merit_before_polish: float | None = None
    before_polish: np.ndarray | None = None      # (p + m + p,) u, v, z that the method reached
    residual: float | None = None                # CONTRACT 7, from F, G and the point alone
    method: str = ""
    iterations: int = 0                          # Newton or Levenberg-Marquardt steps, or box iterations
    evaluations: int = 0                         # of (F, G) by the method, differences among them; with `box` of the merit
    starts: int = 0                              # from how many points the method was run
    polish_steps: int = 0
    quadratic_iterations: int = 0
    products: int = 0
    errors: list[str] = field(default_factory=list)


@dataclass
class _Counts:
    iterations: int = 0
    evaluations: int = 0
    quadratic_iterations: int = 0
    products: int = 0


Method = Callable[[MncpSystem, np.ndarray, float, int, _Counts, int], np.ndarray]      # from (u, v, z) to a better one


def _newton(system: MncpSystem, t: np.ndarray, goal: float, most: int, counts: _Counts, turn: int) -> np.ndarray:
    before = system.evaluations
    x, steps = newton(system, t[:system.n], np.sqrt(goal), most, turn % 2 == 0)
    counts.iterations, counts.evaluations = counts.iterations + steps, counts.evaluations + system.evaluations - before
    return np.concatenate([x, np.maximum(system.values(x)[:system.p], 0.0)])


def _box(system: MncpSystem, t: np.ndarray, goal: float, most: int, counts: _Counts, turn: int) -> np.ndarray:
    t, found = by_box(system, t, goal, most)
    counts.iterations, counts.evaluations = counts.iterations + found.iterations, counts.evaluations + found.evaluations
    counts.quadratic_iterations, counts.products = counts.quadratic_iterations + found.quadratic_iterations, counts.products + found.products
    return t


def _least_squares(system: MncpSystem, t: np.ndarray, goal: float, most: int, counts: _Counts, turn: int) -> np.ndarray:
    before = system.evaluations
    t, steps = by_least_squares(system, t, goal, most)
    counts.iterations, counts.evaluations = counts.iterations + steps, counts.evaluations + system.evaluations - before
    return t


METHODS: dict[str, Method] = {"newton": _newton, "box": _box, "least_squares": _least_squares}


def is_whole(number: Any) -> bool:
    return isinstance(number, (int, np.integer)) and not isinstance(number, bool)


def _faults(F: Any, G: Any, p: Any, m: Any, x0: Any, method: Any, derivatives: dict[str, Any], tol: Any, most: Any) -> list[str]:
    faults = [f"{name}: must be a whole number from 0 to {MOST_SIZE} (got {shown(size)})" for name, size in (("p", p), ("m", m))
              if not is_whole(size) or not 0 <= size <= MOST_SIZE]
    for name, function, size in (("F", F, p), ("G", G, m)):
        if not callable(function) and not (function is None and size == 0):
            faults.append(f"{name}: must be a function of (u, v), or None where it has no equations (got {shown(function)})")
    for name, function in derivatives.items():
        if function is not None and not callable(function):
            faults.append(f"{name}: must be a function, or None (got {shown(function)})")
    if not isinstance(method, str) or method not in METHODS:
        faults.append(f"method: must be one of {', '.join(METHODS)} (got {shown(method)})")
    if not holds_numbers(tol) or np.ndim(tol) or not 0.0 < float(tol) <= LOOSEST:
        faults.append(f"tol: must be above 0 and at most {LOOSEST:g} (got {shown(tol)})")
    if not is_whole(most) or most < 1:
        faults.append(f"most_iterations: must be a whole number of at least 1 (got {shown(most)})")
    if x0 is not None and not holds_numbers(x0):
        faults.append(f"x0: must be made of real numbers (got {shown(x0)})")
    return faults


def _start(x0: Any, p: int, m: int) -> tuple[np.ndarray, bool] | str:
    """(u, v, z) and whether z was given; or what is wrong."""
    try:
        given = np.array(0.0 if x0 is None else x0, dtype=float)
    except (TypeError, ValueError):
        return f"x0: must be a number or a list of numbers (got {shown(x0)})"
    if given.ndim == 0:
        given = np.full(2 * p + m, float(given))
    if given.shape not in ((p + m,), (2 * p + m,)):
        return f"x0: must be one number or have {p + m} entries (u, v) or {2 * p + m} (u, v, z) (got shape {given.shape})"
    if not np.isfinite(given).all():
        return f"x0: every entry must be finite (got {shown(x0)})"
    if (np.delete(given, np.s_[p:p + m]) < 0.0).any():
        return f"x0: u and z must not be negative (got {shown(x0)})"
    with_z = given.size == 2 * p + m
    return np.concatenate([given, np.zeros(0 if with_z else p)]), with_z


def solve_mncp(F: Map | None, G: Map | None, p: int, m: int, x0: Any = None, method: str = "newton", jacobian: Map | None = None,
               curvature: Map | None = None, tol: float = 1e-10, most_iterations: int = 500) -> MncpResult:
    """Find u, v with u >= 0, z = F(u, v) >= 0, u.z = 0 and G(u, v) = 0, u of p entries and v of m (paper 002, (2)).

    F gives p numbers and G m; functions with one argument that has no default are called with x = (u, v) instead. None stands for
    no equations: a nonlinear complementarity problem has m = 0, plain equations p = 0. `x0`: a number for all entries, (u, v) or
    (u, v, z). `jacobian`: p + m rows, F first, and columns, u first; None: by differences, which never leave u >= 0.
    `curvature(u, v, weight)`: the sum of weight_k times the Hessian of the k-th of (F, G), for `box`; None: by differences of `jacobian`.
    `method`: newton, box (the merit (4) by `minimise_in_box`) or least_squares; all are polished by the active equations."""
    if errors := _faults(F, G, p, m, x0, method, {"jacobian": jacobian, "curvature": curvature}, tol, most_iterations):
        return MncpResult("invalid_input", errors=errors)
    start = _start(x0, p, m)
    if isinstance(start, str):
        return MncpResult("invalid_input", method=method, errors=[start])
    (t, with_z), system = start, MncpSystem(F, G, p, m, jacobian, curvature)
    with np.errstate(all="ignore"):                  # what overflows is no answer, and said so
        values, J = system.values(t[:p + m]), system.jacobian(t[:p + m])
        if not (np.isfinite(values).all() and np.isfinite(J).all()):
            return MncpResult("invalid_input", method=method, errors=[f"{system.fault or 'F and G: their derivatives are not finite'}, at the start"])
        if not with_z:
            t[p + m:] = np.maximum(values[:p], 0.0)
        return _from_starts(system, t, method, tol, most_iterations)


def _from_starts(system: MncpSystem, t: np.ndarray, method: str, tol: float, most: int) -> MncpResult:
    """The method and the polish from the start, then from further starts, until a point passes every check."""
    p, n, counts, best = system.p, system.n, _Counts(), MncpResult("undecided")
    goal = GOAL * (1.0 + merit(system.values(t[:n]), t[:p], t[n:]))
    for k in range(1 + len(SPREADS)):
        if k:
            t = _further_start(system, t[:n] * 0.0, k)
        if not np.isfinite(system.values(t[:n])).all():
            continue
        t = METHODS[method](system, t, goal, most, counts, k)
        x, steps = polish(system, t[:n])
        reached = dict(before_polish=t, merit_before_polish=merit(system.values(t[:n]), t[:p], t[n:]))
        result = _judged(system, x, tol, dict(vars(counts), **reached, method=method, starts=k + 1, polish_steps=steps))
        if result.outcome == "solved":
            return result
        if best.residual is None or (result.residual is not None and result.residual < best.residual):
            best = result
    return MncpResult(**{**vars(best), **vars(counts), "starts": 1 + len(SPREADS)})


def _further_start(system: MncpSystem, x: np.ndarray, k: int) -> np.ndarray:
    rng = np.random.default_rng(k)
    x = x + SPREADS[k - 1] * rng.normal(size=x.size)
    x[:system.p] = np.abs(x[:system.p])
    return np.concatenate([x, np.maximum(np.nan_to_num(system.values(x)[:system.p]), 0.0)])


def _judged(system: MncpSystem, x: np.ndarray, tol: float, known: dict[str, Any]) -> MncpResult:
    """What the point is worth, by F, G and their derivatives there alone."""
    (J, wrong), values, (u, v) = system.checked_jacobian(x), system.values(x), np.split(x, [system.p])
    residual, errors = mncp_residual(values, J, u, v), []
    if not residual <= tol:
        errors = [f"no answer was found: the best point has a residual of {residual:.1e}, above {tol:g}"]
    elif doubt := only_stationary(system.values, J, u, v, system.shares(x), system.around(x)):
        errors = [f"no answer was found: {doubt}"]
    if errors and wrong:
        errors.append(wrong)
    z = np.maximum(values[:system.p], 0.0)
    return MncpResult("undecided" if errors else "solved", u, v, z, x, merit(values, u, z), residual=residual, errors=errors, **known)
