"""What is printed where: one document or none, names as they are, and streams that are full, closed, gone or of few letters."""

import json
import os
import subprocess
import sys

import pytest

from knuckle.cli import run, tables
from knuckle.cli.output import Page
from knuckle.instant.solve import solve

NAME = "tip [left] [/b] :wave: \u00e4\ud800\x1b[31m"
PRINTED = "tip [left] [/b] :wave: \u00e4\\ud800\\x1b[31m"
PROBLEM = {
    "M": [[1.0, 0.0], [0.0, 1.0]],
    "h": [3.0, -9.81],
    "contacts": [{"name": NAME, "label": "rolling", "mu": 0.5, "W_N": [0.0, 1.0], "W_T": [1.0, 0.0]}],
    "joints": [{"name": NAME, "kind": "limit", "W": [1.0, 0.0], "bias": 1.0}],
}
BALL = """\
knuckle: 1
title: "[/x]"
objects:
  - {name: "ball [b]", kind: sphere, size: [0.1], mass: 1, position: [0, 0, 0.1]}
shapes:
  - {name: floor, kind: plane}
contacts:
  - {name: "[b]x[/n]", object: "ball [b]", link: floor}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "problem.json").write_text(json.dumps(PROBLEM))
    (tmp_path / "bare.json").write_text(json.dumps({"M": [[2.0]], "h": [3.0]}))
    (tmp_path / "ball.yaml").write_text(BALL)
    (tmp_path / "file").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("line", [
    "modes ball.yaml -o file", "modes ball.yaml --html file/page.html", "solve problem.json -o file", "modes ball.yaml -o file -q",
])  # fmt: skip
def test_a_fault_in_writing_is_one_document_and_before_it_nothing(folder, capsys, line):
    assert run([*line.split(), "--json"]) == 6
    printed = capsys.readouterr()
    assert json.loads(printed.out)["verdict"] is None and printed.out.count("\n") == 1
    assert run(line.split()) == 6
    printed = capsys.readouterr()
    assert printed.out == "" and "cannot be written" in printed.err and printed.err.count("\n") == 1


def test_names_are_printed_as_they_are(folder, capsys):
    assert run(["solve", "problem.json"]) == 0
    assert capsys.readouterr().out.count(PRINTED) == 2
    assert run(["solve", "problem.json", "--json"]) == 0
    assert capsys.readouterr().out.isascii()
    assert run(["modes", "ball.yaml"]) == 0
    assert "1 [b]x[/n] (ball [b] - floor)" in capsys.readouterr().out
    assert run(["check", "ball.yaml"]) == 0
    assert "objects: ball [b]" in capsys.readouterr().out


def test_a_problem_without_contacts_has_a_table_all_the_same(folder, capsys):
    assert run(["solve", "bare.json"]) == 0
    assert "determinate" in capsys.readouterr().out


def test_a_bare_problem_with_many_joint_rows(capsys):
    joints = [{"kind": "dry_friction", "W": [1.0], "bound": 0.1}] * 13
    tables.print_answer(solve({"M": [[1.0]], "h": [0.0], "joints": joints}).to_dict())
    assert "joint row" in capsys.readouterr().out


def test_a_page_looks_like_the_stream_whose_place_it_takes():
    assert Page(None).encoding == "utf-8" and not Page(None).isatty()
    assert Page(sys.__stdout__).encoding == sys.__stdout__.encoding


def knuckle(line, **streams):
    """Exit code, standard output and error of a process of its own; streams by their redirection in a shell."""
    command = f'"{sys.executable}" -m knuckle {line}'
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG", "PYTHON"))}
    environment |= streams
    return subprocess.run(["bash", "-c", command], capture_output=True, timeout=60, check=False, env=environment)


@pytest.mark.parametrize(("line", "code", "words"), [
    ("solve problem.json > /dev/full", 6, b"standard output: cannot be written: No space left on device\n"),
    ("solve problem.json --json > /dev/full", 6, b"standard output: cannot be written: No space left on device\n"),
    ("solve nosuch.json --json > /dev/full", 6, b"no such file"),
    ("schema > /dev/full", 6, b"standard output: cannot be written: No space left on device\n"),
    ("solve problem.json --json >&-", 6, b"standard output: cannot be written: it is closed\n"),
    ("solve problem.json --quiet >&-", 0, b""),
    ("solve nosuch.json 2>&-", 2, b""),
    ("solve - <&-", 6, b"standard input: cannot be read: it is closed\n"),
    ("solve - < <(printf '\\xff')", 2, b"standard input:1: the file is not UTF-8 text (got byte 0xff)"),
])  # fmt: skip
def test_streams_that_are_full_or_closed(folder, line, code, words):
    done = knuckle(line)
    assert done.returncode == code
    assert words in done.stderr and b"Traceback" not in done.stderr


@pytest.mark.parametrize("line", ["schema", "--help", "solve problem.json", "solve problem.json --json"])
def test_a_reader_that_goes_away_is_no_error(folder, line):
    done = knuckle(f"{line} | true; exit ${{PIPESTATUS[0]}}")
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_locale_of_few_letters(folder):
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = knuckle("solve problem.json", **plain)
    assert done.returncode == 0 and b"\\xe4\\ud800" in done.stdout
    done = knuckle("solve problem.json --json", **plain)
    assert json.loads(done.stdout)["verdict"] == "determinate"
