"""From a scenario to a ready system: model, pairs, friction, settling."""
from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from knuckle import model
from knuckle.contact import pairs as pairing
from knuckle.contact.geometry import Geometry, contact_geometry
from knuckle.contact.labels import TOLERANCES, Tolerances
from knuckle.contact.settle import settle
from knuckle.errors import Fault, InputError
from knuckle.instant.ready import PairQuestion, ReadySystem
from knuckle.model.structure import Shape
from knuckle.model.system import State, System
from knuckle.scenario import Scenario, suggestion
from knuckle.scenario.schema import NamedContact

MODEL_SETTLE = 1e-3         # m: states of simulators are settled at most so far (CONTRACT 2)
NEAR_LINKS = 2e-3           # m; links farther apart do not come to touch while the state settles by at most a millimetre
AT_STOP = 1e-9              # rad or m, and the rate at which a joint rests
IMPACT = 0.05               # m/s, rad/s; soft contacts creep along their normals far slower, and bodies that meet so fast rebound


def ready(question: Scenario) -> ReadySystem:
    """`scenario.compile()`: everything that does not depend on the instant."""
    built = model.build(question)
    system = built.system
    with question.placing_faults():
        found = question.contacts == "found"
        pairs, wishes, questions = _found(system, built.state.q, question.friction) if found else _named(system, question)
        reach = MODEL_SETTLE if question.settle == "no" else max(MODEL_SETTLE, 1e-3 * float(question.settle))
        geometry = contact_geometry(system, pairs, reach, wishes)
        tolerances = question.tolerances
        given = {key: getattr(tolerances, key) for key in ("gap", "drift", "slip", "creep", "residual")}
        limits = Tolerances(**{key: value for key, value in given.items() if value is not None})
        state, notes = built.state, list(system.warnings)
        if question.settle != "no":
            state, more = _settled(geometry, state, limits, 1e-3 * float(question.settle), None if found else range(len(pairs)))
            notes += more
        if found:
            geometry, pairs, questions = _in_question(geometry, state, questions, limits)
        notes += _unused(system, pairs)
        stop, rate = (AT_STOP if given is None else given for given in (tolerances.stop, tolerances.rate))
        order = np.array([limits.gap, limits.drift, limits.slip, limits.residual, stop, rate])
        prepared = ReadySystem(system, geometry, questions, question.law, order, state, built.torque, notes)
        if not found:
            _all_touch(prepared, pairs, questions, limits)
    return prepared


def from_simulation(simulated: Any, data: Any, mu: float | None = None, law: str = "cone", settle_mm: float | None = 1.0,
                    creep: float = TOLERANCES.creep) -> tuple[ReadySystem, State]:
    """A ready system and the settled state of a living MuJoCo simulation, whose data is left alone.

    Contacts are the pairs that touch or overlap, or, where none does, whatever is nearer than a millimetre. Slips below `creep` m/s are
    taken out. The forces of the actuators are those of the state that was given.
    """
    system, state = model.from_mujoco(simulated, data)
    torque = system.actuator_torque(state.q, state.v, state.ctrl, state.act)
    pairs, _, questions = _found(system, state.q, mu)
    geometry = contact_geometry(system, pairs)
    notes, limits = list(system.warnings), replace(TOLERANCES, creep=creep)
    if settle_mm is not None:
        state, more = _settled(geometry, state, limits, 1e-3 * settle_mm)
        notes += more
    geometry, pairs, questions = _in_question(geometry, state, questions, limits)
    notes += _unused(system, pairs)
    return ReadySystem(system, geometry, questions, law, None, state, torque, notes), state


def _names(system: System, a: int, b: int) -> tuple[str, str]:
    return system.shapes[a].name, system.shapes[b].name


def _pair_name(system: System, a: int, b: int) -> str:
    """The other side's name says which finger touches the object; of two objects, or two links, both are named."""
    first, second = system.shapes[a], system.shapes[b]
    one = first.body in system.objects and second.body not in system.objects and second.body != 0
    return second.name if one else f"{first.name} - {second.name}"


def _mu(system: System, a: int, b: int) -> float:
    first, second = system.shapes[a], system.shapes[b]
    if first.geom >= 0 and second.geom >= 0:
        return model.pair_friction(system.model, first.geom, second.geom)
    return max(first.friction, second.friction)


def _found(system: System, q: np.ndarray, mu: float | None) -> tuple[list[tuple[int, int]], dict[int, Any], list[PairQuestion]]:
    """Every pair with an object in it that may touch; of links with one another and with the world those that are near at q."""
    may_touch = model.pairs_that_may_touch(system.model)
    links = pairing.link_pairs(system.shapes, system.objects, may_touch)
    near = system.near(q, [(system.shapes[a].geom, system.shapes[b].geom) for a, b in links], NEAR_LINKS)
    chosen = {frozenset(pair) for pair in near}
    pairs = pairing.found_pairs(system.shapes, system.objects, may_touch)
    pairs += [pair for pair in links if frozenset(system.shapes[side].geom for side in pair) in chosen]
    return pairs, {}, [PairQuestion(_pair_name(system, *pair), _names(system, *pair), _mu(system, *pair) if mu is None else mu) for pair in pairs]


def _has_object(system: System, pair: Sequence[int]) -> bool:
    return any(system.shapes[side].body in system.objects for side in pair)


def _in_question(geometry: Geometry, state: State, questions: list[PairQuestion],
                 limits: Tolerances) -> tuple[Geometry, list[tuple[int, int]], list[PairQuestion]]:
    """The pairs with an object, and of the others those that touch at the prepared state."""
    system, contacts, search = geometry.system, geometry.contacts, geometry.search
    pairs = [(int(a), int(b)) for a, b in search.pairs]
    touch = {int(contacts.pair[k]) for k in range(geometry.update(state.q, state.v)) if contacts.gap[k] <= limits.gap}
    kept = [k for k, pair in enumerate(pairs) if k in touch or _has_object(system, pair)]
    if len(kept) == len(pairs):
        return geometry, pairs, questions
    return contact_geometry(system, [pairs[k] for k in kept], search.reach), [pairs[k] for k in kept], [questions[k] for k in kept]


def _unused(system: System, pairs: Sequence[tuple[int, int]]) -> list[str]:
    geoms = [(system.shapes[a].geom, system.shapes[b].geom) for a, b in pairs]
    return model.pair_notes(system.model, [(a, b) for a, b in geoms if a >= 0 and b >= 0])


def _named(system: System, question: Scenario) -> tuple[list[tuple[int, int]], dict[int, Any], list[PairQuestion]]:
    pairs: list[tuple[int, int]] = []
    wishes: dict[int, Any] = {}
    questions: list[PairQuestion] = []
    for number, contact in enumerate(question.contacts):
        if not isinstance(contact, NamedContact):
            continue
        sides = [_shapes_named(system, name, f"contacts.{number}.{key}") for key, name in (("object", contact.object), ("link", contact.link))]
        for a, b in ((a, b) for a in sides[0] for b in sides[1]):
            pair = pairing.named_pairs(system.shapes, [(system.shapes[a].name, system.shapes[b].name)])[0]
            if pair in pairs or pair[::-1] in pairs:
                raise InputError("this pair is named twice", key=f"contacts.{number}", got=list(_names(system, *pair)), todo="keep one")
            if contact.tangent is not None:
                wishes[len(pairs)] = contact.tangent
            mu = contact.mu if contact.mu is not None else question.friction if question.friction is not None else _mu(system, *pair)
            pairs.append(pair)
            questions.append(PairQuestion(contact.name or _pair_name(system, *pair), _names(system, *pair), mu, contact.label))
    return pairs, wishes, questions


def _shapes_named(system: System, name: str, key: str) -> list[int]:
    """Rows of the shape of that name, or of all shapes of the body of that name."""
    own = [k for k, shape in enumerate(system.shapes) if shape.name == name]
    if own:
        return own
    if name in system.body_names:
        body = system.body_names.index(name)
        shapes = [k for k, shape in enumerate(system.shapes) if shape.body == body and _touchable(system, shape)]
        if shapes:
            return shapes
        raise InputError("this body has no shape that can touch", key=key, got=name)
    known = [shape.name for shape in system.shapes] + list(system.body_names)
    raise InputError("no such shape or body", key=key, got=name, todo=suggestion(name, known, "shapes and bodies"))


def _touchable(system: System, shape: Shape) -> bool:
    return shape.geom < 0 or bool(system.model.geom_contype[shape.geom] or system.model.geom_conaffinity[shape.geom])


def _settled(geometry: Geometry, state: State, limits: Tolerances, largest: float,
             pairs: Collection[int] | None = None) -> tuple[State, list[str]]:
    """The state brought to exact contact, and what was done in words. Springs keep the forces that they had."""
    system, table = geometry.system, geometry.search.pairs
    links = [k for k in range(len(table)) if not _has_object(system, table[k])]
    result = settle(geometry, state.q, state.v, largest, tolerances=limits, largest=largest, creep=limits.creep, pairs=pairs, touching_only=links)
    if result.largest_drift > IMPACT and (faults := _impacts(geometry, result.q, state.v, limits)):
        raise InputError(faults)
    notes = []
    if result.displacement > 0.0 or result.largest_drift > limits.drift:
        notes.append(f"settled: contact points moved by at most {1e3 * result.displacement:.3g} mm (largest gap {1e3 * result.largest_gap:.3g} mm, "
                     f"normal velocity {result.largest_drift:.3g} m/s before)")
    if result.creep > 0.0:
        notes.append(f"settled: slips of at most {1e3 * result.creep:.3g} mm/s were taken out as creep (tolerance {1e3 * limits.creep:g} mm/s)")
    for pair in sorted({*result.pairs, *result.parted}):
        name = " - ".join(_names(system, *table[pair]))
        gap, (before, now) = result.gap[pair], result.lost.get(pair, (0, 0))
        if pair in result.parted:
            notes.append(f"settled: {name} is not in contact (gap {1e3 * gap:.3g} mm before): no near state lets it touch beside the others")
        elif gap > limits.gap:
            notes.append(f"settled: {name} was {1e3 * gap:.3g} mm open and is in contact now")
        if before:
            notes.append(f"settled: {name} touches at {now} points of {before}: no near state lets all of them touch beside the others")
    applied = state.applied + system.springs(state.q) - system.springs(result.q)
    return State(result.q, result.v, state.ctrl, state.act, applied), notes


def _impacts(geometry: Geometry, q: np.ndarray, v: np.ndarray, limits: Tolerances) -> list[Fault]:
    """What meets or parts so fast at the settled place q that to take this velocity out would answer another question."""
    fastest: dict[str, float] = {}
    contacts = geometry.contacts
    for k in range(geometry.update(q, v)):
        a, b = (geometry.shapes[row].name for row in geometry.search.pairs[int(contacts.pair[k])])
        if contacts.gap[k] <= limits.gap:
            _keep_fastest(fastest, f"contact '{a} - {b}'", float(contacts.velocity[3 * k]))
    joints = geometry.system.joint_rows(q, v, limits.gap)
    for kind, rate, name in zip(joints.kind, joints.rate.tolist(), joints.name, strict=True):
        if kind != "dry_friction":
            _keep_fastest(fastest, f"joint '{name}'", rate)
    words = ("closes at {:.3g} m/s (rad/s): that is an impact, which settling does not take out",
             "parts at {:.3g} m/s (rad/s): settling would hold it together")
    return [Fault(f"{name} {words[rate > 0.0].format(abs(rate))}", key="state", todo="take this velocity out of v")
            for name, rate in fastest.items() if abs(rate) > IMPACT]


def _keep_fastest(fastest: dict[str, float], name: str, rate: float) -> None:
    if abs(rate) > abs(fastest.get(name, 0.0)):
        fastest[name] = rate


def _all_touch(prepared: ReadySystem, pairs: Sequence[tuple[int, int]], questions: Sequence[PairQuestion], limits: Tolerances) -> None:
    """A contact that the question names must touch: YAML scenarios are strict about gaps."""
    state = prepared.state
    if state is None:
        return
    count = prepared.geometry.update(state.q, state.v)
    contacts = prepared.geometry.contacts
    gaps: dict[str, float] = {}
    for k in range(count):
        name = questions[int(contacts.pair[k])].name
        gaps[name] = min(gaps.get(name, np.inf), float(contacts.gap[k]))
    faults = []
    for number, name in enumerate(dict.fromkeys(pair.name for pair in questions)):
        gap = gaps.get(name, np.inf)
        if not gap <= limits.gap:
            size = f"{gap:.3g} m" if np.isfinite(gap) else f"above {prepared.geometry.search.reach:.3g} m"
            todo = "correct the state, or set settle to a displacement in mm"
            faults.append(Fault(f"contact '{name}' does not touch: its gap is {size}", key=f"contacts.{number}", todo=todo))
    if faults:
        raise InputError(faults)
