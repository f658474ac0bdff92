"""Answers as tables and sentences. Everything is read from the plain document that `--json` prints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from knuckle.cli import output

MODE_WORDS = {"B": "breaks", "R": "rolls", "S": "slides", "S+": "slides +", "S-": "slides -", "F": "touches"}
TRANSITION_WORDS = {
    "a1": "a1 roll-roll",
    "a2": "a2 roll-slide",
    "a3": "a3 roll-break",
    "b1": "b1 slide-slide",
    "b2": "b2 slide-break",
}
_TOO_MANY = 8


def print_answer(data: Mapping[str, Any], quiet: bool = False) -> None:
    """The table of every answer (of the first ones where there are many) and the verdict."""
    console = output.console(quiet)
    solutions = data["solutions"]
    for number, solution in enumerate(solutions[:_TOO_MANY]):
        title = None if len(solutions) == 1 else f"answer {number + 1} of {len(solutions)}"
        console.print(contact_table(data, solution, title))
        if joints := joint_table(data, solution):
            console.print(joints)
        console.print()
    if len(solutions) > _TOO_MANY:
        console.print(f"... and {len(solutions) - _TOO_MANY} more answers (--json prints all)\n")
    for line in [*data.get("notes", ()), *sentences(data)]:
        console.print(line, markup=False, soft_wrap=True)


def contact_table(data: Mapping[str, Any], solution: Mapping[str, Any], title: str | None = None) -> Any:
    """Contact, mode, transition, forces, friction used and margin."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("contact", "mode", "transition"):
        table.add_column(heading)
    for heading in ("f_N (N)", "|f_t|/(mu f_N)"):
        table.add_column(heading, justify="right")
    table.add_column("margin")
    largest = max((abs(force[0]) for force in solution["f"]), default=0.0)
    for index, force in enumerate(solution["f"]):
        friction = _contact(data, index).get("mu")
        table.add_row(
            contact_name(data, index),
            _mode(solution, index),
            _word(TRANSITION_WORDS, solution["transitions"][index]),
            number(force[0]),
            friction_used(force, friction, largest),
            margin_text(solution.get("margins"), str(_contact(data, index).get("name") or index + 1)),
        )
    return table


def joint_table(data: Mapping[str, Any], solution: Mapping[str, Any]) -> Any:
    """Limits, dry joint friction and bilateral rows, where the problem has them."""
    forces = solution.get("joint_f") or []
    if not forces:
        return None
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("joint row", "kind"):
        table.add_column(heading)
    for heading in ("force (N, N m)", "acceleration"):
        table.add_column(heading, justify="right")
    rows = data.get("joints") or []
    for index, (force, acceleration) in enumerate(zip(forces, solution["joint_a"], strict=True)):
        row = rows[index] if index < len(rows) else {}
        table.add_row(str(row.get("name", index + 1)), str(row.get("kind", "")), number(force), number(acceleration))
    return table


def sentences(data: Mapping[str, Any]) -> list[str]:
    """The verdict in words, then what backs it."""
    verdict, count = data["verdict"], len(data["solutions"])
    law = f"law {data['law']}"
    lines = [f"{verdict}: {_VERDICTS.get(verdict, '')} ({law})"]
    if verdict == "indeterminate":
        lines[0] = f"{verdict}: {_several(data, count)} ({law})"
    if data.get("reason"):
        lines.append(str(data["reason"]))
    lines += [
        line for line in (_mode_line(data), _p_matrix_line(data.get("p_matrix")), _certificate_line(data)) if line
    ]
    return lines


_VERDICTS = {
    "determinate": "one motion and one set of forces can follow, and no other",
    "force_indeterminate": "one motion can follow; the forces that carry it are not unique",
    "inconsistent": "no motion satisfies the rigid-body laws here: an impact or a compliant model must answer",
    "undecided": "the search did not settle how many answers there are; what was found is listed",
    "invalid_input": "the input is wrong",
}


def _several(data: Mapping[str, Any], count: int) -> str:
    listed = f"{count} motions can follow"
    if data.get("continuum"):
        listed = "a continuum of motions can follow, its extremes are listed"
    return f"{listed}: rigid bodies with Coulomb friction do not say which"


def _mode_line(data: Mapping[str, Any]) -> str | None:
    modes = [solution["modes"] for solution in data["solutions"] if solution.get("modes")]
    strings = list(dict.fromkeys(mode_string(entry) for entry in modes))
    return f"modes {', '.join(strings[:_TOO_MANY])}" if strings else None


def mode_string(modes: Sequence[str]) -> str:
    """The printed grammar: each letter with the number of its contact, S1R2."""
    return "".join(f"{mode[0]}{index + 1}{mode[1:]}" for index, mode in enumerate(modes))


def _p_matrix_line(found: Mapping[str, Any] | None) -> str | None:
    if not found:
        return None
    if found["holds"]:
        return f"P-matrix holds (margin {number(found['margin'])}): one answer for every load"
    return f"P-matrix fails (witness {found.get('witness')}): other loads may have several answers or none"


def _certificate_line(data: Mapping[str, Any]) -> str | None:
    certificate = data.get("certificate")
    if not certificate:
        return None
    words = [certificate.get(key) for key in ("kind", "meaning")]
    return f"certificate: {': '.join(str(word) for word in words if word)}"


def contact_name(data: Mapping[str, Any], index: int) -> str:
    """Number, name and pair of a contact."""
    contact = _contact(data, index)
    name, pair = contact.get("name"), contact.get("pair")
    parts = [str(index + 1)]
    if name and str(name) != parts[0]:
        parts.append(str(name))
    if pair:
        parts.append(f"({' - '.join(map(str, pair))})")
    return " ".join(parts)


def _contact(data: Mapping[str, Any], index: int) -> Mapping[str, Any]:
    contacts = data.get("contacts") or []
    return contacts[index] if index < len(contacts) else {}


def _mode(solution: Mapping[str, Any], index: int) -> str:
    modes = solution.get("modes")
    return _word(MODE_WORDS, modes[index]) if modes else ""


def _word(words: Mapping[str, str], key: str) -> str:
    return words.get(key, key)


def friction_used(force: Sequence[float], mu: float | None, largest: float = 0.0) -> str:
    """|f_t| over mu f_N: 1 on the cone; a dash where there is no friction to use, or only round-off of the `largest` force."""
    if mu is None or len(force) < 2 or mu * force[0] <= 1e-9 * largest:
        return "-"
    return f"{math.hypot(*force[1:]) / (mu * force[0]):.4f}"


def margin_text(margins: Mapping[str, Any] | None, contact: str) -> str:
    """The inequality of this contact that the least change of an actuator force uses up, and that change."""
    mine = [margin for margin in (margins or {}).get("margins", ()) if margin["unit"] == contact]
    if not mine:
        return "-"
    reached = [margin for margin in mine if margin["nearest"] is not None]
    if not reached:
        least = min(mine, key=lambda margin: margin["value"])
        return f"{least['what']} {number(least['value'])}, no actuator reaches it"
    first = min(reached, key=lambda margin: margin["nearest"])
    return f"{number(first['nearest'])} N m to {first['what']}"


def number(value: Any) -> str:
    """Four digits, fixed point where that is short; unbounded is said in words."""
    if value is None:
        return "unbounded"
    if not isinstance(value, (int, float)):
        return str(value)
    return f"{value:.4f}" if value == 0 or 1e-3 <= abs(value) < 1e5 else f"{value:.3e}"


def print_check(findings: Mapping[str, Any]) -> None:
    """What `knuckle check` found, without the faults (they are on standard error)."""
    console = output.console()
    for line in findings["warnings"]:
        console.print(f"doubtful: {line}", markup=False, soft_wrap=True)
    for line in findings["summary"]:
        console.print(line, markup=False, soft_wrap=True)
    errors, warnings = len(findings["errors"]), len(findings["warnings"])
    console.print(
        f"{findings['file']}: {_count(errors, 'fault')}, {_count(warnings, 'doubt')}", markup=False, soft_wrap=True
    )


def _count(count: int, what: str) -> str:
    return f"{count or 'no'} {what}{'' if count == 1 else 's'}"


def print_scenarios(listed: Sequence[Mapping[str, Any]]) -> None:
    """Names and titles."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("scenario", no_wrap=True)
    table.add_column("what it shows")
    for entry in listed:
        table.add_row(entry["name"], entry["title"])
    output.console().print(table)
