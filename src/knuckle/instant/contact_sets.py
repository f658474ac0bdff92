"""Contact sets of paper 000, and whether A is a P-matrix in those that hold an answer (PHYSICS 3, item 4)."""
from __future__ import annotations

import itertools

import numpy as np

from knuckle.complementarity import lcp_kernels
from knuckle.instant import kernels
from knuckle.instant.answer import PMatrix
from knuckle.instant.stage import Stage
from knuckle.instant.units import CONE

LARGEST = 14                # rows of A, and
LARGEST_SETS = 1 << 10      # contact sets: with more the answer is null
ROUND_OFF = 1e-10           # of a minor of A with unit diagonal: below it the minor is zero


def p_matrix_of(stage: Stage, answers: list[tuple[np.ndarray, np.ndarray]]) -> PMatrix | None:
    """P in every contact set that holds an answer (all sets if none does); None with circular cones, or when there are too many."""
    rows = stage.signed_rows
    if CONE in stage.units.kind or 1 << len(rows) > LARGEST_SETS:
        return None
    _store(stage, answers)
    worst: PMatrix | None = None
    for signs in itertools.product((1.0, -1.0), repeat=len(rows)):
        stage.work.signs[rows] = signs
        if answers and not kernels.set_holds_answer(stage.units, stage.work, stage.count):
            continue
        n = kernels.contact_set(stage.units, stage.work, stage.count)
        if n > LARGEST:
            return None
        margin, members = least_minor(stage.work.A[:n, :n].copy())
        if worst is None or margin < worst.margin:
            witness = None if margin > 0.0 else {"signs": [int(s) for s in signs], "index_set": members}
            worst = PMatrix(margin > 0.0, margin, witness)
    return worst


def least_minor(A: np.ndarray) -> tuple[float, list[int]]:
    """The smallest principal minor of D A D with unit diagonal and its index set; -inf where a diagonal entry is not positive."""
    n, diagonal = len(A), np.diag(A)
    if n == 0:
        return 1.0, []
    if (diagonal <= ROUND_OFF * np.abs(A).max()).any():
        return -np.inf, [int(diagonal.argmin())]
    size, minors = max((n - k) ** 2 << k for k in range(n)), np.empty(1 << n)
    least = int(lcp_kernels.principal_minors(A, n, np.empty(size), np.empty(size), minors))
    margin = float(minors[least])
    if not abs(margin) > ROUND_OFF:                        # the set may be any of those that vanish: the smallest says most
        zero = np.flatnonzero(~(np.abs(minors) > ROUND_OFF))
        least, margin = min((int(s) for s in zero), key=lambda bits: (bits.bit_count(), bits)), 0.0
    return margin, [i for i in range(n) if least >> i & 1]


def _store(stage: Stage, answers: list[tuple[np.ndarray, np.ndarray]]) -> None:
    """The answers that count are those that were judged, not only those the kernel found."""
    kept = answers[:len(stage.work.answers)]
    stage.work.counts[0] = len(kept)
    for k, (forces, a) in enumerate(kept):
        stage.work.answers[k, :stage.free_rows], stage.work.accelerations[k, :stage.free_rows] = forces, a
