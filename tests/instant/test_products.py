"""Decoupled problems in mixed coordinates, v = Q v': as many answers as the product of their own numbers, and each of them known.

A block is one contact whose answers are known without a search: a scalar or Painleve problem (closed forms), or a contact at rest on a
mass of its own, whose sliding directions are the unit roots of a polynomial of degree four."""

import itertools
import sys
from pathlib import Path

import numpy as np
import pytest

from knuckle.instant.solve import solve

sys.path.insert(0, str(Path(__file__).parents[1]))
from oracles import closed_forms

ROWS = ("W_N", "W_T", "W_U")
CLEAR = 0.02                # draws whose answers are nearer to another mode or to one another, relative, are no test of counting
STIFF = 1e6                 # condition of a contact's inertia up to which every answer must be found
VERDICTS = {0: "inconsistent", 1: "determinate"}


def resting(mu, bias, rows):
    """One contact at rest on unit masses: a block, a problem and its forces (None where they are not clear)."""
    contact = {"label": "rolling", "mu": mu, "bias": bias, "slip": [0.0, 0.0]} | dict(zip(ROWS, rows, strict=True))
    return {"M": np.eye(3), "h": np.zeros(3), "contacts": [contact]}, lone(mu, np.array(bias), np.array(rows) @ np.transpose(rows))


def lone(mu, c, B):
    """Every force of one contact, a = B f + c; None where modes or roots are nearly one."""
    if np.linalg.cond(B) > STIFF:
        return None
    size, stick = np.abs(c).max(), -np.linalg.solve(B, c)
    room = mu * stick[0] - np.hypot(*stick[1:])
    if min(abs(c[0]) / size, abs(stick[0]) / abs(stick).max(), abs(room) / abs(stick).max()) < CLEAR:
        return None
    found = ([np.zeros(3)] if c[0] > 0 else []) + ([stick] if room > 0 else [])

    def cross(phi):
        """a_T sin - a_U cos where a_N = 0, times the force that the normal acceleration takes; and that with the slip itself."""
        push = np.array([np.ones_like(phi), -mu * np.cos(phi), -mu * np.sin(phi)])
        _, a_T, a_U = -c[0] * (B @ push) + c[:, None] * (B[0] @ push)
        return a_T * np.sin(phi) - a_U * np.cos(phi), a_T * np.cos(phi) + a_U * np.sin(phi), push

    values = cross(2 * np.pi * np.arange(8) / 8)[0]
    roots = np.roots(np.fft.fft(values)[[2, 1, 0, 7, 6]])              # sum of e^(ik phi), k = 2 to -2
    off = np.abs(np.abs(roots) - 1)
    gaps = [abs(x - y) for x, y in itertools.combinations(roots, 2)]
    if len(roots) < 4 or ((off > 1e-9) & (off < CLEAR)).any() or min(gaps) < CLEAR:
        return None
    for phi in np.angle(roots[off <= 1e-9]):
        _, slip, push = (part[..., 0] for part in cross(np.array([phi])))
        inertia = B[0] @ push
        if abs(inertia) < CLEAR * B[0, 0] or abs(slip) < CLEAR * size**2:
            return None
        if -c[0] / inertia > 0 and slip / inertia > 0:
            found.append(-c[0] / inertia * push)
    return found


def contact_at_rest(rng):
    """Nearly always one answer in plain draws: every other one ties normal and tangential motion strongly."""
    while True:
        W, bias = np.tril(rng.normal(size=(3, 3))), rng.normal(size=3)
        if rng.random() < 0.7:
            W[1:] += 2 * rng.normal(size=(2, 1)) * W[:1]
            bias[0] = abs(bias[0]) * rng.choice([1.0, 0.3])
        block = resting(float(rng.choice([0.3, 1.0, 2.5, 5.0])), bias.tolist(), W.tolist())
        if block[1] is not None:
            return block


def sliding_contact(rng):
    case = closed_forms.FAMILIES[str(rng.choice(["painleve", "scalar"]))](rng)
    return case.problem, [np.array(one["f"]) for one in case.solutions["cone"]]


def loaded(block, factor):
    """All loads of a block, and so all its forces, times a factor."""
    problem, forces = block
    contacts = [c | {"bias": (factor * np.array(c["bias"])).tolist()} for c in problem["contacts"]]
    return {"M": problem["M"], "h": factor * np.array(problem["h"]), "contacts": contacts}, [factor * f for f in forces]


def product(blocks, rng=None):
    """The blocks as one problem, in mixed coordinates where there is a generator; and its answers, as forces contact after contact."""
    sizes = [len(problem["h"]) for problem, _ in blocks]
    nv, ends, contacts, Q = sum(sizes), np.cumsum(sizes), [], np.eye(sum(sizes))
    while rng is not None and (np.allclose(Q, np.eye(nv)) or np.linalg.cond(Q) > 100):
        Q = rng.normal(size=(nv, nv)) + 2 * np.eye(nv)
    M, h = np.zeros((nv, nv)), np.zeros(nv)
    for (problem, _), size, end in zip(blocks, sizes, ends, strict=True):
        own = slice(end - size, end)
        M[own, own], h[own] = problem["M"], problem["h"]
        contacts += [c | {key: (np.array(c[key]) @ Q[own]).tolist() for key in ROWS} for c in problem["contacts"]]
    M = Q.T @ M @ Q
    mixed = {"M": (0.5 * (M + M.T)).tolist(), "h": (Q.T @ h).tolist(), "contacts": contacts}
    return mixed, [np.concatenate(parts) for parts in itertools.product(*(forces for _, forces in blocks))]


def check(problem, answers, tolerance=1e-6):
    """True where the search ended; a false verdict, a false answer or a lost one fails, and so does an undecided one that lost too much."""
    answer = solve(problem)
    label = (problem, answer.verdict.value, len(answer.solutions), len(answers), answer.certificate)
    assert not answer.continuum and all(s.residual <= 1e-9 for s in answer.solutions), label
    for s in answer.solutions:
        assert any(np.abs(s.f.ravel() - f).max() <= tolerance * (1 + np.abs(f).max()) for f in answers), label
    if not answer.complete:
        assert answer.verdict.value == "undecided" and len(answer.solutions) <= len(answers), label
        return False
    assert answer.verdict.value == VERDICTS.get(len(answers), "indeterminate"), label
    assert len(answer.solutions) == len(answers), label
    return True


def member(rng):
    """Two blocks, sometimes the same one twice."""
    blocks = [sliding_contact(rng) if rng.random() < 0.35 else contact_at_rest(rng) for _ in range(2)]
    return [blocks[0]] * 2 if rng.random() < 0.2 else blocks


@pytest.mark.parametrize("part", range(4))
def test_products_have_the_product_of_the_answers(part):
    """400 members, with and without mixed coordinates."""
    counts = []
    for seed in range(100):
        rng = np.random.default_rng([part, seed])
        problem, answers = product(member(rng), rng if seed % 3 else None)
        assert check(problem, answers), (part, seed)
        counts.append(len(answers))
    assert 0 in counts and 1 in counts and max(counts) >= 4


def test_two_copies_of_a_contact_with_three_answers():
    block = resting(2.5, [0.391, -0.49, 0.366], [[1.544, 0, 0], [-0.028, 1.257, 0], [0.65, -0.052, 0.087]])
    problem, answers = product([block, block])
    assert len(answers) == 9 and check(problem, answers)


@pytest.mark.parametrize("factor", [1e-10, 1e10])
def test_a_huge_load_hides_no_answer_elsewhere(factor):
    """One block loaded 1e10 times as much as its neighbour, in separate coordinates: forces are compared block by block."""
    compared = 0
    for seed in range(30):
        rng = np.random.default_rng([7, seed])
        first, second = contact_at_rest(rng), contact_at_rest(rng)
        problem, answers = product([first, loaded(second, factor)])
        answer = solve(problem)
        label = (seed, answer.verdict, len(answer.solutions), len(answers), answer.reason)
        assert answer.complete and len(answer.solutions) == len(answers), label
        for f in answers:
            wanted = f.reshape(2, 3)
            room = 1e-6 * np.abs(wanted).max(axis=1, keepdims=True) + 1e-300
            assert any((np.abs(s.f - wanted) <= room).all() for s in answer.solutions), label
        compared += len(answers) > 1
    assert compared >= 5


@pytest.mark.parametrize("row", [0.1, 0.03, 0.01, 0.003])
def test_a_heavy_neighbour_hides_no_answer(row):
    """The smaller W_N, the heavier the first contact along its normal, and the larger its one force; the other has three answers."""
    heavy = resting(2.5, [-1.785, -0.774, 0.439], [[row, 0, 0], [0.616, 1.214, 0], [0.074, -0.32, 0.187]])
    light = resting(2.5, [0.02, -0.77, -0.26], [[-1.26, 0, 0], [1.87, 0.39, 0], [2.52, 1.27, -1.62]])
    problem, answers = product([heavy, light])
    assert len(answers) == 3 and check(problem, answers)
