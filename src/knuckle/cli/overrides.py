"""From options to overrides of the scenario."""

from __future__ import annotations

from typing import Any

from knuckle.errors import InputError
from knuckle.scenario import split_setting


def collect(settings: list[str] | None, torque: str | None = None, **named: str | None) -> dict[str, Any]:
    """All overrides of a command line; every fault at once."""
    overrides: dict[str, Any] = {}
    faults = []
    for setting in settings or []:
        try:
            key, value = split_setting(setting)
            overrides[key] = value
        except InputError as error:
            faults += error.faults
    for key, text in named.items():
        if text is not None:
            overrides[key] = _settle(text) if key == "settle" else text
    if torque is not None:
        try:
            overrides["torque"] = parse_torque(torque)
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(faults)
    return overrides


def _settle(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def parse_torque(text: str) -> list[float] | dict[str, float]:
    """`1,2,3` (all actuators in order) or `name=1,name=2`."""
    parts = [part.strip() for part in text.strip().strip("[]{}").split(",") if part.strip()]
    named = [part.replace(":", "=", 1).partition("=") for part in parts] if "=" in text or ":" in text else []
    try:
        if named:
            return {name.strip(): float(value) for name, _, value in named}
        return [float(part) for part in parts]
    except ValueError:
        todo = "write 1,2,3 or name=1,name=2 (N m or N)"
        raise InputError("is not a list of numbers", file="--torque", got=text, todo=todo) from None
