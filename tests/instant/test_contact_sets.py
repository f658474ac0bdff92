"""The P-test against every minor of every contact set, each by its own determinant (PHYSICS 3, item 4)."""
import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest

import knuckle as kn
from knuckle.complementarity import minor_kernels
from knuckle.instant.problem import read_problem
from knuckle.instant.solve import solve

FOLDER = Path(__file__).parents[1] / "data" / "spatial" / "problems"
ZERO = 1e-9


def least_of_sets(problem, answer):
    """Smallest principal minor of D A D over the contact sets that hold a listed answer; 27 of paper 000 for each choice of signs."""
    p, dim = read_problem(problem), 3 if "W_U" in problem["contacts"][0] else 2
    axes = [(i, j) for i in range(p.contacts) if not p.sliding[i] and p.mu[i] > 0.0 for j in range(1, dim)]
    least = math.inf
    for signs in itertools.product((1.0, -1.0), repeat=len(axes)):
        holds = [all(s * x.a[at] > 0.0 if abs(x.a[at]) > ZERO * (1 + np.abs(x.a).max()) else s * x.f[at] <= ZERO * (1 + np.abs(x.f).max())
                     for s, at in zip(signs, axes, strict=True)) for x in answer.solutions]
        if answer.solutions and not any(holds):
            continue
        C, F = [], []
        for i in range(p.contacts):
            rows = p.W[dim * i:dim * (i + 1)]
            pull = p.mu[i] * p.slip[i] / np.linalg.norm(p.slip[i]) if p.sliding[i] else np.zeros(dim - 1)
            for s, (k, j) in zip(signs, axes, strict=True):
                if k == i:
                    pull[j - 1] = p.mu[i] * s
            C.append(rows[0])
            F.append(rows[0] - pull @ rows[1:])
        for s, (k, j) in zip(signs, axes, strict=True):
            C.append(s * p.W[dim * k + j])
            F.append(C[-1])
        A = np.array(C) @ np.linalg.solve(p.M, np.array(F).T)
        if (np.diag(A) <= 1e-13).any():
            return -math.inf
        B = A / np.sqrt(np.outer(np.diag(A), np.diag(A)))
        least = min([least] + [np.linalg.det(B[np.ix_(chosen, chosen)]) for size in range(1, len(A) + 1)
                               for chosen in itertools.combinations(range(len(A)), size)])
    return least


def checked(problem, law="pyramid"):
    answer = solve(problem, law)
    want, have = least_of_sets(problem, answer), answer.p_matrix
    assert have.holds == (want > ZERO)
    assert have.margin == pytest.approx(want, abs=1e-8) if math.isfinite(want) else have.margin == -math.inf
    assert have.holds or have.witness["index_set"]
    return have


def random_space(rng, contacts, nv, mu):
    root = rng.normal(size=(nv, nv))
    made = [{"label": "rolling", "mu": mu, **{key: rng.normal(size=nv).tolist() for key in ("W_N", "W_T", "W_U")}} for _ in range(contacts)]
    return {"M": (root @ root.T / nv + 0.3 * np.eye(nv)).tolist(), "h": (3 * rng.normal(size=nv)).tolist(), "contacts": made}


@pytest.mark.parametrize(("contacts", "nv", "mu"), [(1, 3, 5.0), (2, 6, 0.3), (2, 3, 5.0), (3, 4, 1.0), (3, 9, 0.2)])
def test_margin_of_random_problems(contacts, nv, mu):
    """Also where A is singular (more rows than nv): a zero minor must not hide the negative ones."""
    negative = 0
    for seed in range(6):
        negative += checked(random_space(np.random.default_rng([seed, contacts, nv]), contacts, nv, mu)).margin < -1e-3
    assert negative > 0 or nv > 3 or mu < 5.0


def test_a_contact_twice_hides_no_negative_minor():
    """Both copies and all pairs with one of them: the margin is what it was without the copy, or 0."""
    for seed in range(8):
        problem = random_space(np.random.default_rng([5, seed]), 2, 6, 3.0)
        once = checked(problem)
        problem["contacts"].append(problem["contacts"][0])
        twice = checked(problem)
        assert not twice.holds and twice.margin <= min(once.margin, 0.0) + 1e-9


@pytest.mark.parametrize("name", ["block_stick", "table_3_legs", "painleve_contact", "rod_released_stick", "v_groove_rolling", "duplicated_contact"])
def test_margin_of_known_problems(name):
    checked(json.loads((FOLDER / f"{name}.json").read_text()))


@pytest.mark.parametrize("ratio", [1e6, 1e10, 1e12])
def test_a_light_axis_beside_a_heavy_one_is_no_zero(ratio):
    """A = diag(1, 1 / ratio): P whatever the units, with margin 1."""
    contact = {"label": "rolling", "mu": 0.5, "W_N": [1.0, 0.0], "W_T": [0.0, 1.0]}
    found = solve({"M": np.diag([1.0, ratio]).tolist(), "h": [1.0, 0.0], "contacts": [contact]}).p_matrix
    assert found.holds and found.margin == pytest.approx(1.0)
    assert kn.p_matrix(np.diag([1.0, 1.0 / ratio])).holds


def test_an_axis_that_cannot_move_is_a_zero_on_the_diagonal():
    contact = {"label": "rolling", "mu": 0.5, "W_N": [1.0, 0.0], "W_T": [0.0, 0.0]}
    found = solve({"M": np.eye(2).tolist(), "h": [1.0, 0.0], "contacts": [contact]}).p_matrix
    assert (found.holds, found.margin, found.witness["index_set"]) == (False, -math.inf, [1])


def resting(count):
    """A disc that lies on `count` feet: 3 n rows, 4^n contact sets, all of them hold the answer at rest."""
    contacts = []
    for k in range(count):
        r = [math.cos(2 * math.pi * k / count), math.sin(2 * math.pi * k / count), -0.3]
        rows = [[*d, *np.cross(r, d)] for d in np.eye(3)[[2, 0, 1]]]
        contacts.append({"label": "rolling", "mu": 0.5, "W_N": rows[0], "W_T": rows[1], "W_U": rows[2]})
    return {"M": np.diag([3.0, 3, 3, 1, 1, 2]).tolist(), "h": [0.0, 0, -30, 0, 0, 0], "contacts": contacts}


def test_five_feet_are_tested_and_too_many_minors_are_not():
    """15 rows for 6 freedoms: A is singular in every contact set, so P nowhere."""
    found = solve(resting(5), "pyramid").p_matrix
    assert found is not None and not found.holds and found.margin <= 0.0
    assert len(found.witness["signs"]) == 10 and found.witness["index_set"]


def test_guarded_minors_of_singular_matrices():
    """Each minor against its own determinant, also where those below it vanish; and the plain twin, bit for bit."""
    rng = np.random.default_rng(2)
    for n in range(1, 8):
        for _ in range(10):
            thin = rng.integers(-2, 3, size=(n, max(1, n // 2)))
            A = (thin @ thin.T + np.diag(rng.integers(0, 2, size=n))).astype(float) + np.triu(rng.integers(-1, 2, size=(n, n)), 1)
            np.fill_diagonal(A, np.maximum(np.diag(A), 1.0))
            size, found = max((n - k) ** 2 << k for k in range(n)), []
            for minors_of in (minor_kernels.principal_minors, minor_kernels.principal_minors_by_arrays):
                minors = np.zeros(2 << n)
                least = minors_of(A, n, np.zeros(size), np.zeros(size), minors)
                found.append((least, minors[:1 << n].tobytes()))
            assert found[0] == found[1]
            B = A / np.sqrt(np.outer(np.diag(A), np.diag(A)))
            for bits in range(1, 1 << n):
                chosen = [i for i in range(n) if bits >> i & 1]
                assert minors[bits] == pytest.approx(np.linalg.det(B[np.ix_(chosen, chosen)]), abs=1e-11)
