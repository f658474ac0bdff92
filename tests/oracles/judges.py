"""Independent judges of answers to complementarity and friction problems: CONTRACT 5 and 7 in extended precision, certificates in rational numbers.

Sums are made in NumPy's long double (64 bits of mantissa on x86), a factor of 2000 finer than what is judged; nothing here uses the package.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

LCP_TOLERANCE, CONE_TOLERANCE = 1e-8, 1e-10
FAR = 1e8        # a proof that holds but for round-off must put every answer so far beyond b over A


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
    size = np.longdouble(np.abs(b).max(initial=0.0)) or np.longdouble(1)
    return max(contract_residual(A, b, z), contract_residual(A, fine(b)[0] / size, fine(z)[0] / size))


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


def exact(x: Any) -> Fraction:
    return Fraction(float(x))


def farkas_holds(A: Any, b: Any, y: Any) -> bool:
    """y >= 0, A'y <= 0, b.y < 0 in rational numbers. If A'y <= 0 fails by round-off, every answer has sum z >= -b.y / max(A'y): then far away will do."""
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
    return kind == "enumeration" and len(b) <= 8 and not has_vertex(A, b)


def has_vertex(A: Any, b: Any) -> bool:
    """Whether a regular complementary basis holds an answer: a solvable LCP has a vertex, and every vertex is on one of the 2^n, singular ones aside."""
    n = len(b)
    whole = [[exact(x) for x in row] for row in A]
    start = [exact(x) for x in b]
    for bits in range(1 << n):
        chosen = [i for i in range(n) if bits >> i & 1]
        part = solved([[whole[i][j] for j in chosen] for i in chosen], [-start[i] for i in chosen])
        if part is None:
            return True                               # a singular basis: not excluded here
        z = dict(zip(chosen, part, strict=True))
        w = [start[i] + sum(whole[i][j] * z[j] for j in chosen) for i in range(n) if i not in z]
        if all(x >= 0 for x in (*part, *w)):
            return True
    return False


def solved(A: list[list[Fraction]], b: list[Fraction]) -> list[Fraction] | None:
    n, rows = len(b), [[*row, x] for row, x in zip(A, b, strict=True)]
    for i in range(n):
        pivot = next((k for k in range(i, n) if rows[k][i]), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(n):
            if k != i and rows[k][i]:
                rows[k] = [x - rows[k][i] * y for x, y in zip(rows[k], rows[i], strict=True)]
    return [row[n] for row in rows]


def cone_none_holds(W: Any, q: Any, mu: Any, certificate: dict[str, Any] | None) -> bool:
    """l >= 0 with l.q_N < 0 and -(W_N'l) in every K*, in rational numbers: then l.u_N <= l.q_N < 0 for all forces in the cones."""
    if (certificate or {}).get("kind") != "farkas":
        return False
    weights = [exact(x) for x in certificate["normal"]]
    if len(weights) != len(mu) or min(weights) < 0:
        return False
    pull = [-sum(w * exact(x) for w, x in zip(weights, column, strict=True)) for column in np.transpose(W[0::3])]
    inside = all(
        pull[3 * i] >= 0 and pull[3 * i] ** 2 >= exact(m) ** 2 * (pull[3 * i + 1] ** 2 + pull[3 * i + 2] ** 2) for i, m in enumerate(mu))
    return inside and sum(w * exact(x) for w, x in zip(weights, q[0::3], strict=True)) < 0
