import json
import warnings

import pytest

from knuckle import tasks
from knuckle.cli import run
from knuckle.errors import InputError

BALL = """\
knuckle: 1
title: a ball over a floor
objects:
  - {name: ball, kind: sphere, size: [0.1], mass: 1, position: [0, 0, 0.1]}
shapes:
  - {name: floor, kind: plane}
"""

BLOCK = {
    "M": [[1.0, 0.0], [0.0, 1.0]],
    "h": [3.0, -9.81],
    "contacts": [
        {"label": "rolling", "mu": 0.5, "W_N": [0.0, 1.0], "W_T": [1.0, 0.0], "bias": [0.0, 0.0], "slip": [0.0]}
    ],
}

# Link b has inertia that no rigid body has (1 + 1 < 5): doubtful, not wrong.
URDF = """\
<robot name="arm">
  <link name="base"/>
  <link name="b"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="continuous"><parent link="base"/><child link="b"/></joint>
</robot>
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "ball.yaml").write_text(BALL)
    (tmp_path / "block.json").write_text(json.dumps(BLOCK))
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "bad.xml").write_text('<mujoco>\n<worldbody>\n<geom typ="box"/>\n</worldbody></mujoco>')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_check_of_a_sound_scenario(folder, capsys):
    found = tasks.check("ball.yaml")
    assert found["errors"] == found["warnings"] == []
    assert "objects: ball" in found["summary"]
    assert run(["check", "ball.yaml"]) == 0
    assert capsys.readouterr().out.endswith("ball.yaml: no faults, no doubts\n")


def test_check_says_what_is_doubtful_and_stays_exit_0(folder, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run(["check", "arm.urdf"]) == 0
    printed = capsys.readouterr()
    assert "doubtful: body b: moments of inertia" in printed.out
    assert printed.err == ""


def test_check_gives_the_parsers_own_message_with_its_line(folder, capsys):
    assert run(["check", "bad.xml"]) == 2
    assert capsys.readouterr().err.startswith("bad.xml:3: Schema violation: unrecognized attribute: 'typ'")


def test_overrides_reach_the_check(folder):
    (line,) = tasks.check("ball.yaml", {"objects.ball.mass": -1})["errors"]
    assert line == "override: objects.0.mass: must be greater than 0 (got -1)"


@pytest.mark.parametrize("name", ["right_hand.xml", "left_hand.xml"])
@pytest.mark.parametrize("hand", ["wonik_allegro", "shadow_hand"])
def test_hands_of_others_are_read_as_they_are(shared, hand, name):
    found = tasks.check(str(shared / "data" / "hands" / hand / name))
    assert found["errors"] == []


def test_solve_from_a_file_and_from_standard_input(folder, capsys, monkeypatch):
    assert run(["solve", "block.json", "--json"]) == 0
    document = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert document["verdict"] == "determinate"
    assert document["solutions"][0]["f"][0] == pytest.approx([9.81, -3.0], abs=1e-12)
    with (folder / "block.json").open() as file:
        monkeypatch.setattr("sys.stdin", file)
        assert run(["solve", "-", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == document


def test_solve_prints_a_table_and_writes_where_asked(folder, capsys):
    assert run(["solve", "block.json", "-o", "out/here"]) == 0
    (row,) = [line.split() for line in capsys.readouterr().out.splitlines() if "roll-roll" in line]
    assert row[-3:] == ["9.8100", f"{3 / (0.5 * 9.81):.4f}", "-"]
    assert json.loads((folder / "out" / "here" / "answer.json").read_text())["verdict"] == "determinate"
    (folder / "file").write_text("")
    assert run(["solve", "block.json", "--quiet", "-o", "file"]) == 6
    assert capsys.readouterr().err.startswith("file/answer.json: cannot be written")


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"M": [[1.0, 0.0], [0.0, -1.0]]}, "M"),
        ({"h": [1.0]}, "h"),
        ({"contacts": [{**BLOCK["contacts"][0], "mu": -1}]}, "mu"),
        ({"H": 1}, "H"),
    ],
)
def test_a_bad_problem_is_exit_2_with_its_verdict(folder, capsys, change, word):
    (folder / "bad.json").write_text(json.dumps({**BLOCK, **change}))
    assert run(["solve", "bad.json", "--json"]) == 2
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert document["verdict"] == "invalid_input"
    assert len(document["errors"]) == len(printed.err.splitlines()) >= 1
    assert word in document["errors"][0]


def test_shipped_scenarios_are_asked_for_by_name():
    with pytest.raises(InputError):
        tasks.shipped_scenario("no-such-scenario")
