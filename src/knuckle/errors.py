"""Every exception of the package. A message names the thing, the value and what was allowed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

MAX_FAULTS = 20
"""So many faults of one file are printed at most; the rest are counted."""

_LONGEST_VALUE = 60


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with an input. Only `message` must be given; unknown parts are left out of the line.

    `message` says what is wrong, `got` is the value that was found (any object, printed short), `todo` says what to do.
    """

    message: str
    key: str | None = None
    got: Any = None
    todo: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        place = [str(part) for part in (self.file, self.line, self.column) if part is not None]
        head = [":".join(place)] if place else []
        if self.key:
            head.append(self.key)
        text = ": ".join([*head, one_line(self.message)])
        if self.got is not None:
            text += f" (got {shown(self.got)})"
        if self.todo:
            text += f"; {one_line(self.todo)}"
        return text

    def at(self, file: str | None = None, line: int | None = None, column: int | None = None) -> Fault:
        """The same fault with a place, where it has none yet."""
        return replace(self, file=self.file or file, line=self.line or line, column=self.column or column)

    def to_dict(self) -> dict[str, Any]:
        """The fault as JSON-ready data."""
        return {
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "key": self.key,
            "message": self.message,
            "got": None if self.got is None else shown(self.got),
            "todo": self.todo,
        }


class KnuckleError(Exception):
    """Base of every exception that the package raises on purpose; `exit_code` is what the command line returns."""

    exit_code = 2


class InputError(KnuckleError):
    """The input is wrong: `faults` lists all that was found.

    Takes one fault, several, or a message with the keywords of `Fault`:
    `InputError("no such body", key="objects.0.body", got="ball", todo="bodies: palm, tip")`.
    """

    exit_code = 2

    def __init__(self, faults: Fault | str | Iterable[Fault], **parts: Any) -> None:
        if isinstance(faults, str):
            faults = [Fault(faults, **parts)]
        elif isinstance(faults, Fault):
            faults = [faults]
        self.faults: list[Fault] = list(faults)
        super().__init__(self.faults)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """One line per fault, `MAX_FAULTS` at most; the last one says how many more there are."""
        lines = [str(fault) for fault in self.faults[:MAX_FAULTS]]
        if len(self.faults) > MAX_FAULTS:
            lines[-1] += f" (and {len(self.faults) - MAX_FAULTS} more faults)"
        return lines

    def at(self, file: str | None = None, line: int | None = None, column: int | None = None) -> InputError:
        """The same error with a place put on every fault that has none."""
        return type(self)([fault.at(file, line, column) for fault in self.faults])


class UnsupportedError(InputError):
    """The input is sound but asks for something that Knuckle does not do; the fault names it."""


class GeometryError(KnuckleError):
    """No contact frame exists or a single contact point is the wrong model (PHYSICS F6, F7)."""

    exit_code = 2


class StoreError(KnuckleError):
    """Reading or writing results failed."""

    exit_code = 6


def one_line(text: str) -> str:
    """`text` with every run of white space turned into one blank, so that a fault stays one line."""
    return " ".join(str(text).split())


def shown(value: Any) -> str:
    """A value as it is quoted in a message: short, on one line."""
    text = one_line(value if isinstance(value, str) else repr(value))
    if isinstance(value, str) and not text:
        text = "''"
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 3] + "..."
