"""72 contact problems with known answers (tests/data/spatial/problems): verdicts, every answer, transitions, P-matrix."""
import json
from pathlib import Path

import numpy as np
import pytest

from knuckle.instant.solve import solve

FOLDER = Path(__file__).parents[1] / "data" / "spatial" / "problems"
NAMES = [path.stem for path in sorted(FOLDER.glob("*.json"))]
TOLERANCE = 1e-9


def error(have, want):
    """Relative error of a vector (CONTRACT 7)."""
    have, want = np.ravel(np.array(have, float)), np.ravel(np.array(want, float))
    return np.abs(have - want).max(initial=0.0) / (1.0 + np.abs(want).max(initial=0.0))


def matches(solution, want):
    return all(error(getattr(solution, key), want[key]) <= TOLERANCE for key in ("f", "a") if key in want)


def test_there_are_72_problems():
    assert len(NAMES) == 72


@pytest.mark.parametrize("law", ["cone", "pyramid"])
@pytest.mark.parametrize("name", NAMES)
def test_problem(name, law):
    problem = json.loads((FOLDER / f"{name}.json").read_text())
    expected = problem["expected"]
    answer = solve(problem, law)
    assert answer.certificate is None or "kind" in answer.certificate
    assert all(solution.residual <= 1e-9 for solution in answer.solutions)
    verdict = expected["verdict"].get(law)
    if verdict is not None:
        assert answer.verdict.value == verdict, answer
        assert answer.complete
    stated = expected.get("solutions_pyramid") if law == "pyramid" and "solutions_pyramid" in expected else expected.get("solutions")
    if verdict is not None and stated is not None:
        assert len(answer.solutions) == len(stated)
        for want in stated:
            found = [solution for solution in answer.solutions if matches(solution, want)]
            assert found, (want, answer.solutions)
            assert list(found[0].transitions) == want.get("transitions", list(found[0].transitions))
    both = name == "four_fingers_equator"
    for want in expected.get("contains" if law == "cone" or both else "contains_pyramid", []):
        assert any(error(s.a, want["a"]) <= TOLERANCE for s in answer.solutions) if "a" in want else True
        assert any(matches(s, want) for s in answer.solutions) or answer.verdict.value in ("force_indeterminate", "indeterminate"), answer
    if verdict is not None:
        for key in ("a", "transitions"):
            if key in expected:
                have = getattr(answer.solutions[0], key)
                assert list(have) == expected[key] if key == "transitions" else error(have, expected[key]) <= TOLERANCE
        if "vdot" in expected:
            assert error(answer.solutions[0].vdot, expected["vdot"][0]) <= TOLERANCE
    if "p_matrix" in expected.get("scalars", {}) and answer.p_matrix is not None:
        assert answer.p_matrix.holds == expected["scalars"]["p_matrix"]
