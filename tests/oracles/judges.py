"""Independent judges of answers to complementarity and friction problems: CONTRACT 5 and 7 in extended precision, certificates in rational numbers.

Sums are made in NumPy's long double (64 bits of mantissa on x86), a factor of 2000 finer than what is judged; nothing here uses the package.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

LCP_TOLERANCE, CONE_TOLERANCE = 1e-8, 1e-10
FAR = 1e12       # a proof that holds but for round-off must put every answer so far beyond b over A


def fine(*parts: Any) -> tuple[np.ndarray, ...]:
    return tuple(np.asarray(part, dtype=np.longdouble) for part in parts)


def contract_residual(A: Any, b: Any, z: Any) -> float:
    """CONTRACT 7: max|min(z, w)| / (1 + max|z| + max|w|) with the rows scaled by their largest entry."""
    A, b, z = fine(A, b, z)
    if b.size == 0:
        return 0.0
    size = np.abs(A).max(axis=1)
    size[size == 0] = 1
    w = (A @ z + b) / size
    worst = np.abs(np.minimum(z, w)).max() / (1 + np.abs(z).max() + np.abs(w).max())
    return float(worst) if np.isfinite(worst) else np.inf


def lcp_residual(A: Any, b: Any, z: Any) -> float:
    """The larger of CONTRACT's residual as given and with b of size 1, whose 1 would else pass any small answer."""
    A, b, z = fine(A, b, z)
    size = np.abs(b).max(initial=0.0) or np.longdouble(1)
    return max(contract_residual(A, b, z), contract_residual(A, b / size, z / size))


def cone_residual(W: Any, q: Any, mu: Any, r: Any) -> float:
    """CONTRACT 5: r in K over R, u~ in K* over U, |r_i.u~_i| over R U; r.u~ = r.u + mu |u_T| r_N, and u~ lies in K* where u_N >= 0."""
    W, q, mu, r = fine(W, q, mu, r)
    if q.size == 0:
        return 0.0
    force, motion = r.reshape(-1, 3), (W @ r + q).reshape(-1, 3)
    R = np.abs(force).max() or np.longdouble(1)
    U = max(np.abs(motion).max(), np.sqrt(q @ q / len(mu))) or np.longdouble(1)
    pull, slip = (np.sqrt((part[:, 1:] ** 2).sum(axis=1)) for part in (force, motion))
    lifted = motion[:, 0] + mu * slip
    faults = [(pull - mu * force[:, 0]) / R, -force[:, 0] / R, (mu * slip - lifted) / U]
    faults.append(np.abs(force[:, 0] * lifted + (force[:, 1:] * motion[:, 1:]).sum(axis=1)) / (R * U))
    worst = max(np.max(fault) for fault in faults)
    return float(max(worst, 0)) if np.isfinite(worst) else np.inf


def cone_floor(W: Any, q: Any, mu: Any, r: Any) -> float:
    """What rounding r to double precision costs u, over U: residuals much below it are luck. About 1e-16 times the mass ratio that is squeezed."""
    W, q, r = fine(W, q, r)
    U = max(np.abs(W @ r + q).max(), np.sqrt(q @ q / len(mu))) or np.longdouble(1)
    return float((np.abs(W) @ np.abs(r)).max() * 2.0**-53 / U)


def exact(x: Any) -> Fraction:
    return Fraction(float(x))


def farkas_holds(A: Any, b: Any, y: Any) -> bool:
    """y >= 0, A'y <= 0, b.y < 0 in rational numbers. Where round-off spoils A'y <= 0, sum z >= -b.y / max(A'y) must be far away."""
    weights = [exact(x) for x in y]
    if len(weights) != len(b) or min(weights) < 0:
        return False
    columns = [sum(w * exact(a) for w, a in zip(weights, column, strict=True)) for column in (*np.transpose(A), b)]
    above, depth = max(*columns[:-1], Fraction(0)), -columns[-1]
    reach = exact(FAR) * max(exact(np.abs(b).max()), Fraction(0))
    return depth > 0 and depth * exact(np.abs(A).max() or 1.0) >= above * reach


def lcp_none_holds(A: Any, b: Any, certificate: dict[str, Any] | None) -> bool:
    """Farkas' proof is checked; of 2^n bases up to 8 rows every one is solved anew in rational numbers; nothing else is believed."""
    kind = (certificate or {}).get("kind")
    if kind == "farkas":
        return farkas_holds(A, b, certificate["y"])
    return kind == "enumeration" and len(b) <= 8 and not has_answer(A, b)


def has_answer(A: Any, b: Any) -> bool:
    """Whether w - A z = b, x >= 0 has a point for one of the 2^n ways to allow either w_i or z_i."""
    n, start = len(b), [exact(x) for x in b]
    columns = [[exact(-x) for x in column] for column in np.transpose(A)]
    units = [[Fraction(i == j) for j in range(n)] for i in range(n)]
    return any(feasible([(columns if bits >> i & 1 else units)[i] for i in range(n)], start) for bits in range(1 << n))


def feasible(columns: list[list[Fraction]], b: list[Fraction]) -> bool:
    """Whether sum_j x_j columns_j = b has x >= 0: first phase of the simplex method with Bland's rule, so it ends."""
    n, m = len(columns), len(b)
    signs = [-1 if x < 0 else 1 for x in b]
    rows = [[sign * column[i] for column in columns] + [sign * b[i]] for i, sign in enumerate(signs)]
    basis = list(range(n, n + m))                                  # artificial variables, never to enter again
    while True:
        gain = [sum(row[j] for row, kept in zip(rows, basis, strict=True) if kept >= n) for j in range(n + 1)]
        entering = next((j for j in range(n) if gain[j] > 0 and j not in basis), None)
        if gain[n] == 0 or entering is None:
            return gain[n] == 0
        leaving = min((i for i in range(m) if rows[i][entering] > 0), key=lambda i: (rows[i][n] / rows[i][entering], basis[i]))
        pivot = [x / rows[leaving][entering] for x in rows[leaving]]
        rows = [pivot if i == leaving else [x - row[entering] * y for x, y in zip(row, pivot, strict=True)] for i, row in enumerate(rows)]
        basis[leaving] = entering


def cone_none_holds(W: Any, q: Any, mu: Any, certificate: dict[str, Any] | None) -> bool:
    """l >= 0, l.q_N < 0 and c = -(W_N'l) in every K*, in rational numbers: then l.u_N = l.q_N - c.r < 0 for all r in the cones.

    If c is outside by round-off, c.r >= -outside sum r_N, and every answer has sum r_N >= -l.q_N / outside: then far away will do.
    """
    if (certificate or {}).get("kind") != "farkas":
        return False
    weights = [exact(x) for x in certificate["normal"]]
    if len(weights) != len(mu) or min(weights) < 0:
        return False
    pull = [-sum(w * exact(x) for w, x in zip(weights, column, strict=True)) for column in np.transpose(W[0::3])]
    outside = max(float(m) * math.hypot(*map(float, pull[3 * i + 1:3 * i + 3])) * (1 + 1e-15) - float(pull[3 * i]) for i, m in enumerate(mu))
    depth = -float(sum(w * exact(x) for w, x in zip(weights, q[0::3], strict=True)))
    return depth > 0 and depth * np.abs(W).max() >= max(outside, 0.0) * FAR * np.abs(q).max()


def lcp_fault(problem: Any, z: Any) -> float:
    """The larger of `lcp_residual` as given and in the units before the family spread them: large entries of z or w hide no wrong small ones."""
    rows, columns, z = fine(problem.rows, problem.columns, z)
    A, b = fine(problem.A, problem.b)
    return max(lcp_residual(A, b, z), lcp_residual(A / rows[:, None] / columns, b / rows, columns * z))


def judged_lcp(problem: Any, result: Any) -> str:
    """solved, failed (no answer was claimed, or its absence proved), or false: a claim that does not hold."""
    if result.outcome == "solved":
        return "solved" if lcp_fault(problem, result.z) <= LCP_TOLERANCE else "false"
    if result.outcome == "none":
        return "failed" if lcp_none_holds(problem.A, problem.b, result.certificate) else "false"
    return "failed"


def judged_cone(problem: Any, result: Any, tolerance: float = CONE_TOLERANCE) -> str:
    """As `judged_lcp`; the last digits of a residual at the tolerance are the arithmetic's."""
    if result.outcome == "solved":
        return "solved" if cone_residual(problem.W, problem.q, problem.mu, result.r) <= tolerance * (1 + 1e-4) else "false"
    if result.outcome == "none":
        return "failed" if cone_none_holds(problem.W, problem.q, problem.mu, result.certificate) else "false"
    return "failed"
