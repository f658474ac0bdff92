"""What an instant is answered with: verdict, every distinct answer, ranges, certificates."""
from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from knuckle.instant.margins import Margins
    from knuckle.instant.moment import Moment
    from knuckle.instant.problem import ContactProblem
    from knuckle.instant.sensitivities import Sensitivities

MOVES = 1e-9                # relative to the size of the problem's accelerations: a smaller acceleration is none


class Verdict(enum.Enum):
    """How many answers there are. The value is the word of every file; `sentence` says it in words."""
    DETERMINATE = "determinate"
    FORCE_INDETERMINATE = "force_indeterminate"
    INDETERMINATE = "indeterminate"
    INCONSISTENT = "inconsistent"
    UNDECIDED = "undecided"
    INVALID_INPUT = "invalid_input"

    @property
    def sentence(self) -> str:
        return _SENTENCES[self]


_SENTENCES = {
    Verdict.DETERMINATE: "one motion and one set of forces can follow, and no other",
    Verdict.FORCE_INDETERMINATE: "one motion can follow; the forces that carry it are not unique",
    Verdict.INDETERMINATE: "several motions can follow: rigid bodies with Coulomb friction do not say which",
    Verdict.INCONSISTENT: "no motion satisfies the rigid-body laws at this instant: an impact or a compliant model must answer",
    Verdict.UNDECIDED: "the search did not settle how many answers there are; what was found is listed",
    Verdict.INVALID_INPUT: "the input is wrong",
}


@dataclass(frozen=True)
class Solution:
    """One answer. Rows of f and a: contacts; columns N, T and, in space, U."""
    vdot: np.ndarray            # nv, m/s^2 or rad/s^2
    f: np.ndarray               # contacts x dim, N, force on A in the contact frame
    a: np.ndarray               # contacts x dim, m/s^2, relative acceleration A minus B
    joint_f: np.ndarray         # joint rows, N or N m
    joint_a: np.ndarray         # joint rows
    modes: tuple[str, ...]      # B, R, S (plane: S+, S-), F per contact
    transitions: tuple[str, ...]    # a1 .. b2 per contact (paper 000, III.C)
    residual: float

    def to_dict(self) -> dict[str, Any]:
        document = {"vdot": self.vdot.tolist(), "f": self.f.tolist(), "a": self.a.tolist(), "modes": list(self.modes),
                    "transitions": list(self.transitions), "residual": self.residual}
        if len(self.joint_f):
            document |= {"joint_f": self.joint_f.tolist(), "joint_a": self.joint_a.tolist()}
        return document


@dataclass(frozen=True)
class PMatrix:
    """Whether A is a P-matrix in every contact set that holds an answer: then one answer for EVERY torque."""
    holds: bool
    margin: float                                   # smallest principal minor of A scaled to unit diagonal
    witness: dict[str, Any] | None                  # contact set (signs per axis) and index set of a non-positive minor

    def to_dict(self) -> dict[str, Any]:
        return {"holds": self.holds, "margin": self.margin if math.isfinite(self.margin) else None, "witness": self.witness}


@dataclass(frozen=True)
class Answer:
    """The document of CONTRACT 3."""
    verdict: Verdict
    law: str
    complete: bool
    continuum: bool = False
    solutions: tuple[Solution, ...] = ()
    force_range: np.ndarray | None = None           # contacts x dim x 2, N; infinite where unbounded
    joint_force_range: np.ndarray | None = None     # joint rows x 2, N or N m; NaN for bilateral rows and such that move
    acceleration_range: np.ndarray | None = None    # contacts x dim x 2, m/s^2
    p_matrix: PMatrix | None = None
    certificate: dict[str, Any] | None = None
    reason: str = ""                                # why undecided
    errors: tuple[str, ...] = ()
    contact_names: tuple[str, ...] = field(default=(), repr=False)
    moment: Moment | None = field(default=None, repr=False, compare=False)     # contacts and margins, where a scenario was asked
    problem: ContactProblem | None = field(default=None, repr=False, compare=False)    # what was answered

    @property
    def solution(self) -> Solution | None:
        """The first answer; the only one where the verdict is determinate."""
        return self.solutions[0] if self.solutions else None

    @property
    def margins(self) -> Margins | None:
        """How far the first answer is from changing its modes; None for a bare problem, or where the forces are not unique."""
        return None if self.moment is None or self.solution is None else self.moment.margins(self, self.solution)

    @cached_property
    def sensitivities(self) -> Sensitivities:
        """How the first answer follows torque, friction and state inside its modes; its `refused` says what is missing, and why."""
        from knuckle.instant.sensitivities import sensitivities

        return sensitivities(self)

    def to_dict(self) -> dict[str, Any]:
        document = self._document()
        if self.joint_force_range is not None and len(self.joint_force_range):
            document["joint_force_range"] = _rows(self.joint_force_range[None])[0]
        if self.moment is not None:
            document |= self.moment.to_dict(self)
            for solution, margins in zip(document["solutions"], document["margins"], strict=True):
                solution["margins"] = margins
        return document

    def _document(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict.value, "law": self.law, "complete": self.complete, "continuum": self.continuum,
            "solutions": [solution.to_dict() for solution in self.solutions],
            "force_range": _ranges(self.force_range), "acceleration_range": _ranges(self.acceleration_range),
            "p_matrix": None if self.p_matrix is None else self.p_matrix.to_dict(),
            "certificate": self.certificate, "reason": self.reason, "errors": list(self.errors),
        }

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{name}</td><td>{mode}</td><td>{move}</td><td>{', '.join(f'{x:.6g}' for x in f)}</td></tr>"
            for s in self.solutions[:1] for name, mode, move, f in zip(self.contact_names, s.modes, s.transitions, s.f, strict=False))
        return (f"<p><b>{self.verdict.value}</b>: {self.verdict.sentence} ({len(self.solutions)} listed, law {self.law})</p>"
                f"<table><tr><th>contact</th><th>mode</th><th>transition</th><th>f (N)</th></tr>{rows}</table>")


def _ranges(table: np.ndarray | None) -> list[Any] | None:
    """JSON has no infinity: unbounded is null."""
    return None if table is None else _rows(table)


def _rows(table: np.ndarray) -> list[Any]:
    return [[[float(x) if math.isfinite(x) else None for x in pair] for pair in row] for row in table]


def mode_words(a: np.ndarray, sliding: np.ndarray, slip: np.ndarray, scale: float,
               mu: np.ndarray | None = None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The mode each contact goes into, and its transition: a1..a3 from rolling, b1, b2 from sliding (paper 000, III.C).

    A contact that is kept where `mu` is 0 is F, whatever its slip does: nothing ties it along its tangents (CONTRACT 4)."""
    modes, transitions = [], []
    still = MOVES * (scale if scale > 0.0 else 1.0)
    frictionless = [False] * len(a) if mu is None else (mu == 0.0).tolist()
    for (a_N, *a_t), slides, speed, free in zip(a.tolist(), sliding.tolist(), slip.tolist(), frictionless, strict=True):
        if a_N > still:
            modes.append("B")
            transitions.append("b2" if slides else "a3")
        elif slides or math.hypot(*a_t) > still:
            along = speed if slides else a_t
            modes.append("F" if free else "S" if len(along) > 1 else "S+" if along[0] > 0 else "S-")
            transitions.append("b1" if slides else "a2")
        else:
            modes.append("F" if free else "R")
            transitions.append("a1")
    return tuple(modes), tuple(transitions)
