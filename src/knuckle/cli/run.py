"""Runs one command and turns every exception of the package into its exit code and one line per fault."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import typer

from knuckle.cli import exits, output
from knuckle.errors import Fault, InputError, KnuckleError, one_line

# The parser's own error class; typer shows it only through its children.
_UsageError: Any = typer.BadParameter.__mro__[1]
_ParserError: Any = _UsageError.__mro__[1]


def main() -> None:
    """The command `knuckle`."""
    for library in ("OPENBLAS", "OMP", "MKL"):             # read when NumPy is loaded; threads on small matrices cost four times their gain
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Runs one command line, prints what it says, and returns the exit code."""
    warnings.showwarning = _doubt
    page = output.Page(sys.stdout)
    with contextlib.redirect_stdout(page):
        try:
            code = _command(arguments)
        except (KeyboardInterrupt, typer.Abort):
            return exits.INTERRUPTED
        except (KnuckleError, _ParserError, OSError) as error:
            page.clear()
            code = output.refuse(*_in_words(error), "--json" in arguments)
    return output.deliver(page.getvalue(), code)


def _command(arguments: Sequence[str]) -> int:
    from knuckle.cli.app import app

    code = app(args=list(arguments) or ["--help"], prog_name="knuckle", standalone_mode=False)
    return code if isinstance(code, int) else exits.ANSWERED


def _in_words(error: Any) -> tuple[InputError, int]:
    """The faults that an exception stands for, and its exit code."""
    if isinstance(error, InputError):
        return error, error.exit_code
    if isinstance(error, KnuckleError):
        return InputError(one_line(str(error))), error.exit_code
    if isinstance(error, OSError):
        fault = Fault(one_line(error.strerror or str(error)), file=str(error.filename) if error.filename else None)
        return InputError(fault), exits.INPUT_OUTPUT
    return _usage_fault(error), exits.BAD_INPUT


def _doubt(message: Warning | str, category: type[Warning], *_place: object, **_more: object) -> None:
    """A warning is one line on standard error, without the place in our source."""
    if issubclass(category, UserWarning):
        output.complain(f"doubtful: {one_line(str(message))}")


def _usage_fault(error: Any) -> InputError:
    command = getattr(getattr(error, "ctx", None), "command_path", None) or "knuckle"
    message = one_line(error.format_message()).rstrip(".")
    return InputError(Fault(message[:1].lower() + message[1:], file=command, todo=f"see `{command} --help`"))
