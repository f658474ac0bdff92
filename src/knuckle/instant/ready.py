"""A system and its question, ready for many cheap calls: what `scenario.compile()` returns."""
from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from knuckle.compiled.callbacks import CompiledLaw
from knuckle.contact.geometry import Geometry
from knuckle.contact.labels import BOUNDARY, Tolerances, label
from knuckle.contact.laws import FrictionLaw, friction
from knuckle.errors import Fault, GeometryError, InputError
from knuckle.instant import kernels, pose_kernels
from knuckle.instant.answer import Answer
from knuckle.instant.moment import ContactState, Moment
from knuckle.instant.pose_kernels import Scene
from knuckle.instant.problem import ContactProblem
from knuckle.instant.sensitivities import Sensitivities
from knuckle.instant.solve import LAWS, answer_of
from knuckle.instant.stage import Stage, new_problem, new_work
from knuckle.instant.units import CONE, PLANAR, PYRAMID
from knuckle.instant.velocities import Motion, constrained_rows, solve_velocities
from knuckle.model import structure
from knuckle.model.joint_rows import KINDS
from knuckle.model.system import UNIT, State, System

LABELS = {"auto": pose_kernels.AUTO, "rolling": pose_kernels.ROLLS, "sliding": pose_kernels.SLIDES}
DEFAULT = Tolerances()
TOLERANCE = (DEFAULT.gap, DEFAULT.drift, DEFAULT.slip, DEFAULT.residual, 1e-9, 1e-9)       # in the order of Scene.tolerance
TROUBLES = {
    pose_kernels.PENETRATES: ("penetrates by {value:.3g} m", "move the bodies apart, or let the state be settled (settle: 1)"),
    pose_kernels.APPROACHES: ("closes at {value:.3g} m/s: that is an impact, not an instant of contact",
                              "take the normal velocity out of v, or settle"),
    pose_kernels.TIPS: ("is about to tip on its line or face (residual {value:.3g} rad/s): one point is the wrong model",
                        "model it by several points"),
    pose_kernels.IS_SLIDING: ("is labelled rolling but slips at {value:.3g} m/s", "label it sliding, or take the slip out of v"),
    pose_kernels.IS_ROLLING: ("is labelled sliding but does not slip ({value:.3g} m/s)", "label it rolling, or give it a slip velocity"),
    pose_kernels.HITS_STOP: ("runs into its stop at {value:.3g} rad/s: that is an impact", "take this rate out of v"),
    pose_kernels.BEYOND_STOP: ("is beyond its stop by {value:.3g} rad", "bring the joint inside its range"),
    pose_kernels.IS_BROKEN: ("is a constraint that does not hold: it is off by {value:.3g} rad or m",
                             "correct q, or let the state be settled (settle: 1)"),
    pose_kernels.IS_DRIFTING: ("is a constraint that does not stay: its error changes at {value:.3g} rad/s or m/s",
                               "correct v, or let the state be settled (settle: 1)"),
}


@dataclass(frozen=True)
class PairQuestion:
    """One pair of shapes that may touch, as the question sees it."""
    name: str
    shapes: tuple[str, str]
    mu: float
    label: str = "auto"         # auto, rolling, sliding


class ReadySystem:
    """`modes(q, v, tau)` answers one instant. One instance serves one thread."""

    def __init__(self, system: System, geometry: Geometry, pairs: Sequence[PairQuestion], law: str = "cone",
                 tolerance: np.ndarray | None = None, state: State | None = None, torque: np.ndarray | None = None, notes: Sequence[str] = ()):
        self.system, self.geometry, self.pairs, self.law = system, geometry, tuple(pairs), law
        self.state, self.torque, self.notes = state, torque, tuple(notes)
        self.tolerance = np.array(TOLERANCE if tolerance is None else tolerance, float)
        self.dof_names, self.actuator_names = system.dof_names, system.actuator_names
        slots, joints = len(geometry.contacts.gap), len(system.joint_table.work.bias)
        capacity = slots + joints
        self._problem = new_problem(capacity, 3 * slots + joints, system.nv)
        self._work = new_work(capacity, 3 * slots + joints, system.nv)
        kinds, starts = system.model.jnt_type, system.model.jnt_qposadr
        self._quaternions = [int(starts[k]) + (3 if kinds[k] == structure.FREE else 0)
                             for k in range(len(kinds)) if kinds[k] in (structure.FREE, structure.BALL)]
        self._mu = np.array([pair.mu for pair in pairs], float)
        self._scene = Scene(
            system.plant, geometry.table, geometry.search, geometry.contacts, geometry.rows, system.joint_table.kernel_table,
            system.joint_table.work, self._mu.copy(), np.full(slots, -1.0), np.array([LABELS[pair.label] for pair in pairs], np.int64),
            self.tolerance, np.array([self._kind(law)], np.int64), np.zeros(slots, np.int64), np.zeros(joints + 1, np.int64),
            np.zeros(joints + 1, np.int64), np.zeros(5, np.int64), np.zeros(3))

    def _kind(self, law: str) -> int:
        if law not in LAWS:
            raise InputError("is no friction law", key="law", got=law, todo=f"use {' or '.join(LAWS)}")
        if self.system.plane is not None:
            return PLANAR
        return CONE if law == "cone" else PYRAMID

    def modes(self, q: np.ndarray | None = None, v: np.ndarray | None = None, tau: np.ndarray | None = None,
              mu: float | Sequence[float] | FrictionLaw | CompiledLaw | None = None, law: str | None = None) -> Answer:
        """Every answer at (q, v) under the generalised actuator forces tau; what is left out is the scenario's.

        mu: one coefficient, one per pair, or a law mu(contact, slip speed, position), frozen for the instant; it is asked once for each
        contact of the answer, in their order (a compiled law: contact, slip speed, x, y, z).
        """
        state, scene = self.state, self._scene
        q = self._position(q)
        v = _vector(v, state.v if state else None, self.system.nv, "v")
        tau = _vector(tau, self.torque, self.system.nv, "tau")
        scene.law[0] = self._kind(law or self.law)
        load = tau if state is None or not state.applied.any() else tau + state.applied
        self._set_friction(mu, q, v)
        status = kernels.solve_instant(scene, q, v, load, self._problem, self._work)
        if status < 0:
            self._refuse(status)
        stage = self._stage(status, law or self.law)
        return answer_of(stage, Moment(self, stage.problem, self._contacts(q, v, tau), load))

    def sensitivities(self, q: np.ndarray | None = None, v: np.ndarray | None = None, tau: np.ndarray | None = None,
                      mu: float | Sequence[float] | FrictionLaw | CompiledLaw | None = None, law: str | None = None) -> Sensitivities:
        """Of the answer that `modes` gives, to torque, friction and state."""
        return self.modes(q, v, tau, mu, law).sensitivities

    def modes_batch(self, q: Iterable[np.ndarray], v: Iterable[np.ndarray], tau: Iterable[np.ndarray], mu: Any = None) -> list[Answer]:
        """One answer per (q, v, tau); arrays are read row by row."""
        for name, given in (("q", q), ("v", v), ("tau", tau)):
            if not isinstance(given, Iterable):
                raise InputError("is no list of rows", key=name, got=given, todo="give one row for each answer")
        rows = [list(given) for given in (q, v, tau)]
        if len({len(one) for one in rows}) > 1:
            raise InputError("must have as many rows each", key="q, v, tau", got=[len(one) for one in rows], todo="give one row for each answer")
        return [self.modes(q_i, v_i, tau_i, mu) for q_i, v_i, tau_i in zip(*rows, strict=True)]

    def _position(self, q: np.ndarray | None) -> np.ndarray:
        q = _vector(q, self.state.q if self.state else None, self.system.nq, "q")
        for start in self._quaternions:
            if abs(math.hypot(*q[start:start + 4].tolist()) - 1.0) > UNIT:
                self.system.checked_state(q)               # says which, and how long it is
        return q

    def velocities(self, q: np.ndarray | None = None, known: Mapping[str, float] | None = None, modes: Sequence[str] | None = None,
                   slips: np.ndarray | None = None) -> Motion:
        """Which velocities the contacts at q allow: forward with the joints' rates `known` by name of dof, inverse with the object's.

        modes: R, S, F or B per contact (default: all roll); slips: wanted slip along T, U per contact, for those that slide.
        """
        nv, known = self.system.nv, known or {}
        q = self._position(q)
        count, contacts = self.geometry.update(q, np.zeros(nv)), self._scene.contacts
        slots = np.array([k for k in range(count) if contacts.gap[k] <= self.tolerance[pose_kernels.GAP]], int)
        dim = 2 if self.system.plane is not None else 3
        picked = (3 * slots[:, None] + np.arange(dim)).ravel()
        modes = ["R"] * len(slots) if modes is None else modes
        if len(modes) != len(slots):
            raise InputError("one mode for each contact", key="modes", got=list(modes), todo=f"give {len(slots)}")
        if unknown := [name for name in known if name not in self.dof_names]:
            raise InputError("no such degree of freedom", key="known", got=unknown[0], todo=f"one of {', '.join(self.dof_names)}")
        rows, wanted, names = constrained_rows(contacts.W[picked], contacts.velocity[picked], self._contact_names(slots), dim, modes, slips)
        joints = self.system.joint_rows(q, np.zeros(nv))
        held = [i for i, kind in enumerate(joints.kind) if kind == "bilateral"]
        given = np.array([known.get(name, 0.0) for name in self.dof_names])
        return solve_velocities(np.vstack([rows, joints.W[held]]), np.append(wanted, np.zeros(len(held))),
                                [*names, *(joints.name[i] for i in held)], given, np.array([name in known for name in self.dof_names]))

    def _set_friction(self, mu: float | Sequence[float] | FrictionLaw | CompiledLaw | None, q: np.ndarray, v: np.ndarray) -> None:
        scene = self._scene
        scene.mu[:], scene.mu_of_slot[:] = self._mu, -1.0
        if callable(mu):
            scene.mu_of_slot[:] = self._mu_by_law(mu, q, v)
        elif mu is not None:
            scene.mu[:] = friction(mu, np.zeros((len(self.pairs), 2)), np.zeros((len(self.pairs), 3)), "pairs")

    def _mu_by_law(self, law: FrictionLaw | CompiledLaw, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """mu of every slot, -1 where no contact touches. What slips too slowly to slide has the slip 0."""
        count, contacts, (gap, drift, slip) = self.geometry.update(q, v), self._scene.contacts, self.tolerance[:3]
        velocity = contacts.velocity.reshape(-1, 3)[:count, :3 if self.system.plane is None else 2]
        touching = np.flatnonzero((contacts.gap[:count] <= gap) & (velocity[:, 0] <= drift))
        slips = velocity[touching, 1:]
        slips[np.linalg.norm(slips, axis=1) <= slip] = 0.0
        mu = np.full(len(contacts.gap), -1.0)
        mu[touching] = friction(law, slips, contacts.point_A[touching])
        return mu

    def _refuse(self, status: int) -> None:
        what, which, value = (float(x) for x in self._scene.trouble)
        if status == pose_kernels.NO_GEOMETRY:
            self.geometry.update(self._scene.plant.qpos.copy(), self._scene.plant.qvel.copy())
            raise GeometryError("a contact has no common normal: bodies overlap deeply, or two sharp features meet")
        if int(what) < pose_kernels.HITS_STOP:
            raise InputError(_contact_fault(int(what), self.pairs[int(which)].name, value))
        raise InputError(_joint_fault(int(what), self._joint_name(int(which)), value))

    def _joint_name(self, row: int) -> str:
        work = self.system.joint_table.work
        return self.system.joint_table.names[int(work.entry[row])]

    def _stage(self, status: int, law: str) -> Stage:
        """The typed stages: views on what the kernel wrote, copied so that the next call leaves them alone."""
        scene, dim = self._scene, 2 if self._scene.law[0] == PLANAR else 3
        units, free_rows, rows, count, _ = scene.sizes.tolist()
        own, contacts, joints = self._problem, scene.contacts, scene.joint_slot[:rows - dim * count]
        slots = scene.slot[:count]
        velocity = contacts.velocity.reshape(-1, 3)[slots, 1:dim].copy()
        speed = np.abs(velocity[:, 0]) if dim == 2 else np.sqrt(velocity[:, 0] ** 2 + velocity[:, 1] ** 2)        # slip_of, bit for bit
        sliding = speed > scene.tolerance[pose_kernels.SLIP]
        velocity[~sliding] = 0.0
        work = scene.joint_rows
        problem = ContactProblem(
            M=own.M.copy(), h=own.h.copy(), W=own.W[:rows].copy(), bias=own.bias[:rows].copy(), dim=dim, sliding=sliding,
            mu=own.mu[:count].copy(), slip=velocity, contact_names=self._contact_names(slots),
            joint_kind=tuple([KINDS[kind] for kind in scene.joints.kind[work.entry[joints]].tolist()]), bound=work.bound[joints],
            rate=np.zeros(len(joints)), joint_names=tuple([self._joint_name(k) for k in joints.tolist()]))
        laid = own._replace(kind=own.kind[:units], first=own.first[:units + 1], size=own.size[:units], mu=own.mu[:units], factor=own.factor[:units],
                            W=own.W[:rows], bias=own.bias[:rows])
        return Stage(problem, law, laid, self._work, np.arange(rows), free_rows, status)

    def _contact_names(self, slots: np.ndarray) -> tuple[str, ...]:
        """The pair's name, numbered where the pair touches at several points."""
        pairs = self._scene.contacts.pair[slots].tolist()
        if len(set(pairs)) == len(pairs):
            return tuple([self.pairs[pair].name for pair in pairs])
        seen: dict[int, int] = {}
        names = []
        for pair in pairs:
            seen[pair] = seen.get(pair, 0) + 1
            names.append(self.pairs[pair].name if pairs.count(pair) == 1 else f"{self.pairs[pair].name}.{seen[pair]}")
        return tuple(names)

    def _contacts(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> ContactState:
        scene = self._scene
        slots, contacts = scene.slot[:scene.sizes[3]], scene.contacts
        frame = np.empty((len(slots), 3, 3))
        frame[:, 0], frame[:, 1], frame[:, 2] = contacts.n[slots], contacts.t[slots], contacts.u[slots]
        return ContactState(
            pairs=tuple([self.pairs[p].shapes for p in contacts.pair[slots].tolist()]), point=contacts.point_A[slots], frame=frame,
            gap=contacts.gap[slots], velocity=contacts.velocity.reshape(-1, 3)[slots], q=q.copy(), v=v.copy(), tau=tau.copy(),
            moving_joints=tuple([self._joint_name(k) for k in scene.known[:scene.sizes[4]].tolist()]),
            features=np.stack([contacts.pair[slots], contacts.feature_A[slots], contacts.feature_B[slots]], axis=1),
            joint_entries=self._entries(scene.joint_slot[:scene.sizes[2] - (3 if scene.law[0] != PLANAR else 2) * scene.sizes[3]]),
            moving_entries=self._entries(scene.known[:scene.sizes[4]]), moving_rates=scene.joint_rows.rate[scene.known[:scene.sizes[4]]])

    def _entries(self, rows: np.ndarray) -> np.ndarray:
        work = self.system.joint_table.work
        return np.stack([work.entry[rows], work.part[rows]], axis=1)

    def boundary_notes(self, contacts: ContactState) -> list[str]:
        """Contacts and joints of the instant whose label could be another one: a quantity is close to its tolerance, on either side, be the
        contact in the problem or left out."""
        notes = [f"{' - '.join(self.pairs[pair].shapes)}: {note} (taken as {name})"
                 for pair, name, found in self._labels(contacts.q, contacts.v) for note in found]
        return list(dict.fromkeys([*notes, *self._joint_notes(contacts.q, contacts.v)]))

    def _labels(self, q: np.ndarray, v: np.ndarray) -> Iterator[tuple[int, str, tuple[str, ...]]]:
        """Pair, label and boundary notes of every contact that is found at (q, v)."""
        contacts, dim = self.geometry.contacts, 3 if self.system.plane is None else 2
        for k in range(self.geometry.update(q, v)):
            found = label(float(contacts.gap[k]), contacts.velocity[3 * k:3 * k + dim], self._limits)
            yield int(contacts.pair[k]), found.name, found.on_boundary

    def _joint_notes(self, q: np.ndarray, v: np.ndarray) -> list[str]:
        stop, rest = self.tolerance[[pose_kernels.STOP, pose_kernels.RATE]].tolist()
        joints, notes = self.system.joint_rows(q, v, BOUNDARY * stop), []
        for kind, gap, rate, name in zip(joints.kind, joints.gap.tolist(), joints.rate.tolist(), joints.name, strict=True):
            if kind != "dry_friction" and stop / BOUNDARY < abs(gap) < BOUNDARY * stop:
                notes.append(f"{name}: distance {gap:.2e} rad or m is close to its tolerance {stop:.0e}")
            if (kind != "limit" or gap <= stop) and rest / BOUNDARY < abs(rate) < BOUNDARY * rest:
                notes.append(f"{name}: rate {rate:.2e} rad/s or m/s is close to its tolerance {rest:.0e}")
        return notes

    @property
    def _limits(self) -> Tolerances:
        gap, drift, slip, residual = self.tolerance[:4].tolist()
        return Tolerances(gap=gap, drift=drift, slip=slip, residual=residual)

    def touching(self) -> list[str]:
        """The prepared state's contacts, a line each; raises what `modes` would where it is no instant of contact."""
        if self.state is None:
            return []
        contacts, lines, faults = self.geometry.contacts, [], []
        for k, (pair, found, notes) in enumerate(self._labels(self.state.q, self.state.v)):
            name = self.pairs[pair].name
            if found == "penetrating":
                faults.append(_contact_fault(pose_kernels.PENETRATES, name, float(contacts.gap[k])))
            elif found == "approaching":
                faults.append(_contact_fault(pose_kernels.APPROACHES, name, float(contacts.velocity[3 * k])))
            elif found != "apart":
                lines.append(f"contact '{name}': {found}" + "".join(f"; {note}" for note in notes))
        faults += self._joint_faults(self.state.q, self.state.v)
        if faults:
            raise InputError(faults)
        return [*(lines or ["no contacts at this state"]), *self._joint_notes(self.state.q, self.state.v)]

    def _joint_faults(self, q: np.ndarray, v: np.ndarray) -> list[Fault]:
        """Stops and constraints that `pose_joints` refuses, all of them."""
        stop, rest = self.tolerance[[pose_kernels.STOP, pose_kernels.RATE]].tolist()
        joints, faults = self.system.joint_rows(q, v, stop), []
        for kind, gap, rate, name in zip(joints.kind, joints.gap.tolist(), joints.rate.tolist(), joints.name, strict=True):
            held = kind == "bilateral"
            if kind == "dry_friction":
                continue
            if gap < -stop or (held and gap > stop):
                faults.append(_joint_fault(pose_kernels.IS_BROKEN if held else pose_kernels.BEYOND_STOP, name, gap))
            elif rate < -rest or (held and rate > rest):
                faults.append(_joint_fault(pose_kernels.IS_DRIFTING if held else pose_kernels.HITS_STOP, name, rate))
        return faults


def _contact_fault(what: int, name: str, value: float) -> Fault:
    words, todo = TROUBLES[what]
    return Fault(f"contact '{name}' {words.format(value=abs(value))}", key="contacts", todo=todo)


def _joint_fault(what: int, name: str, value: float) -> Fault:
    words, todo = TROUBLES[what]
    return Fault(f"joint '{name}' {words.format(value=abs(value))}", key="state", todo=todo)


def _vector(given: np.ndarray | None, default: np.ndarray | None, size: int, name: str) -> np.ndarray:
    if given is None:
        if default is None:
            raise InputError("is missing", key=name, todo=f"give {size} numbers")
        return default
    try:
        array = np.asarray(given)
    except ValueError:                                     # lists of different lengths
        array = np.array(None)
    if array.dtype.kind not in "fiu":
        raise InputError("is not a list of numbers", key=name, got=given, todo=f"give {size} numbers")
    array = np.ascontiguousarray(array, dtype=float)
    if array.shape != (size,):
        raise InputError("has the wrong length", key=name, got=array.shape, todo=f"give {size} numbers")
    if not math.isfinite(array @ array) and not np.isfinite(array).all():     # the product first, because it is quick
        raise InputError("has a number that is not finite", key=name, got=float(array[~np.isfinite(array)][0]))
    return array
