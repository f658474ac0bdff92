import pickle

import pytest

from knuckle.errors import (
    MAX_FAULTS,
    Fault,
    Gathering,
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


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("1", "'1'"),
        (1, "1"),
        ("1e-3", "'1e-3'"),
        ("true", "'true'"),
        (".nan", "'.nan'"),
        ("tau1", "tau1"),
        ("1,2", "1,2"),
        ("a\x1b[31m\nb\u2028c\ud800", "a\\x1b[31m b c\\ud800"),
        ([10**5000], "a very long list"),
    ],
    ids=range(9),
)
def test_values_are_quoted_on_one_line_that_steers_no_terminal(value, text):
    assert shown(value) == text
    assert str(Fault("is wrong", got=value)) == f"is wrong (got {text})"


def test_lists_without_end_are_quoted():
    loop, deep = [], []
    loop.append(loop)
    for _ in range(5000):
        deep = [deep]
    assert shown(loop) == "[[...]]" and shown(deep) == "a very long list"


def test_keys_and_files_stay_on_the_line_too():
    line = str(Fault("is not a key here", key="a\n\x1b" + "k" * 500, file="b\n.yaml", line=1))
    assert line.startswith("b .yaml:1: a \\x1bkkk") and line.endswith("kkk...: is not a key here") and len(line) < 160


def test_steps_go_on_after_faults():
    gathering = Gathering()
    for number in range(3):
        with gathering:
            raise UnsupportedError(f"fault {number}")
    with pytest.raises(UnsupportedError, match="fault 0\nfault 1\nfault 2"):
        gathering.done()
    with gathering:
        raise InputError("another")
    with pytest.raises(InputError) as caught:
        gathering.done()
    assert type(caught.value) is InputError and len(caught.value.faults) == 4
    with pytest.raises(ZeroDivisionError), gathering:
        raise ZeroDivisionError
    Gathering().done()


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
