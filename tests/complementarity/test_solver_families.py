"""A few members of every random family of tests/oracles/solver_families, judged from outside; tests/soak/test_many_solver_problems has 60,000."""

import judges
import numpy as np
import pytest
import solver_families as families

from knuckle.complementarity.cone import solve_cone
from knuckle.complementarity.cone_kernels import CONE, cone_residual
from knuckle.complementarity.lcp import solve_lcp
from knuckle.complementarity.residual_kernels import lcp_residual

LCPS, CONES = 120, 20        # the families' sizes go round with the index: 5 rounds, 1 round
LONGEST = {"mass ratio 1e6": 16, "stacks 1e2": 16, "stacks 1e4": 12, "stacks 1e6": 8}


@pytest.mark.parametrize("family", families.LCPS)
def test_lcps_are_solved(family):
    for index in range(LCPS):
        problem = families.lcp(family, index)
        assert judges.judged_lcp(problem, solve_lcp(problem.A, problem.b)) == "solved", index


@pytest.mark.parametrize("family", families.CONES)
def test_cones_are_solved(family):
    for index in range(LONGEST.get(family, CONES)):
        problem = families.cone(family, index)
        assert judges.judged_cone(problem, solve_cone(problem.W, problem.q, problem.mu)) == "solved", index


def test_problems_without_an_answer():
    """Up to 8 rows rational numbers decide: each is proved to have none. Beyond, nothing is claimed that does not hold."""
    for index in range(LCPS):
        problem = families.lcp("unsolvable", index)
        result = solve_lcp(problem.A, problem.b)
        assert result.outcome == "none" or problem.b.size > 8, index
        assert judges.judged_lcp(problem, result) == "failed", index
        squeezed = families.cone("squeezed", index % CONES)
        assert index >= CONES or judges.judged_cone(squeezed, solve_cone(squeezed.W, squeezed.q, squeezed.mu)) == "failed", index


@pytest.mark.parametrize("family", families.LCPS)
def test_members_repeat_and_obey_their_family(family):
    for index in range(48):
        one, two = families.lcp(family, index), families.lcp(family, index)
        assert one.A.tobytes() + one.b.tobytes() == two.A.tobytes() + two.b.tobytes()
        assert one.b.size == 1 + index % families.ROWS
        if family.startswith("span") and index % families.ROWS:
            spans = [part.max() / part.min() for part in (one.rows, one.columns)]
            assert np.prod(spans) == pytest.approx(float(family[5:]))
        if family == "duplicated" and one.b.size > 1:
            assert np.linalg.matrix_rank(one.A) < one.b.size


@pytest.mark.parametrize("family", families.CONES)
def test_cones_are_physical(family):
    """W symmetric and positive semidefinite to round-off; q in its range: nothing pulls along a force that moves nothing."""
    for index in range(40):
        problem = families.cone(family, index)
        W, q = problem.W, problem.q
        size = np.sqrt(np.diag(W))
        values, vectors = np.linalg.eigh(W / np.outer(size, size))
        assert np.abs(W - W.T).max() <= 1e-13 * np.abs(W).max()
        assert values[0] > -1e-12 * values[-1]
        still = vectors[:, values < 1e-13 * values[-1]]
        assert np.abs(still.T @ (q / size)).max(initial=0.0) <= 1e-6 * np.linalg.norm(q / size)


def test_judges_tell_right_from_wrong():
    problem = families.lcp("P", 7)
    z = solve_lcp(problem.A, problem.b).z
    assert judges.lcp_residual(problem.A, problem.b, z) < 1e-14
    assert judges.lcp_residual(problem.A, problem.b, z * (1 + 1e-6)) > 1e-8
    assert judges.contract_residual(problem.A, problem.b * 1e-9, z * 0) < 1e-8 < judges.lcp_residual(problem.A, problem.b * 1e-9, z * 0)
    assert judges.farkas_holds([[-1.0, 0.0], [0.0, 1.0]], [-1.0, 1.0], [1.0, 0.0])
    assert not judges.farkas_holds([[1.0, 0.0], [0.0, 1.0]], [-1.0, 1.0], [1.0, 0.0])
    assert not judges.lcp_none_holds([[1.0]], [-1.0], {"kind": "branches", "leaves": 1})
    cone = families.cone("random", 4)
    r = solve_cone(cone.W, cone.q, cone.mu).r
    assert judges.cone_residual(cone.W, cone.q, cone.mu, r) < 1e-12
    assert judges.cone_residual(cone.W, cone.q, cone.mu, r * (1 + 1e-6)) > 1e-10
    assert judges.cone_residual(cone.W, cone.q, cone.mu, -r) > 1e-3


def test_residuals_of_the_package_agree_with_the_judges():
    rng = np.random.default_rng(1)
    for index in range(40):
        problem, cone = families.lcp("P", index), families.cone("mass ratio 1e6", index)
        z, r = rng.normal(size=problem.b.size), rng.normal(size=cone.q.size)
        expected = judges.contract_residual(problem.A, problem.b, z)
        found = lcp_residual(np.ascontiguousarray(problem.A), problem.b, z, z.size, np.inf, *np.empty((3, z.size)))
        assert found == pytest.approx(expected, rel=1e-9)
        kinds, first = np.full(cone.mu.size, CONE), np.arange(0, r.size + 1, 3)
        found = cone_residual(cone.W, cone.q, kinds, first, cone.mu, r, np.zeros(r.size))
        assert found == pytest.approx(judges.cone_residual(cone.W, cone.q, cone.mu, r), rel=1e-9)
