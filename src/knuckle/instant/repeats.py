"""Contacts that stand in a problem several times: the search looks at one of each, and the forces are shared out afterwards.

Equal rows have equal accelerations, and the sum of forces in equal cones lies in that cone: nothing is lost by looking at the sum.
"""
from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from knuckle.instant.problem import ContactProblem
from knuckle.instant.search import Search
from knuckle.instant.stage import Stage

SAME = 1e-14                # relative to the row: more is another contact


@dataclass(frozen=True)
class Repeats:
    """A problem without repeats, and which contacts it kept."""
    problem: ContactProblem
    kept: tuple[int, ...]


def without_repeats(problem: ContactProblem) -> Repeats | None:
    """None when every contact is different."""
    kept: list[int] = []
    for i in range(problem.contacts):
        if not any(_same(problem, i, j) for j in kept):
            kept.append(i)
    if len(kept) == problem.contacts:
        return None
    dim, joints = problem.dim, list(range(problem.contact_rows, len(problem.bias)))
    rows = [dim * i + axis for i in kept for axis in range(dim)] + joints
    return Repeats(replace(problem, W=problem.W[rows], bias=problem.bias[rows], sliding=problem.sliding[kept], mu=problem.mu[kept],
                           slip=problem.slip[kept], contact_names=tuple(problem.contact_name(i) for i in kept)), tuple(kept))


def _same(problem: ContactProblem, i: int, j: int) -> bool:
    dim = problem.dim
    one, other = slice(dim * i, dim * (i + 1)), slice(dim * j, dim * (j + 1))
    size = np.abs(problem.W[one]).max(axis=1, keepdims=True)
    return bool(problem.mu[i] == problem.mu[j] and problem.sliding[i] == problem.sliding[j] and (problem.slip[i] == problem.slip[j]).all()
                and (np.abs(problem.W[one] - problem.W[other]) <= SAME * size).all()
                and (np.abs(problem.bias[one] - problem.bias[other]) <= SAME * np.abs(problem.bias[one])).all())


def shared_out(repeats: Repeats, small: Stage, found: Search, stage: Stage) -> Search:
    """The search's answers as answers of the whole problem: the first of equal contacts carries all."""
    dim, extra = stage.problem.dim, stage.free_rows - stage.problem.contact_rows
    rows = [dim * i + axis for i in repeats.kept for axis in range(dim)]
    rows += list(range(stage.problem.contact_rows, stage.problem.contact_rows + extra))
    whole = replace(found, stage=stage, answers=[], leftover=found.leftover, unbounded={(rows[row], sign) for row, sign in found.unbounded})
    for scaled, _ in found.answers:
        forces = np.zeros(stage.free_rows)
        forces[rows] = scaled * small.force_unit
        forces /= stage.force_unit
        whole.answers.append((forces, whole.acceleration(forces)))
    return whole
