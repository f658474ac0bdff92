import pickle

import numpy as np
import pytest

from knuckle.errors import InputError
from knuckle.scenario import Scenario, load, loads, shipped_names

BLOCK = """\
knuckle: 1
title: block on an incline
objects:
  - {name: block, kind: box, size: [0.1, 0.1, 0.05], mass: 1}
shapes:
  - {name: incline, kind: plane, euler: [0, 0.3, 0], friction: 0.5}
contacts:
  - {object: block, link: incline, mu: 0.5}
"""


LOOP: list = []
LOOP.append(LOOP)


def faults(text, overrides=None):
    with pytest.raises(InputError) as caught:
        loads(text, overrides)
    return caught.value.lines()


def test_a_scenario_has_typed_fields_and_defaults():
    scenario = loads(BLOCK)
    assert scenario.objects[0].mass == 1.0
    assert scenario.objects[0].joint == "free"
    assert scenario.contacts[0].label == "auto"
    assert scenario.law == "cone"
    assert scenario.settle == "no"
    assert scenario.text == BLOCK


def test_the_file_name_is_the_default_name(tmp_path):
    path = tmp_path / "incline.yaml"
    path.write_text(BLOCK)
    scenario = load(path)
    assert (scenario.name, scenario.path, scenario.folder) == ("incline", path, tmp_path)


def test_a_model_file_is_a_scenario_with_found_contacts(tmp_path):
    path = tmp_path / "my: hand.xml"
    path.write_text("<mujoco/>")
    scenario = load(str(path), {"keyframe": "grasp"})
    assert scenario.model_path == path
    assert (scenario.contacts, scenario.settle, scenario.keyframe, scenario.name) == ("found", 1.0, "grasp", "my: hand")


def test_all_faults_of_a_file_at_once_in_the_order_of_the_file():
    text = (
        BLOCK.replace("mass: 1", "mass: -1").replace("friction: 0.5", "fricton: .nan").replace("mu: 0.5", "mu: '0.5'")
    )
    found = [line.split(": ", 1) for line in faults(text)]
    assert [place.split(":")[0] for place, _ in found] == ["4", "6", "8"]
    assert [rest for _, rest in found] == [
        "objects.0.mass: must be greater than 0 (got -1)",
        "shapes.0.fricton: is not a key here; did you mean `friction`?",
        "contacts.0.mu: must be a number, not text (got '0.5'); write it without quotes",
    ]


CASES = [
    # what is replaced, by what (the fault stands after the mark), the rest of the line
    ("knuckle: 1\n", "|", "knuckle: is missing; version of this format"),
    ("knuckle: 1\n", "knuckle: |2\n", "knuckle: must be 1 (got 2)"),
    ("mass: 1", "mass: |.inf", "objects.0.mass: must be a finite number (got inf)"),
    ("mass: 1", "mass: |1e999", "objects.0.mass: must be a finite number (got inf)"),
    ("mass: 1", "mass: |.nan", "objects.0.mass: must be a finite number (got nan)"),
    ("mass: 1", "mass: |true", "objects.0.mass: must be a number (got True)"),
    ("mass: 1", "mass: |0", "objects.0.mass: must be greater than 0 (got 0)"),
    ("mass: 1", "mass: |~", "objects.0.mass: is missing; give mass (kg) or density (kg/m^3)"),
    ("mass: 1", "mass: |'1'", "objects.0.mass: must be a number, not text (got '1'); write it without quotes"),
    ("{name: block, kind: box, size: [0.1, 0.1, 0.05], mass: 1}", "|{name: block, kind: box, size: [0.1, 0.1, 0.05]}",
     "objects.0.mass: is missing; give mass (kg) or density (kg/m^3)"),
    ("mass: 1", "mass: 1, density: |2", "objects.0.density: cannot stand beside `mass` (got 2.0); keep one of the two"),
    ("mass: 1", "mass: 1, inertia: |[1, 1, 3]",
     "objects.0.inertia: breaks the triangle rule (got [1.0, 1.0, 3.0]); "
     "no moment may exceed the sum of the other two"),
    ("mass: 1", "mass: 1, inertia: |[1, -1, 1]",
     "objects.0.inertia: must be positive (got [1.0, -1.0, 1.0]); give three moments in kg m^2"),
    ("[0.1, 0.1, 0.05]", "|[0.1, 0.1]", "objects.0.size: has the wrong length (got [0.1, 0.1]); "
     "a box takes [half size x, half size y, half size z]"),
    ("kind: box", "kind: |Box",
     "objects.0.kind: must be sphere, box, ellipsoid, cylinder, capsule or mesh (got Box); did you mean `box`?"),
    ("euler: [0, 0.3, 0]", "euler: |[0, 0.3]", "shapes.0.euler: must have 3 entries (got [0, 0.3])"),
    ("euler: [0, 0.3, 0]", "euler: |[0, 0.3, 0, 1]", "shapes.0.euler: must have 3 entries (got [0, 0.3, 0, 1])"),
    ("euler: [0, 0.3, 0]", "quaternion: |[0, 0, 0, 0]",
     "shapes.0.quaternion: must have unit length (got [0.0, 0.0, 0.0, 0.0]); divide it by its length"),
    ("mu: 0.5", "mu: |-0.1", "contacts.0.mu: must not be less than 0 (got -0.1)"),
    ("mu: 0.5", "tangent: |[0, 0, 0]",
     "contacts.0.tangent: must not be zero (got [0.0, 0.0, 0.0]); give a direction in the tangent plane"),
    ("link: incline", "link: |block",
     "contacts.0.link: is the same as `object` (got block); name two different bodies or shapes"),
    ("mu: 0.5}", "mu: 0.5}\n  - |{object: incline, link: block}",
     "contacts.1: is the same pair as contacts.0 (got incline and block); list each pair once"),
    ("name: incline", "name: |block", "shapes.0.name: is the name of another entry (got block); names are unique"),
    ("title:", "torque: |3\ntitle:", "torque: must be a list of numbers or a mapping from names to numbers (got 3)"),
    ("title:", "torque: {a: |x}\ntitle:", "torque.a: must be a number, not text (got x); write it without quotes"),
    ("title:", "settle: |yes\ntitle:", "settle: must be `no` or a largest displacement in mm (got yes)"),
    ("knuckle: 1", "knuckle: |true", "knuckle: must be 1 (got True)"),
    ("mass: 1", "mass: |1_000", "objects.0.mass: must be a number, not text (got '1_000'); write it without `_`"),
    ("[0.1, 0.1, 0.05]", "[|-1]", "objects.0.size.0: must be greater than 0 (got -1)"),
    ("mu: 0.5", "mu: |1e16", "contacts.0.mu: must be at most 1e6 (got 1e+16); use 1e6 for surfaces that never slip"),
    ("name: block", 'name: |"a\\0b"', "objects.0.name: must not hold control characters (got a\\x00b)"),
    ("name: block", 'name: |"\\ud800"', "objects.0.name: is not text: it holds half of a character (a lone surrogate) (got \\ud800)"),
    ("title:", '|"a\\n\\e[31m": 1\ntitle:', "a \\x1b[31m: is not a key here; keys here: "),
    ("title:", "settle: |-1\ntitle:", "settle: must not be less than 0 (got -1)"),
    ("title:", "law: |Cone\ntitle:", "law: must be cone or pyramid (got Cone); did you mean `cone`?"),
    ("title:", "|unknown: {}\ntitle:", "unknown: is not a key here; keys here: knuckle, name, title, "),
    ("title:", "|tolerance: {gap: 1e-3}\ntitle:", "tolerance: is not a key here; did you mean `tolerances`?"),
    ("title:", "keyframe: |a\ntitle:", "keyframe: needs a model (got a); name the MJCF file as `model`"),
    ("title:", "state: {q: [0], joints: |{a: 1}}\ntitle:",
     "state.joints: cannot stand beside `q`; keep one of the two"),
    ("title:", "title: twice\n|title:", "title: is given twice; keep one (the first is on line 2)"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), CASES)
def test_each_fault_has_one_line_with_its_place(old, new, message):
    assert old in BLOCK
    before, _, _ = BLOCK.replace(old, new, 1).partition("|")
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    found = faults(BLOCK.replace(old, new.replace("|", ""), 1))
    assert len(found) == 1
    assert found[0].startswith(f"{line}:{column}: {message}")


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "the file is empty"), ("[1, 2]", "a scenario is a mapping"), ("knuckle: 1", "model: is missing")],
)
def test_files_without_a_scenario(text, words):
    (line,) = faults(text)
    assert words in line


def test_overrides_replace_values_by_index_and_by_name():
    scenario = loads(
        BLOCK, {"contacts.0.mu": 0.3, "objects.block.mass": 2, "state.rates.block": np.zeros(6), "law": "pyramid"}
    )
    assert scenario.contacts[0].mu == 0.3
    assert scenario.objects[0].mass == 2.0
    assert scenario.state.rates["block"] == (0.0,) * 6
    assert scenario.law == "pyramid"
    assert scenario.overrides["state.rates.block"] == [0.0] * 6


@pytest.mark.parametrize(
    ("overrides", "line"),
    [
        ({"contacts.0.mu": -1}, "override: contacts.0.mu: must not be less than 0 (got -1)"),
        ({"contacts.3.mu": 1}, "override: contacts.3.mu: there is no such entry (got 3); contacts has 0"),
        (
            {"objects.cube.mass": 1},
            "override: objects.cube.mass: there is no such entry (got cube); objects has 0, block",
        ),
        ({"frction": 1}, "override: frction: is not a key here; did you mean `friction`?"),
        ({"stat.rates.a": 1}, "override: stat: is not a key here; did you mean `state`?"),
        ({"title.x": 1}, "override: title.x: cannot be set inside a single value (got block on an incline); title"),
        ({"friction": float("nan")}, "override: friction: must be a finite number (got nan)"),
        ({"friction": 1e7}, "override: friction: must be at most 1e6 (got 10000000.0); use 1e6 for surfaces that never slip"),
        ({"state.joints": {"\ud800": 1}}, "override: state.joints: is not text: it holds half of a character (a lone surrogate)"),
        ({"torque": LOOP}, "override: torque: holds itself or is nested too deeply"),
        (5, "overrides map dotted keys to values (got 5); for example {\"contacts.0.mu\": 0.3}"),
    ],
)
def test_faults_of_overrides(overrides, line):
    assert faults(BLOCK, overrides) == [line]


def test_faults_of_later_stages_get_their_place(tmp_path):
    path = tmp_path / "incline.yaml"
    path.write_text(BLOCK)
    scenario = load(path, {"friction": 1})
    with pytest.raises(InputError) as caught, scenario.placing_faults():
        raise InputError("no such shape", key="contacts.0.link", got="incline")
    column = BLOCK.splitlines()[7].index("incline") + 1
    assert str(caught.value) == f"{path}:8:{column}: contacts.0.link: no such shape (got incline)"
    assert scenario.place("friction") == ("override", None, None)


def test_misspelt_names_of_shipped_scenarios_are_guessed():
    with pytest.raises(InputError) as caught:
        load("no-such-scenario-at-all")
    assert str(caught.value).startswith("no such scenario (got no-such-scenario-at-all)")


@pytest.mark.parametrize("asked", [None, 5, b"incline", ["incline"]])
def test_misuse_of_load_is_an_input_error(asked):
    with pytest.raises(InputError, match="asked for by its name or path"):
        load(asked)


def test_text_with_underscores_stays_text():
    """YAML 1.2 knows no 1_000."""
    assert loads(BLOCK.replace("title: block on an incline", "title: 1_000")).title == "1_000"


def test_missing_files(tmp_path):
    for name in ("a.yaml", "a.xml"):
        with pytest.raises(InputError, match="no such file"):
            load(tmp_path / name)
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(InputError, match="is not a scenario or model file"):
        load(tmp_path / "notes.txt")


@pytest.mark.parametrize("name", shipped_names())
def test_every_shipped_scenario_loads_and_has_a_title(name):
    scenario = load(name)
    assert scenario.name == name
    assert scenario.title
    assert scenario.model_path is None or scenario.model_path.is_file()


def test_a_scenario_crosses_a_process_border():
    scenario = loads(BLOCK, {"contacts.0.mu": 0.3})
    again = pickle.loads(pickle.dumps(scenario))
    assert again == scenario
    assert (again.text, again.overrides) == (scenario.text, scenario.overrides)
    assert isinstance(again, Scenario)
