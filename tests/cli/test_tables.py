import pytest

from knuckle.cli import tables
from knuckle.report import words

ANSWER = {
    "verdict": "determinate",
    "law": "cone",
    "complete": True,
    "continuum": False,
    "solutions": [
        {
            "vdot": [0.0],
            "f": [[2.0, 0.3, 0.4], [0.0, 0.0, 0.0], [1.0, 0.5, 0.0]],
            "a": [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]],
            "modes": ["R", "B", "S"],
            "transitions": ["a1", "a3", "b1"],
            "residual": 1e-15,
            "margins": {
                "margins": [
                    {"unit": "thumb", "what": "normal force", "value": 2.0, "nearest": 0.75},
                    {"unit": "thumb", "what": "friction", "value": 0.5, "nearest": 0.25},
                    {"unit": "index", "what": "opening", "value": 1.0, "nearest": None},
                ],
                "reach": [[-0.25, 0.75]],
                "limiting": [["thumb: friction", "thumb: normal force"]],
                "exact": True,
            },
        }
    ],
    "force_range": None,
    "acceleration_range": None,
    "p_matrix": {"holds": True, "margin": 0.8, "witness": None},
    "certificate": None,
    "errors": [],
    "contacts": [
        {"name": "thumb", "pair": ["ball", "tip1"], "mu": 0.5},
        {"name": "index", "pair": ["ball", "tip2"], "mu": 0.5},
        {"name": "3", "pair": ["ball", "tip3"], "mu": 0.5},
    ],
}


def test_a_table_and_one_sentence(capsys):
    tables.print_answer(ANSWER)
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split("  ") for line in lines]
    cells = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    assert ["1 thumb (ball - tip1)", "rolls", "a1 roll-roll", "2.0000", "0.5000", "0.2500 N m to friction"] in cells
    assert [
        "2 index (ball - tip2)",
        "breaks",
        "a3 roll-break",
        "0.0000",
        "-",
        "opening 1.0000; no actuator reaches it",
    ] in cells
    assert ["3 (ball - tip3)", "slides", "b1 slide-slide", "1.0000", "1.0000", "-"] in cells
    assert "determinate: one motion and one set of forces can follow, and no other (law cone)" in lines
    assert "modes R1B2S3" in lines


def test_a_bare_problem_has_no_names_and_several_answers_have_titles(capsys):
    bare = {key: value for key, value in ANSWER.items() if key != "contacts"}
    bare |= {
        "verdict": "indeterminate",
        "solutions": ANSWER["solutions"] * 2,
        "p_matrix": {"holds": False, "margin": -1.0, "witness": {"signs": [], "index_set": [0]}},
    }
    tables.print_answer(bare)
    printed = capsys.readouterr().out
    assert "answer 1 of 2" in printed
    assert "indeterminate: 2 motions can follow" in printed
    assert "A is not a P-matrix (its minor of rows 1 is not positive)" in printed


def test_no_answer_prints_the_sentence_alone(capsys):
    tables.print_answer(
        {**ANSWER, "verdict": "inconsistent", "solutions": [], "certificate": {"kind": "every_mode_tried", "modes": 3}}
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("inconsistent: no motion satisfies")
    assert lines[-1].startswith("Every combination of modes was tried") and lines[-1].endswith("(modes: 3)")


def test_forces_that_are_not_unique_are_one_table_of_ranges(capsys):
    one, other = ({**ANSWER["solutions"][0], "f": [[n, t, 0.0]], "modes": ["R"], "transitions": ["a1"], "joint_f": [n], "joint_a": [0.0]}
                  for n, t in ((0.0, 0.0), (4.0, 1.0)))
    tables.print_answer({**ANSWER, "verdict": "force_indeterminate", "solutions": [one, other],
                         "force_range": [[[0.0, None], [-1.0, 1.0], [0.0, 0.0]]], "joints": [{"name": "knee", "kind": "dry_friction"}]})
    printed = capsys.readouterr().out
    assert "answer 1" not in printed and printed.count("thumb (ball - tip1)") == 1
    assert "0.0000 ... unbounded" in printed
    assert "0.0000 ... 4.0000" in printed                      # the joint's


def test_joint_rows_have_their_own_table(capsys):
    solution = {**ANSWER["solutions"][0], "joint_f": [0.5], "joint_a": [0.0]}
    tables.print_answer({**ANSWER, "solutions": [solution], "joints": [{"name": "knee", "kind": "limit"}]})
    assert "knee" in capsys.readouterr().out


@pytest.mark.parametrize(("modes", "text"), [(["S", "R"], "S1R2"), (["S+", "B", "F"], "S1+B2F3"), ([], "")])
def test_mode_strings(modes, text):
    assert words.mode_string(modes) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "unbounded"), (0.0, "0.0000"), (1.23456, "1.2346"), (1e-7, "1.000e-07"), (-2e9, "-2.000e+09")],
)
def test_numbers(value, text):
    assert words.number(value) == text
