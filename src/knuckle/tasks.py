"""One function per command, each naming its stages in order: the page to read first.

    scenario -> model -> contact -> instant -> (plots -> report) -> cli

Rooms are imported inside the functions, because starting the command must be quick.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knuckle.errors import Gathering, InputError, KnuckleError, StoreError

if TYPE_CHECKING:
    from knuckle.instant.answer import Answer
    from knuckle.instant.problem import ContactProblem
    from knuckle.model import System
    from knuckle.scenario import Scenario


# --- scenario files ---


def load(path_or_name: str | Path, overrides: Mapping[str, Any] | None = None) -> Scenario:
    """`kn.load`: a shipped scenario, a YAML file, or an MJCF or URDF file, with overrides by dotted keys."""
    from knuckle import scenario

    return scenario.load(path_or_name, overrides, compile_with=compile_scenario)


def scenarios() -> list[dict[str, Any]]:
    """`knuckle scenarios`: name, title and file of every shipped scenario."""
    from knuckle import scenario

    found = [scenario.load(name) for name in scenario.shipped_names()]
    keys = ("name", "title", "description", "path")
    return [{key: str(getattr(one, key)) for key in keys} for one in found]


def shipped_scenario(name: str) -> dict[str, Any]:
    """`knuckle scenarios NAME`: the text of one of them, to start from."""
    from knuckle import scenario

    if name not in scenario.shipped_names():
        todo = scenario.suggestion(name, scenario.shipped_names(), "shipped scenarios")
        raise InputError("no such shipped scenario", got=name, todo=todo)
    one = scenario.load(name)
    return {"name": one.name, "path": str(one.path), "text": one.text}


def schema() -> dict[str, Any]:
    """`knuckle schema`: JSON schema of scenario files."""
    from knuckle import scenario

    return scenario.json_schema()


def check(path_or_name: str, overrides: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """`knuckle check`: reads the file, builds its model, looks for contacts; says all that is wrong or doubtful."""
    from knuckle import model
    from knuckle.instant.question import ready

    findings: dict[str, Any] = {"file": str(path_or_name), "errors": [], "warnings": [], "summary": [], "notes": []}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            question = load(path_or_name, overrides)
            findings["summary"] = _what_exists(model.build(question).system)
            with question.placing_faults():
                prepared = ready(question)
                findings["summary"] += prepared.touching()
                findings["notes"] = list(prepared.notes)
        except KnuckleError as error:
            findings["errors"] = error.lines() if isinstance(error, InputError) else [str(error)]
    doubts = [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)]
    findings["warnings"] = list(dict.fromkeys(doubts))
    return findings


def _what_exists(system: System) -> list[str]:
    objects = ", ".join(system.body_names[body] for body in system.objects) or "none"
    place = "space" if system.plane is None else "a plane"
    counts = f"actuators: {len(system.actuator_names)}, shapes: {len(system.shapes)}"
    return [f"degrees of freedom: {system.nv} in {place}, {counts}", f"objects: {objects}"]


# --- the answer at one instant ---


def compile_scenario(question: Scenario) -> Any:
    """`scenario.compile()`: the models loaded and the kernels ready, for many cheap calls."""
    from knuckle.compiled import kernel
    from knuckle.instant.question import ready

    kernel.ready()
    return ready(question)


def modes(question: Scenario | str | Path, overrides: Mapping[str, Any] | None = None) -> Answer:
    """`knuckle modes`: scenario -> system and state -> contacts -> problem -> every answer, verdict and margins."""
    from knuckle.instant.question import ready
    from knuckle.scenario import Scenario

    if not isinstance(question, Scenario):
        question = load(question, overrides)
    elif overrides is not None:
        raise InputError("a scenario that is loaded takes no overrides", got=overrides, todo="give them to knuckle.load")
    with question.placing_faults():
        return ready(question).modes()


def modes_page(question: Scenario, answer: Answer, path: Path) -> Path:
    """`knuckle modes --html`: one self-contained page with the picture of hand, forces and cones, and the verdict."""
    try:
        from knuckle.report.instant import instant_page
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        raise InputError("a picture needs matplotlib", file="--html", todo="pip install 'knuckle[plot]'") from None
    write_text(path, instant_page(answer, question.title or question.name or ""))
    return path


def from_mujoco(model: Any, data: Any, **options: Any) -> Any:
    """`kn.from_mujoco`: a ready system and the settled state of a living MuJoCo simulation, which is left alone."""
    from knuckle.instant.question import from_simulation

    return from_simulation(model, data, **options)


def solve(problem: Mapping[str, Any] | ContactProblem, law: str = "cone") -> Answer:
    """`kn.solve`, `knuckle solve`: a bare contact problem. Faults of its content give the verdict `invalid_input`, no exception."""
    from knuckle.instant.solve import solve as answer

    return answer(problem, law)


def solve_file(path: str, law: str = "cone") -> tuple[Answer, ContactProblem | None]:
    """`knuckle solve`: the same for a JSON file (`-`: standard input), and the problem that it holds; faults with line and column."""
    from knuckle.instant.answer import Answer, Verdict

    try:
        problem = read_problem(path)
    except InputError as error:
        return Answer(Verdict.INVALID_INPUT, law, complete=True, errors=tuple(error.lines())), None
    answer = solve(problem, law)
    if answer.errors:
        return replace(answer, errors=tuple(f"{path}: {line}" for line in answer.errors)), None
    return answer, problem


def read_problem(path: str) -> ContactProblem:
    """A checked contact problem from a JSON file; every fault at once."""
    from knuckle.instant.problem import checked_problem
    from knuckle.scenario import json_text

    file = "standard input" if path == "-" else path
    read = json_text.read(_text_of(path, file), file)
    faults = Gathering()
    with faults:
        problem = checked_problem(read.data)
    if faults.errors or read.has_repeats:
        raise InputError(read.placed(fault for error in faults.errors for fault in error.faults))
    return problem


def _text_of(path: str, file: str) -> str:
    from knuckle.scenario.text import decoded

    if path != "-":
        if not Path(path).exists():
            raise InputError("no such file", file=file, todo="give the path of a JSON file")
        return decoded(Path(path).read_bytes(), file)
    if sys.stdin is None:
        raise StoreError("standard input: cannot be read: it is closed")
    return decoded(sys.stdin.buffer.read(), file)


# --- machinery ---


def warmup(report: Callable[[int, int, str], None] | None = None) -> dict[str, Any]:
    """`knuckle warmup`: compiles every kernel into the user's cache; `report(done, total, module)` follows the work."""
    from knuckle.compiled import kernel

    kernel.warm_up(report or (lambda done, total, module: None))
    return {"modules": len(kernel.kernel_modules()), "cache": str(kernel.CACHE), "warm": kernel.is_warm()}


def write_text(path: Path, text: str) -> None:
    """Writes a result, and its folder where there is none: the whole text, or nothing. Devices and pipes are written to as they are."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        target = path.resolve()
        if target.exists() and not target.is_file():
            target.write_text(text, encoding="utf-8", errors="backslashreplace")
        else:
            _replace(target, text)
    except (OSError, ValueError) as error:  # ValueError: a path that no file system has
        raise StoreError(f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}") from error


def _replace(target: Path, text: str) -> None:
    beside = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        with beside.open("w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
