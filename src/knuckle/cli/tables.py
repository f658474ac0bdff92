"""Answers as tables and sentences on a terminal. Everything is read from the plain document that `--json` prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from knuckle.cli import output
from knuckle.errors import printable
from knuckle.report import words

MOST_ANSWERS = 8            # tables; --json prints all
MOST_JOINTS = 12            # rows; then dry joints at rest are only counted
ROUND_OFF = 1e-9            # of the largest: a force below it is none
SENSITIVITIES = (("actuators", "actuator force, per N or N m"), ("mu", "friction coefficient"),
                 ("state", "motions (dq, dv) that contacts allow, per m, rad, m/s or rad/s"))


def print_answer(data: Mapping[str, Any], quiet: bool = False) -> None:
    """One table per motion (of the first ones where there are many), then the verdict and what backs it."""
    console = output.console(quiet)
    solutions = data["solutions"]
    tables = [solutions] if data["verdict"] == "force_indeterminate" else [[one] for one in solutions]
    for number, alike in enumerate(tables[:MOST_ANSWERS]):
        title = None if len(tables) == 1 else f"answer {number + 1} of {len(tables)}"
        if alike[0]["f"]:
            console.print(contact_table(data, alike, title))
        if joints := joint_table(data, alike):
            console.print(joints)
        console.print()
    if len(tables) > MOST_ANSWERS:
        console.print(f"... and {len(tables) - MOST_ANSWERS} more answers (--json prints all)\n")
    if "sensitivities" in data:
        _print_sensitivities(console, data)
    for line in [*data.get("notes", ()), *sentences(data)]:
        console.print(printable(line), soft_wrap=True)


def _print_sensitivities(console: Any, data: Mapping[str, Any]) -> None:
    """By each actuator and coefficient, and along the motions that contacts allow: what follows most, and how far. --json prints all."""
    found = data["sensitivities"]
    for block, title in SENSITIVITIES:
        if found.get(block, {}).get("directions"):
            console.print(sensitivity_table(data, found[block], f"by {title}"))
    for reason in found["refused"]:                      # of all, or of those by the state
        console.print(printable(f"no sensitivities: {reason}"), soft_wrap=True)
    console.print()


def sensitivity_table(data: Mapping[str, Any], rates: Mapping[str, Any], title: str) -> Any:
    """A row for each direction: the acceleration and the contact force that follow it most; how far down and up, and what fails there."""
    table = _table(title, ("direction",), ("acceleration", "contact force", "down to", "up to"), ("then fails",))
    accelerations = dict(zip(data["dof_names"], rates["vdot"], strict=True))
    forces = {f"{contact['name']} {axis}": row for contact, rows in zip(data["contacts"], rates["f"], strict=True)
              for axis, row in zip("NTU", rows, strict=False)}
    for j, name in enumerate(rates["directions"]):
        down, up = rates["reach"][j]
        fails = [" ".join((sign, what)) for sign, what in zip("-+", rates["limiting"][j], strict=True) if what]
        _row(table, name, _strongest(accelerations, j), _strongest(forces, j), words.number(down), words.number(up), ", ".join(fails))
    return table


def _strongest(rates: Mapping[str, Sequence[float]], j: int) -> str:
    if not rates:
        return words.NOTHING
    name = max(rates, key=lambda one: abs(rates[one][j]))
    value = rates[name][j]
    return words.NOTHING if abs(value) <= ROUND_OFF else f"{name} {words.number(value)}"


def _table(title: str | None, left: Sequence[str], right: Sequence[str], last: Sequence[str] = ()) -> Any:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for heading in (*left, *right, *last):
        table.add_column(heading, justify="right" if heading in right else "left")
    return table


def _row(table: Any, *cells: str) -> None:
    table.add_row(*(printable(cell) for cell in cells))


def contact_table(data: Mapping[str, Any], alike: Sequence[Mapping[str, Any]], title: str | None = None) -> Any:
    """Contact, mode, transition, forces, friction used and margin; `alike`: answers of one motion, whose forces span ranges."""
    table = _table(title, ("contact", "mode", "transition"), ("f_N (N)", "|f_t|/(mu f_N)"), ("margin",))
    first = alike[0]
    largest = max(abs(force[0]) for one in alike for force in one["f"])
    for index, mode in enumerate(first["modes"]):
        contact, move = _contact(data, index), first["transitions"][index]
        mu = contact.get("mu", 0.0)
        forces = [[_rounded(one["f"][index][0], largest), *one["f"][index][1:]] for one in alike]
        normals = data["force_range"][index][0] if len(alike) > 1 and data.get("force_range") else [forces[0][0]]
        used = [share for share in (words.friction_share(force, mu) for force in forces) if share is not None]
        margin = words.margin(first.get("margins"), str(contact.get("name") or index + 1)) if len(alike) == 1 else words.NOTHING
        _row(table, contact_name(data, index), words.MODES.get(mode, mode), f"{move} {words.TRANSITIONS.get(move, '')}",
             _span([_rounded(x, largest) for x in normals]), _span(used), margin)
    return table


def _rounded(value: float | None, largest: float) -> float | None:
    return 0.0 if value is not None and abs(value) <= ROUND_OFF * largest else value


def _span(values: Sequence[float | None]) -> str:
    """One number, or the least and the largest."""
    if not values:
        return words.NOTHING
    ends = [value for value in values if value is not None]
    numbers = dict.fromkeys(words.number(value) for value in (values if None in values else (min(ends), max(ends))))
    return " ... ".join(numbers)


def joint_table(data: Mapping[str, Any], alike: Sequence[Mapping[str, Any]]) -> Any:
    """Limits, dry joint friction and bilateral rows, where the problem has them."""
    first = alike[0]
    count = len(first.get("joint_f") or [])
    rows = [*(data.get("joints") or []), *[{}] * count]
    shown = [k for k in range(count) if count <= MOST_JOINTS or rows[k].get("kind") != "dry_friction" or abs(first["joint_a"][k]) > ROUND_OFF]
    if not count:
        return None
    largest = max(abs(force) for one in alike for force in one["joint_f"]), max(1.0, *(abs(a) for a in first["joint_a"]))
    table = _table(None, ("joint row", "kind"), ("force (N, N m)", "acceleration"))
    for k in shown:
        row = rows[k]
        forces = _span([_rounded(one["joint_f"][k], largest[0]) for one in alike])
        acceleration = words.number(_rounded(first["joint_a"][k], largest[1]))
        _row(table, str(row.get("name", k + 1)), str(row.get("kind", "")).replace("_", " "), forces, acceleration)
    if len(shown) < count:
        _row(table, f"{count - len(shown)} more joints", "dry friction", "", "at rest")
    return table


def sentences(data: Mapping[str, Any]) -> list[str]:
    """The verdict in words, then what backs it."""
    lines = [f"{data['verdict']}: {words.how_many(data)} (law {data['law']})"]
    if data.get("reason"):
        lines.append(str(data["reason"]))
    strings = list(dict.fromkeys(words.mode_string(solution["modes"]) for solution in data["solutions"] if solution.get("modes")))
    if strings:
        lines.append(f"modes {', '.join(strings[:MOST_ANSWERS])}")
    if data.get("p_matrix"):
        lines.append(words.p_matrix(data["p_matrix"]))
    if data.get("certificate"):
        lines.append(words.certificate(data["certificate"]))
    return lines


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


def print_check(findings: Mapping[str, Any]) -> None:
    """What `knuckle check` found, without the faults (they are on standard error)."""
    console = output.console()
    for line in findings["warnings"]:
        console.print(printable(f"doubtful: {line}"), soft_wrap=True)
    for line in [*findings["summary"], *findings["notes"]]:
        console.print(printable(line), soft_wrap=True)
    errors, warnings = len(findings["errors"]), len(findings["warnings"])
    console.print(printable(f"{findings['file']}: {_count(errors, 'fault')}, {_count(warnings, 'doubt')}"), soft_wrap=True)


def _count(count: int, what: str) -> str:
    return f"{count or 'no'} {what}{'' if count == 1 else 's'}"


def print_scenarios(listed: Sequence[Mapping[str, Any]]) -> None:
    """Names and titles."""
    table = _table(None, ("scenario", "what it shows"), ())
    for entry in listed:
        _row(table, entry["name"], entry["title"])
    output.console().print(table)
