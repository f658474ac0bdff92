"""One answer of a contact problem by paper 002's route: the MNCP, polished by the active modes, judged by the problem's own residual."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from knuckle.complementarity.box import BoxResult, minimise_in_box
from knuckle.complementarity.mncp import MncpResult, solve_mncp
from knuckle.complementarity.mncp_judge import merit
from knuckle.complementarity.result import Result
from knuckle.errors import InputError, shown
from knuckle.instant.answer import mode_words
from knuckle.instant.contact_mncp import ContactMncp, contact_mncp, sliding_lcp, sliding_merit
from knuckle.instant.mode_polish import hold_modes, likely_modes, point_of
from knuckle.instant.problem import ContactProblem, read_problem
from knuckle.instant.residuals import acceleration_scale, residual

UNITS = ("scaled", "own")
SOLVED = 1e-10              # residual of the problem, cone law


@dataclass(frozen=True)
class ContactMncpResult(Result):
    """`outcome`: solved, undecided (the best point found, and why) or invalid_input. Merits are in the problem's own units."""

    outcome: str
    f: np.ndarray | None = None                  # contacts x dim, N, force on A in the contact frame
    a: np.ndarray | None = None                  # contacts x dim, m/s^2
    vdot: np.ndarray | None = None               # nv
    modes: tuple[str, ...] = ()                  # B, R, S (plane: S+, S-), F
    residual: float | None = None                # CONTRACT 7, of the contact problem
    merit: float | None = None                   # 002 (4) after the polish
    merit_before_polish: float | None = None
    u: np.ndarray | None = None                  # 002 (31): c_Sn, c_Rn, lambda
    v: np.ndarray | None = None                  # c_Rt, c_Ro, a_Rt, a_Ro
    z: np.ndarray | None = None                  # a_Sn, a_Rn, s
    s: np.ndarray | None = None                  # (29), rolling contacts, N^2
    lam: np.ndarray | None = None                # (30), rolling contacts, m/s^2
    method: str = ""
    iterations: int = 0
    evaluations: int = 0
    starts: int = 0
    quadratic_iterations: int = 0                # of method box
    products: int = 0
    errors: list[str] = field(default_factory=list)


def solve_as_mncp(problem: ContactProblem | Mapping[str, Any], method: str = "newton", x0: Any = 0.0,
                  most_iterations: int = 500, units: str = "scaled") -> ContactMncpResult:
    """An answer of the contact problem (contacts alone, circular cone) as the MNCP (25) to (36) of paper 002, from (u, v, z) = x0.

    `method`: newton, box or least_squares, as `solve_mncp`. `units`: scaled brings the unknowns to order one; own leaves them in N and m/s^2, as
    the paper does. One answer, not all: see `solve`."""
    if units not in UNITS:
        return ContactMncpResult("invalid_input", errors=[f"units: must be {' or '.join(UNITS)} (got {shown(units)})"])
    try:
        checked = problem if isinstance(problem, ContactProblem) else read_problem(problem)
        scaled, own = contact_mncp(checked, scaled=units == UNITS[0]), contact_mncp(checked, scaled=False)
    except InputError as error:
        return ContactMncpResult("invalid_input", errors=[str(fault) for fault in error.faults])
    found = solve_mncp(scaled.F, scaled.G, scaled.p, scaled.m, x0, method, scaled.jacobian, scaled.curvature, most_iterations=most_iterations)
    if found.u is None or found.v is None or found.z is None:
        return ContactMncpResult("invalid_input", method=shown(method), errors=found.errors)
    u, v = _best_modes(checked, scaled, found.u, found.v)
    return _judged(checked, scaled, own, found, u, v)


def _answer(problem: ContactProblem, mncp: ContactMncp, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Forces, generalised acceleration and how far they are from the problem's laws."""
    f = mncp.forces(u, v)
    vdot = np.linalg.solve(problem.M, problem.h + problem.W.T @ f.ravel())
    return f, vdot, residual(problem, "cone", vdot, f.ravel())


def _best_modes(problem: ContactProblem, mncp: ContactMncp, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The point, or what the equations of its modes make of it: whatever is nearest to the laws."""
    best = point_of(mncp, mncp.parts(u, v)[4])
    least = _answer(problem, mncp, *best)[2]
    for modes in likely_modes(mncp, u, v):
        trial = hold_modes(mncp, *modes, u, v)
        off = _answer(problem, mncp, *trial)[2]
        if off < least:
            best, least = trial, off
        if least <= 1e-3 * SOLVED:
            break
    return best


def _judged(problem: ContactProblem, scaled: ContactMncp, own: ContactMncp, found: MncpResult, u: np.ndarray, v: np.ndarray) -> ContactMncpResult:
    f, vdot, off = _answer(problem, scaled, u, v)
    a = (problem.W @ vdot + problem.bias).reshape(f.shape)
    # z of (31): what the forces and accelerations say, negative rests of round-off cut off
    u, v, z = own.from_units_of(scaled, u, v, np.maximum(scaled.F(u, v), 0.0))
    modes, _ = mode_words(a, problem.sliding, problem.slip, acceleration_scale(problem, vdot, f.ravel()), problem.mu)
    errors = [] if off <= SOLVED else [f"no answer was found: the best point has a residual of {off:.1e}, above {SOLVED:g}", *found.errors]
    return ContactMncpResult(
        "undecided" if errors else "solved", f, a, vdot, modes, off, merit(np.concatenate([own.F(u, v), own.G(u, v)]), u, z),
        _own_merit(scaled, own, found), u, v, z, z[own.n:], u[own.n:], found.method, found.iterations, found.evaluations, found.starts,
        found.quadratic_iterations, found.products, errors)


def _own_merit(scaled: ContactMncp, own: ContactMncp, found: MncpResult) -> float | None:
    """The merit that the method reached by itself, in the problem's own units."""
    if found.before_polish is None:
        return None
    u, v, z = own.from_units_of(scaled, *np.split(found.before_polish, [scaled.p, scaled.p + scaled.m]))
    return merit(np.concatenate([own.F(u, v), own.G(u, v)]), u, z)


def solve_sliding(problem: ContactProblem, x0: float = 0.0) -> BoxResult:
    """Where every contact slides: the merit (45), (48) in (c_n, a_n) >= 0 by the box solver alone, in newton and m/s^2; x = (c_n, a_n)."""
    M, b_n = sliding_lcp(problem)
    n = len(b_n)

    def gradient(t: np.ndarray) -> np.ndarray:
        c_n, a_n = np.split(t, 2)
        rest, power = a_n - M @ c_n - b_n, 2.0 * float(a_n @ c_n)
        return np.concatenate([-2.0 * M.T @ rest + power * a_n, 2.0 * rest + power * c_n])

    def product(t: np.ndarray, d: np.ndarray) -> np.ndarray:
        (c_n, a_n), (dc, da) = np.split(t, 2), np.split(d, 2)
        change, power, turned = da - M @ dc, 2.0 * float(a_n @ c_n), 2.0 * float(da @ c_n + a_n @ dc)
        return np.concatenate([-2.0 * M.T @ change + turned * a_n + power * da, 2.0 * change + turned * c_n + power * dc])

    return minimise_in_box(lambda t: sliding_merit(t, M, b_n), gradient, product, np.zeros(2 * n), np.full(2 * n, np.inf), np.full(2 * n, x0),
                           tolerance=1e-14, target=1e-24)
