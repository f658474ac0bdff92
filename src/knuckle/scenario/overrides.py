"""Replacing single values of a scenario: `contacts.0.mu = 0.3`."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from knuckle.errors import Fault, InputError, suggestion
from knuckle.scenario.faults import keys_at
from knuckle.scenario.text import NO_TEXT, Path, key_text, parse_value

PLACE = "override"
"""Stands for the file name in faults of an overridden value."""


def split_setting(setting: str) -> tuple[str, Any]:
    """`a.b.0.c=value` as key and value; the value is read as YAML."""
    key, equals, text = setting.partition("=")
    key = key.strip()
    if not equals or not key:
        raise InputError("is not of the form key=value", file=PLACE, got=setting, todo="for example contacts.0.mu=0.3")
    try:
        return key, parse_value(text)
    except InputError as error:
        raise InputError([Fault(fault.message, key, text, file=PLACE) for fault in error.faults]) from None


def plain(value: Any) -> Any:
    """Lists, mappings and numbers as YAML would give them (NumPy arrays and scalars become lists and numbers)."""
    if isinstance(value, str):
        value.encode()  # a lone surrogate is no text
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {plain(str(key)): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value


def of_caller(overrides: Any) -> dict[str, Any]:
    """The overrides as plain data; raises `InputError` where they are no mapping, or nothing that a file could say."""
    if not isinstance(overrides, Mapping):
        raise InputError("overrides map dotted keys to values", got=overrides, todo='for example {"contacts.0.mu": 0.3}')
    changes, faults = {}, []
    for key, value in overrides.items():
        try:
            changes[plain(str(key))] = plain(value)
        except UnicodeEncodeError:
            faults.append(Fault(NO_TEXT, str(key), file=PLACE))
        except RecursionError:
            faults.append(Fault("holds itself or is nested too deeply", str(key), file=PLACE))
    if faults:
        raise InputError(faults)
    return changes


def apply(data: Any, overrides: Mapping[str, Any]) -> tuple[Any, list[Path], list[Fault]]:
    """The data with every override in its place; a list takes an index or the `name` of one of its entries."""
    data = copy.deepcopy(data)
    paths: list[Path] = []
    faults: list[Fault] = []
    for key, value in overrides.items():
        try:
            paths.append(_set(data, key, value))
        except InputError as error:
            faults += error.faults
    return data, paths, faults


def _set(data: Any, key: str, value: Any) -> Path:
    steps = key.split(".")
    path: Path = ()
    for number, step in enumerate(steps):
        last = number == len(steps) - 1
        if isinstance(data, list):
            index = _index(data, step, path, key)
            path = (*path, index)
            if last:
                data[index] = value
            data = data[index]
        elif isinstance(data, dict):
            path = (*path, step)
            if last:
                data[step] = value
            elif data.get(step) is None:
                if step not in keys_at(path[:-1]) and keys_at(path[:-1]):
                    todo = suggestion(step, keys_at(path[:-1]), "keys here")
                    raise InputError(Fault("is not a key here", key_text(path), todo=todo, file=PLACE))
                data[step] = {}
            data = data[step]
        else:
            raise InputError(Fault("cannot be set inside a single value", key, data, key_text(path), file=PLACE))
    return path


def _index(data: list[Any], step: str, path: Path, key: str) -> int:
    names = [str(entry["name"]) for entry in data if isinstance(entry, dict) and "name" in entry]
    if step.isascii() and step.isdigit():
        if int(step) < len(data):
            return int(step)
    else:
        for index, entry in enumerate(data):
            if isinstance(entry, dict) and entry.get("name") == step:
                return index
    got = int(step) if step.isascii() and step.isdigit() and len(step) < 10 else step
    known = [str(index) for index in range(len(data))] + names
    todo = f"{key_text(path)} has {', '.join(known)}" if known else f"{key_text(path)} is empty"
    raise InputError(Fault("there is no such entry", key, got, todo, file=PLACE))
