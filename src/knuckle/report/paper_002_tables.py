"""Paper 002, tables 1 to 4, with our numbers beside the printed ones. The paper gives no radius, mass, placement or torque, so the kind can be
compared, not the digits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from knuckle.complementarity.result import Result
from knuckle.instant.solve_mncp import solve_as_mncp, solve_sliding
from knuckle.report.paper_002 import contact_problem


@dataclass(frozen=True)
class Effort(Result):
    """What a box solver took, in the paper's four counts, and the merit that it left."""

    iterations: int             # BoxIt
    evaluations: int            # FunEval
    quadratic_iterations: int   # QuacanIt
    products: int               # Matxvec
    merit: float


# mu: counts and merit of table 1, and c_n of table 2
PRINTED_SLIDING = {
    0.1: (Effort(4, 5, 15, 22, 2.0526e-23), (2.2867, 2.7800, 3.8067)),
    0.2: (Effort(6, 7, 35, 49, 1.2063e-14), (1.4669, 2.2680, 2.7108)),
    0.4: (Effort(7, 8, 32, 48, 1.7957e-22), (3.3672, 6.3354, 6.5843)),
    0.5: (Effort(9, 10, 47, 71, 1.0521e-14), (14.745, 29.731, 28.862)),
}
# mu: counts and merit of table 3
PRINTED_ROLLING = {
    0.1: Effort(30, 42, 1179, 1561, 3.9561e-10),
    0.2: Effort(21, 35, 979, 1390, 1.4722e-15),
    0.4: Effort(18, 30, 762, 1109, 9.5039e-16),
    0.6: Effort(15, 25, 625, 934, 6.7051e-12),
    0.8: Effort(27, 38, 1021, 1411, 6.4478e-11),
}


@dataclass(frozen=True)
class SlidingRow(Result):
    """Tables 1 and 2: all contacts slide, the LCP with merit (48), from x0 = 0."""

    mu: float
    paper: Effort
    ours: Effort
    paper_c_n: tuple[float, ...]    # N
    c_n: np.ndarray                 # N
    a_n: np.ndarray                 # m/s^2


@dataclass(frozen=True)
class RollingRow(Result):
    """Tables 3 and 4: all contacts roll at first, the MNCP with merit (4), from x0 = 0."""

    mu: float
    paper: Effort
    ours: Effort
    polished: float             # merit after the polish
    residual: float             # CONTRACT 7, of the contact problem
    modes: tuple[str, ...]
    c: np.ndarray               # contacts x 3, N, along n, t, o
    a: np.ndarray               # contacts x 3, m/s^2
    s: np.ndarray               # (29), N^2
    lam: np.ndarray             # (30), m/s^2


def sliding_rows() -> list[SlidingRow]:
    """Tables 1 and 2."""
    rows = []
    for mu, (paper, c_n) in PRINTED_SLIDING.items():
        found = solve_sliding(contact_problem("sliding", mu))
        if found.x is not None and found.value is not None:
            ours = Effort(found.iterations, found.evaluations, found.quadratic_iterations, found.products, found.value)
            rows.append(SlidingRow(mu, paper, ours, c_n, *np.split(found.x, 2)))
    return rows


def rolling_rows() -> list[RollingRow]:
    """Tables 3 and 4."""
    rows = []
    for mu, paper in PRINTED_ROLLING.items():
        found = solve_as_mncp(contact_problem("rolling", mu), "box", x0=0.0, units="own")
        if found.f is None or found.a is None or found.s is None or found.lam is None or None in (found.merit, found.residual):
            continue
        ours = Effort(found.iterations, found.evaluations, found.quadratic_iterations, found.products, found.merit_before_polish or 0.0)
        rows.append(RollingRow(mu, paper, ours, found.merit or 0.0, found.residual or 0.0, found.modes, found.f, found.a, found.s, found.lam))
    return rows


def tables() -> str:
    """Tables 1 to 4 as text: the paper's numbers, then ours."""
    counts = "{:>6} {:>8} {:>8} {:>8} {:>9}"
    head = "  mu   by    " + counts.format("box", "evaluat.", "quadr.", "products", "merit")
    lines = ["Tables 1 and 2: all contacts slide, x0 = 0", head + "   c_n (N)"]
    for sliding in sliding_rows():
        for who, effort, c_n in (("paper", sliding.paper, sliding.paper_c_n), ("ours", sliding.ours, sliding.c_n)):
            lines.append(f"  {sliding.mu:<4g} {who:5} {_counts(counts, effort)}   " + " ".join(f"{x:8.4f}" for x in c_n))
    lines += ["", "Table 3: all contacts roll at first, x0 = 0",
              head + "   polished  modes"]
    rolling = rolling_rows()
    for row in rolling:
        lines.append(f"  {row.mu:<4g} paper {_counts(counts, row.paper)}")
        lines.append(f"  {row.mu:<4g} ours  {_counts(counts, row.ours)}   {row.polished:8.1e}  " + " ".join(row.modes))
    lines += ["", "Table 4: ours at mu = 0.1"]
    for name, values in _table_4(rolling[0]):
        lines.append(f"  {name:6}" + " ".join(f"{x:12.4e}" for x in values))
    return "\n".join(lines)


def _counts(form: str, effort: Effort) -> str:
    return form.format(effort.iterations, effort.evaluations, effort.quadratic_iterations, effort.products, f"{effort.merit:.1e}")


def _table_4(row: RollingRow) -> list[tuple[str, np.ndarray]]:
    names = ("c_Rn", "c_Rt", "c_Ro", "a_Rn", "a_Rt", "a_Ro")
    return [*zip(names, np.hstack([row.c, row.a]).T, strict=True), ("s", row.s), ("lambda", row.lam)]
