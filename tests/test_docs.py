"""What the documentation names exists."""

import importlib
import re

import pytest

from knuckle.cli.app import app
from knuckle.scenario import ScenarioFile


def names_in(root, page):
    return sorted(set(re.findall(r"`(knuckle(?:\.\w+)+)`", (root / "docs" / page).read_text())))


@pytest.mark.parametrize("page", ["equations.md", "derivations/index.md", "how-to-choose.md", "scenario-files.md"])
def test_every_function_named_exists(root, page):
    missing = []
    for dotted in names_in(root, page):
        module, _, name = dotted.rpartition(".")
        try:
            importlib.import_module(dotted)
        except ModuleNotFoundError:
            if not hasattr(importlib.import_module(module), name):
                missing.append(dotted)
    assert not missing


def test_every_key_of_a_scenario_is_explained(root):
    text = (root / "docs" / "scenario-files.md").read_text()
    table = [line for line in text.splitlines() if line.startswith("| `")]
    named = {key for line in table for key in re.findall(r"`(\w+)`", line.split("|")[1])}
    assert named == {field.alias or name for name, field in ScenarioFile.model_fields.items()}


def test_every_command_is_explained(root):
    text = (root / "docs" / "reference" / "command-line.md").read_text()
    named = set(re.findall(r"^\| `knuckle (\w+)", text, re.MULTILINE))
    assert named == {command.callback.__name__ for command in app.registered_commands}
