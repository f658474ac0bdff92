"""Whether A is a P-matrix in the contact sets that hold an answer (PHYSICS 3, item 4), from the kernel's test."""
from __future__ import annotations

import numpy as np

from knuckle.instant import set_kernels
from knuckle.instant.answer import PMatrix
from knuckle.instant.space_kernels import Problem, Work
from knuckle.instant.units import DRY, PLANAR, PYRAMID, SLIDING, UNILATERAL

ROWS_OF = {UNILATERAL: 1, SLIDING: 1, PLANAR: 2, DRY: 1, PYRAMID: 3}    # of the matrix A of a contact set


def retest(problem: Problem, work: Work, units: int, answers: list[tuple[np.ndarray, np.ndarray]], rows: int) -> PMatrix | None:
    """The test for answers that the search found, which need not be those of the kernel."""
    kept = answers[:len(work.answers)]
    work.counts[0] = len(kept)
    for k, (forces, a) in enumerate(kept):
        work.answers[k, :rows], work.accelerations[k, :rows] = forces, a
    set_kernels.p_test(problem, _with_room(work, int(sum(ROWS_OF.get(int(kind), 0) for kind in problem.kind[:units]))), units)
    return read_test(work)


def _with_room(work: Work, n: int) -> Work:
    """The same with space for all minors of n rows, as far as these are not too many to be tested at all."""
    if len(work.minors) >= 2 << n or 1 << n > set_kernels.MOST_MINORS:
        return work
    level, following = np.zeros((2, max((n - k) ** 2 << k for k in range(n))))
    return work._replace(level=level, following=following, minors=np.zeros(2 << n))


def read_test(work: Work) -> PMatrix | None:
    """What `p_test` left; None with circular cones, or where its contact sets have more minors than a second of work is worth."""
    margin, index_set, signs, tested = work.p.tolist()[:4]
    if not tested > 0.0 or margin == np.inf:
        return None
    if margin > 0.0:
        return PMatrix(True, margin, None)
    index = [i for i in range(int(index_set).bit_length()) if int(index_set) >> i & 1]
    return PMatrix(False, margin, {"signs": _bits(int(signs), int(work.p[5]), -1, 1), "index_set": index})


def _bits(word: int, count: int, one: int, zero: int) -> list[int]:
    return [one if word >> k & 1 else zero for k in range(count)]
