"""`slides.only_motion` is a proof: never true for a cell that holds two known answers, and true close around one of them."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from oracles.slide_cells import drawn, examine


@pytest.mark.parametrize(("kind", "members", "least"), [
    ("one contact", 40, 60), ("two blocks", 25, 40), ("both with two", 8, 100), ("listed twice", 10, 10), ("nearly blocks", 25, 30)])  # fmt: skip
def test_no_proof_over_two_answers(kind, members, least):
    pairs, alone = 0, []
    for seed in range(members):
        rng = np.random.default_rng([17, seed])
        found, proofs = examine(drawn(kind, rng), rng)
        pairs, alone = pairs + found, alone + proofs
    assert pairs >= least and sum(alone) >= 0.7 * len(alone) > 0, (pairs, sum(alone), len(alone))
