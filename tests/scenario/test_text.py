import pytest

from knuckle.errors import InputError
from knuckle.scenario.text import parse, parse_value, read_text


def test_yaml_1_2_scalars():
    text = "a: 1e-3\nb: no\nc: 010\nd: 0x10\ne: ~\nf: true\ng: 2024-01-01\nh: '3'\ni: +.5\n"
    assert parse(text).data == {
        "a": 1e-3, "b": "no", "c": 10, "d": 16, "e": None, "f": True, "g": "2024-01-01", "h": "3", "i": 0.5,
    }  # fmt: skip


def test_every_key_and_value_has_its_place():
    document = parse("knuckle: 1\ncontacts:\n  - {object: disk, mu: 0.5}\n")
    assert document.values[("contacts", 0, "mu")] == (3, 24)
    assert document.keys[("contacts", 0, "mu")] == (3, 20)
    assert document.place(("contacts", 0, "label")) == (3, 5)  # not there: its parent's place
    assert document.place(("nothing",)) == (1, 1)


def test_a_key_given_twice_is_a_fault():
    (fault,) = parse("mu: 1\nmu: 2\n", "a.yaml").faults
    assert str(fault) == "a.yaml:2:1: mu: is given twice; keep one (the first is on line 1)"


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("a: [1, 2\nb: 3\n", 2, 2),
        ("a: b: c\n", 1, 5),
        ("\ta: 1\n", 1, 1),
        ("a: *missing\n", 1, 4),
        ("a: 1\n---\nb: 2\n", 2, 1),
    ],
)
def test_syntax_errors_name_their_place(text, line, column):
    with pytest.raises(InputError) as caught:
        parse(text, "a.yaml")
    (fault,) = caught.value.faults
    assert (fault.file, fault.line, fault.column) == ("a.yaml", line, column)
    assert fault.message.startswith("not readable as YAML: ")


def test_tags_mean_nothing():
    document = parse("a: !!python/object/apply:os.system ['true']\nb: !mine 3\n", "a.yaml")
    assert [fault.key for fault in document.faults] == ["b"]
    assert document.data["b"] is None


def test_aliases_are_read_and_cannot_unfold_without_end():
    assert parse("a: &x {mu: 1}\nb: *x\n").data["b"] == {"mu": 1}
    assert "refers to itself" in parse("a: &x [*x]\n").faults[0].message
    bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
    bomb += "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9))
    assert parse(bomb).faults


def test_deep_nesting_is_refused():
    with pytest.raises(InputError, match="nested too deeply"):
        parse("[" * 5000 + "]" * 5000)


def test_bytes_that_are_not_utf8():
    with pytest.raises(InputError) as caught:
        read_text(b"knuckle: 1\nname: \xff\n", "a.yaml")
    assert str(caught.value) == "a.yaml:2: the file is not UTF-8 text (got byte 0xff); save it as UTF-8"


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.3", 0.3), ("[1, 2]", [1, 2]), ("{a: 1}", {"a": 1}), ("no", "no"), ("", None), ("1e-3", 1e-3)],
)
def test_single_values(text, value):
    assert parse_value(text) == value
