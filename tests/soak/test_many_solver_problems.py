"""60,000 complementarity and friction problems of all families: nothing that is called solved, or without an answer, is not so; few are given up.

Judges and families are NumPy alone (tests/oracles); the published problems come from the folder `shared` beside this working copy."""

import time

import pytest

from knuckle.complementarity.cone import solve_cone
from knuckle.complementarity.lcp import solve_lcp
from oracles import judges, siconos_cone, siconos_lcp
from oracles import solver_families as families

LCPS, CONES = 5_000, 3_750
# In 1,000 solvable problems at most so many may end without an answer.
GIVEN_UP = {"span 1e12": 1, "stacks 1e4": 5, "stacks 1e6": 10} | dict.fromkeys(set(families.CONES) - {"stacks 1e4", "stacks 1e6"}, 1)
LIMIT = 60.0
pytestmark = pytest.mark.soak


def counted(verdict, index, count):
    count.members += 1
    count.undecided += verdict == "failed"
    if verdict == "false":
        count.wrong.append(index)
    return [index] if verdict == "failed" else []


@pytest.mark.parametrize("family", families.LCPS)
def test_lcps(family, share, count):
    failed = []
    for index in range(share(LCPS)):
        problem = families.lcp(family, index)
        failed += counted(judges.judged_lcp(problem, solve_lcp(problem.A, problem.b)), index, count)
    assert not count.wrong, count.wrong
    assert len(failed) <= GIVEN_UP.get(family, 0) * count.members / 1000, failed


@pytest.mark.parametrize("family", families.CONES)
def test_cones(family, share, count):
    failed = []
    for index in range(share(CONES)):
        problem = families.cone(family, index)
        failed += counted(judges.judged_cone(problem, solve_cone(problem.W, problem.q, problem.mu)), index, count)
    assert not count.wrong, count.wrong
    assert len(failed) <= GIVEN_UP[family] * count.members / 1000, failed


def test_problems_without_an_answer(share, count):
    """Nobody finds one, and what is called none is proved; the proof may be missing."""
    for index in range(share(LCPS)):
        problem = families.lcp("unsolvable", index)
        result = solve_lcp(problem.A, problem.b)
        verdict = judges.judged_lcp(problem, result)
        counted("failed" if result.outcome != "none" else "false" if verdict == "false" else "solved", index, count)
    for index in range(share(CONES)):
        problem = families.cone("squeezed", index)
        result = solve_cone(problem.W, problem.q, problem.mu)
        verdict = judges.judged_cone(problem, result)
        wrong = verdict == "false" or result.outcome == "solved"
        counted("false" if wrong else "solved" if result.outcome == "none" else "failed", ("squeezed", index), count)
    assert not count.wrong, count.wrong


def published(kind):
    if not siconos_cone.FOLDER.is_dir():
        pytest.skip("no ../shared/data/external/siconos beside this working copy")
    found = {
        "lcp": sorted(siconos_lcp.FOLDER.glob("*.dat")), "local": siconos_cone.local_texts(), "global": siconos_cone.global_texts(),
        "local hdf5": [siconos_cone.FOLDER / "hdf5" / f"{name}.hdf5" for name in siconos_cone.LOCAL_HDF5],
        "global hdf5": [siconos_cone.FOLDER / "hdf5" / f"{name}.hdf5" for name in siconos_cone.GLOBAL_HDF5]}  # fmt: skip
    return found[kind]


def test_published_lcps(count):
    """20 verdicts: one problem has no answer."""
    files = published("lcp")
    assert len(files) == 20
    for file in files:
        A, b = siconos_lcp.read(file)
        result = solve_lcp(A, b)
        none = file.stem == "lcp_Pang_isolated_sol_perturbed"
        verdict = judges.judged_lcp(families.plain(A, b), result)
        right = verdict == "solved" if not none else result.outcome == "none" and verdict == "failed"
        counted("solved" if right else "false", file.stem, count)
    assert not count.wrong, count.wrong


@pytest.mark.parametrize(("kind", "files"), [("local", 35), ("local hdf5", 3), ("global", 7), ("global hdf5", 4)])
def test_published_friction_in_space(kind, files, count):
    """The 38 local ones, and those with masses and Jacobians apart: solved at 1e-8 or left undecided, each within a minute of CPU time."""
    if "hdf5" in kind:
        pytest.importorskip("h5py")
    paths, late = published(kind), []
    assert len(paths) == files
    for file in paths:
        W, q, mu = siconos_cone.read(file)
        start = time.process_time()                # other tests may run beside this one
        result = solve_cone(W, q, mu, tol=judges.LCP_TOLERANCE)
        late += [file.name] if time.process_time() - start > LIMIT else []
        counted(judges.judged_cone(families.Cone(W, q, mu), result, judges.LCP_TOLERANCE), file.name, count)
    assert not count.wrong, count.wrong
    assert not late, late
