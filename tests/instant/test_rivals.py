"""Cells compared with a known answer: never closed over another answer, and no branching over joints with dry friction."""

import sys
from pathlib import Path

import numpy as np
import pytest

from knuckle.instant import rivals, search
from knuckle.instant.active_mode import cell_of
from knuckle.instant.problem import read_problem
from knuckle.instant.relaxation import Arc, relax
from knuckle.instant.slides import bounds
from knuckle.instant.solve import solve
from knuckle.instant.stage import lay_out
from knuckle.instant.units import DRY

sys.path.insert(0, str(Path(__file__).parents[1]))
from oracles import closed_forms, random_problems


def dry(rng, nv, bound):
    return {"kind": "dry_friction", "W": rng.normal(size=nv).tolist(), "bias": 0.0, "bound": float(bound), "rate": 0.0}


def problem(seed):
    """Up to three contacts at rest and some dry joints; in every other one normal and tangential motion are strongly tied."""
    rng = np.random.default_rng([5, seed])
    contacts = 1 + seed % 3
    found = random_problems.random_problem(rng, contacts, 3, nv=int(rng.integers(3, 3 * contacts + 4)))
    found = random_problems.coupled(found, rng)
    return found | {"joints": [dry(rng, len(found["h"]), rng.uniform(0, 4)) for _ in range(int(rng.integers(1, 6)))]}


def answers_of(found):
    stage = lay_out(read_problem(found), "cone")
    searched = search.run(stage, [])
    return stage, searched.answers


def widened(stage, cell, generator):
    """A cell around the answer: directions known to 0.2 rad, most joints undecided."""
    out = []
    for i, choice in enumerate(cell):
        if isinstance(choice, Arc):
            out.append(Arc(choice.lo - generator.uniform(0, 0.1), choice.hi + generator.uniform(0, 0.1)))
        else:
            out.append(None if stage.units.kind[i] == DRY and generator.random() < 0.8 else choice)
    return tuple(out)


@pytest.mark.parametrize("part", range(4))
def test_no_cell_is_closed_over_another_answer(part):
    compared, generator = 0, np.random.default_rng(part)
    for seed in range(40 * part, 40 * part + 40):
        stage, answers = answers_of(problem(seed))
        for one in answers:
            for other in answers:
                if other is one:
                    continue
                cell = widened(stage, cell_of(stage, *other), generator)
                polyhedron = relax(stage, cell)
                limits = bounds(stage, cell, polyhedron)
                assert not rivals.none_moves_otherwise(stage, one, cell, polyhedron, limits)[0], seed
                compared += 1
    assert compared > 10


@pytest.mark.parametrize("part", range(2))
def test_a_monotone_cell_is_decided_as_its_answer_is(part):
    decided = 0
    for seed in range(60 * part, 60 * part + 60):
        stage, answers = answers_of(problem(seed))
        for forces, a in answers:
            modes = cell_of(stage, forces, a)
            cell = tuple(None if stage.units.kind[i] == DRY else choice for i, choice in enumerate(modes))
            if any(isinstance(choice, Arc) for choice in cell) or not search.monotone(stage, cell):
                continue
            found = rivals.decided(stage, cell)
            assert all(have is None or have == want for have, want in zip(found, modes, strict=True)), seed
            decided += all(choice is not None for choice in found)
    assert decided > 5


@pytest.mark.parametrize("bound", [0.05, 5.0])
def test_dry_joints_do_not_multiply_the_cells(bound):
    """A ball held by two fingers, its velocities rubbing against more and more joints."""
    held = next(
        case for seed in range(50) if (case := closed_forms.squeeze(np.random.default_rng(seed))).transitions != ["a2", "a2"]
    ).problem
    cells = []
    for count in (2, 16):
        rng = np.random.default_rng(3)
        answer = solve(held | {"joints": [dry(rng, len(held["h"]), bound) for _ in range(count)]}, "cone")
        assert answer.complete and answer.verdict.value in ("determinate", "force_indeterminate")
        cells.append((answer.certificate or {}).get("cells", 0))
    assert max(cells) <= 400           # 3^16 choices of the joints' modes alone
