"""One instant as one HTML file: picture, verdict, tables, what proves them, how to read them. It opens offline."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from knuckle import __version__
from knuckle.instant.answer import Answer
from knuckle.plots import style
from knuckle.plots.instant import instant_figure, most_panels
from knuckle.report import words
from knuckle.report.sheet import CSS, DARK

MOST_TABLES = 16  # answers printed in full; the JSON document has all


def instant_page(answer: Answer, title: str) -> str:
    """A self-contained page: no script, no font, no picture is fetched from anywhere."""
    data = answer.to_dict()
    sections = [
        _header(answer, data, title),
        _picture(answer, data),
        _answers(data),
        _proof(data),
        _definitions(data),
        _state(data),
        _how_to_read(data),
    ]
    body = "\n".join(section for section in sections if section)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<title>{escape(title)}: {escape(data["verdict"])}</title>\n<style>\n{CSS}</style>\n</head>\n'
        f'<body>\n<main>\n{body}\n</main>\n<footer>Knuckle {__version__}. Rigid bodies, Coulomb friction, one instant.</footer>\n</body>\n</html>\n'
    )


def _number(value: Any) -> str:
    """A number with a true minus sign, but for exponents."""
    return words.number(value).replace("-", "−")


def _header(answer: Answer, data: Mapping[str, Any], title: str) -> str:
    modes = [words.mode_string(solution["modes"]) for solution in data["solutions"]]
    listed = ", ".join(f"<code>{escape(one)}</code>" for one in dict.fromkeys(modes[:MOST_TABLES]) if one)
    told = words.how_many(data)
    chips = [f"modes {listed}"] if listed else []
    chips.append(f"friction law: {'circular cone' if data['law'] == 'cone' else 'pyramid'}")
    chips.append(f"search {'complete' if data['complete'] else 'not complete'}")
    reason = f'<p class="reason">{escape(data["reason"])}</p>' if data.get("reason") else ""
    return (
        f'<header>\n<p class="eyebrow">Contact modes at one instant</p>\n<h1>{escape(title)}</h1>\n'
        f'<p class="verdict {escape(data["verdict"])}"><strong>{escape(data["verdict"].replace("_", " "))}</strong> {escape(told)}.</p>\n'
        f'{reason}<ul class="chips">{"".join(f"<li>{chip}</li>" for chip in chips)}</ul>\n</header>'
    )


def _picture(answer: Answer, data: Mapping[str, Any]) -> str:
    if answer.moment is None:
        return ""
    svg = style.figure_svg(instant_figure(answer, headed=False))
    for name, colour in DARK:
        svg = svg.replace(colour, f"var(--{name})")
    alt = f"Hand, object, contacts, friction cones and forces; {data['verdict'].replace('_', ' ')}"
    svg = svg.replace("<svg ", f'<svg role="img" aria-label="{escape(alt)}" ', 1)
    most = most_panels(answer)
    shown = f" The first {most} of {len(data['solutions'])} answers." if len(data["solutions"]) > most else ""
    caption = f"Cones show which directions of force friction allows; all are drawn equally long.{shown}"
    return f"<figure>\n{svg}<figcaption>{caption}</figcaption>\n</figure>"


def _answers(data: Mapping[str, Any]) -> str:
    count = len(data["solutions"])
    if not count:
        return "<section>\n<h2>Answers</h2>\n<p>None. No choice of modes, forces and accelerations satisfies all laws at once.</p>\n</section>"
    parts = []
    for number, solution in enumerate(data["solutions"][:MOST_TABLES]):
        heading = "The answer" if count == 1 else f"Answer {number + 1} of {count}"
        parts.append(f"<h2>{heading} <code>{escape(words.mode_string(solution['modes']))}</code></h2>\n" + _contact_table(data, solution)
                     + _joint_table(data, solution) + _accelerations(data, solution))
    if count > MOST_TABLES:
        parts.append(f"<p>{count - MOST_TABLES} more are in the JSON document.</p>")
    return "<section>\n" + "\n".join(parts) + _ranges(data) + "\n</section>"


def _contact_table(data: Mapping[str, Any], solution: Mapping[str, Any]) -> str:
    head = ["contact", "mode", "transition", "<i>f</i><sub>N</sub> (N)", "|<i>f</i><sub>t</sub>| / (μ <i>f</i><sub>N</sub>)", "margin"]
    rows = []
    for i, (force, mode) in enumerate(zip(solution["f"], solution["modes"], strict=True)):
        contact: Mapping[str, Any] = data["contacts"][i] if i < len(data.get("contacts", ())) else {"name": str(i + 1), "mu": 0.0}
        pair = " – ".join(map(str, contact.get("pair", ())))
        name = f'<span class="mark {mode[0]}">{i + 1}</span> {escape(str(contact["name"]))}<br><small>{escape(pair)}, μ = {contact["mu"]:g}</small>'
        transition = solution["transitions"][i]
        moves = f"<code>{transition}</code> {words.TRANSITIONS.get(transition, '').replace('-', ' → ')}"
        share = words.friction_share(force, float(contact["mu"]))
        rows.append([name, words.MODES.get(mode, mode).replace("-", "−"), moves, _number(force[0]), _bar(share),
                     escape(words.margin(solution.get("margins"), str(contact["name"])))])
    return _table(head, rows, numeric=(3,)) if rows else "<p>Nothing touches.</p>\n"


def _bar(share: float | None) -> str:
    """The share of friction that is used, as a number and a bar."""
    if share is None:
        return "–"
    return f'<span class="bar"><span style="width:{100.0 * min(share, 1.0):.1f}%"></span></span>{share:.4f}'


def _joint_table(data: Mapping[str, Any], solution: Mapping[str, Any]) -> str:
    forces = solution.get("joint_f") or []
    rows = [[escape(row["name"]), escape(row["kind"].replace("_", " ")), _number(f), _number(a)]
            for row, f, a in zip(data.get("joints", ()), forces, solution.get("joint_a") or [], strict=False)]
    return _table(["joint row", "kind", "force (N, N m)", "acceleration"], rows, numeric=(2, 3)) if rows else ""


def _accelerations(data: Mapping[str, Any], solution: Mapping[str, Any]) -> str:
    names = data.get("dof_names") or [str(i + 1) for i in range(len(solution["vdot"]))]
    cells = "".join(f"<li><span>{escape(name)}</span> {_number(value)}</li>" for name, value in zip(names, solution["vdot"], strict=True))
    return (f'<details><summary>Accelerations (m/s², rad/s²) and residual</summary>\n<ul class="values">{cells}</ul>\n'
            f'<p class="fine">Largest residual of all laws: {solution["residual"]:.1e}.</p></details>\n')


def _ranges(data: Mapping[str, Any]) -> str:
    """Every force component's least and largest value, where forces are not unique."""
    if not data.get("force_range"):
        return ""
    names = [contact["name"] for contact in data.get("contacts", ())] or [str(i + 1) for i in range(len(data["force_range"]))]
    rows = [[escape(str(name)), *(f"{_number(low)} … {_number(high)}" for low, high in row)]
            for name, row in zip(names, data["force_range"], strict=True)]
    axes = [f"<i>f</i><sub>{axis}</sub> (N)" for axis in "NTU"[: len(data["force_range"][0])]] if rows else []
    return "<h2>Forces that are possible</h2>\n" + _table(["contact", *axes], rows, numeric=(1, 2, 3))


def _proof(data: Mapping[str, Any]) -> str:
    return (f"<section>\n<h2>What proves it</h2>\n<dl>\n<dt>Certificate</dt><dd>{escape(words.certificate(data.get('certificate')))}</dd>\n"
            f"<dt>P-matrix</dt><dd>{escape(words.p_matrix(data.get('p_matrix')))}</dd>\n</dl>\n</section>")


def _definitions(data: Mapping[str, Any]) -> str:
    found = data.get("definitions")
    if not found:
        return ""
    rows = []
    for key, number, name, meaning in words.DEFINITIONS:
        value = found[key]
        verdict = "not defined for this law" if value is None else "yes" if value else "no"
        rows.append([number, f"{name}<br><small>{meaning}</small>", f'<span class="{verdict[:3]}">{verdict}</span>'])
    constraints = f"{found['constraints']} constraint{'' if found['constraints'] == 1 else 's'}"
    sizes = (f"{constraints}, {found['joints']} joints, {found['object_dofs']} object velocities; "
             f"rank J {found['rank_J']}, G {found['rank_G']}, J<sub>μ</sub> {found['rank_J_mu']}, G<sub>μ</sub> {found['rank_G_mu']}")
    return "<section>\n<h2>What the hand can command</h2>\n" + _table(["", "", ""], rows, bare=True) + f'<p class="fine">{sizes}.</p>\n</section>'


def _state(data: Mapping[str, Any]) -> str:
    """Notes, and what was asked: torques and state."""
    notes = "".join(f"<li>{escape(note)}</li>" for note in data.get("notes", ()))
    told = f"<section>\n<h2>Notes</h2>\n<ul>{notes}</ul>\n</section>\n" if notes else ""
    if "tau" not in data:
        return told
    rows = [[escape(name), _number(tau), _number(v)] for name, tau, v in zip(data["dof_names"], data["tau"], data["v"], strict=True)]
    table = _table(["degree of freedom", "actuator force (N, N m)", "velocity (m/s, rad/s)"], rows, numeric=(1, 2))
    return f"{told}<section>\n<details><summary>The question: actuator forces and velocities</summary>\n{table}</details>\n</section>"


def _table(head: list[str], rows: list[list[str]], numeric: tuple[int, ...] = (), bare: bool = False) -> str:
    def row(cells: list[str], tag: str) -> str:
        return "<tr>" + "".join(f'<{tag}{" class=num" if k in numeric else ""}>{cell}</{tag}>' for k, cell in enumerate(cells)) + "</tr>"

    top = "" if bare else f"<thead>{row(head, 'th')}</thead>\n"
    return f'<div class="scroll"><table>\n{top}<tbody>\n' + "\n".join(row(cells, "td") for cells in rows) + "\n</tbody></table></div>\n"


def _how_to_read(data: Mapping[str, Any]) -> str:
    extreme = "<li>Where forces are not unique the listed answers are extreme ones; every mixture of them answers too.</li>"
    ranges = extreme if data["verdict"] == "force_indeterminate" else ""
    return f"""<section>
<h2>How to read this page</h2>
<ul>
<li>The <b>mode</b> is what each contact does next: it rolls (or sticks), slides, or breaks. The <b>transition</b> starts from what it does now.</li>
<li>Forces act on the object (side A). <b>|f<sub>t</sub>| / (μ f<sub>N</sub>)</b> is the share of friction in use: 1 lies on the cone.</li>
<li>The <b>margin</b> is the smallest change of one actuator's force that changes this contact's mode, and how it changes.</li>
<li><b>determinate</b>: one motion, one set of forces. <b>force indeterminate</b>: one motion, many forces.
<b>indeterminate</b>: several motions. <b>inconsistent</b>: none. <b>undecided</b>: the search could not be completed.</li>
{ranges}</ul>
</section>"""
