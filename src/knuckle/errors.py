"""Every exception of the package. A message names the thing, the value and what was allowed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self

MAX_FAULTS = 20
"""So many faults of one file are printed at most; the rest are counted."""

_LONGEST_VALUE = 60
_LONGEST_KEY = 120
# Text that would be read as something else if it stood there without quotes.
_READS_AS_DATA = re.compile(r"[-+]?(\d[\d_]*\.?\d*|\.\d+)([eE][-+]?\d+)?|true|false|null|[-+]?\.?(nan|inf(inity)?)", re.IGNORECASE)


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
        place = [one_line(str(part)) for part in (self.file, self.line, self.column) if part is not None]
        head = [":".join(place)] if place else []
        if self.key:
            head.append(_short(one_line(self.key), _LONGEST_KEY))
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


class Gathering:
    """Lets the steps of a task go on after faults, so that all are reported at once.

    `with gathering: step()` keeps the faults of the step, `done()` raises them.
    """

    def __init__(self) -> None:
        self.errors: list[InputError] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> bool:
        if not isinstance(error, InputError):
            return False
        self.errors.append(error)
        return True

    def done(self) -> None:
        """Raises all faults as one error, of the kind that they share."""
        kinds = {type(error) for error in self.errors}
        if kinds:
            kind = kinds.pop() if len(kinds) == 1 else InputError
            raise kind([fault for error in self.errors for fault in error.faults])


class UnsupportedError(InputError):
    """The input is sound but asks for something that Knuckle does not do; the fault names it."""


class GeometryError(KnuckleError):
    """No contact frame exists or a single contact point is the wrong model (PHYSICS F6, F7)."""

    exit_code = 2


class StoreError(KnuckleError):
    """Reading or writing results failed."""

    exit_code = 6


def close_to(word: str, known: Iterable[str]) -> str | None:
    """The known name that a misspelt one most likely means."""
    import difflib

    known = list(known)
    by_fold = {name.casefold(): name for name in known}
    if word.casefold() in by_fold:
        return by_fold[word.casefold()]
    found = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return found[0] if found else None


def suggestion(word: str, known: Iterable[str], what: str = "known names") -> str:
    """`did you mean ...?`, or the list of what there is."""
    known = list(known)
    close = close_to(word, known)
    if close is not None:
        return f"did you mean `{close}`?"
    return f"{what}: {', '.join(known)}" if known else f"there are no {what}"


def printable(text: str) -> str:
    """`text` with everything that does not print (control characters, lone surrogates) as an escape: no name steers a terminal."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def one_line(text: str) -> str:
    """`text` with every run of white space turned into one blank, so that a fault stays one line."""
    return printable(" ".join(str(text).split()))


def shown(value: Any) -> str:
    """A value as it is quoted in a message: short, on one line; text in quotes where it could be taken for a number."""
    if isinstance(value, str):
        text = one_line(value)
        return _short(repr(text) if not text or _READS_AS_DATA.fullmatch(text) else text, _LONGEST_VALUE)
    try:
        return _short(one_line(repr(value.item() if getattr(value, "ndim", None) == 0 else value)), _LONGEST_VALUE)
    except (ValueError, RecursionError):  # thousands of digits, or of levels
        return f"a very long {type(value).__name__}"


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 3] + "..."
