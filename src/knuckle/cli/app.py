"""The commands. Each parses, calls its task and prints; heavy modules are imported when a command runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from knuckle.cli import exits, output
from knuckle.errors import InputError

app = typer.Typer(
    name="knuckle",
    help="Which contacts of a hand roll, slide or break, with what forces, and is that the only answer?",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

ScenarioName = Annotated[str, typer.Argument(metavar="SCENARIO", help="shipped name, YAML, MJCF or URDF file")]
Json = Annotated[bool, typer.Option("--json", help="one JSON document on standard output, nothing else")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="print nothing but faults")]
Set = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="override a field: a.b.0.c=value")]
Torque = Annotated[str | None, typer.Option(help="actuator forces: 1,2,3 or name=1,name=2")]
Keyframe = Annotated[str | None, typer.Option(metavar="NAME", help="keyframe of the model")]
Settle = Annotated[str | None, typer.Option(metavar="no|MM", help="project the state to touch, by MM mm at most")]
Law = Annotated[str | None, typer.Option(metavar="cone|pyramid", help="friction law")]
Require = Annotated[str | None, typer.Option(metavar="determinate", help="exit 3, 4 or 5 without exactly one answer")]
Folder = Annotated[Path | None, typer.Option("--output", "-o", metavar="DIR", help="write answer.json there")]


def _version(asked: bool) -> None:
    if asked:
        from knuckle import __version__

        output.say(f"knuckle {__version__}")
        raise typer.Exit


@app.callback()
def _knuckle(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    pass


@app.command()
def modes(
    scenario: ScenarioName,
    as_json: Json = False,
    quiet: Quiet = False,
    settings: Set = None,
    torque: Torque = None,
    keyframe: Keyframe = None,
    settle: Settle = None,
    law: Law = None,
    require: Require = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="write a page with a picture")] = None,
    sensitivities: Annotated[bool, typer.Option("--sensitivities", help="add derivatives by torque, mu and state")] = False,
    folder: Folder = None,
) -> int:
    """Modes, forces, verdict at one instant.

    Prints every answer as a table: mode of each contact, transition, forces and margins; then the verdict in words.
    """
    _check_require(require)
    from knuckle import tasks
    from knuckle.cli.overrides import gather

    overrides, faults = gather(settings, torque=torque, keyframe=keyframe, settle=settle, law=law)
    with faults:
        question = tasks.load(scenario, overrides)
    faults.done()
    answer = tasks.modes(question)
    data = answer.to_dict()
    if sensitivities:
        data["sensitivities"] = answer.sensitivities.to_dict()
    _keep(data, folder)
    path = None if html is None else tasks.modes_page(question, answer, html)
    _show(data, as_json, quiet)
    if path is not None and not as_json:
        output.say(str(path))
    return exits.of_verdict(data["verdict"], require)


@app.command()
def solve(
    problem: Annotated[str, typer.Argument(metavar="PROBLEM.json", help="contact problem; - reads standard input")],
    as_json: Json = False,
    quiet: Quiet = False,
    law: Law = None,
    require: Require = None,
    folder: Folder = None,
) -> int:
    """The same for a bare contact problem.

    PROBLEM.json holds M, h and the rows of its contacts.
    """
    _check_require(require)
    _check_law(law)
    from knuckle import tasks

    answer, asked = tasks.solve_file(problem, law or "cone")
    data = answer.to_dict()
    for line in answer.errors:
        output.complain(line)
    if asked is not None:
        _keep(data, folder)
    if as_json:
        output.say(output.json_text(data))
    elif asked is not None:
        # The document of a bare problem has no contacts; the table wants their names and coefficients.
        named = asked.to_dict()
        _show({**data, "contacts": named["contacts"], "joints": named["joints"]}, False, quiet)
    return exits.of_verdict(data["verdict"], require)


@app.command()
def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="scenario, MJCF or URDF (or a shipped name)")],
    as_json: Json = False,
    quiet: Quiet = False,
    settings: Set = None,
    keyframe: Keyframe = None,
) -> int:
    """All that is wrong or doubtful in a file.

    FILE is a scenario, an MJCF or a URDF.
    """
    from knuckle import tasks
    from knuckle.cli.overrides import collect

    findings = tasks.check(file, collect(settings, keyframe=keyframe))
    for line in findings["errors"]:
        output.complain(line)
    if as_json:
        output.say(output.json_text(findings))
    elif not quiet:
        from knuckle.cli import tables

        tables.print_check(findings)
    return exits.BAD_INPUT if findings["errors"] else exits.ANSWERED


@app.command()
def scenarios(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="print this one's text")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """The shipped scenarios, or the text of one."""
    from knuckle import tasks

    if name is not None:
        one = tasks.shipped_scenario(name)
        output.say(output.json_text(one) if as_json else one["text"].rstrip("\n"))
        return exits.ANSWERED
    listed = tasks.scenarios()
    if as_json:
        output.say(output.json_text({"scenarios": listed}))
    elif not quiet:
        from knuckle.cli import tables

        tables.print_scenarios(listed)
    return exits.ANSWERED


@app.command()
def schema(as_json: Json = False, quiet: Quiet = False) -> int:
    """JSON schema of scenario files."""
    import json

    from knuckle import tasks

    text = tasks.schema()
    output.say(output.json_text(text) if as_json else json.dumps(text, indent=2))
    return exits.ANSWERED


@app.command()
def warmup(as_json: Json = False, quiet: Quiet = False) -> int:
    """Compiles ahead, once per version.

    Later commands then start at full speed.
    """
    from knuckle import tasks
    from knuckle.cli.progress import Progress

    with Progress("compiling", quiet or as_json) as progress:
        done = tasks.warmup(progress.report)
    if as_json:
        output.say(output.json_text(done))
    elif not quiet:
        output.say(f"{done['modules']} modules ready in {done['cache']}")
    return exits.ANSWERED


def _show(data: dict[str, Any], as_json: bool, quiet: bool) -> None:
    if as_json:
        output.say(output.json_text(data))
    elif not quiet:
        from knuckle.cli import tables

        tables.print_answer(data)


def _keep(data: dict[str, Any], folder: Path | None) -> None:
    """`-o`: written before anything is printed, so that what is printed was kept."""
    from knuckle import tasks

    if folder is not None:
        tasks.write_text(folder / "answer.json", output.json_text(data) + "\n")


def _check_require(require: str | None) -> None:
    if require not in (None, "determinate"):
        raise InputError("cannot be required", file="--require", got=require, todo="allowed: determinate")


def _check_law(law: str | None) -> None:
    if law not in (None, "cone", "pyramid"):
        raise InputError("is no friction law", file="--law", got=law, todo="allowed: cone, pyramid")
