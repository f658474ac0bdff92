"""From options to overrides of the scenario."""

from __future__ import annotations

from typing import Any

from knuckle.errors import Gathering, InputError
from knuckle.scenario import split_setting


def collect(settings: list[str] | None, torque: str | None = None, **named: str | None) -> dict[str, Any]:
    """All overrides of a command line; every fault at once."""
    overrides, faults = gather(settings, torque, **named)
    faults.done()
    return overrides


def gather(settings: list[str] | None, torque: str | None = None, **named: str | None) -> tuple[dict[str, Any], Gathering]:
    """The overrides that can be read, and the faults of the others: the readable ones may have faults of their own."""
    overrides: dict[str, Any] = {}
    faults = Gathering()
    for setting in settings or []:
        with faults:
            key, value = split_setting(setting)
            if key in overrides:
                raise InputError("is given twice", file="--set", key=key, todo="keep one")
            overrides[key] = value
    for key, text in named.items():
        if text is not None:
            overrides[key] = _settle(text) if key == "settle" else text
    if torque is not None:
        with faults:
            overrides["torque"] = parse_torque(torque)
    return overrides, faults


def _settle(text: str) -> float | str:
    try:
        return _number(text)
    except ValueError:
        return text


def _number(text: str) -> float:
    """As YAML and JSON write numbers: Python alone reads 1_000 and other scripts' digits."""
    if "_" in text or not text.isascii():
        raise ValueError(text)
    return float(text)


def parse_torque(text: str) -> list[float] | dict[str, float]:
    """`1,2,3` (all actuators in order) or `name=1,name=2`."""
    parts = [part.strip() for part in text.strip().strip("[]{}").split(",")]
    by_name = "=" in text or ":" in text
    todo = "write name=1,name=2 (N m or N)" if by_name else "write 1,2,3 or name=1,name=2 (N m or N)"
    values: dict[str, float] = {}
    faults = Gathering()
    for place, part in enumerate(parts):
        name, equals, number = part.replace(":", "=", 1).partition("=") if by_name else (str(place), "=", part)
        with faults:
            if by_name and not (equals and name.strip()):
                raise InputError("is not of the form name=number", file="--torque", got=part, todo=todo)
            if name.strip() in values:
                raise InputError("is given twice", file="--torque", key=name.strip(), todo="keep one")
            try:
                values[name.strip()] = _number(number)
            except ValueError:
                raise InputError("is not a number", file="--torque", got=number.strip(), todo=todo) from None
    faults.done()
    return values if by_name else list(values.values())
