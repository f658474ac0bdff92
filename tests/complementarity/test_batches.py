"""Batches answer as single calls do, to the byte; workspaces of threads are their own."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import solver_families as families

from knuckle.complementarity.cone import solve_cone
from knuckle.complementarity.cone_batch import solve_cone_batch
from knuckle.complementarity.lcp import solve_lcp
from knuckle.complementarity.lcp_batch import solve_lcp_batch
from knuckle.errors import InputError


def lcps(n, count):
    """Of every kind: also one without an answer, and one on which Lemke's method ends on a ray."""
    rng = np.random.default_rng(n)
    roots = rng.normal(size=(count, n, n))
    A, b = roots @ roots.transpose(0, 2, 1) - 0.3 * np.eye(n), rng.normal(size=(count, n))
    A[1], b[1] = -np.eye(n), -1.0
    return A, b


@pytest.mark.parametrize("n", [1, 4, 7])
def test_lcp_batch_equals_single_calls(n):
    A, b = lcps(n, 60)
    batch = solve_lcp_batch(A, b)
    assert batch.outcome[1] == "none" and batch.others[1].certificate is not None
    for k, outcome in enumerate(batch.outcome):
        one = solve_lcp(A[k], b[k])
        assert outcome == one.outcome
        if one.z is None:
            assert np.isnan(batch.z[k]).all() and np.isnan(batch.residual[k]) and batch.others[k].outcome == outcome
        else:
            assert batch.z[k].tobytes() == one.z.tobytes() and batch.residual[k] == one.residual


def test_one_matrix_for_all_and_lists():
    A, b = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([[-5.0, -6.0], [1.0, 1.0], [-1.0, 3.0]])
    batch = solve_lcp_batch(A, b)
    assert batch.outcome == ["solved"] * 3
    assert batch.z.tobytes() == solve_lcp_batch(A.tolist(), b.tolist()).z.tobytes()
    assert solve_lcp_batch(np.zeros((0, 2, 2)), np.zeros((0, 2))).outcome == []
    assert solve_lcp_batch(np.zeros((3, 0, 0)), np.zeros((3, 0))).outcome == ["solved"] * 3
    assert solve_lcp_batch(A, b[:1]).outcome == ["solved"]


def cones(k, count):
    rng = np.random.default_rng(k)
    G = rng.normal(size=(count, 3 * k, 3 * k + 1))
    return G @ G.transpose(0, 2, 1), rng.normal(size=(count, 3 * k)), rng.uniform(0.0, 1.0, (count, k))


def test_cone_batch_equals_single_calls():
    W, q, mu = cones(4, 40)
    hard, walls = families.cone("stacks 1e6", 3), families.cone("squeezed", 3)
    assert hard.mu.size == walls.mu.size == 4
    W[5], q[5], mu[5] = hard.W, hard.q, hard.mu
    W[6], q[6], mu[6] = walls.W, walls.q, walls.mu
    batch = solve_cone_batch(W, q, mu)
    assert batch.outcome[6] == "none" and batch.others[6].certificate is not None
    for i, outcome in enumerate(batch.outcome):
        one = solve_cone(W[i], q[i], mu[i])
        assert (outcome, batch.residual[i]) == (one.outcome, one.residual)
        assert batch.r[i].tobytes() == one.r.tobytes() and batch.u[i].tobytes() == one.u.tobytes() and batch.modes[i].tolist() == one.modes
        assert (i in batch.others) == (outcome != "solved")
    shared = solve_cone_batch(W, q, mu[0])
    assert shared.r[7].tobytes() == solve_cone(W[7], q[7], mu[0]).r.tobytes()


def test_threads_do_not_share_workspaces():
    W, q, mu = cones(6, 200)
    A, b = lcps(6, 200)

    def answers(k):
        return solve_cone(W[k], q[k], mu[k]).r.tobytes(), solve_lcp(A[k], b[k]).to_dict()["z"]

    alone = [answers(k) for k in range(200)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(answers, range(200))) == alone


@pytest.mark.parametrize(("call", "words"), [
    (lambda: solve_lcp_batch(np.eye(2), np.zeros(2)), "2 dimensions"),
    (lambda: solve_lcp_batch(np.zeros((2, 3, 3)), np.zeros((3, 3))), "A must be"),
    (lambda: solve_lcp_batch(np.full((1, 1, 1), np.nan), np.zeros((1, 1))), "A: must be finite"),
    (lambda: solve_lcp_batch("text", np.zeros((1, 1))), "A: must be an array of real numbers"),
    (lambda: solve_cone_batch(np.eye(3), np.zeros(3), [0.5]), "3 dimensions"),
    (lambda: solve_cone_batch(np.zeros((2, 3, 3)), np.zeros((2, 3)), np.zeros((3, 1))), "as many problems"),
    (lambda: solve_cone_batch(np.eye(3)[None], np.zeros((1, 3)), [[-0.1]]), "mu: must not be negative"),
    (lambda: solve_cone_batch(np.zeros((0, 3, 3)), np.zeros((0, 3)), np.zeros((0, 1)), tol=1.0), "tol: must be above 0"),
    (lambda: solve_cone_batch(np.eye(3)[None], np.zeros((1, 3)), [0.5], budget_s=None), "budget_s: must be an array of real numbers"),
    (lambda: solve_lcp_batch([[[1, 2], [3]]], [[1, 2]]), "A: must have rows of one length"),
])
def test_bad_batches_are_named(call, words):
    with pytest.raises(InputError, match=words):
        call()
