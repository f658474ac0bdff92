"""Joint rows, margins, velocities and definitions against elimination, finite changes and small cases worked by hand."""

import numpy as np
import pytest

from knuckle.instant.definitions import definitions
from knuckle.instant.margins import margins
from knuckle.instant.problem import read_problem
from knuckle.instant.solve import solve
from knuckle.instant.stage import lay_out
from knuckle.instant.velocities import solve_velocities


def random_case(rng, held, nv=6):
    root = rng.normal(size=(nv, nv))
    contacts = [
        {
            "label": "rolling",
            "mu": float(rng.uniform(0.1, 0.6)),
            "bias": rng.normal(size=2).tolist(),
            "slip": [0.0],
            "W_N": rng.normal(size=nv).tolist(),
            "W_T": rng.normal(size=nv).tolist(),
        }
        for _ in range(2)
    ]
    joints = [
        {"kind": "bilateral", "W": rng.normal(size=nv).tolist(), "bias": float(rng.normal())} for _ in range(held)
    ]
    return {
        "M": (root @ root.T / nv + 0.3 * np.eye(nv)).tolist(),
        "h": (3 * rng.normal(size=nv)).tolist(),
        "contacts": contacts,
        "joints": joints,
    }


@pytest.mark.parametrize("dependent", [False, True])
def test_bilateral_rows_equal_elimination(dependent):
    """v' = v0 + N w with E v0 = -bias, E N = 0: the same problem in w, without joint rows."""
    for seed in range(20):
        rng = np.random.default_rng([seed, dependent])
        problem = random_case(rng, 2)
        E, b = np.array([j["W"] for j in problem["joints"]]), np.array([j["bias"] for j in problem["joints"]])
        if dependent:
            problem["joints"].append(
                {"kind": "bilateral", "W": (E[0] - 2 * E[1]).tolist(), "bias": float(b[0] - 2 * b[1])}
            )
        v0, N = np.linalg.lstsq(E, -b, rcond=None)[0], np.linalg.svd(E)[2][2:].T
        M, h = np.array(problem["M"]), np.array(problem["h"])
        contacts = []
        for c in problem["contacts"]:
            rows = np.array([c["W_N"], c["W_T"]])
            contacts.append(
                c
                | {
                    "W_N": (rows[0] @ N).tolist(),
                    "W_T": (rows[1] @ N).tolist(),
                    "bias": (rows @ v0 + c["bias"]).tolist(),
                }
            )
        reduced = N.T @ M @ N
        want = solve(
            {"M": (0.5 * (reduced + reduced.T)).tolist(), "h": (N.T @ (h - M @ v0)).tolist(), "contacts": contacts}
        )
        have = solve(problem)
        assert have.verdict == want.verdict and len(have.solutions) == len(want.solutions)
        for x, y in zip(
            sorted(have.solutions, key=lambda s: tuple(s.modes)),
            sorted(want.solutions, key=lambda s: tuple(s.modes)),
            strict=True,
        ):
            assert np.allclose(x.f, y.f, rtol=1e-9, atol=1e-9) and np.allclose(
                x.vdot, v0 + N @ y.vdot, rtol=1e-9, atol=1e-9
            )
            impulse = np.array([j["W"] for j in problem["joints"]]).T @ x.joint_f
            rows = np.array([c[key] for c in problem["contacts"] for key in ("W_N", "W_T")])
            assert np.allclose(M @ x.vdot - h - rows.T @ x.f.ravel(), impulse, atol=1e-9)


def test_contradicting_bilateral_rows_are_named():
    problem = random_case(np.random.default_rng(0), 2)
    problem["joints"].append(dict(problem["joints"][0], bias=problem["joints"][0]["bias"] + 1e-3, name="loop"))
    answer = solve(problem)
    assert (answer.verdict.value, answer.complete) == ("inconsistent", True)
    assert answer.certificate["kind"] == "contradicting_constraints"
    tiny = dict(problem, h=[1e-12 * x for x in problem["h"]])
    tiny["joints"] = [dict(j, bias=1e-12 * j["bias"]) for j in problem["joints"]]
    tiny["contacts"] = [dict(c, bias=[1e-12 * x for x in c["bias"]]) for c in problem["contacts"]]
    assert solve(tiny).verdict.value == "inconsistent"  # whatever the units


@pytest.mark.parametrize("push", [1.0, -1.0])
def test_a_limit_held_still_by_bilateral_rows(push):
    """Every motion is held; the limit's row is round-off after elimination: its force is free, or it is violated by its bias."""
    rng = np.random.default_rng(5)
    for _ in range(10):
        root = rng.normal(size=(2, 2))
        joints = [{"kind": "bilateral", "W": rng.normal(size=2).tolist()} for _ in range(2)] + [
            {"kind": "limit", "W": rng.normal(size=2).tolist()}
        ]
        problem = {"M": (root @ root.T + np.eye(2)).tolist(), "h": rng.normal(size=2).tolist(), "joints": joints}
        assert solve(problem).verdict.value == "force_indeterminate"
        joints[2]["bias"] = push
        assert solve(problem).verdict.value == ("determinate" if push > 0 else "inconsistent")


@pytest.mark.parametrize(
    ("load", "force", "a"), [(0.5, -0.5, 0.0), (-0.5, 0.5, 0.0), (3.0, -1.0, 1.0), (-3.0, 1.0, -1.0)]
)
def test_dry_friction_at_rest(load, force, a):
    s = solve({"M": [[2.0]], "h": [load], "joints": [{"kind": "dry_friction", "W": [1.0], "bound": 1.0}]}).solutions[0]
    assert np.allclose([s.joint_f[0], s.joint_a[0]], [force, a], atol=1e-14)


@pytest.mark.parametrize("rate", [2.0, -2.0])
def test_dry_friction_moving_opposes_the_rate(rate):
    s = solve(
        {"M": [[2.0]], "h": [0.5], "joints": [{"kind": "dry_friction", "W": [1.0], "bound": 1.0, "rate": rate}]}
    ).solutions[0]
    assert np.allclose([s.joint_f[0], s.vdot[0]], [-np.sign(rate), (0.5 - np.sign(rate)) / 2.0], atol=1e-14)


@pytest.mark.parametrize(("load", "force", "a"), [(-3.0, 3.0, 0.0), (3.0, 0.0, 1.5)])
def test_limit(load, force, a):
    s = solve({"M": [[2.0]], "h": [load], "joints": [{"kind": "limit", "W": [1.0]}]}).solutions[0]
    assert np.allclose([s.joint_f[0], s.joint_a[0]], [force, a], atol=1e-14)


def test_margins_end_where_the_modes_change():
    """Along each direction of force the modes hold just before `reach` and change just after it (exact without spatial slides)."""
    tried = 0
    for seed in range(40):
        problem = random_case(np.random.default_rng([9, seed]), 0)
        answer = solve(problem)
        if answer.verdict.value != "determinate":
            continue
        stage = lay_out(read_problem(problem), "cone")
        forces = stage.work.answers[0, : stage.free_rows].copy()
        directions = np.eye(6)[:2]
        found = margins(stage, forces, stage.B @ forces + stage.c, directions)
        assert found is not None and found.exact
        for d, reach in zip(directions, found.reach, strict=True):
            for end in reach[np.isfinite(reach)]:
                before, after = (
                    solve(problem | {"h": (np.array(problem["h"]) + end * k * d).tolist()}) for k in (0.999, 1.001)
                )
                assert any(s.modes == answer.solutions[0].modes for s in before.solutions)
                assert all(s.modes != answer.solutions[0].modes for s in after.solutions)
                tried += 1
    assert tried > 40


def test_velocities_by_hand():
    """v1 + v2 = 3 with v1 = 1; then a dependent and a contradicting row."""
    rows = np.array([[1.0, 1.0, 0.0], [2.0, 2.0, 0.0]])
    motion = solve_velocities(
        rows, np.array([3.0, 6.0]), ["a", "b"], np.array([1.0, 0, 0]), np.array([True, False, False])
    )
    assert np.allclose(motion.v, [1, 2, 0]) and motion.consistent and not motion.unique
    assert motion.dependent_rows == ("b",) and motion.contradicting_rows == ()
    assert np.allclose(np.abs(motion.free), [[0, 0, 1]])
    wrong = solve_velocities(rows, np.array([3.0, 7.0]), ["a", "b"])
    assert not wrong.consistent and wrong.contradicting_rows == ("b",)
    exact = solve_velocities(np.eye(3), np.array([1.0, 2.0, 3.0]), ["x", "y", "z"])
    assert exact.unique and np.allclose(exact.v, [1, 2, 3])


def test_definitions_by_hand():
    """A planar particle between two fingers along x: rolling contacts fix it; with one finger free of joints it cannot be commanded."""
    fingers = [
        {
            "label": "rolling",
            "mu": 0.5,
            "bias": [0, 0],
            "slip": [0],
            "W_N": [1, 0, -1, 0, 0, 0],
            "W_T": [0, 1, 0, -1, 0, 0],
        },
        {
            "label": "rolling",
            "mu": 0.5,
            "bias": [0, 0],
            "slip": [0],
            "W_N": [-1, 0, 0, 0, 1, 0],
            "W_T": [0, -1, 0, 0, 0, 1],
        },
    ]
    problem = {"M": np.eye(6).tolist(), "h": [0.0] * 6, "contacts": fingers}
    both = definitions(read_problem(problem), np.array([0, 1]), None)
    assert (both.constraints, both.joints, both.object_dofs, both.rank_J, both.rank_G) == (4, 4, 2, 4, 2)
    assert both.kinematically_manipulable and both.kinematically_determinate and both.dynamically_manipulable
    assert both.dynamically_determinate is None
    fingers[1]["W_N"], fingers[1]["W_T"] = [-1, 0, 0, 0, 0, 0], [0, -1, 0, 0, 0, 0]  # against a wall
    wall = definitions(read_problem(problem), np.array([0, 1]), None)
    assert (
        wall.rank_J == 2
        and not wall.kinematically_manipulable
        and not wall.dynamically_manipulable
        and wall.kinematically_determinate
    )
