import pickle

import pytest

from knuckle.errors import (
    MAX_FAULTS,
    Fault,
    GeometryError,
    InputError,
    KnuckleError,
    StoreError,
    UnsupportedError,
    shown,
)


def test_a_fault_is_one_line_in_the_order_of_the_contract():
    fault = Fault("must not be less than 0", "contacts.0.mu", -0.1, "give a friction coefficient", "a.yaml", 3, 14)
    assert str(fault) == "a.yaml:3:14: contacts.0.mu: must not be less than 0 (got -0.1); give a friction coefficient"


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        (Fault("no such scenario"), "no such scenario"),
        (Fault("no such file", file="a.yaml"), "a.yaml: no such file"),
        (Fault("two\nlines", got="x\ny"), "two lines (got x y)"),
        (Fault("must not be empty", key="name", got=""), "name: must not be empty (got '')"),
        (Fault("zero is a value", got=0), "zero is a value (got 0)"),
    ],
)
def test_unknown_parts_are_left_out(fault, line):
    assert str(fault) == line


def test_a_place_is_added_only_where_there_is_none():
    placed = InputError([Fault("a", line=2), Fault("b", file="b.yaml")]).at("a.yaml", 7, 1)
    assert str(placed) == "a.yaml:2:1: a\nb.yaml:7:1: b"


def test_at_most_twenty_lines():
    lines = InputError([Fault(f"fault {number}") for number in range(25)]).lines()
    assert len(lines) == MAX_FAULTS == 20
    assert lines[-1] == "fault 19 (and 5 more faults)"


def test_long_values_are_shortened():
    assert len(shown(list(range(1000)))) == 60


def test_errors_survive_a_process_border():
    error = pickle.loads(pickle.dumps(UnsupportedError("height fields", key="model", got="hfield")))
    assert isinstance(error, InputError)
    assert str(error) == "model: height fields (got hfield)"


def test_exit_codes():
    assert [kind.exit_code for kind in (KnuckleError, InputError, UnsupportedError, GeometryError, StoreError)] == [
        2,
        2,
        2,
        2,
        6,
    ]
