"""From a scenario's data to what exists, in which state, with which actuator forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from knuckle.errors import Fault, Gathering, InputError
from knuckle.model.composing import compose_system
from knuckle.model.loading import with_state
from knuckle.model.states import with_joints, within_ranges
from knuckle.model.system import State, System
from knuckle.scenario import NamedContact, Scenario, suggestion


@dataclass(frozen=True)
class Built:
    """A scenario with its models loaded."""

    system: System
    state: State
    torque: np.ndarray  # nv, generalised forces of the actuators, N m or N


def build(question: Scenario) -> Built:
    """Composes the model, sets the state, and takes the actuator forces that are asked for."""
    with question.placing_faults():
        system, file = compose_system(
            question.model_path, question.objects, question.shapes, question.gravity, question.folder
        )
        faults = Gathering()
        state, torque = system.checked_state(system.model.qpos0), np.zeros(system.nv)
        with faults:
            elsewhere = question.state.q is not None or bool(question.state.joints)
            named_in = file if question.keyframe is None else ""  # the scenario named it
            _, state = with_state(system, question.keyframe, named_in, elsewhere=elsewhere)
        for body, motion in question.moving.items():
            with faults:
                _set_moving(system, body, motion.model_dump())
        state = _asked_state(question, system, state, faults)
        with faults:
            torque = actuator_forces(system, state, question.torque)
        for number, contact in enumerate(question.contacts):
            if isinstance(contact, NamedContact):
                with faults:
                    _sides_exist(system, number, contact)
        faults.done()
    return Built(system, state, torque)


def _sides_exist(system: System, number: int, contact: NamedContact) -> None:
    known = [*(shape.name for shape in system.shapes), *system.body_names]
    faults = [
        Fault("no such shape or body", f"contacts.{number}.{key}", name, suggestion(name, known, "shapes and bodies"))
        for key, name in (("object", contact.object), ("link", contact.link))
        if name not in known
    ]
    if faults:
        raise InputError(faults)


def _set_moving(system: System, body: str, motion: Mapping[str, Sequence[float]]) -> None:
    try:
        system.set_moving(body, **motion)
    except InputError as error:
        raise InputError(
            [Fault(fault.message, f"moving.{body}", fault.got, fault.todo) for fault in error.faults]
        ) from None


def _asked_state(question: Scenario, system: System, state: State, faults: Gathering) -> State:
    """The keyframe's state with what the scenario gives in its place; what does not fit is left out, and a fault."""
    asked = question.state
    if asked.q is not None:
        q = np.array(asked.q)
    else:  # nobody chose a reference position
        q = state.q if question.keyframe or system.model.nkey else within_ranges(system, state.q, asked.joints)
    v = state.v if asked.v is None else np.array(asked.v)
    ctrl = state.ctrl
    with faults:
        ctrl = ctrl if question.ctrl is None else _controls(system, state, question.ctrl)
    with faults:
        state = system.checked_state(q, v, ctrl, state.act, state.applied)
    with faults:
        return with_joints(system, state, asked.joints, asked.rates)
    return state


def _controls(system: System, state: State, given: Sequence[float] | Mapping[str, float]) -> np.ndarray:
    if not isinstance(given, Mapping):
        return np.array(given)
    faults = [
        Fault("no such actuator", f"ctrl.{name}", todo=suggestion(name, system.actuator_names, "actuators"))
        for name in given
        if name not in system.actuator_names
    ]
    if faults:
        raise InputError(faults)
    ctrl = state.ctrl.copy()
    for name, value in given.items():
        ctrl[system.actuator_names.index(name)] = value
    return ctrl


def actuator_forces(system: System, state: State, given: Sequence[float] | Mapping[str, float] | None) -> np.ndarray:
    """Generalised forces of the actuators (nv): what they give at (q, v, ctrl), or what is given instead.

    A list has nv generalised forces, or one force per actuator. A mapping names actuators or degrees of freedom; what
    it does not name is zero.
    """
    if given is None:
        return system.actuator_torque(state.q, state.v, state.ctrl, state.act)
    if isinstance(given, Mapping):
        return _named_forces(system, state, given)
    forces = np.array(given, dtype=np.float64)
    if forces.size == system.nv:
        return forces
    if forces.size == len(system.actuator_names):
        return system.actuator_moment(state.q)[: forces.size].T @ forces
    lengths = " or ".join(str(n) for n in sorted({system.nv, len(system.actuator_names)} - {0}))
    todo = f"give {lengths} numbers (degrees of freedom, or actuators), or name=value"
    raise InputError("has the wrong length", key="torque", got=forces.size, todo=todo)


def _named_forces(system: System, state: State, given: Mapping[str, float]) -> np.ndarray:
    torque = np.zeros(system.nv)
    moment = system.actuator_moment(state.q)
    known = [*system.actuator_names, *system.dof_names]
    faults = []
    for name, value in given.items():
        if name in system.actuator_names:
            torque += moment[system.actuator_names.index(name)] * value
        elif name in system.dof_names:
            torque[system.dof_names.index(name)] += value
        else:
            todo = suggestion(name, known, "actuators and degrees of freedom")
            faults.append(Fault("no such actuator or degree of freedom", f"torque.{name}", todo=todo))
    if faults:
        raise InputError(faults)
    return torque
