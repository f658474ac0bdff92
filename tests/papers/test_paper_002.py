"""Paper 002 (Buffo and Maciel 2006): its merit, its route and its printed digits. Data of our own where it prints none."""

import sys
from pathlib import Path

import numpy as np
import pytest

import knuckle as kn
from knuckle.complementarity.mncp_judge import merit
from knuckle.instant.contact_mncp import contact_mncp
from knuckle.instant.problem import read_problem
from knuckle.instant.solve_mncp import solve_sliding
from knuckle.report.paper_002 import algorithm_1, contact_problem
from knuckle.report.paper_002_tables import rolling_rows, sliding_rows

sys.path.insert(0, str(Path(__file__).parents[1]))
from oracles.three_fingers import three_fingers

# Table 4, mu = 0.1: columns are the contacts
C_N = np.array([1.2414, 1.7054, 2.1572])
C_T = np.array([-8.3648e-2, 1.54276e-1, 1.8465e-1])
C_O = np.array([9.1829e-2, 7.2654e-2, 1.1152e-1])
A_T = np.array([8.8764e-1, -2.7354, -2.1172])
A_O = np.array([-9.7443e-1, -1.2882, -1.2787])
S = np.array([0.0, 5.54549e-7, 0.0])
LAMBDA = np.array([1.3173, 3.0238, 2.4733])
MU = 0.1


def test_table_4_against_its_own_equations():
    """(29) to 2e-5, (34) and (35) to 3e-5; but (30) is off by 8.1e-4 at contact 1, 6.2e-4 of its lambda: ten times the last printed digit."""
    slack = MU**2 * C_N**2 - C_T**2 - C_O**2 - S
    length = np.hypot(A_T, A_O) - LAMBDA
    opposed = MU * C_N * A_T + C_T * LAMBDA, MU * C_N * A_O + C_O * LAMBDA
    assert slack == pytest.approx([-1.88e-5, 3.65e-6, 2.79e-6], rel=1e-2)
    assert length == pytest.approx([8.12e-4, -2.47e-4, 8.02e-5], rel=1e-2)
    assert length[0] / LAMBDA[0] == pytest.approx(6.2e-4, rel=1e-2)
    assert opposed[0] == pytest.approx([2.12e-6, 4.65e-6, -2.75e-5], rel=1e-2)
    assert opposed[1] == pytest.approx([6.0e-7, 1.54e-6, -1.87e-5], rel=1e-2)


def test_table_4_is_as_its_merit_says_no_answer_to_six_digits():
    """The friction is not at the edge of its cone to the digits printed, although all contacts are said to slide."""
    edge = np.hypot(C_T, C_O) / (MU * C_N) - 1.0
    assert edge == pytest.approx([6.1e-4, -7.2e-5, -3.0e-5], rel=2e-2)


def printed_merit(t, M, b, mu):
    """The sums of section 5 as printed, t = (c_n, c_t, c_o, a_n, a_t, a_o, s, lambda); M, b: rows n, t, o of all contacts."""
    c_n, c_t, c_o, a_n, a_t, a_o, s, lam = t.reshape(8, 3)
    sum1 = ((s - (mu * c_n) ** 2 + c_t**2 + c_o**2) ** 2).sum()
    sum2 = ((mu * c_n * a_t + c_t * lam) ** 2 + (mu * c_n * a_o + c_o * lam) ** 2).sum()
    sum3 = c_n @ a_n + s @ lam
    motion = M @ t[:9] + b - np.concatenate([a_n, a_t, a_o])
    return sum1 + sum2 + sum3**2 + motion @ motion


def test_the_printed_sums_are_the_merit():
    """f of section 5 is (4) with (31) to (36), at any point."""
    problem = read_problem(three_fingers(0.4, False))
    own, rng = contact_mncp(problem, scaled=False), np.random.default_rng(0)
    order = np.arange(9).reshape(3, 3).T.ravel()
    M = (problem.W @ np.linalg.solve(problem.M, problem.W.T))[np.ix_(order, order)]
    b = (problem.W @ np.linalg.solve(problem.M, problem.h) + problem.bias)[order]
    for _ in range(10):
        t = rng.random(24)
        c_n, c_t, c_o, a_n, a_t, a_o, s, lam = t.reshape(8, 3)
        u, v, z = np.concatenate([c_n, lam]), np.concatenate([c_t, c_o, a_t, a_o]), np.concatenate([a_n, s])
        ours = merit(np.concatenate([own.F(u, v), own.G(u, v)]), u, z)
        assert ours == pytest.approx(printed_merit(t, M, b, problem.mu), rel=1e-12)


@pytest.mark.parametrize("mu", [0.1, 0.2, 0.4, 0.5])
def test_tables_1_and_2_of_a_like_problem(mu):
    """All sliding, x0 = 0: few box iterations as in the paper (4 to 9), contact kept, and the one answer."""
    problem = read_problem(three_fingers(mu, True))
    answer, found = kn.solve(problem), solve_sliding(problem)
    assert answer.verdict.value == "determinate" and found.value < 1e-20 and found.iterations <= 10
    assert found.x[:3] == pytest.approx(answer.solution.f[:, 0], abs=1e-9) and (found.x[:3] > 0).all()
    assert found.x[3:] == pytest.approx(np.zeros(3), abs=1e-10)
    assert kn.solve_as_mncp(problem, "box").f == pytest.approx(answer.solution.f, abs=1e-10)


@pytest.mark.parametrize("method", ["box", "newton", "least_squares"])
@pytest.mark.parametrize("mu", [0.1, 0.2, 0.4, 0.6, 0.8])
def test_tables_3_and_4_of_a_like_problem(mu, method):
    """All rolling, x0 = 0: solved from the first start, merit below 1e-20 after the polish, all slide at mu 0.1."""
    problem = read_problem(three_fingers(mu, False))
    answer, found = kn.solve(problem), kn.solve_as_mncp(problem, method, x0=0.0)
    assert found.outcome == "solved" and found.starts == 1 and found.merit < 1e-20 and found.residual < 1e-10
    assert answer.verdict.value == "determinate"
    assert found.f == pytest.approx(answer.solution.f, abs=1e-10) and found.modes == answer.solution.modes
    assert "".join(found.modes) == {0.1: "SSS", 0.2: "SRR"}.get(mu, "RRR")
    if method == "box":  # the paper: 15 to 30 iterations, 25 to 42 evaluations, 625 to 1179 and 934 to 1561
        assert found.iterations <= 60 and found.products <= 1500 and found.merit_before_polish < 1e-20


def test_tables_1_and_2_with_three_puma():
    """All sliding: contact kept at every mu as in table 2, merit (48) below 1e-20, no more effort than printed, and the one answer."""
    for row in sliding_rows():
        answer = kn.solve(contact_problem("sliding", row.mu))
        assert answer.verdict.value == "determinate"
        assert row.ours.merit < 1e-20 and row.c_n == pytest.approx(answer.solution.f[:, 0], abs=1e-10)
        assert (row.c_n > 0).all() and np.abs(row.a_n).max() < 1e-10
        assert row.ours.iterations <= row.paper.iterations and row.ours.products <= row.paper.products


def test_tables_3_and_4_with_three_puma():
    """All rolling at first: solved from x0 = 0, merit below 1e-20 after the polish, all slide at mu 0.1, with box iterations of the paper's order."""
    rows = rolling_rows()
    assert [row.mu for row in rows] == [0.1, 0.2, 0.4, 0.6, 0.8]
    for row in rows:
        answer = kn.solve(contact_problem("rolling", row.mu))
        assert answer.verdict.value == "determinate" and row.modes == answer.solution.modes
        assert row.c == pytest.approx(answer.solution.f, abs=1e-10) and row.a == pytest.approx(answer.solution.a, abs=1e-10)
        assert row.polished < 1e-20 and row.residual < 1e-10
        assert row.ours.iterations <= 3 * row.paper.iterations
    sliding = rows[0]
    assert sliding.modes == ("S", "S", "S")
    assert sliding.s == pytest.approx(np.zeros(3), abs=1e-12) and sliding.lam == pytest.approx(np.hypot(*sliding.a[:, 1:].T), abs=1e-12)


def test_algorithm_1_with_the_mncp():
    """Steps 1 to 6, step 5 by the MNCP: the same new configuration as with every answer."""
    one, other = algorithm_1(0.4, solve=kn.solve_as_mncp), algorithm_1(0.4)
    assert one.answer.outcome == "solved" and one.new.labels == other.new.labels == ("rolling",) * 3
    assert one.new.q == pytest.approx(other.new.q, abs=1e-14) and one.new.gap_error < 1e-9
