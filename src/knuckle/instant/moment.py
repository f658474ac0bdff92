"""What stands beside an answer of a scenario: where it touches, how far each mode is from changing, what the hand can command."""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from knuckle.instant import pose_kernels
from knuckle.instant.answer import Answer, Solution
from knuckle.instant.definitions import Definitions, definitions
from knuckle.instant.margins import Margins, margins
from knuckle.instant.problem import ContactProblem
from knuckle.instant.stage import lay_out

if TYPE_CHECKING:
    from knuckle.instant.ready import ReadySystem


NO_MARGINS = "no margins where the forces are not unique: what one of them leaves to its limit says nothing about the motion"


@dataclass(frozen=True)
class ContactState:
    """The contacts of one instant, in the order of the problem."""
    pairs: tuple[tuple[str, str], ...]  # shapes A, B
    point: np.ndarray           # contacts x 3, m, world
    frame: np.ndarray           # contacts x 3 x 3, rows n (from B into A), t, u
    gap: np.ndarray             # contacts, m
    velocity: np.ndarray        # contacts x 3, m/s, A minus B along n, t, u
    q: np.ndarray               # nq, mjData order
    v: np.ndarray               # nv
    tau: np.ndarray             # nv, generalised actuator forces
    moving_joints: tuple[str, ...]      # joint rows whose dry friction is known from their rate (it is part of h)
    features: np.ndarray        # contacts x 3: pair, feature of A, feature of B, which a contact keeps while it stays on them
    joint_entries: np.ndarray   # joint rows x 2: which row of which joint, tendon or equality
    moving_entries: np.ndarray  # the same of moving_joints
    moving_rates: np.ndarray    # of moving_joints, rad/s or m/s


@dataclass(frozen=True)
class Moment:
    """One instant of a system: what an Answer needs to say more than the bare problem."""
    system: ReadySystem
    problem: ContactProblem
    contacts: ContactState
    load: np.ndarray            # nv, actuators and applied forces

    @cached_property
    def directions(self) -> np.ndarray:
        """Generalised force of one unit of each actuator (actuators x nv)."""
        return np.asarray(self.system.system.actuator_moment(self.contacts.q))[:len(self.system.actuator_names)]

    def margins(self, answer: Answer, solution: Solution) -> Margins | None:
        """Margins of one solution; None where its forces are not unique (`to_dict` then says so in a note)."""
        stage = lay_out(self.problem, answer.law)
        rows = stage.row_of[:stage.free_rows]
        forces = np.concatenate([solution.f.ravel(), solution.joint_f])[rows] / stage.force_unit
        return margins(stage, forces, stage.B @ forces + stage.c, self.directions)

    @property
    def slip_tolerance(self) -> float:
        """m/s; a slower slip is none."""
        return float(self.system.tolerance[pose_kernels.SLIP])

    def definitions(self, answer: Answer) -> Definitions:
        """Definitions 1 to 4 of paper 004."""
        system = self.system.system
        dofs = [dof for dof in range(system.nv) if int(system.model.dof_bodyid[dof]) in system.objects]
        return definitions(self.problem, np.array(dofs, int), answer.p_matrix)

    def to_dict(self, answer: Answer) -> dict[str, Any]:
        """What `modes --json` adds to the document of CONTRACT 3."""
        here, problem = self.contacts, self.problem
        contacts = [
            {"name": problem.contact_name(i), "pair": list(here.pairs[i]), "point": here.point[i].tolist(), "frame": here.frame[i].tolist(),
             "gap": float(here.gap[i]), "slip": problem.slip[i].tolist(), "label": "sliding" if problem.sliding[i] else "rolling",
             "mu": float(problem.mu[i])} for i in range(problem.contacts)]
        joints = [{"name": name, "kind": kind} for name, kind in zip(problem.joint_names, problem.joint_kind, strict=True)]
        found = [self.margins(answer, solution) for solution in answer.solutions]
        return {
            "contacts": contacts, "joints": joints, "dof_names": list(self.system.dof_names), "actuators": list(self.system.actuator_names),
            "margins": [None if one is None else one.to_dict() for one in found], "definitions": self.definitions(answer).to_dict(),
            "tau": here.tau.tolist(), "q": here.q.tolist(), "v": here.v.tolist(),
            "notes": [*self.system.notes, *self.system.boundary_notes(here), *([NO_MARGINS] if None in found else [])]}
