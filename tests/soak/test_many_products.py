"""Thousands of products of decoupled problems, and of proofs about sliding: no false number of answers, no false proof."""

import numpy as np
import pytest

from oracles import known_products as products
from oracles import slide_cells as proofs

pytestmark = pytest.mark.soak


def judged(drawn, count, label):
    count.members += 1
    try:
        count.undecided += not products.check(*drawn)
    except AssertionError:
        count.wrong.append(label)


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize(("blocks", "members"), [(2, 20_000), (3, 4_000)])
def test_products(blocks, members, mixed, share, count):
    for seed in range(share(members)):
        rng = np.random.default_rng([2, blocks, mixed, seed])
        drawn = (products.member(rng) + products.member(rng))[:blocks]
        if np.prod([len(forces) for _, forces in drawn]) <= 27:
            judged(products.product(drawn, rng if mixed else None), count, seed)
    assert not count.wrong, count.wrong


@pytest.mark.parametrize(("kind", "members"), [
    ("one contact", 2000), ("two blocks", 1000), ("both with two", 200), ("listed twice", 200), ("nearly blocks", 1000)])  # fmt: skip
def test_proofs_about_slides(kind, members, share, count):
    pairs, alone = 0, []
    for seed in range(share(members)):
        rng = np.random.default_rng([2, 3, seed])
        found, proved = proofs.examine(proofs.drawn(kind, rng), rng)
        pairs, alone = pairs + found, alone + proved
        count.members += 1
    count.undecided = len(alone) - sum(alone)                # answers that were not proved the only one close around themselves
    assert pairs and sum(alone) >= 0.7 * len(alone)
