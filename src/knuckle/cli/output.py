"""What goes to standard output and standard error."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from typing import Any

from knuckle.errors import InputError


def plain(value: Any) -> Any:
    """JSON-ready data: arrays become lists, unbounded or undefined numbers become null."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value


def json_text(value: Any) -> str:
    """One JSON document."""
    return json.dumps(plain(value), allow_nan=False, ensure_ascii=False)


def say(text: str) -> None:
    """A line on standard output."""
    sys.stdout.write(text + "\n")


def complain(text: str) -> None:
    """A line on standard error."""
    sys.stderr.write(text + "\n")


def refuse(error: InputError, code: int, as_json: bool) -> int:
    """Prints the faults, one line each, and gives the exit code back."""
    for line in error.lines():
        complain(line)
    if as_json:
        say(json_text({"verdict": "invalid_input" if code == 2 else None, "errors": error.lines()}))
    return code


def console(quiet: bool = False) -> Any:
    """A rich console on standard output, as wide as the terminal, plain text in a pipe."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else 120
    return Console(file=sys.stdout, width=width, highlight=False, quiet=quiet, soft_wrap=False)
