import json

import pytest

from knuckle.errors import Fault, InputError
from knuckle.scenario.json_text import bracketed, read

TEXT = """{"M": [[1, 2],
\t[3, {"a": 1, "a": 2}]], "empty": {}, "none": [], "h": "x\\"y,{",
 "k": 3, "k": [null, true], "\\ud83d\\ude00": -1.5e3}"""


def walk(data, path=()):
    yield path, data
    if isinstance(data, (dict, list)):
        for key, inner in data.items() if isinstance(data, dict) else enumerate(data):
            yield from walk(inner, (*path, key))


def test_every_value_is_found_where_it_stands():
    found = read(TEXT, "a.json")
    document, lines = found.document(), TEXT.split("\n")
    for path, value in walk(found.data):
        line, column = document.values[path]
        rest = "\n".join([lines[line - 1][column - 1:], *lines[line:]])
        there, _ = json.JSONDecoder().raw_decode(rest)
        assert there == value or path in {("k",), ("M", 1, 1, "a")}     # the first of two
    assert document.keys["M", 1, 1, "a"] == (2, 7)


def test_every_key_that_is_given_twice_is_a_fault():
    found = read(TEXT, "a.json")
    assert found.has_repeats and [str(fault) for fault in found.document().faults] == [
        "a.json:2:15: M[1][1].a: is given twice; keep one (the first is on line 2)",
        "a.json:3:10: k: is given twice; keep one (the first is on line 3)",
    ]


def test_faults_are_placed_in_the_order_of_the_file():
    text = '{"contacts": [\n {"mu": 1},\n {"mu": -1, "nu": 2}], "h": []}'
    faults = [Fault("x", "h"), Fault("x", "contacts[1].mu"), Fault("is not a key", "contacts[1].nu"), Fault("is missing", "M"), Fault("x")]
    placed = read(text, "a.json").placed(faults)
    assert [(fault.key, fault.line, fault.column) for fault in placed] == [
        ("M", 1, 1), (None, 1, 1), ("contacts[1].mu", 3, 9), ("contacts[1].nu", 3, 13), ("h", 3, 29)]  # fmt: skip


@pytest.mark.parametrize("text", ["", "[1,", "{'a': 1}", "nul", "[1] 2", "[" * 200_000])
def test_what_is_no_json(text):
    with pytest.raises(InputError, match="a.json"):
        read(text, "a.json")


def test_numbers_of_thousands_of_digits_have_no_end():
    assert read("[%s, -%s]" % ("9" * 5000, "9" * 5000), "a.json").data == [float("inf"), float("-inf")]


def test_paths_as_problem_files_write_them():
    assert bracketed(("contacts", 0, "W_N", 1)) == "contacts[0].W_N[1]" and bracketed(()) == ""
