"""What goes to standard output and standard error: the one place that prints.

A command says all it has to say to a page, which is delivered when the command is done: a fault leaves nothing half said.
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import sys
from typing import Any

from knuckle.cli import exits
from knuckle.complementarity.result import plain
from knuckle.errors import InputError


class Page(io.StringIO):
    """Takes the place of standard output, and looks like it, while a command runs."""

    def __init__(self, stream: Any) -> None:
        super().__init__()
        self.stream = stream

    def isatty(self) -> bool:
        return self.stream is not None and self.stream.isatty()

    @property
    def encoding(self) -> str:  # type: ignore[override] # io.StringIO has none
        return getattr(self.stream, "encoding", None) or "utf-8"

    def clear(self) -> None:
        self.seek(0)
        self.truncate()


def deliver(text: str, code: int) -> int:
    """Writes the page to standard output and gives the exit code: a reader that went away is no error, a full disk is."""
    try:
        if text:
            _write(sys.stdout, text)
    except BrokenPipeError:
        _discard_the_rest()
    except (OSError, ValueError) as error:  # ValueError: closed
        _discard_the_rest()
        complain(f"standard output: cannot be written: {getattr(error, 'strerror', None) or 'it is closed'}")
        return exits.INPUT_OUTPUT
    return code


def _write(stream: Any, text: str) -> None:
    if stream is None:
        raise OSError(errno.EBADF, "it is closed")
    encoding = getattr(stream, "encoding", None) or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()


def _discard_the_rest() -> None:
    """What is still in the buffer goes nowhere (the interpreter would flush it once more at exit, and complain)."""
    with contextlib.suppress(OSError, ValueError, AttributeError):  # no stream, or none with a number
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def json_text(value: Any) -> str:
    """One JSON document, in ASCII: no terminal or locale can spoil it."""
    return json.dumps(plain(value), allow_nan=False)


def say(text: str) -> None:
    """A line on standard output."""
    sys.stdout.write(text + "\n")


def complain(text: str) -> None:
    """A line on standard error, where there is one."""
    with contextlib.suppress(OSError, ValueError):
        _write(sys.stderr, text + "\n")


def refuse(error: InputError, code: int, as_json: bool) -> int:
    """Prints the faults, one line each, and gives the exit code back."""
    for line in error.lines():
        complain(line)
    if as_json:
        say(json_text({"verdict": "invalid_input" if code == exits.BAD_INPUT else None, "errors": error.lines()}))
    return code


def console(quiet: bool = False) -> Any:
    """A rich console on standard output, as wide as the terminal, plain text in a pipe. Names are printed as they are: no markup, no emoji."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else 120
    return Console(file=sys.stdout, width=width, highlight=False, markup=False, emoji=False, quiet=quiet, soft_wrap=False)
