"""Bad input gives the exit code and one line per fault, never a traceback, and writes nothing."""

import json
import os
import subprocess
import sys

import pytest

from knuckle.cli import run

BLOCK = """\
knuckle: 1
objects:
  - {name: block, kind: box, size: [0.1, 0.1, 0.05], mass: 1}
contacts: found
"""

PROBLEM = {"M": [[1.0]], "h": [0.0], "contacts": []}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "good.yaml").write_text(BLOCK)
    (tmp_path / "bad.yaml").write_text(
        BLOCK.replace("mass: 1", "mass: .nan").replace("contacts: found", "contact: found")
    )
    (tmp_path / "broken.yaml").write_text("a: [1,\nb: 2")
    (tmp_path / "empty.yaml").write_text("")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "many.yaml").write_text("knuckle: 1\nmodel: a.xml\n" + "".join(f"key{n}: 1\n" for n in range(30)))
    (tmp_path / "broken.json").write_text('{"M": [[1.0]],\n "h": x}')
    (tmp_path / "twice.json").write_text('{"M": [[1.0]], "M": [[2.0]]}')
    (tmp_path / "wrong.json").write_text(
        '{"M": [["1"]], "h": [0], "name": "a",\n "contacs": [], "name": "b", "contacts": [{"label": "rolling",\n'
        '       "mu": -1, "W_N": [1], "W_T": [0]}]}'
    )
    (tmp_path / "huge.json").write_text('{"M": [[1]], "h": [%s]}' % ("9" * 5000))
    (tmp_path / "deep.json").write_text('{"M": ' + "[" * 900 + "]" * 900 + ', "h": [0]}')
    (tmp_path / "latin.json").write_bytes('{"name": "Bälle"}'.encode("latin1"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


BAD = [
    # command line, exit code, lines on standard error
    ("modes nosuch", 2, ["no such scenario (got nosuch); "]),
    ("modes nosuch.yaml", 2, ["nosuch.yaml: no such file; "]),
    ("modes nosuch.xml", 2, ["nosuch.xml: no such file; "]),
    ("modes .", 2, ["no such scenario (got .); "]),
    ("modes broken.json", 2, ["broken.json: is not a scenario or model file; "]),
    ("modes empty.yaml", 2, ["empty.yaml: the file is empty; begin with `knuckle: 1`"]),
    ("modes binary.yaml", 2, ["binary.yaml:1: the file is not UTF-8 text (got byte 0xff); "]),
    ("modes broken.yaml", 2, ["broken.yaml:2:5: not readable as YAML: "]),
    (
        "modes bad.yaml",
        2,
        [
            "bad.yaml:3:60: objects.0.mass: must be a finite number (got nan)",
            "bad.yaml:4:1: contact: is not a key here; did you mean `contacts`?",
        ],
    ),
    ("check bad.yaml", 2, ["bad.yaml:3:60: objects.0.mass: ", "bad.yaml:4:1: contact: "]),
    ("modes good.yaml --set", 2, ["knuckle: option '--set' requires an argument; "]),
    ("modes good.yaml --set law", 2, ["override: is not of the form key=value (got law); "]),
    ("modes good.yaml --set law=ice", 2, ["override: law: must be cone or pyramid (got ice); "]),
    ("modes good.yaml --set objects.0.mass=[", 2, ["override: objects.0.mass: not readable as YAML: "]),
    (
        "modes good.yaml --set objects.9.mass=1 --set objekts=1",
        2,
        ["override: objects.9.mass: ", "override: objekts: "],
    ),
    ("modes good.yaml --law ice", 2, ["override: law: must be cone or pyramid (got ice); "]),
    ("modes good.yaml --settle far", 2, ["override: settle: must be `no` or a largest displacement in mm (got far)"]),
    ("modes good.yaml --settle -1", 2, ["override: settle: must not be less than 0 (got -1"]),
    ("modes good.yaml --settle nan", 2, ["override: settle: must be a finite number (got nan)"]),
    ("modes good.yaml --torque 1,x", 2, ["--torque: is not a number (got x); write 1,2,3 or name=1,name=2 (N m or N)"]),
    ("modes good.yaml --torque 1_0,x,", 2, ["--torque: is not a number (got '1_0'); ", "--torque: is not a number (got x); ",
                                            "--torque: is not a number (got ''); "]),
    ("modes good.yaml --torque a=1,a=2,b=x,=3", 2, ["--torque: a: is given twice; keep one", "--torque: is not a number (got x); ",
                                                    "--torque: is not of the form name=number (got =3); "]),
    ("modes good.yaml --set law=cone --set law=pyramid --set x --torque y", 2,
     ["--set: law: is given twice; keep one", "override: is not of the form key=value (got x); ", "--torque: is not a number (got y); "]),
    ("modes good.yaml --set friction=-1 --set fooo=1 --set bad", 2,
     ["override: is not of the form key=value (got bad); ", "override: friction: must not be less than 0 (got -1)", "override: fooo: is not a key"]),
    ("modes good.yaml --set friction=1e16", 2, ["override: friction: must be at most 1e6 (got 1e+16); use 1e6 for surfaces that never slip"]),
    ("modes good.yaml --torque 1,inf", 2, ["override: torque.1: must be a finite number (got inf)"]),
    ("modes good.yaml --require unique", 2, ["--require: cannot be required (got unique); allowed: determinate"]),
    ("modes", 2, ["knuckle modes: missing argument 'SCENARIO'; see `knuckle modes --help`"]),
    ("modes good.yaml --frobnicate", 2, ["knuckle modes: no such option: --frobnicate; "]),
    ("frobnicate", 2, ["knuckle: no such command 'frobnicate'; "]),
    ("solve nosuch.json", 2, ["nosuch.json: no such file; "]),
    ("solve broken.json", 2, ["broken.json:2:7: not readable as JSON: "]),
    ("solve twice.json", 2, ["twice.json:1:1: h: is missing; ", "twice.json:1:16: M: is given twice; keep one (the first is on line 1)"]),
    ("solve wrong.json", 2, [
        "wrong.json:1:9: M[0][0]: must be a number, not text (got '1')",
        "wrong.json:2:2: contacs: is not a key of a contact problem; did you mean `contacts`?",
        "wrong.json:2:17: name: is given twice; keep one (the first is on line 1)",
        "wrong.json:3:14: contacts[0].mu: must be at least 0 (got -1); give a larger number",
    ]),
    ("solve huge.json", 2, ["huge.json:1:20: h[0]: must be a finite number (got inf); "]),
    ("solve deep.json", 2, ["deep.json:1:9: M[0][0]: must be a number (got [[[["]),
    ("solve latin.json", 2, ["latin.json:1: the file is not UTF-8 text (got byte 0xe4); "]),
    ("solve twice.json --law ice", 2, ["--law: is no friction law (got ice); allowed: cone, pyramid"]),
    ("solve .", 6, [".: Is a directory"]),
    ("scenarios nosuch", 2, ["no such shipped scenario (got nosuch); "]),
]


@pytest.mark.parametrize(("line", "code", "starts"), BAD, ids=[line for line, _, _ in BAD])
def test_one_line_per_fault_and_the_exit_code(folder, capsys, line, code, starts):
    before = sorted(folder.iterdir())
    assert run(line.split()) == code
    printed = capsys.readouterr()
    lines = printed.err.splitlines()
    assert len(lines) == len(starts)
    for found, start in zip(lines, starts, strict=True):
        assert found.startswith(start)
    assert "Traceback" not in printed.out + printed.err
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(("line", "code", "starts"), BAD, ids=[line for line, _, _ in BAD])
def test_json_is_one_document_whatever_happens(folder, capsys, line, code, starts):
    if line.endswith("--set"):
        pytest.skip("--json would be the argument of --set")
    assert run([*line.split(), "--json"]) == code
    document = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert len(document["errors"]) == len(starts)


def test_twenty_lines_at_most(folder, capsys):
    assert run(["check", "many.yaml"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 20
    assert lines[-1].endswith("(and 10 more faults)")


@pytest.mark.parametrize(
    "line", ["modes bad.yaml", "modes nosuch --json", "solve broken.json", "check broken.yaml", "frobnicate"]
)
def test_the_same_in_a_process_of_its_own(folder, line):
    done = subprocess.run(
        [sys.executable, "-m", "knuckle", *line.split()], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()


def test_output_that_cannot_be_written_is_exit_6(folder, capsys):
    from knuckle import tasks
    from knuckle.errors import StoreError

    (folder / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        tasks.write_text(folder / "file" / "answer.json", "{}")
    with pytest.raises(StoreError, match="cannot be written"):
        tasks.write_text(folder / "a\0b" / "answer.json", "{}")


def test_a_full_disk_leaves_what_was_there_and_nothing_else(folder, monkeypatch):
    import errno

    from knuckle import tasks
    from knuckle.errors import StoreError

    tasks.write_text(folder / "out" / "answer.json", "old")

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for path in (folder / "out" / "answer.json", folder / "new" / "answer.json"):
        with pytest.raises(StoreError, match="answer.json: cannot be written: No space left on device"):
            tasks.write_text(path, "new")
    assert (folder / "out" / "answer.json").read_text() == "old"
    assert os.listdir(folder / "out") == ["answer.json"] and os.listdir(folder / "new") == []


def test_interrupted_is_130(monkeypatch, capsys):
    from knuckle import tasks

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(tasks, "schema", interrupt)
    assert run(["schema"]) == 130
    assert "Traceback" not in capsys.readouterr().err
