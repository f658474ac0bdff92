"""Decoupled problems in mixed coordinates have as many answers as the product of their own numbers (tests/oracles/known_products)."""

import sys
from pathlib import Path

import numpy as np
import pytest

from knuckle.instant.solve import solve

sys.path.insert(0, str(Path(__file__).parents[1]))
from oracles.known_products import check, contact_at_rest, loaded, member, product, resting


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
