"""From a contact problem to its answer: regular modes compiled, the rest by the careful search, judged at the end."""
from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from knuckle.compiled import kernel
from knuckle.errors import InputError
from knuckle.instant import kernels, search
from knuckle.instant.answer import Answer, Solution, Verdict, mode_words
from knuckle.instant.contact_sets import read_test, retest
from knuckle.instant.forces import SPREAD, force_set, normals_alone
from knuckle.instant.guess import guesses
from knuckle.instant.problem import ContactProblem, read_problem
from knuckle.instant.repeats import shared_out, without_repeats
from knuckle.instant.residuals import acceleration_scale, residual
from knuckle.instant.stage import ANSWERS, Stage, lay_out
from knuckle.instant.units import CONE

if TYPE_CHECKING:
    from knuckle.instant.moment import Moment

LAWS = ("cone", "pyramid")
APART = 1e-6                # scaled: extreme forces closer than this are listed once
TRUSTED = 1e-9              # residual of an answer that is reported as one
SHADOW = 1e-12              # residual that an answer of its own modes is far below
DEPENDENT = 3e-14, 1e-10     # singular values between round-off and what the search takes for independent, over the largest
DEPENDENT_ROWS = "rows of the contacts are so nearly dependent that round-off decides whether they are"
NEIGHBOUR = 1e-3            # relative: accelerations closer than this may be an answer and its shadow


def solve(problem: ContactProblem | Mapping[str, Any], law: str = "cone") -> Answer:
    """Every answer of the contact problem of CONTRACT 3. Content that is wrong gives the verdict invalid_input."""
    if law not in LAWS:
        return _invalid(law, f"law: must be one of {', '.join(LAWS)} (got {law}); use cone unless you study paper 000")
    if not isinstance(problem, ContactProblem):
        try:
            problem = read_problem(problem)
        except InputError as error:
            return _invalid(law, *(str(fault) for fault in error.faults))
    kernel.spend(1.0)
    return answer_of(lay_out(problem, law))


def _invalid(law: str, *errors: str) -> Answer:
    return Answer(Verdict.INVALID_INPUT, law, complete=True, errors=errors)


def _contradiction(stage: Stage, row: int) -> Answer:
    name = stage.problem.joint_names[row - stage.problem.contact_rows] if stage.problem.joint_names else str(row)
    return Answer(Verdict.INCONSISTENT, stage.law, complete=True,
                  certificate={"kind": "contradicting_constraints", "row": name,
                               "meaning": "the bilateral rows before it already fix this acceleration to another value"})


def answer_of(stage: Stage, moment: Moment | None = None) -> Answer:
    """The answer of a problem whose regular modes were solved; `moment`: the scenario it comes from."""
    if stage.status in (kernels.BY_MODES, kernels.BY_ENERGY) and len(stage.row_of) == stage.free_rows:
        return _proved(stage, moment)
    return replace(_searched(stage), moment=moment, problem=stage.problem)


def _searched(stage: Stage) -> Answer:
    if stage.status == kernels.NO_INERTIA:
        return _invalid(stage.law, "M: is not positive definite; give every direction of motion a mass or inertia")
    if stage.contradiction is not None:
        return _contradiction(stage, stage.contradiction)
    repeats = without_repeats(stage.problem) if stage.status == kernels.OPEN else None
    if repeats is None:
        return _assemble(stage, *_all_answers(stage))
    small = lay_out(repeats.problem, stage.law)
    found, certificate = _all_answers(small)
    return _assemble(stage, shared_out(repeats, small, found, stage), certificate)


def _all_answers(stage: Stage) -> tuple[search.Search, dict[str, Any]]:
    """The answers of a stage, and what proves that there are no others."""
    work, n = stage.work, stage.free_rows
    known = [work.answers[k, :n].copy() for k in range(int(work.counts[0]))]
    if not known and CONE not in stage.units.kind:
        known = guesses(stage)
    found = search.Search(stage)
    for forces in known:
        found.add(forces)
    if stage.status != kernels.OPEN:
        return found, _proof(stage)
    if len(found.answers) == 1 and not any(stage.frictional(i) for i in range(stage.count)):
        return found, {"kind": "convex", "meaning": "no contact has friction: the acceleration is the least of a strictly convex function"}
    if len(found.answers) == 1 and normals_alone(stage, found.answers[0][1]):
        return found, {"kind": "carried_without_friction", "meaning": "normal forces alone carry the load at rest: friction can only brake"}
    found = search.run(stage, known)
    if found.continuum:
        meaning = "motions that vary without a step; their ends are listed" + ("" if found.complete else ", as far as they were found")
        return found, {"kind": "continuum", "ends": "proved" if found.complete else "found", "cells": found.cells, "meaning": meaning}
    return found, {"kind": "cells_searched", "cells": found.cells, "leftover": len(found.leftover)}


def _proof(stage: Stage) -> dict[str, Any]:
    if stage.status == kernels.BY_ENERGY:
        return {"kind": "energy", "meaning": "two answers would differ by an energy that friction cannot make"}
    return {"kind": "every_mode_tried", "modes": int(stage.work.counts[1])}


def _proved(stage: Stage, moment: Moment | None) -> Answer:
    """Isolated answers that the kernel found, judged, and proved to be all."""
    work, problem, rows = stage.work, stage.problem, stage.problem.contact_rows
    k, dim = problem.contacts, problem.dim
    solutions = []
    for i in range(int(work.counts[0])):
        f, a = work.forces[i].copy(), work.motions[i].copy()
        contact_a = a[:rows].reshape(k, dim)
        modes, transitions = mode_words(contact_a, problem.sliding, problem.slip, float(work.size[i]), problem.mu)
        solutions.append(Solution(work.vdot[i].copy(), f[:rows].reshape(k, dim), contact_a, f[rows:stage.free_rows], a[rows:stage.free_rows],
                                  modes, transitions, float(work.residual[i])))
    if stage.moving_rows:
        solutions = [_solution(stage, work.answers[i, :stage.free_rows]) for i in range(len(solutions))]
    n = stage.free_rows
    scaled = [(solution, work.answers[i, :n], work.accelerations[i, :n]) for i, solution in enumerate(solutions)]
    solutions = [solution for solution, _, _ in without_shadows(stage, scaled)]
    good = tuple([s for s in solutions if s.residual <= TRUSTED])
    verdict = Verdict.INCONSISTENT if not good else Verdict.DETERMINATE if len(good) == 1 else Verdict.INDETERMINATE
    complete, reason = True, ""
    if not good and _nearly_dependent(stage.B, 0):
        verdict, complete, reason = Verdict.UNDECIDED, False, DEPENDENT_ROWS
    if len(good) < len(solutions) or work.counts[4]:
        verdict, complete, reason = Verdict.UNDECIDED, False, f"an answer was found whose residual is not below {TRUSTED:.0e}"
    return Answer(verdict, stage.law, complete, solutions=good, p_matrix=read_test(work), certificate=_proof(stage), reason=reason,
                  contact_names=problem.names, moment=moment, problem=problem)


def _assemble(stage: Stage, found: search.Search, certificate: dict[str, Any] | None) -> Answer:
    judged = without_shadows(stage, [(_solution(stage, forces), forces, a) for forces, a in found.answers])
    solutions, answers = [solution for solution, _, _ in judged], [(forces, a) for _, forces, a in judged]
    doubtful = [s.residual for s in solutions if not s.residual <= TRUSTED]
    tested = retest(stage.units, stage.work, stage.count, answers, stage.free_rows)
    common: dict[str, Any] = dict(law=stage.law, contact_names=stage.problem.names, p_matrix=tested, certificate=certificate)
    if doubtful:
        return Answer(Verdict.UNDECIDED, complete=False, solutions=tuple(s for s in solutions if s.residual <= TRUSTED),
                      reason=f"an answer was found whose residual {max(doubtful):.1e} is not below {TRUSTED:.0e}", **common)
    if found.continuum:
        return Answer(Verdict.INDETERMINATE, complete=True, continuum=True, solutions=tuple(solutions),
                      acceleration_range=_acceleration_range(solutions, found.unbounded), **common)
    if not found.complete:
        return Answer(Verdict.UNDECIDED, complete=False, solutions=tuple(solutions), reason=_unfinished(found, len(answers)), **common)
    if certificate is not None and certificate["kind"] == "cells_searched" and _nearly_dependent(stage.B, len(answers)):
        return Answer(Verdict.UNDECIDED, complete=False, solutions=tuple(solutions), reason=DEPENDENT_ROWS, **common)
    if len(answers) > 1:
        return Answer(Verdict.INDETERMINATE, complete=True, solutions=tuple(solutions), **common)
    if not answers:
        return Answer(Verdict.INCONSISTENT, complete=True, **common)
    return _one_acceleration(stage, *answers[0], solutions[0], common)


def _unfinished(found: search.Search, motions: int) -> str:
    if motions > ANSWERS:
        return f"more than {ANSWERS} motions were found: they may be points of a curve"
    count = {0: "no motion was", 1: "1 motion was"}.get(motions, f"{motions} motions were")
    return (f"{count} found and no other from {search.STARTS} starts, but {len(found.leftover)} cells of modes were left unproved "
            "when the search ended" + ("; the answer is not unique" if motions > 1 else ""))


def _nearly_dependent(B: np.ndarray, answers: int) -> bool:
    """Without any answer nearer to round-off: an answer may be as far away as the rows are nearly dependent."""
    values = np.linalg.svd(B, compute_uv=False)
    low, high = (bound * values.max(initial=0.0) for bound in (DEPENDENT if answers else (0.1 * DEPENDENT[0], DEPENDENT[1])))
    return bool(((values > low) & (values < high)).any())


Judged = tuple[Solution, np.ndarray, np.ndarray]           # and its scaled forces and accelerations


def without_shadows(stage: Stage, judged: list[Judged]) -> list[Judged]:
    """Modes hold up to a tolerance, so that beside an exact answer at the edge of its modes the neighbouring modes seem to hold as well:
    near it, with a residual that is far larger, or so near that what is half way between would pass for an answer too.

    All is compared in scaled units: in others a heavy body makes two motions of a light one look alike."""
    def shadow(one: Judged, other: Judged) -> bool:
        apart = np.abs(one[2] - other[2]).max(initial=0.0)
        if apart > NEIGHBOUR * np.abs(other[2]).max(initial=0.0) or one[0].residual < other[0].residual:
            return False
        return (one[0].residual > SHADOW and other[0].residual <= 1e-2 * one[0].residual) or \
            search.violation(stage, 0.5 * (one[1] + other[1]), 0.5 * (one[2] + other[2])) <= SHADOW
    kept: list[Judged] = []
    for one in sorted(judged, key=lambda answer: answer[0].residual):
        if not any(shadow(one, other) for other in kept):
            kept.append(one)
    return [one for one in judged if any(one is other for other in kept)]


def _one_acceleration(stage: Stage, forces: np.ndarray, a: np.ndarray, solution: Solution, common: dict[str, Any]) -> Answer:
    """determinate, or force_indeterminate with the range of every force component and extreme forces."""
    carriers = force_set(stage, forces, a)
    k, dim = stage.problem.contacts, stage.problem.dim
    if carriers.unique:
        return Answer(Verdict.DETERMINATE, complete=True, solutions=(solution,), **common)
    ranges, extremes, settled = np.zeros((stage.free_rows, 2)), [forces], True
    for row in range(stage.free_rows):
        for side, sign in enumerate((1.0, -1.0)):
            value, where = carriers.extreme(sign * np.eye(stage.free_rows)[row])
            settled = settled and not math.isnan(value)
            ranges[row, side] = sign * value
            if where is not None:
                extremes.append(where)
    if not settled:
        return Answer(Verdict.UNDECIDED, complete=False, solutions=(solution,), reason="the range of a force was not settled", **common)
    if (ranges[:, 1] - ranges[:, 0]).max() <= SPREAD * (1.0 + np.abs(forces).max()):
        return Answer(Verdict.DETERMINATE, complete=True, solutions=(solution,), **common)
    ranges *= stage.force_unit[:, None]
    joint_ranges = np.full((len(stage.problem.joint_kind), 2), np.nan)
    joint_ranges[stage.row_of[dim * k:stage.free_rows] - dim * k] = ranges[dim * k:]
    return Answer(Verdict.FORCE_INDETERMINATE, complete=True, solutions=_extreme_solutions(stage, extremes, solution),
                  force_range=ranges[:dim * k].reshape(k, dim, 2), joint_force_range=joint_ranges, **common)


def _extreme_solutions(stage: Stage, extremes: list[np.ndarray], solution: Solution) -> tuple[Solution, ...]:
    """Extreme forces, at least two, each pulled towards the answer until it obeys the laws to the last digits: ends of rays are far away."""
    for apart in (APART, SPREAD, 0.0):
        distinct = _distinct(extremes, apart)
        if len(distinct) > 1:
            break
    found: list[Solution] = []
    for where in distinct:
        for share in (1.0, 1e-1, 1e-3, 1e-6):
            one = _solution(stage, extremes[0] + share * (where - extremes[0]))
            if one.residual <= TRUSTED:
                found.append(one)
                break
    return tuple(found) if len(found) > 1 else (solution, *found)


def _distinct(extremes: list[np.ndarray], apart: float) -> list[np.ndarray]:
    kept: list[np.ndarray] = []
    for forces in extremes[1:] + extremes[:1]:
        if all(np.abs(forces - other).max() > apart * (1.0 + np.abs(other).max()) for other in kept):
            kept.append(forces)
    return kept


def _solution(stage: Stage, scaled: np.ndarray) -> Solution:
    problem = stage.problem
    vdot = stage.vdot(scaled)
    forces = stage.forces(scaled, vdot)
    a = problem.W @ vdot + problem.bias
    k, dim = problem.contacts, problem.dim
    f_contact, a_contact = forces[:dim * k].reshape(k, dim), a[:dim * k].reshape(k, dim)
    modes, transitions = mode_words(a_contact, problem.sliding, problem.slip, acceleration_scale(problem, vdot, forces), problem.mu)
    return Solution(vdot=vdot, f=f_contact, a=a_contact, joint_f=forces[dim * k:], joint_a=a[dim * k:], modes=modes,
                    transitions=transitions, residual=residual(problem, stage.law, vdot, forces))


def _acceleration_range(solutions: list[Solution], unbounded: set[tuple[int, float]]) -> np.ndarray:
    """Of contacts; `unbounded`: rows and signs without end."""
    a = np.array([s.a for s in solutions])
    ranges = np.stack([a.min(axis=0), a.max(axis=0)], axis=-1)
    for row, sign in unbounded:
        if row < a[0].size:
            ranges[row // a.shape[2], row % a.shape[2], 0 if sign < 0.0 else 1] = sign * math.inf
    return ranges
