"""`load`: a shipped name, a YAML file or a model file becomes a `Scenario`, or every fault is named at once."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import PrivateAttr, ValidationError

from knuckle.errors import Fault, GeometryError, InputError, one_line, suggestion
from knuckle.scenario import overrides as overriding
from knuckle.scenario import shipped
from knuckle.scenario.faults import fault_of, is_echo
from knuckle.scenario.schema import VERSION, ScenarioFile
from knuckle.scenario.text import Document, key_text, parse, read_text

MODEL_SUFFIXES = (".xml", ".mjcf", ".urdf")
YAML_SUFFIXES = (".yaml", ".yml")
MODEL_SETTLE_MM = 1.0
"""States of model files are projected to touch; a larger displacement than this is refused."""


class Scenario(ScenarioFile):
    """A valid scenario with the file it came from. `compile()` turns it into a system that answers questions."""

    _path: Path | None = PrivateAttr(None)
    _text: str = PrivateAttr("")
    _overrides: dict[str, Any] = PrivateAttr(default_factory=dict)
    _document: Document = PrivateAttr(default_factory=Document)
    _compile: Callable[[Scenario], Any] | None = PrivateAttr(None)

    @property
    def path(self) -> Path | None:
        """The file that was read."""
        return self._path

    @property
    def text(self) -> str:
        """The YAML text without the overrides."""
        return self._text

    @property
    def overrides(self) -> dict[str, Any]:
        """What was set from outside, as plain data."""
        return dict(self._overrides)

    @property
    def model_path(self) -> Path | None:
        """The model file, with the scenario's folder before a relative path."""
        if self.model is None:
            return None
        return self.folder / self.model

    @property
    def folder(self) -> Path:
        """What relative paths in the file are relative to."""
        return self._path.parent if self._path else Path()

    def compile(self) -> Any:
        """Models loaded and kernels ready: a `System` for many cheap calls."""
        if self._compile is None:
            raise InputError("this scenario was read as data alone", todo="use knuckle.load")
        return self._compile(self)

    def place(self, key: str) -> tuple[str | None, int | None, int | None]:
        """File, line and column of a key such as `contacts.0.mu` or `objects.disk.mass`."""
        if key.split(".")[0] in _INSIDE_STATE:
            key = f"state.{key}"
        if any(key == name or key.startswith(name + ".") for name in self._overrides):
            return overriding.PLACE, None, None
        file = str(self._path) if self._path else None
        steps = path_in(self._document.data, key)
        return (file, *self._document.place(steps)) if steps else (file, None, None)

    @contextmanager
    def placing_faults(self) -> Any:
        """Gives every fault of a later stage that names a key of this scenario its file, line and column."""
        try:
            yield
        except InputError as error:
            faults = [fault if fault.file else fault.at(*self.place(fault.key or "")) for fault in error.faults]
            raise type(error)(sorted(faults, key=_in_file)) from error
        except GeometryError as error:                     # of the state as a whole
            raise InputError(Fault(one_line(str(error)), key="state").at(*self.place("state"))) from error

    def __repr__(self) -> str:
        contacts = self.contacts if isinstance(self.contacts, str) else len(self.contacts)
        return f"Scenario({self.name!r}, {len(self.objects)} objects, contacts={contacts}, law={self.law!r})"

    __str__ = __repr__


def load(
    path_or_name: str | Path,
    overrides: Mapping[str, Any] | None = None,
    *,
    compile_with: Callable[[Scenario], Any] | None = None,
) -> Scenario:
    """Reads a shipped scenario by name, a YAML file, or an MJCF or URDF file (a scenario with found contacts).

    `overrides` maps dotted keys to values: `{"contacts.0.mu": 0.3}`. `compile_with` is what `Scenario.compile` calls.
    """
    path = find(path_or_name)
    if path.suffix.lower() in MODEL_SUFFIXES:
        text = _text_for_model(path)
    else:
        text = read_text(path.read_bytes(), str(path))
    scenario = loads(text, overrides, path=path)
    if path.suffix.lower() in MODEL_SUFFIXES:
        scenario._document = Document()  # its lines are not those of the model file
    scenario._compile = compile_with
    return scenario


def find(path_or_name: str | Path) -> Path:
    """The file that is meant, or an `InputError` that says what there is."""
    if not isinstance(path_or_name, (str, os.PathLike)):
        raise InputError("a scenario is asked for by its name or path", got=type(path_or_name).__name__, todo="give text or a pathlib.Path")
    wanted = str(path_or_name)
    path = Path(path_or_name)
    if path.suffix.lower() in MODEL_SUFFIXES + YAML_SUFFIXES:
        if path.is_file():
            return path
        message = "is not a file" if path.exists() else "no such file"
        raise InputError(message, file=wanted, todo="give the path of a scenario or model file")
    found = shipped.path_of(wanted)
    if found is not None:
        return found
    if path.is_file():
        todo = f"scenarios end in {' or '.join(YAML_SUFFIXES)}, models in {', '.join(MODEL_SUFFIXES)}"
        raise InputError("is not a scenario or model file", file=wanted, todo=todo)
    raise InputError("no such scenario", got=wanted, todo=suggestion(wanted, shipped.names(), "shipped scenarios"))


def loads(text: str, overrides: Mapping[str, Any] | None = None, *, path: Path | None = None) -> Scenario:
    """The same from YAML text; `path` is named in messages and is what relative paths start from."""
    file = str(path) if path else None
    document = parse(text, file)
    faults = list(document.faults)
    changes = overriding.of_caller({} if overrides is None else overrides)
    data, changed, more = overriding.apply(document.data, changes) if changes else (document.data, [], [])
    faults += more
    if not isinstance(data, dict):
        message = "the file is empty" if data is None else "a scenario is a mapping of keys"
        raise InputError(Fault(message, file=file, todo=f"begin with `knuckle: {VERSION}`"))
    if path is not None and data.get("name") is None:
        data = {**data, "name": path.stem}

    def place(fault: Fault, steps: tuple[str | int, ...], at_key: bool) -> Fault:
        if any(steps[: len(head)] == head or head[: len(steps)] == steps for head in changed if head):
            return fault.at(overriding.PLACE)
        return fault.at(file, *document.place(steps, at_key))

    faults += [place(*found) for found in _content_faults(data)]
    scenario = None
    try:
        scenario = Scenario.model_validate(data)
    except ValidationError as error:
        faults += [place(*fault_of(detail, data)) for detail in error.errors(include_url=False) if not is_echo(detail)]
    if faults or scenario is None:
        raise InputError(sorted(set_of(faults), key=_in_file))
    scenario._path, scenario._text, scenario._overrides, scenario._document = path, text, changes, document
    return scenario


def _in_file(fault: Fault) -> tuple[int, int]:
    return fault.line or 0, fault.column or 0


# Rooms that know only the state say `q`; the file says `state.q`.
_INSIDE_STATE = ("q", "v", "joints", "rates")


def path_in(data: Any, key: str) -> tuple[str | int, ...]:
    """The steps of a dotted key as far as the data has them; entries of a list by index or by their `name`."""
    path: tuple[str | int, ...] = ()
    rest = key
    while rest:
        step: str | int | None = None
        if isinstance(data, dict):
            step = _head_of(rest, data)
        elif isinstance(data, list):
            names = {str(entry.get("name")): n for n, entry in enumerate(data) if isinstance(entry, dict)}
            name = _head_of(rest, {**{str(n): None for n in range(len(data))}, **names})
            step = None if name is None else names.get(name, int(name) if name.isdigit() else None)
            rest = f"{step}{rest[len(name) :]}" if name is not None else rest
        if step is None:
            break
        path, data = (*path, step), data[step]
        rest = rest[len(str(step)) + 1 :]
    return path


def _head_of(rest: str, known: Mapping[str, Any]) -> str | None:
    """The longest known name that `rest` begins with (names may hold dots)."""
    heads = [name for name in known if rest == name or rest.startswith(name + ".")]
    return max(heads, key=len, default=None)


def set_of(faults: list[Fault]) -> list[Fault]:
    """Each line once, in the order of first appearance."""
    return list({str(fault): fault for fault in faults}.values())


def _text_for_model(path: Path) -> str:
    """The scenario that a bare model file stands for (JSON strings are YAML strings)."""
    name, model = json.dumps(path.stem), json.dumps(path.name)
    return f"knuckle: {VERSION}\nname: {name}\nmodel: {model}\nsettle: {MODEL_SETTLE_MM}\n"


def _content_faults(data: dict[str, Any]) -> list[tuple[Fault, tuple[str | int, ...], bool]]:
    """What no single section can see: names and pairs that are given twice."""
    found: list[tuple[Fault, tuple[str | int, ...], bool]] = []
    for keys in (("objects", "shapes"), ("contacts",)):
        seen: set[str] = set()
        for path, name in ((path, name) for key in keys for path, name in _names(data, key)):
            if name in seen:
                fault = Fault("is the name of another entry", key_text(path), name, "names are unique")
                found.append((fault, path, False))
            seen.add(name)
    return found + _twice(data)


def _names(data: dict[str, Any], key: str) -> list[tuple[tuple[str | int, ...], str]]:
    named = [((key, index, "name"), entry.get("name")) for index, entry in _entries(data, key)]
    return [(path, name) for path, name in named if isinstance(name, str)]


def _twice(data: dict[str, Any]) -> list[tuple[Fault, tuple[str | int, ...], bool]]:
    found: list[tuple[Fault, tuple[str | int, ...], bool]] = []
    first: dict[frozenset[str], int] = {}
    for index, entry in _entries(data, "contacts"):
        pair = (entry.get("object"), entry.get("link"))
        if not all(isinstance(name, str) for name in pair) or pair[0] == pair[1]:
            continue
        key = frozenset(str(name) for name in pair)
        if key in first:
            path = ("contacts", index)
            message = f"is the same pair as contacts.{first[key]}"
            fault = Fault(message, key_text(path), " and ".join(map(str, pair)), "list each pair once")
            found.append((fault, path, False))
        first.setdefault(key, index)
    return found


def _entries(data: dict[str, Any], key: str) -> list[tuple[int, dict[str, Any]]]:
    entries = data.get(key)
    if not isinstance(entries, list):
        return []
    return [(index, entry) for index, entry in enumerate(entries) if isinstance(entry, dict)]
