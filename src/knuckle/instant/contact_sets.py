"""Contact sets of paper 000, and whether A is a P-matrix in those that hold an answer (PHYSICS 3, item 4)."""
from __future__ import annotations

import itertools

import numpy as np

from knuckle.complementarity.p_matrix import LARGEST, p_matrix
from knuckle.instant import kernels
from knuckle.instant.answer import PMatrix
from knuckle.instant.stage import Stage
from knuckle.instant.units import CONE

LARGEST_SETS = 1 << 10      # more contact sets than this are not tested: the answer is then null


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
        judged = p_matrix(stage.work.A[:n, :n])
        if worst is None or judged.margin < worst.margin:
            witness = None if judged.witness is None else {"signs": [int(s) for s in signs], "index_set": judged.witness}
            worst = PMatrix(judged.holds, judged.margin, witness)
    return worst


def _store(stage: Stage, answers: list[tuple[np.ndarray, np.ndarray]]) -> None:
    """The answers that count are those that were judged, not only those the kernel found."""
    kept = answers[:len(stage.work.answers)]
    stage.work.counts[0] = len(kept)
    for k, (forces, a) in enumerate(kept):
        stage.work.answers[k, :stage.free_rows], stage.work.accelerations[k, :stage.free_rows] = forces, a
