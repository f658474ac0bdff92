"""JSON text as plain data; where each value stands is looked up only when something is wrong with it."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from knuckle.errors import Fault, InputError
from knuckle.scenario.text import MAX_DEPTH, Document, Path

LONGEST_NUMBER = 400  # digits; a longer one is beyond all numbers
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


@dataclass
class JsonText:
    """What a JSON text says, and whether a key is given twice in it."""

    text: str
    file: str
    data: Any = None
    has_repeats: bool = False

    def document(self) -> Document:
        """The place of every key and value, and a fault for each key that is given twice."""
        document = Document(self.data)
        lines = [0, *(match.end() for match in re.finditer("\n", self.text))]
        for path, offset, is_key in _places(self.text):
            line = bisect_right(lines, offset)
            place = line, offset - lines[line - 1] + 1
            if is_key and path in document.keys:
                todo = f"keep one (the first is on line {document.keys[path][0]})"
                document.faults.append(Fault("is given twice", bracketed(path), None, todo, self.file, *place))
            (document.keys if is_key else document.values).setdefault(path, place)
        return document

    def placed(self, faults: Iterable[Fault]) -> list[Fault]:
        """The faults with line and column, in the order of the file; keys are `contacts[0].mu`."""
        document = self.document()
        placed = [fault.at(self.file, *document.place(_steps(fault.key or ""), "not a key" in fault.message)) for fault in faults]
        return sorted([*document.faults, *placed], key=lambda fault: (fault.line or 0, fault.column or 0))


def read(text: str, file: str) -> JsonText:
    """Reads one JSON document; a syntax error raises `InputError` with its line and column."""
    found = JsonText(text, file)

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        mapping = dict(items)
        if len(mapping) < len(items):
            found.has_repeats = True
        return mapping

    try:
        found.data = json.loads(text, object_pairs_hook=pairs, parse_int=_integer)
    except json.JSONDecodeError as error:
        message = f"not readable as JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        raise InputError(Fault(message, file=file, line=error.lineno, column=error.colno)) from None
    except RecursionError:
        raise InputError("nested too deeply", file=file) from None
    return found


def bracketed(path: Path) -> str:
    """A path as problem files write it: `contacts[0].mu`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _steps(key: str) -> Path:
    return tuple(int(number) if number else name for number, name in re.findall(r"\[(\d{1,9})\]|([^.\[]+)", key))


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= LONGEST_NUMBER else math.copysign(math.inf, -1 if digits[0] == "-" else 1)


def _places(text: str) -> Iterator[tuple[Path, int, bool]]:
    """Path, offset and whether it is a key, of all keys and values of a sound text, down to `MAX_DEPTH`."""
    path: list[str | int] = []
    before_key = False
    open_brackets: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == ",":
            before_key = open_brackets[-1] == "{"
            if not before_key:
                path[-1] = int(path[-1]) + 1
        elif token in "]}":
            open_brackets.pop()
            path.pop()
            before_key = False
        elif before_key:
            path[-1] = json.loads(token)
            before_key = False
            if len(path) <= MAX_DEPTH:
                yield tuple(path), match.start(), True
        elif token != ":":
            if len(path) <= MAX_DEPTH:
                yield tuple(path), match.start(), False
            if token in "[{":
                open_brackets.append(token)
                path.append(0)
                before_key = token == "{"
