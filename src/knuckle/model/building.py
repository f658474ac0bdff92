"""From a scenario's data to what exists, in which state, with which actuator forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from knuckle.errors import Fault, InputError
from knuckle.model.composing import compose
from knuckle.model.states import with_joints, within_ranges
from knuckle.model.system import State, System
from knuckle.scenario import Scenario, suggestion


@dataclass(frozen=True)
class Built:
    """A scenario with its models loaded."""

    system: System
    state: State
    torque: np.ndarray  # nv, generalised forces of the actuators, N m or N


def build(question: Scenario) -> Built:
    """Composes the model, sets the state, and takes the actuator forces that are asked for."""
    with question.placing_faults():
        system, state = compose(
            question.model_path,
            question.objects,
            question.shapes,
            question.keyframe,
            question.gravity,
            question.folder,
            state_given=question.state.q is not None or bool(question.state.joints),
        )
        for body, motion in question.moving.items():
            _set_moving(system, body, motion.model_dump())
        state = _asked_state(question, system, state)
        torque = actuator_forces(system, state, question.torque)
    return Built(system, state, torque)


def _set_moving(system: System, body: str, motion: Mapping[str, Sequence[float]]) -> None:
    try:
        system.set_moving(body, **motion)
    except InputError as error:
        raise InputError(
            [Fault(fault.message, f"moving.{body}", fault.got, fault.todo) for fault in error.faults]
        ) from None


def _asked_state(question: Scenario, system: System, state: State) -> State:
    """The keyframe's state with what the scenario gives in its place."""
    asked = question.state
    if asked.q is not None:
        q = np.array(asked.q)
    else:  # nobody chose a reference position
        q = state.q if question.keyframe or system.model.nkey else within_ranges(system, state.q, asked.joints)
    v = state.v if asked.v is None else np.array(asked.v)
    ctrl = state.ctrl if question.ctrl is None else _controls(system, state, question.ctrl)
    state = system.checked_state(q, v, ctrl, state.act, state.applied)
    return with_joints(system, state, asked.joints, asked.rates)


def _controls(system: System, state: State, given: Sequence[float] | Mapping[str, float]) -> np.ndarray:
    if not isinstance(given, Mapping):
        return np.array(given)
    ctrl = state.ctrl.copy()
    for name, value in given.items():
        if name not in system.actuator_names:
            todo = suggestion(name, system.actuator_names, "actuators")
            raise InputError("no such actuator", key=f"ctrl.{name}", todo=todo)
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
