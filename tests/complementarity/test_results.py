"""Results as documents, and what may stand for an array of numbers."""

import json
import warnings

import numpy as np
import pytest

from knuckle.complementarity.cone import solve_cone
from knuckle.complementarity.lcp import enumerate_lcp, solve_lcp
from knuckle.complementarity.p_matrix import p_matrix
from knuckle.errors import InputError

Q = np.array([-1.0, 0.1, 0.2])
RESULTS = {
    "lcp": lambda: solve_lcp([[2.0]], [-1.0]),
    "no lcp": lambda: solve_lcp([[-1.0]], [-1.0]),
    "all of a continuum": lambda: enumerate_lcp(np.zeros((2, 2)), [0.0, 0.0]),
    "P": lambda: p_matrix([[1.0]]),
    "not P, without bound": lambda: p_matrix([[0.0]]),
    "cone": lambda: solve_cone(np.eye(3), Q, [0.5]),
    "faults": lambda: solve_cone(np.eye(3), Q, [-0.5]),
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_is_a_document_and_a_table(name):
    result = RESULTS[name]()
    document = result.to_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert list(document) == list(vars(result))
    assert result._repr_html_().startswith("<table>")


def test_what_has_no_bound_is_none():
    assert p_matrix([[0.0]]).margin == -np.inf and p_matrix([[0.0]]).to_dict()["margin"] is None


LOOP = []
LOOP.append(LOOP)
NO_NUMBERS = {
    "bool": [[True]],
    "text": [["1"]],
    "complex": [[1j]],
    "complex array": np.array([[1j]]),
    "masked": np.ma.masked_array([[1.0]], [[True]]),
    "a list in itself": LOOP,
    "huge integer": [[10**5000]],
    "nothing": None,
}


@pytest.mark.parametrize("name", NO_NUMBERS)
def test_nothing_is_turned_into_a_number_in_silence(name):
    A = NO_NUMBERS[name]
    for call in (lambda: solve_lcp(A, [1.0]), lambda: enumerate_lcp(A, [1.0]), lambda: p_matrix(A)):
        with pytest.raises(InputError, match="A: must be an array of real numbers"):
            call()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = solve_cone(A, Q, [0.5])
    assert result.outcome == "invalid_input" and result.errors[0].startswith("W: ")


@pytest.mark.parametrize("setting", [{"tol": "a"}, {"tol": None}, {"budget_s": "x"}, {"tol": [1e-10, 1e-10]}])
def test_settings_of_the_cone_solver_are_numbers(setting):
    assert solve_cone(np.eye(3), Q, [0.5], **setting).outcome == "invalid_input"


@pytest.mark.parametrize(("A", "holds"), [
    ([[1.0, 1e200], [-1e200, 1.0]], True),          # the minor is 1 + 1e400
    ([[1.0, 1e200], [1e200, 1.0]], False),
    ([[1e300, 1e300, 0.0], [-1e300, 1e-300, 1e250], [1.0, 1.0, 1.0]], False),       # rows 2, 3: 1e-300 - 1e250
])  # fmt: skip
def test_minors_beyond_all_numbers_are_judged_all_the_same(A, holds):
    found = p_matrix(A)
    assert found.holds is holds and (found.margin > 0.0) is holds and bool(found.witness) is not holds
    assert found.witness != [0]


def test_answers_beyond_all_numbers_are_not_denied():
    """z = 2e323 solves it, but no double holds it."""
    for A, b in (([[5e-324]], [-1.0]), ([[1.0, 0.0], [0.0, 5e-324]], [-1.0, -1.0])):
        assert solve_lcp(A, b).outcome == "undecided"
        found = enumerate_lcp(A, b)
        assert not found.complete and found.errors
