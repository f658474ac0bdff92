"""States by the names of joints and objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import mujoco
import numpy as np

from knuckle.errors import Fault, InputError, suggestion
from knuckle.model import structure
from knuckle.model.supported import name_of
from knuckle.model.system import State, System

Value = float | Sequence[float]
WIDTH = {structure.FREE: 7, structure.BALL: 4, structure.SLIDE: 1, structure.HINGE: 1}


def with_joints(
    system: System, state: State, joints: Mapping[str, Value] | None = None, rates: Mapping[str, Value] | None = None
) -> State:
    """The state with coordinates and rates replaced; a body's name speaks of all its joints in order (an object: all of its qpos)."""
    q, v, faults = state.q.copy(), state.v.copy(), []
    for group, given, target in (("joints", joints or {}, q), ("rates", rates or {}, v)):
        for name, value in given.items():
            places, numbers = _places(system, name, group == "joints"), np.atleast_1d(np.asarray(value, np.float64))
            if not places:
                faults.append(
                    Fault(
                        "no such joint or object",
                        key=f"{group}.{name}",
                        todo=suggestion(name, _known_names(system), "joints and objects"),
                    )
                )
            elif len(places) != numbers.size:
                faults.append(
                    Fault(
                        "has the wrong length",
                        key=f"{group}.{name}",
                        got=numbers.size,
                        todo=f"give {len(places)} numbers",
                    )
                )
            else:
                target[places] = numbers
    if faults:
        raise InputError(faults)
    return system.checked_state(q, v, state.ctrl, state.act, state.applied)


def _known_names(system: System) -> list[str]:
    joints = [system.model.joint(joint).name for joint in range(system.model.njnt)]
    return list(dict.fromkeys(name for name in [*joints, *(system.body_names[body] for body in system.objects)] if name))


def _places(system: System, name: str, positions: bool) -> list[int]:
    m = system.model
    joint = mujoco.mj_name2id(m, structure.JOINT, name)
    if joint >= 0:
        chosen = [joint]
    elif name in system.body_names:
        body = system.body(name)
        chosen = list(range(m.body_jntadr[body], m.body_jntadr[body] + m.body_jntnum[body]))
    else:
        return []
    places: list[int] = []
    for joint in chosen:
        kind = int(m.jnt_type[joint])
        start = int(m.jnt_qposadr[joint] if positions else m.jnt_dofadr[joint])
        places += range(start, start + (WIDTH[kind] if positions else len(structure.PARTS[kind])))
    return places


def within_ranges(system: System, q: np.ndarray, chosen: Iterable[str]) -> np.ndarray:
    """A reference position beyond the stops of a joint (0 outside its range) brought to the nearer stop, with a warning; not of `chosen` ones."""
    m, q = system.model, q.copy()
    for joint in np.flatnonzero(m.jnt_limited).tolist():
        if m.jnt_type[joint] not in (structure.HINGE, structure.SLIDE) or m.joint(joint).name in chosen:
            continue
        address, (low, high) = m.jnt_qposadr[joint], m.jnt_range[joint]
        if not low <= q[address] <= high:
            at = float(np.clip(q[address], low, high))
            name = name_of(m, structure.JOINT, joint)
            system.warnings.append(f"the reference position is outside the range of {name}: it starts at its stop, {at:g}")
            q[address] = at
    return q
