"""Runs one command and turns every exception of the package into its exit code and one line per fault."""

from __future__ import annotations

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
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _close_output()
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Runs one command line and returns the exit code."""
    from knuckle.cli.app import app

    warnings.showwarning = _doubt
    as_json = "--json" in arguments
    try:
        code = app(args=list(arguments) or ["--help"], prog_name="knuckle", standalone_mode=False)
    except InputError as error:
        return output.refuse(error, error.exit_code, as_json)
    except KnuckleError as error:
        return output.refuse(InputError(one_line(str(error))), error.exit_code, as_json)
    except _ParserError as error:
        return output.refuse(_usage_fault(error), exits.BAD_INPUT, as_json)
    except BrokenPipeError:
        _close_output()
        return exits.ANSWERED
    except OSError as error:
        fault = Fault(one_line(error.strerror or str(error)), file=str(error.filename) if error.filename else None)
        return output.refuse(InputError(fault), exits.INPUT_OUTPUT, as_json)
    except (KeyboardInterrupt, typer.Abort):
        return exits.INTERRUPTED
    return code if isinstance(code, int) else exits.ANSWERED


def _doubt(message: Warning | str, category: type[Warning], *_place: object, **_more: object) -> None:
    """A warning is one line on standard error, without the place in our source."""
    if issubclass(category, UserWarning):
        output.complain(f"doubtful: {one_line(str(message))}")


def _usage_fault(error: Any) -> InputError:
    command = getattr(getattr(error, "ctx", None), "command_path", None) or "knuckle"
    message = one_line(error.format_message()).rstrip(".")
    return InputError(Fault(message[:1].lower() + message[1:], file=command, todo=f"see `{command} --help`"))


def _close_output() -> None:
    """The reader of our output went away: no complaint at exit (the interpreter would flush once more)."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
