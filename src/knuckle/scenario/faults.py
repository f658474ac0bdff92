"""From what the schema found to the lines a person reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from knuckle.errors import Fault, suggestion
from knuckle.scenario.schema import ScenarioFile
from knuckle.scenario.text import Path, key_text

_KIND_OF_VALUE = {
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "string_type": "must be text",
    "string_unicode": "must be text",
    "bool_type": "must be true or false",
    "finite_number": "must be a finite number",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "dict_type": "must be a mapping",
    "model_type": "must be a mapping of keys",
    "model_attributes_type": "must be a mapping of keys",
    "missing": "is missing",
    "string_too_short": "must not be empty",
}
_BOUNDS = {
    "greater_than": ("gt", "must be greater than"),
    "greater_than_equal": ("ge", "must not be less than"),
    "less_than_equal": ("le", "must be at most"),
}
_UPPER_BOUND = "use 1e6 for surfaces that never slip"  # friction alone has one


def is_echo(error: ErrorDetails) -> bool:
    """Whether a list only seems too short because its wrong entries, which have faults of their own, were left out."""
    return error["type"] == "too_short" and len(error["input"]) >= error["ctx"]["min_length"]


def fault_of(error: ErrorDetails, data: Any) -> tuple[Fault, Path, bool]:
    """One finding of the schema as a fault without its place, its path, and whether the key itself is at fault."""
    kind, context = error["type"], error.get("ctx") or {}
    path = _path_in(data, error["loc"], new_key=kind == "missing")
    got: Any = error["input"]
    if kind == "extra_forbidden":
        keys = suggestion(str(path[-1]), keys_at(path[:-1]), "keys here")
        return Fault("is not a key here", key_text(path), None, keys), path, True
    if kind == "missing":
        return Fault("is missing", key_text(path), todo=_purpose(path)), path, False
    if kind == "knuckle":
        if context["at"] is not None:
            path = (*path, context["at"])
        return Fault(context["message"], key_text(path) or None, context["got"], context["todo"]), path, False
    message, todo = _words(kind, context, error["msg"], got)
    if isinstance(got, (dict, list, tuple)) and kind not in ("too_short", "too_long", "form"):
        got = f"a {'mapping' if isinstance(got, dict) else 'list'}"
    elif kind == "form" and isinstance(got, Mapping):
        got = "a mapping"
    elif got is None:
        got = "nothing"
    return Fault(message, key_text(path) or None, got, todo), path, False


def _words(kind: str, context: dict[str, Any], otherwise: str, got: Any) -> tuple[str, str | None]:
    if kind == "literal_error":
        allowed = [word.strip("'") for word in str(context["expected"]).replace(" or ", ", ").split(", ")]
        return f"must be {_or(allowed)}", (suggestion(got, allowed, "allowed") if isinstance(got, str) else None)
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        return f"{words} {f'{context[name]:g}'.replace('e+0', 'e')}", _UPPER_BOUND if name == "le" else None
    if kind == "too_short":
        return f"must have {context['min_length']} or more entries", f"it has {context['actual_length']}"
    if kind == "too_long":
        return f"must have {context['max_length']} entries at most", f"it has {context['actual_length']}"
    if kind == "form":
        return otherwise, None
    if kind in ("float_type", "float_parsing") and isinstance(got, str):
        return "must be a number, not text", "write it without `_`" if "_" in got else "write it without quotes"
    return _KIND_OF_VALUE.get(kind, otherwise[:1].lower() + otherwise[1:]), None


def _or(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _path_in(data: Any, location: Iterable[str | int], new_key: bool) -> Path:
    """The location without the schema's own steps (the branch of an alternative)."""
    path: list[str | int] = []
    steps = list(location)
    for number, step in enumerate(steps):
        last = number == len(steps) - 1
        if isinstance(data, dict) and isinstance(step, str) and (step in data or (last and new_key)):
            path.append(step)
            data = data.get(step)
        elif isinstance(data, (list, tuple)) and isinstance(step, int):
            path.append(step)
            data = data[step] if step < len(data) else None
    return tuple(path)


def _sections(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [section for part in get_args(annotation) for section in _sections(part)]


def _fields_at(path: Path) -> list[tuple[str, Any]]:
    sections: list[type[BaseModel]] = [ScenarioFile]
    for step in path:
        if isinstance(step, int):
            continue
        found = [field.annotation for section in sections for name, field in _named(section) if name == step]
        if found:
            sections = [inner for annotation in found for inner in _sections(annotation)]
    return [pair for section in sections for pair in _named(section)]


def _named(section: type[BaseModel]) -> list[tuple[str, Any]]:
    return [(field.alias or name, field) for name, field in section.model_fields.items()]


def keys_at(path: Path) -> list[str]:
    """The keys that the format has at a path."""
    return [name for name, _ in _fields_at(path)]


def _purpose(path: Path) -> str | None:
    for name, field in _fields_at(path[:-1]):
        if name == path[-1] and field.description:
            return str(field.description)
    return None
