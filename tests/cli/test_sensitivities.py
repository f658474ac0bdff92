"""`knuckle modes --sensitivities`: a table of what follows most, everything in the document, nothing unless asked."""
import json

import pytest

import knuckle as kn
from knuckle.cli import run


def printed(capsys, *arguments):
    assert run(["modes", *arguments]) == 0
    return capsys.readouterr().out


def test_the_table_names_what_follows_and_what_fails(capsys):
    text = printed(capsys, "two-finger-lift", "--sensitivities")
    assert "by actuator force" in text and "by friction coefficient" in text and "motions (dq, dv)" in text
    row = next(line for line in text.splitlines() if line.startswith(" finger 1  "))
    answer = kn.modes("two-finger-lift")
    f_N, f_T = answer.solution.f[0]
    least = abs(f_T) / f_N - answer.problem.mu[0]            # a force that friction does not change stays in the cone down to |f_T| / f_N
    assert answer.sensitivities.mu.reach[0] == pytest.approx((least, float("inf")))
    assert f" {least:.4f} " in row and "unbounded" in row and "- finger 1: friction T+" in row
    assert "by actuator force" not in printed(capsys, "two-finger-lift")


def test_the_document_has_all_of_them_when_asked(capsys):
    found = json.loads(printed(capsys, "billiard", "--sensitivities", "--json"))["sensitivities"]
    assert set(found) == {"refused", "tau", "actuators", "mu", "q", "v", "state", "state_directions"}
    assert found["refused"] == [] and len(found["state_directions"]) == 12
    assert len(found["mu"]["vdot"]) == 6 and found["mu"]["limiting"] == [["cloth: mu", ""]]
    assert "sensitivities" not in json.loads(printed(capsys, "billiard", "--json"))


def test_a_refusal_says_why(capsys):
    assert "no sensitivities: the verdict is force_indeterminate" in printed(capsys, "incline", "--sensitivities")
    found = json.loads(printed(capsys, "incline", "--sensitivities", "--json"))["sensitivities"]
    assert list(found) == ["refused"] and "force_indeterminate" in found["refused"][0]
