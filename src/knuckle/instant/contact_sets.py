"""Whether A is a P-matrix in the contact sets that hold an answer (PHYSICS 3, item 4), from the kernel's test."""
from __future__ import annotations

import numpy as np

from knuckle.instant import set_kernels
from knuckle.instant.answer import PMatrix
from knuckle.instant.space_kernels import Problem, Work


def retest(problem: Problem, work: Work, units: int, answers: list[tuple[np.ndarray, np.ndarray]], rows: int) -> PMatrix | None:
    """The test for answers that the search found, which need not be those of the kernel."""
    kept = answers[:len(work.answers)]
    work.counts[0] = len(kept)
    for k, (forces, a) in enumerate(kept):
        work.answers[k, :rows], work.accelerations[k, :rows] = forces, a
    set_kernels.p_test(problem, work, units)
    return read_test(work)


def read_test(work: Work) -> PMatrix | None:
    """What `p_test` left; None with circular cones, or where there are too many contact sets."""
    margin, index_set, signs, tested = work.p.tolist()[:4]
    if not tested > 0.0 or margin == np.inf:
        return None
    if margin > 0.0:
        return PMatrix(True, margin, None)
    chosen = int(np.log2(len(work.minors)))
    index = [i for i in range(chosen) if int(index_set) >> i & 1]
    return PMatrix(False, margin, {"signs": _bits(int(signs), int(work.p[5]), -1, 1), "index_set": index})


def _bits(word: int, count: int, one: int, zero: int) -> list[int]:
    return [one if word >> k & 1 else zero for k in range(count)]
