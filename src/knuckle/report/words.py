"""Words and numbers as people read them; everything comes from the plain document of an answer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from knuckle.instant.answer import Verdict

MODES = {"B": "breaks", "R": "rolls", "S": "slides", "S+": "slides +", "S-": "slides -", "F": "touches"}
TRANSITIONS = {"a1": "roll-roll", "a2": "roll-slide", "a3": "roll-break", "b1": "slide-slide", "b2": "slide-break"}
NOTHING = "-"
CERTIFICATES = {
    "every_mode_tried": "Every combination of modes was tried; each one that holds is listed, so there is no other answer.",
    "energy": "Two answers would differ by an energy that friction cannot make: the answer is unique, under any load.",
    "convex": "No contact has friction: the acceleration is the least of a strictly convex function: it is unique.",
    "carried_without_friction": "Normal forces alone carry the load at rest, and friction can only brake: nothing can begin to move.",
    "cells_searched": "Space was cut into cells of modes and slide directions; each was searched, or proved empty by a linear program.",
    "continuum": "Motions that vary without a step were found; their ends are listed, and what lies between them answers too.",
    "contradicting_constraints": "Two constraints that must both hold contradict each other.",
}
ON_LIMIT = 1e-9  # N or m/s^2: what is left is round-off
DEFINITIONS = (
    ("kinematically_manipulable", "Definition 1", "kinematically manipulable", "the fingers can impose any velocity on the contacts"),
    ("kinematically_determinate", "Definition 2", "kinematically determinate", "the contacts fix the velocity of the object"),
    ("dynamically_manipulable", "Definition 3", "dynamically manipulable", "joint torques can give the object any acceleration"),
    ("dynamically_determinate", "Definition 4", "dynamically determinate", "A is a P-matrix: one answer, whatever the load"),
)


def mode_string(modes: Sequence[str]) -> str:
    """The printed grammar: each letter with the number of its contact, S1R2."""
    return "".join(f"{mode[0]}{index + 1}{mode[1:]}" for index, mode in enumerate(modes))


def number(value: Any, digits: int = 4) -> str:
    """Fixed point where that is short; unbounded is said in words."""
    if value is None:
        return "unbounded"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        return f"{value:.{digits}f}"
    return f"{value:.{digits - 1}e}"


def friction_share(force: Sequence[float], mu: float) -> float | None:
    """|f_t| over mu f_N: 1 on the cone; None where there is no friction to use."""
    if len(force) < 2 or mu * force[0] <= 0.0:
        return None
    return math.hypot(*force[1:]) / (mu * force[0])


def margin(margins: Mapping[str, Any] | None, contact: str) -> str:
    """The inequality of this contact that the least change of an actuator force uses up, and that change."""
    mine = [one for one in (margins or {}).get("margins", ()) if one["unit"] == contact]
    if not mine:
        return NOTHING
    reached = [one for one in mine if one["nearest"] is not None]
    if not reached:
        least = min(mine, key=lambda one: one["value"])
        at = "on its limit" if least["value"] < ON_LIMIT else number(least["value"])
        return f"{least['what']} {at}; no actuator reaches it"
    first = min(reached, key=lambda one: one["nearest"])
    return f"{number(first['nearest'])} N m to {first['what']}"


def certificate(found: Mapping[str, Any] | None) -> str:
    """What proves that the list of answers is complete."""
    if not found:
        return "No certificate: the search was not proved complete."
    kind = str(found.get("kind", ""))
    told = CERTIFICATES.get(kind) or f"{kind.replace('_', ' ')}: {found.get('meaning', '')}."
    rest = [f"{key.replace('_', ' ')}: {value}" for key, value in found.items() if key not in ("kind", "meaning")]
    return told + (f" ({'; '.join(rest)})" if rest else "")


def p_matrix(found: Mapping[str, Any] | None) -> str:
    if not found:
        return "Not tested: with the circular cone it is no question, and many contacts have more principal minors than are worth computing."
    if found["holds"]:
        return f"A is a P-matrix (margin {number(found['margin'])}): there is one answer for every load, not for this one alone."
    witness = found.get("witness") or {}
    minor = ", ".join(str(index + 1) for index in witness.get("index_set", ()))
    signs = f" in contact set {witness['signs']}" if witness.get("signs") else ""
    return f"A is not a P-matrix (its minor of rows {minor}{signs} is not positive): other loads may have several answers, or none."


def how_many(data: Mapping[str, Any]) -> str:
    """The verdict in words, with the number of answers where there are several."""
    count = len(data["solutions"])
    if data["verdict"] == "indeterminate" and data.get("continuum"):
        return "a continuum of motions can follow, its extremes are listed: rigid bodies with Coulomb friction do not say which"
    if data["verdict"] == "indeterminate":
        return f"{count} motions can follow: rigid bodies with Coulomb friction do not say which"
    return Verdict(data["verdict"]).sentence
