"""MJCF and URDF files through MuJoCo's own parser and compiler, whose messages reach the user with file and line."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import mujoco
import numpy as np

from knuckle.errors import Fault, InputError
from knuckle.model.supported import refuse_callbacks
from knuckle.model.system import State, System
from knuckle.scenario.text import decoded

T = TypeVar("T")
TEXT = "<text>"  # stands for the file's name when XML text was given
SUFFIXES = (".xml", ".mjcf", ".urdf")
LINE = re.compile(r",?\s*\bline(?: number)?\s*[= ]\s*(\d+)", re.IGNORECASE)


def load(model: str | Path, keyframe: str | None = None) -> tuple[System, State]:
    """An MJCF or URDF file, or XML text. The state is the keyframe's; of a file without any the reference position."""
    spec, file = read(model)
    compiled, notes = compile_spec(spec, file)
    return with_state(System(compiled, warnings=notes), keyframe, file)


def read(model: str | Path) -> tuple[mujoco.MjSpec, str]:
    """The parsed file and its name."""
    if isinstance(model, str) and model.lstrip().startswith("<"):
        return in_words(lambda: mujoco.MjSpec.from_string(model), TEXT), TEXT
    path = Path(model)
    if not path.is_file():
        raise InputError("no such file", file=str(path), todo="give the path of an MJCF or URDF file")
    if path.suffix.lower() not in SUFFIXES:
        raise InputError("is not a model file", file=str(path), todo=f"models end in {', '.join(SUFFIXES)}")
    decoded(path.read_bytes(), str(path))
    return in_words(lambda: mujoco.MjSpec.from_file(str(path)), str(path)), str(path)


def compile_spec(spec: mujoco.MjSpec, file: str) -> tuple[mujoco.MjModel, list[str]]:
    """The model and what is worth a warning. Links keep their names: nothing is fused into its parent.

    MuJoCo refuses inertia that no mass distribution has (A + B < C), which URDF files are full of: it is compiled
    balanced, then the file's own moments are written back.
    """
    refuse_callbacks()
    refuse_swapped_ranges(spec, file)
    spec.compiler.fusestatic = False
    try:
        return in_words(lambda: _compiled(spec), file), []
    except InputError as error:
        if "balanceinertia" not in str(error):
            raise
    spec.compiler.balanceinertia = True
    model = in_words(lambda: _compiled(spec), file)
    notes = in_words(lambda: _write_inertias_back(model, spec), file)
    for note in notes:
        warnings.warn(note, stacklevel=3)
    return model, notes


def _compiled(spec: mujoco.MjSpec) -> mujoco.MjModel:
    model = spec.compile()
    model.names.decode()  # those of included files, too
    return model


def refuse_swapped_ranges(spec: mujoco.MjSpec, file: str) -> None:
    """The compiler refuses those of MJCF; of URDF it makes joints without limits."""
    faults = [
        Fault("the lower limit is above the upper one", f"joint.{joint.name}.limit", list(joint.range), "swap them", file)
        for joint in in_words(lambda: [*spec.joints], file)
        if joint.range[0] > joint.range[1]
    ]
    if faults:
        raise InputError(faults)


def _write_inertias_back(model: mujoco.MjModel, spec: mujoco.MjSpec) -> list[str]:
    notes = []
    for body in spec.bodies[1:]:
        own = _principal_moments(body, model.body_iquat[body.id])
        if own is None or 2 * own.max() <= own.sum() * (1 + 1e-12):
            continue
        model.body_inertia[body.id] = own
        notes.append(
            f"body {body.name or body.id}: moments of inertia {own.tolist()} break the triangle rule (no rigid body has them); "
            "they are used as the file gives them"
        )
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return notes


def _principal_moments(body: mujoco.MjsBody, principal: np.ndarray) -> np.ndarray | None:
    """The body's explicit inertia in the principal axes that the compiler found."""
    if not body.explicitinertial:
        return None
    if np.isnan(body.fullinertia[0]):
        return body.inertia.copy()
    xx, yy, zz, xy, xz, yz = body.fullinertia
    given, found = np.zeros(9), np.zeros(9)
    mujoco.mju_quat2Mat(given, body.iquat / np.linalg.norm(body.iquat))
    mujoco.mju_quat2Mat(found, principal)
    turn = found.reshape(3, 3).T @ given.reshape(3, 3)
    return np.diag(turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T).copy()


def in_words(work: Callable[[], T], file: str) -> T:
    """MuJoCo's own message, with its line, as a fault of the file; its warnings as Python's, not in a log file.

    NaN in a file is a fault: the compiler takes it for a number that is not given, and says so in a warning alone.
    """
    doubts: list[str] = []
    mujoco.set_mju_user_warning(doubts.append)
    try:
        done = work()
    except UnicodeDecodeError as error:
        got = f"byte 0x{error.object[error.start]:02x}"
        raise InputError("a name is not UTF-8 text", file=file, got=got, todo="save the file as UTF-8") from None
    except (ValueError, mujoco.FatalError, mujoco.UnexpectedError) as error:
        text = str(error)
        line = LINE.search(text)
        message = re.sub(r"^(XML )?Error: ", "", LINE.sub("", text).strip())
        raise InputError(
            [Fault(" ".join(message.split()), file=file, line=int(line.group(1)) if line else None)]
        ) from None
    finally:
        mujoco.set_mju_user_warning(None)
    for doubt in doubts:
        if "'NaN'" in doubt:
            raise InputError("has a number that is NaN", file=file, todo="give a finite number, or leave the attribute out")
        warnings.warn(doubt, stacklevel=3)
    return done


def keyframe_names(model: mujoco.MjModel) -> list[str]:
    return [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_KEY, k) or str(k) for k in range(model.nkey)]


def with_state(system: System, keyframe: str | None, file: str, elsewhere: bool = False) -> tuple[System, State]:
    """The keyframe's state; without a name that of the only one. The reference position at rest of a file without keyframes, or of one with
    several when the state is given `elsewhere`."""
    m, names = system.model, keyframe_names(system.model)
    todo = f"keyframes: {', '.join(names)}" if names else "the file has no keyframes"
    if keyframe is None and len(names) > 1 and not elsewhere:
        raise InputError("the file has several keyframes and none is chosen", file=file, key="keyframe", todo=todo)
    if keyframe is None and len(names) != 1:
        return system, system.checked_state(m.qpos0)
    if keyframe is not None and keyframe not in names:
        raise InputError("no such keyframe", file=file, key="keyframe", got=keyframe, todo=todo)
    k = 0 if keyframe is None else names.index(keyframe)
    if m.nmocap:
        system.data.mocap_pos[:] = m.key_mpos[k].reshape(-1, 3)
        system.data.mocap_quat[:] = m.key_mquat[k].reshape(-1, 4)
    return system, system.checked_state(m.key_qpos[k], m.key_qvel[k], m.key_ctrl[k], m.key_act[k])
