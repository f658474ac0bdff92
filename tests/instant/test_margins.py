"""Margins against closed forms and against the answers on either side of their ends, finite and infinite."""
import json
from pathlib import Path

import numpy as np
import pytest

import knuckle as kn
from knuckle.instant.margins import margins
from knuckle.instant.problem import read_problem
from knuckle.instant.solve import solve
from knuckle.instant.stage import lay_out

FOLDER = Path(__file__).parents[1] / "data" / "spatial" / "problems"


def margins_of(problem, directions, law="cone", number=0):
    stage, answer = lay_out(read_problem(problem), law), solve(problem, law)
    solution, rows = answer.solutions[number], stage.row_of[:stage.free_rows]
    forces = np.concatenate([solution.f.ravel(), solution.joint_f])[rows] / stage.force_unit
    return answer, margins(stage, forces, stage.B @ forces + stage.c, np.atleast_2d(directions))


@pytest.mark.parametrize(("tau", "reach"), [(0.2, (-1.2, 0.8)), (0.0, (-1.0, 1.0)), (-0.2, (-0.8, 1.2)), (3.0, (-2.0, np.inf))])
def test_a_dry_joint_gives_way_on_both_sides(tau, reach):
    problem = {"M": [[1.0]], "h": [tau], "contacts": [], "joints": [{"kind": "dry_friction", "W": [1.0], "bound": 1.0}]}
    _, found = margins_of(problem, [1.0])
    assert found.reach[0] == pytest.approx(reach, abs=1e-12)
    if abs(tau) < 1.0:
        assert found.limiting[0] == ("1: dry friction -", "1: dry friction +")      # the way it gives way to


def what_moves(answer):
    """Modes of the contacts, and which way each joint row begins to move."""
    solution = answer.solutions[0]
    return solution.modes, tuple(np.sign(np.where(np.abs(solution.joint_a) < 1e-9, 0.0, solution.joint_a)))


def random_planar(rng, nv=5):
    root = rng.normal(size=(nv, nv))
    contacts = [{"label": "rolling", "mu": float(rng.uniform(0.1, 0.8)), "bias": rng.normal(size=2).tolist(), "slip": [0.0],
                 "W_N": rng.normal(size=nv).tolist(), "W_T": rng.normal(size=nv).tolist()} for _ in range(2)]
    joints = [{"kind": "dry_friction", "W": rng.normal(size=nv).tolist(), "bound": float(rng.uniform(0.5, 3.0))},
              {"kind": "limit", "W": rng.normal(size=nv).tolist()}]
    return {"M": (root @ root.T / nv + np.eye(nv)).tolist(), "h": (2 * rng.normal(size=nv)).tolist(), "contacts": contacts, "joints": joints}


def apart(rng):
    """A particle that is pulled along a floor, with some weight, a joint with friction and one at its stop: nothing is coupled."""
    contact = {"label": "rolling", "mu": 0.5, "W_N": [0, 1.0, 0, 0, 0], "W_T": [1.0, 0, 0, 0, 0]}
    joints = [{"kind": "dry_friction", "W": [0, 0, 1.0, 0, 0], "bound": 1.0}, {"kind": "limit", "W": [0, 0, 0, 1.0, 0]}]
    order = rng.permutation(5)
    M, h = np.diag(rng.uniform(0.5, 2.0, 5)), rng.normal(size=5) * [3, 6, 2, 2, 1]
    problem = {"M": M.tolist(), "h": h.tolist(), "contacts": [contact], "joints": joints}
    for row, key in ((contact, "W_N"), (contact, "W_T"), (joints[0], "W"), (joints[1], "W"), (problem, "h")):
        row[key] = np.array(row[key])[order].tolist()
    return problem


@pytest.mark.parametrize(("make", "finite_ends", "infinite_ends"), [(random_planar, 200, 0), (apart, 100, 100)])
def test_modes_hold_up_to_every_end_and_change_behind_it(make, finite_ends, infinite_ends):
    """Both ends of every direction, also those without end: nothing changes up to a thousand newton there."""
    finite = infinite = dry = 0
    for seed in range(60):
        problem = make(np.random.default_rng([31, seed]))
        answer, found = margins_of(problem, np.vstack([np.eye(5)[:2], np.zeros(5)]))
        if answer.verdict.value != "determinate":
            continue
        assert found is not None and found.exact
        dry += any("dry" in words for pair in found.limiting for words in pair)
        for direction, (down, up), limits in zip(np.eye(5)[:2], found.reach, found.limiting, strict=False):
            for end, sign, limit in ((down, -1.0, limits[0]), (up, 1.0, limits[1])):
                if np.isinf(end):
                    infinite += 1
                    assert limit == ""
                    ends = [(sign * size, True) for size in (1.0, 30.0, 1000.0)]
                else:
                    finite += 1
                    ends = [(0.999 * end, True), (1.001 * end, False)]
                for far, same in ends:
                    there = solve(problem | {"h": (np.array(problem["h"]) + far * direction).tolist()})
                    if there.verdict.value == "determinate":
                        assert (what_moves(there) == what_moves(answer)) == same, (seed, limit, far)
        assert np.isinf(found.reach[2]).all()               # a direction that does nothing
    assert finite > finite_ends and infinite >= infinite_ends and dry > 5


@pytest.mark.parametrize("law", ["cone", "pyramid"])
@pytest.mark.parametrize("name", ["table_4_legs", "duplicated_contact", "opposed_walls_zero_gap"])
def test_none_where_forces_are_not_unique(name, law):
    problem = json.loads((FOLDER / f"{name}.json").read_text())
    answer, found = margins_of(problem, np.eye(len(problem["h"])), law)
    assert (found is None) == (answer.verdict.value == "force_indeterminate")


def test_a_scenario_says_why_it_has_no_margins():
    answer = kn.load("four-legged-table").compile().modes()
    assert answer.margins is None
    document = answer.to_dict()
    assert document["margins"] == [None] * len(answer.solutions)
    assert [note for note in document["notes"] if note.startswith("no margins")]
    assert not [note for note in kn.load("two-finger-lift").compile().modes().to_dict()["notes"] if "margins" in note]


def test_on_the_edge_of_the_cone_one_side_is_free():
    """A block on a plane pulled with exactly mu m g: any more and it slides, any less and it holds; down to the other edge."""
    contact = {"label": "rolling", "mu": 0.5, "W_N": [0, 0, 1.0], "W_T": [1.0, 0, 0], "W_U": [0, 1.0, 0]}
    answer, found = margins_of({"M": np.eye(3).tolist(), "h": [5.0, 0.0, -10.0], "contacts": [contact]}, np.eye(3))
    assert answer.solutions[0].modes == ("R",)
    assert found.reach[0] == pytest.approx((-10.0, 0.0), abs=1e-6)
    assert found.reach[1] == pytest.approx((0.0, 0.0), abs=1e-6)        # across the pull the circle is only touched
    assert found.reach[2] == pytest.approx((-np.inf, 0.0), abs=1e-6)    # pressed harder it holds
