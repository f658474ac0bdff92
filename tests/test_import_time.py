"""Starting is quick: CPU seconds of a process that imports, less those of a process that does nothing."""

import os
import subprocess
import sys

import pytest


def cpu_seconds(code):
    """The least of five runs: CPU time that another process has cost us is not ours."""
    program = f"{code}\nimport os; times = os.times(); print(times.user + times.system)"
    command = [sys.executable, "-c", program]
    return min(
        float(subprocess.run(command, capture_output=True, text=True, check=True, env=dict(os.environ)).stdout)
        for _ in range(5)
    )


@pytest.mark.parametrize(
    ("code", "most"),
    [("import knuckle", 0.2), ("import sys; sys.argv = ['knuckle']; from knuckle.cli import run; run([])", 0.5)],
)
def test_start(code, most):
    code = f"import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()):\n    exec({code!r})"
    assert cpu_seconds(code) - cpu_seconds("import contextlib, io") < most


@pytest.mark.parametrize(
    "heavy", ["numpy", "numba", "mujoco", "pydantic", "typer", "rich", "ruamel.yaml", "scipy", "matplotlib"]
)
def test_import_knuckle_loads_nothing_heavy(heavy):
    code = f"import knuckle, sys; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_public_names_are_listed_and_unknown_ones_refused():
    import knuckle

    assert {"load", "modes", "solve", "solve_lcp", "contact_acceleration"} <= set(dir(knuckle))
    with pytest.raises(AttributeError, match="no attribute 'frobnicate'"):
        _ = knuckle.frobnicate


def test_every_public_name_exists():
    import knuckle

    missing = [name for name in knuckle.__all__ if not hasattr(knuckle, name)]
    assert not missing
