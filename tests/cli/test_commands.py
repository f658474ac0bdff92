import json

import pytest

from knuckle import __version__
from knuckle.cli import exits, output, run
from knuckle.cli.overrides import collect, parse_torque
from knuckle.cli.progress import Progress
from knuckle.errors import InputError


def test_help_and_version(capsys):
    assert run([]) == 0
    assert "modes" in capsys.readouterr().out
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"knuckle {__version__}\n"
    for command in ("modes", "solve", "check", "scenarios", "schema", "warmup"):
        assert run([command, "--help"]) == 0
        assert "--json" in capsys.readouterr().out


def test_schema_is_json(capsys):
    assert run(["schema"]) == 0
    pretty = json.loads(capsys.readouterr().out)
    assert run(["schema", "--json"]) == 0
    printed = capsys.readouterr().out
    assert json.loads(printed) == pretty
    assert printed.count("\n") == 1


def test_scenarios_lists_all_and_prints_one(capsys):
    assert run(["scenarios", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["scenarios"]
    assert run(["scenarios"]) == 0
    table = capsys.readouterr().out
    for entry in listed:
        assert entry["name"] in table
        assert run(["scenarios", entry["name"]]) == 0
        assert capsys.readouterr().out.startswith("knuckle: 1") or "knuckle: 1" in run_text(entry["name"], capsys)


def run_text(name, capsys):
    run(["scenarios", name])
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,2.5,-3e-1", [1.0, 2.5, -0.3]),
        ("[1, 2]", [1.0, 2.0]),
        ("2.5", [2.5]),
        ("a=1,b=2", {"a": 1.0, "b": 2.0}),
        ("{left/base: 1, b: 2}", {"left/base": 1.0, "b": 2.0}),
    ],
)
def test_torques(text, value):
    assert parse_torque(text) == value


def test_options_become_overrides():
    collected = collect(["contacts.0.mu=0.3", "state.q=[0, 1]"], torque="1,2", keyframe="no", settle="0.5", law=None)
    assert collected == {"contacts.0.mu": 0.3, "state.q": [0, 1], "keyframe": "no", "settle": 0.5, "torque": [1.0, 2.0]}
    assert collect(None, settle="no") == {"settle": "no"}
    with pytest.raises(InputError) as caught:
        collect(["x", "y"], torque="z")
    assert len(caught.value.faults) == 3


@pytest.mark.parametrize(
    ("verdict", "plain", "required"),
    [
        ("determinate", 0, 0),
        ("force_indeterminate", 0, 4),
        ("indeterminate", 0, 4),
        ("inconsistent", 0, 3),
        ("undecided", 0, 5),
        ("invalid_input", 2, 2),
    ],
)
def test_exit_codes_of_verdicts(verdict, plain, required):
    assert exits.of_verdict(verdict, None) == plain
    assert exits.of_verdict(verdict, "determinate") == required


def test_json_has_no_infinity():
    import numpy as np

    value = {
        "a": float("inf"),
        "b": np.array([1.0, np.nan]),
        "c": (np.int64(3), np.bool_(True)),
        "d": np.float64("-inf"),
    }
    assert json.loads(output.json_text(value)) == {"a": None, "b": [1.0, None], "c": [3, True], "d": None}


def test_progress_without_a_terminal_is_plain_lines(capsys):
    with Progress("compiling", quiet=False) as progress:
        progress.report(0, 2, "first")
        progress.report(2, 2, "")
    assert capsys.readouterr().err == "compiling 1/2 first\n"
    with Progress("compiling", quiet=True) as progress:
        progress.report(0, 2, "first")
    assert capsys.readouterr().err == ""
