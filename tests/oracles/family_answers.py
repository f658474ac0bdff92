"""Answers of knuckle.solve against the cases of closed_forms: verdict, every answer, transitions, P-matrix, ranges of forces."""

import numpy as np

from knuckle.instant.solve import solve

TOLERANCE = 1e-9


def error(have, want):
    """Relative error of a vector (CONTRACT 7)."""
    have, want = np.ravel(np.array(have, float)), np.ravel(np.array(want, float))
    return np.abs(have - want).max(initial=0.0) / (1.0 + np.abs(want).max(initial=0.0))


def matching(answer, want):
    return [
        s
        for s in answer.solutions
        if all(error(getattr(s, key), want[key]) <= TOLERANCE for key in ("f", "a") if key in want)
    ]


def check(case, law):
    answer, verdict = solve(case.problem, law), case.verdict.get(law)
    label = (case.name, law, answer)
    assert answer.complete, label
    assert all(s.residual <= TOLERANCE for s in answer.solutions), label
    if verdict is not None:
        assert (answer.verdict.value, answer.continuum) == (verdict, case.continuum), label
        if law in case.solutions:
            assert len(answer.solutions) == len(case.solutions[law]), label
    for want in (case.solutions.get(law, []) if verdict else []) + case.contains.get(law, []):
        found = matching(answer, want)
        assert found, (label, want)
        assert list(found[0].transitions) == want.get("transitions", list(found[0].transitions)), label
    if verdict is not None and case.a is not None:
        assert all(
            error(s.a, case.a) <= TOLERANCE and list(s.transitions) == case.transitions for s in answer.solutions
        ), label
    if verdict not in (None, "indeterminate") and case.vdot is not None:
        assert all(error(s.vdot, case.vdot) <= TOLERANCE for s in answer.solutions), label
    if law == "pyramid" and case.p_matrix is not None:
        assert answer.p_matrix.holds == case.p_matrix, label
    if answer.verdict.value == "force_indeterminate":
        spread_is_honest(answer)


def spread_is_honest(answer):
    """Every listed answer lies in the ranges, every finite end is reached by one of them, and at least two differ."""
    forces = np.array([s.f for s in answer.solutions])
    low, high = answer.force_range[..., 0], answer.force_range[..., 1]
    size = 1e-7 * (1.0 + np.abs(forces).max())
    assert len(forces) >= 2
    assert (forces >= low - size).all() and (forces <= high + size).all()
    assert (np.isinf(low) | (np.abs(forces.min(axis=0) - low) <= size)).all()
    assert (np.isinf(high) | (np.abs(forces.max(axis=0) - high) <= size)).all()
