"""Wrong input: invalid_input with one line per fault, never an exception, never a warning, never a changed input (CONTRACT 2, 3)."""

import copy
import json
import warnings

import numpy as np
import pytest

from knuckle.instant.solve import solve

NAN, INF = float("nan"), float("inf")
GOOD = {
    "M": [[1.5, 0, 0], [0, 1.5, 0], [0, 0, 1.5]],
    "h": [0, 0, -14.7],
    "contacts": [
        {
            "mu": 0.5,
            "W_N": [0, 0, 1.0],
            "W_T": [1.0, 0, 0],
            "W_U": [0, 1.0, 0],
            "bias": [0, 0, 0.0],
            "label": "rolling",
            "slip": [0, 0],
        }
    ],
    "joints": [{"kind": "dry_friction", "W": [1, 0, 0], "bias": 0.0, "bound": 0.1, "rate": 0.0}],
}
DELETE = object()
VALUES = [
    None,
    NAN,
    INF,
    -INF,
    "x",
    "1.0",
    True,
    [],
    {},
    [[]],
    [[[1]]],
    [1, 2],
    [1, "a", 2],
    [1, True, 2],
    [1, None, 3],
    10**400,
    1j,
    b"ab",
    object(),
    np.array([1, 2, 3]),
    np.eye(3),
    {1: 2},
    [1, [2], 3],
    set(),
    -1,
    -1e-300,
    0,
    3,
    1e308,
    [1e308] * 3,
    [NAN] * 3,
    [10**400, 0, 0],
    [INF, 0, 0],
    DELETE,
    len,
    np.array(["a"]),
    np.float32(1),
    range(3),
    (0, 0, 1),
    np.array([1 + 1j] * 3),
]
PATHS = [
    ("M",),
    ("h",),
    ("contacts",),
    ("joints",),
    ("name",),
    ("M", 0),
    ("M", 0, 0),
    ("h", 1),
    ("mystery",),
    ("contacts", 0),
    ("joints", 0),
    *(("contacts", 0, key) for key in ("mu", "label", "W_N", "W_T", "W_U", "bias", "slip", "name", "mue")),
    ("contacts", 0, "slip", 0),
    ("contacts", 0, "W_N", 2),
    *(("joints", 0, key) for key in ("kind", "W", "bias", "bound", "rate", "name", "bond")),
]


def edited(path, value):
    document = copy.deepcopy(GOOD)
    place = document
    for key in path[:-1]:
        place = place[key]
    if value is DELETE:
        if path[-1] in ("mystery", "mue", "name", "bond"):
            return None
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return document


def checked(document, law):
    before = repr(document)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answer = solve(document, law)
    assert repr(document) == before
    json.dumps(answer.to_dict(), allow_nan=False)
    assert bool(answer.errors) == (answer.verdict.value == "invalid_input")
    assert all("\n" not in error and len(error) < 300 for error in answer.errors) and len(answer.errors) <= 20
    return answer


@pytest.mark.parametrize("law", ["cone", "pyramid"])
@pytest.mark.parametrize("path", PATHS, ids=lambda path: ".".join(map(str, path)))
def test_any_value_anywhere(path, law):
    for value in VALUES:
        document = edited(path, value)
        if document is not None:
            checked(document, law)


@pytest.mark.parametrize(
    "root",
    [
        None,
        3,
        "text",
        [],
        [1],
        (),
        NAN,
        True,
        {},
        {"M": [[1.0]]},
        {"h": [1.0]},
        {"M": [], "h": []},
        {"M": [[]], "h": []},
    ],
)
def test_not_a_problem(root):
    assert checked(root, "cone").verdict.value == "invalid_input"


@pytest.mark.parametrize("law", ["Cone", "", None, 3, [], {}])
def test_unknown_law(law):
    assert solve(GOOD, law).verdict.value == "invalid_input"


WRONG = {
    "nan in M": (("M", 0, 0), NAN, "M[0][0]"),
    "infinite force": (("h", 1), INF, "h[1]"),
    "no mass": (("M", 2, 2), 0.0, "M"),
    "negative mass": (("M", 1, 1), -1.5, "M"),
    "unsymmetric": (("M", 0, 1), 0.2, "M"),
    "indefinite": (("M",), [[1, 2, 0], [2, 1, 0], [0, 0, 1]], "M"),
    "not square": (("M",), [[1, 0, 0]], "M"),
    "mu": (("contacts", 0, "mu"), -0.1, "contacts[0].mu"),
    "mu nan": (("contacts", 0, "mu"), NAN, "contacts[0].mu"),
    "short row": (("contacts", 0, "W_T"), [1.0, 0], "contacts[0].W_T"),
    "zero normal": (("contacts", 0, "W_N"), [0, 0, 0], "contacts[0].W_N"),
    "rolling with slip": (("contacts", 0, "slip"), [0.1, 0], "contacts[0].slip"),
    "sliding at rest": (("contacts", 0, "label"), "sliding", "contacts[0].slip"),
    "label": (("contacts", 0, "label"), "roling", "contacts[0].label"),
    "misspelt": (("contacts", 0, "W_n"), [0, 0, 1], "contacts[0].W_n"),
    "misspelt root": (("contact",), [], "contact"),
    "long bias": (("contacts", 0, "bias"), [0.0] * 4, "contacts[0].bias"),
    "no mu": (("contacts", 0, "mu"), DELETE, "contacts[0].mu"),
    "no normal": (("contacts", 0, "W_N"), DELETE, "contacts[0].W_N"),
    "no label": (("contacts", 0, "label"), DELETE, "contacts[0].label"),
    "no M": (("M",), DELETE, "M"),
    "no h": (("h",), DELETE, "h"),
    "joint kind": (("joints", 0, "kind"), "friction", "joints[0].kind"),
    "no bound": (("joints", 0, "bound"), DELETE, "joints[0].bound"),
    "negative bound": (("joints", 0, "bound"), -1.0, "joints[0].bound"),
    "zero joint row": (("joints", 0, "W"), [0, 0, 0], "joints[0].W"),
    "joint row length": (("joints", 0, "W"), [1, 0], "joints[0].W"),
    "number as text": (("h", 0), "1", "h[0]"),
    "bool": (("contacts", 0, "mu"), True, "contacts[0].mu"),
}


@pytest.mark.parametrize("name", WRONG)
def test_the_fault_is_named(name):
    path, value, key = WRONG[name]
    answer = checked(edited(path, value), "cone")
    assert answer.verdict.value == "invalid_input"
    assert answer.complete and not answer.solutions
    assert any(error.startswith(key + ":") for error in answer.errors), answer.errors


def test_every_fault_at_once():
    document = edited(("contacts", 0, "mu"), -1.0)
    document["h"][0], document["joints"][0]["bound"], document["mystery"] = NAN, -2.0, 1
    answer = checked(document, "cone")
    assert {error.split(":")[0] for error in answer.errors} == {"h[0]", "contacts[0].mu", "joints[0].bound", "mystery"}


def test_at_most_twenty_faults():
    document = copy.deepcopy(GOOD)
    document["contacts"] = [dict(GOOD["contacts"][0], mu=-1.0) for _ in range(30)]
    errors = checked(document, "cone").errors
    assert len(errors) == 20 and errors[-1].endswith("(and 10 more faults)")


LOOP: list = []
LOOP.append(LOOP)
DEEP: list = []
for _ in range(900):
    DEEP = [DEEP]
LINES = [
    (("M",), 3, "M: must be a table of numbers, a list for each row (got 3); give the nv x nv mass matrix"),
    (("M",), DELETE, "M: is missing; give the nv x nv mass matrix"),
    (("M",), LOOP, "M[0][0]: must be a number (got [[...]])"),
    (("M",), DEEP, "M[0][0]: must be a number (got [[[[["),
    (("M", 1), [1], "M: must have rows of one length (got "),
    (("M", 2, 1), "1", "M[2][1]: must be a number, not text (got '1')"),
    (("M",), np.ma.masked_array(np.eye(3), np.eye(3)), "M: must be a table of numbers"),
    (("h", 1), 10**5000, "h[1]: must be a number (got a very long int)"),
    (("h",), [1, 2], "h: must have 3 numbers (got a list of 2); give "),
    (("contacts", 0, "mu"), DELETE, "contacts[0].mu: is missing; give a number"),
    (("contacts", 0, "mu"), "1", "contacts[0].mu: must be a number, not text (got '1'); "),
    (("contacts", 0, "mu"), None, "contacts[0].mu: must be a number (got nothing); "),
    (("contacts", 0, "mu"), 1e16, "contacts[0].mu: must be at most 1e6 (got 1e+16); use 1e6 for surfaces that never slip"),
    (("contacts", 0, "label"), "roling", "contacts[0].label: must be rolling or sliding (got roling); did you mean `rolling`?"),
    (("contacts", 0, "Mu"), 1, "contacts[0].Mu: is not a key of a contact problem; did you mean `mu`?"),
    (("contacts", 0, "a\nb\x1b[31m"), 1, "contacts[0].a b\\x1b[31m: is not a key of a contact problem; keys here: "),
    (("contacts", 0, "label"), "x" * 500, f"contacts[0].label: must be rolling or sliding (got {'x' * 57}...); allowed: rolling, sliding"),
    (("joints", 0, "kind"), "limt", "joints[0].kind: must be limit, dry_friction or bilateral (got limt); did you mean `limit`?"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "line"), LINES, ids=[f"{i}" for i in range(len(LINES))])
def test_the_line_of_a_fault(path, value, line):
    answer = solve(edited(path, value), "cone")
    assert answer.verdict.value == "invalid_input"
    assert answer.errors[0].startswith(line)


def test_without_a_readable_mass_matrix_the_rest_is_checked_all_the_same():
    document = edited(("M",), 3)
    document["h"][2], document["contacts"][0]["W_T"] = "x", [1]
    assert [error.split(":")[0] for error in checked(document, "cone").errors] == ["M", "h[2]", "contacts[0].W_T"]


def test_no_contacts_and_no_joints():
    answer = checked({"M": [[2.0]], "h": [3.0]}, "cone")
    assert answer.verdict.value == "determinate" and abs(answer.solutions[0].vdot[0] - 1.5) < 1e-14


def test_numpy_input_is_not_changed():
    M, h = 1.5 * np.eye(3), np.array([0.0, 0.0, -14.7])
    contact = {key: np.array(value) if isinstance(value, list) else value for key, value in GOOD["contacts"][0].items()}
    kept = M.copy(), h.copy(), copy.deepcopy(contact)
    assert solve({"M": M, "h": h, "contacts": [contact]}, "cone").verdict.value == "determinate"
    assert (
        (kept[0] == M).all()
        and (h == kept[1]).all()
        and all(np.array_equal(contact[key], kept[2][key]) for key in contact)
    )
