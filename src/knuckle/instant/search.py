"""Every answer of a problem that the regular modes leave open: depth first over cells of modes, with proofs.

A cell is dropped when its linear program is infeasible, closed when it is proved to hold no answer but those known, and
otherwise split. What is left when the budget ends is reported: the search then says that it is not complete.
"""
from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from knuckle.compiled import kernel
from knuckle.complementarity import cone_kernels
from knuckle.complementarity.cone import cone_work
from knuckle.complementarity.lp import KERNEL_MODULES as LP_MODULES
from knuckle.instant import cells
from knuckle.instant.active_mode import cell_of
from knuckle.instant.dissipation import Dissipation
from knuckle.instant.mode_kernels import LARGEST_FORCE
from knuckle.instant.relaxation import Arc, Cell, Choice, Polyhedron, arc_at, relax
from knuckle.instant.rivals import decided, none_moves_otherwise
from knuckle.instant.slides import SlideBounds, SlideSystem, bounds, newton, only_motion, slide_system
from knuckle.instant.stage import ANSWERS, Stage
from knuckle.instant.units import CONE, DRY, MODE_COUNT, PYRAMID, SLIDING, UNILATERAL

BUDGET = 40000.0            # of effort: about ten seconds at most, compiled; a three-finger grasp takes some hundred cells
FINEST = 1e-6               # rad: arcs are not split further; nearly double roots need what 1e-4 does not tell apart
WIDE = 0.2                  # rad: wider arcs are split before dry joints are decided
CONTINUUM_BUDGET = 1000.0   # of effort, for the ends of a continuum that is known already
RIVALS = 2                  # known answers that a cell is compared with
ORDINARY = 1500             # entries of a linear program; cells with larger ones count more
STARTS, CONTINUUM_STARTS = 100, 1000     # of Newton's method, looking for answers that an unfinished search may have missed
ZERO = 1e-9                 # scaled forces and accelerations below this are none
VIOLATED = 1e-8             # relative: forces that break a law by more are no answer
SAME = 1e-7                 # accelerations closer than this, relative, are one
QUADRANTS = tuple(Arc(0.5 * math.pi * k - math.pi, 0.5 * math.pi * (k + 1) - math.pi) for k in range(4))


@dataclass
class Search:
    """State of one search. Answers are (forces, accelerations) of the scaled problem, one per acceleration."""
    stage: Stage
    answers: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)
    continuum: bool = False
    complete: bool = True
    cells: int = 0
    effort: float = 0.0         # cells, large ones and such with many linear programs counted more
    unbounded: set[tuple[int, float]] = field(default_factory=set)     # (row, sign): accelerations without end
    leftover: list[Cell] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.dissipation = Dissipation(self.stage)

    def acceleration(self, forces: np.ndarray) -> np.ndarray:
        return self.stage.B @ forces + self.stage.c

    def add(self, forces: np.ndarray) -> bool:
        """Keep the answer unless its acceleration is known; False where these forces are no answer."""
        a = self.acceleration(forces)
        if violation(self.stage, forces, a) > VIOLATED or np.abs(forces).max(initial=0.0) > LARGEST_FORCE:
            return False
        if not any(np.abs(a - known).max(initial=0.0) <= SAME * (1.0 + np.abs(known).max(initial=0.0)) for _, known in self.answers):
            self.answers.append((forces, a))
        return True

    def keep_ends(self, first: int) -> None:
        """Of a continuum, the first answers and those at which some acceleration is the least or the largest."""
        accelerations = np.array([a for _, a in self.answers])
        ends = {int(k) for k in np.concatenate([accelerations.argmin(axis=0), accelerations.argmax(axis=0)])}
        self.answers = [self.answers[k] for k in sorted(ends | set(range(first)))]


def violation(stage: Stage, forces: np.ndarray, a: np.ndarray) -> float:
    """Largest violation of any unit's law, in the scaled problem (PHYSICS 3)."""
    worst, units = 0.0, stage.units
    F, A = 1.0 + np.abs(forces).max(initial=0.0), 1.0 + np.abs(a).max(initial=0.0)
    for i in range(stage.count):
        r, n, kind = int(units.first[i]), int(units.size[i]), units.kind[i]
        f_t, a_t = forces[r + 1:r + n], a[r + 1:r + n]
        if kind == DRY:
            bound = stage.bound(i)
            worst = max(worst, (abs(forces[r]) - bound) / F, abs(abs(a[r]) * forces[r] + bound * a[r]) / (F * A))
            continue
        worst = max(worst, -forces[r] / F, -a[r] / A, min(abs(forces[r]) / F, abs(a[r]) / A))
        if kind == UNILATERAL or n == 1:
            continue
        limit = units.mu[i] * max(forces[r], 0.0)
        if kind == SLIDING:
            worst = max(worst, float(np.abs(f_t - units.factor[i, :n - 1] * forces[r]).max()) / F)
        elif kind == CONE:
            worst = max(worst, (math.hypot(*f_t) - limit) / F, float(np.abs(math.hypot(*a_t) * f_t + limit * a_t).max()) / (F * A))
        else:
            worst = max(worst, float(np.abs(f_t).max() - limit) / F, float(np.abs(np.abs(a_t) * f_t + limit * a_t).max()) / (F * A))
    return worst


def choices(kind: int) -> list[Choice]:
    """Every mode of a unit, the likeliest first; spatial sliding by quadrants of its direction."""
    if kind == CONE:
        return [1, 0, *QUADRANTS]
    return [1, 0, *range(2, MODE_COUNT[kind])]


def _belongs(search: Search, cell: Cell, forces: np.ndarray, a: np.ndarray) -> bool:
    """Whether a known answer has the break and stick modes of a cell without slides."""
    units, F, A = search.stage.units, 1.0 + np.abs(forces).max(initial=0.0), 1.0 + np.abs(a).max(initial=0.0)
    for i, choice in enumerate(cell):
        r, n = int(units.first[i]), int(units.size[i])
        if choice is None or not search.stage.frictional(i):
            continue
        values, size = (forces, F) if choice == 0 else (a, A)
        if np.abs(values[r:r + n]).max() > 10 * ZERO * size:
            return False
    return True


def monotone(stage: Stage, cell: Cell) -> bool:
    """Every contact of the cell breaks or sticks (or is frictionless): two answers in it have the same acceleration, because
    (v1' - v2').M (v1' - v2') = sum (f1 - f2).(a1 - a2) <= 0 then."""
    return all(choice == 0 or (choice == 1 and stage.units.kind[i] != SLIDING)
               for i, choice in enumerate(cell) if stage.frictional(i))


def run(stage: Stage, known: list[np.ndarray], budget: float = BUDGET) -> Search:
    """All answers, starting from the forces of those that are known."""
    search = Search(stage)
    for forces in known:
        search.add(forces)
    for choice in (1, 0):                                  # everything sticks, everything breaks: the ends of most continua
        corner = tuple((0 if choice == 1 and stage.units.kind[i] == DRY else choice) for i in range(stage.count))
        if monotone(stage, corner):
            _settle(search, corner)
    search.leftover.clear()
    for forces, _ in list(search.answers):
        _directional(search, forces)
    order = sorted(range(stage.count), key=lambda i: not stage.frictional(i))
    stack: list[Cell] = [(None,) * stage.count]
    while stack:
        if search.effort >= (CONTINUUM_BUDGET if search.continuum else budget) or (len(search.answers) > ANSWERS and not search.continuum):
            search.complete = False
            search.leftover += stack
            break
        search.cells += 1
        kernel.spend(1.0, *LP_MODULES)
        stack.extend(reversed(_examine(search, stack.pop(), order)))
    search.complete = search.complete and not search.leftover
    if not search.complete:
        _look_further(search)
    return search


def _look_further(search: Search) -> None:
    """Newton's method from many starts, for answers in what an unfinished search did not reach; what it finds is kept, and proves nothing."""
    stage, generator, before = search.stage, np.random.default_rng(0), len(search.answers)
    if PYRAMID in stage.units.kind:
        return
    k, n = stage.count, stage.free_rows
    mu = np.array([stage.bound(i) if stage.units.kind[i] == DRY else stage.units.mu[i] for i in range(k)])
    work, a, modes = cone_work(n, k), np.zeros(n), np.zeros(k, np.int64)
    for _ in range(CONTINUUM_STARTS if search.continuum else STARTS):
        forces = generator.normal(size=n) * generator.choice([0.1, 1.0, 3.0])
        if cone_kernels.cone_newton(stage.B, stage.c, stage.units.kind[:k], stage.units.first[:k + 1], mu, stage.units.factor, forces, a, modes,
                                    work, 1e-12, 3, True) == cone_kernels.SOLVED:
            search.add(forces)
        if search.continuum:
            search.keep_ends(before)
        elif len(search.answers) > ANSWERS:
            return


def _examine(search: Search, cell: Cell, order: list[int]) -> list[Cell]:
    """The cells that must be looked at in place of this one."""
    stage = search.stage
    undecided = [i for i in order if cell[i] is None]
    friction = [i for i in undecided if stage.frictional(i)]
    arcs = [i for i in order if isinstance(cell[i], Arc)]
    polyhedron = relax(stage, cell)
    search.effort += max(1.0, polyhedron.E.size / ORDINARY) ** 2 * (1 + len(arcs))
    outcome, forces = search.dissipation.point(polyhedron)
    if outcome == "infeasible":
        return []
    if not friction and monotone(stage, cell):
        if any(_belongs(search, cell, *answer) for answer in search.answers):
            return []
        if undecided and (clear := decided(stage, cell)) != cell:
            return [clear]
    near = search.dissipation.near_side(polyhedron)
    limits = bounds(stage, cell, near) if arcs else None
    if limits is not None and limits.only_closure:
        return []                                          # no slip at all, or no force: the cell of sticking, or of breaking, holds it
    if forces is not None:
        proved, forces = _no_rival(search, cell, near, limits, forces)
        if proved:
            return []
    if undecided:
        wide = [i for i in arcs if arc_at(cell, i).width > WIDE]
        i = undecided[0] if forces is None else _most_wrong(search, cell, undecided + wide, forces)
        if isinstance(cell[i], Arc):
            return _halves(cell, [i])
        return [(*cell[:i], choice, *cell[i + 1:]) for choice in choices(int(stage.units.kind[i]))]
    if limits is not None:
        return _examine_slides(search, cell, arcs, limits)
    _settle(search, cell)
    return []


def _no_rival(search: Search, cell: Cell, polyhedron: Polyhedron, limits: SlideBounds | None, forces: np.ndarray) -> tuple[bool, np.ndarray]:
    """Whether every answer of the cell moves as one that is known; if not, forces that may not, or else those that are given."""
    known = search.answers if len(search.answers) <= RIVALS else []
    for answer in known:
        proved, others = none_moves_otherwise(search.stage, answer, cell, polyhedron, limits)
        if proved:
            return True, forces
        if others is not None:
            search.dissipation.part(others)
            forces = others
    return False, forces


def _most_wrong(search: Search, cell: Cell, units: list[int], forces: np.ndarray) -> int:
    """The unit whose law these forces break the most, as a loss of power: to decide it, or to halve its arc, moves the relaxation the farthest."""
    stage, a = search.stage, search.acceleration(forces)
    wrong = []
    for i in units:
        r, end = int(stage.units.first[i]), int(stage.units.first[i + 1])
        power = float(forces[r:end] @ a[r:end])
        if stage.units.kind[i] == DRY:
            power += stage.bound(i) * abs(a[r])
        elif stage.frictional(i):
            power += stage.units.mu[i] * forces[r] * float(np.linalg.norm(a[r + 1:end])) + abs(forces[r] * a[r])
        wrong.append(abs(power))
    return units[int(np.argmax(wrong))]


def _examine_slides(search: Search, cell: Cell, arcs: list[int], limits: SlideBounds) -> list[Cell]:
    stage = search.stage
    system = slide_system(stage, cell)
    if system is not None:
        root = _root_inside(search, cell, system, limits)
        if root is not None and only_motion(system, cell, limits, root):
            return []
    widest = max(arcs, key=lambda i: arc_at(cell, i).width)
    arc = cell[widest]
    if not isinstance(arc, Arc) or arc.width < FINEST:
        search.leftover.append(cell)
        return []
    return _halves(cell, arcs)


def _halves(cell: Cell, arcs: list[int]) -> list[Cell]:
    """The cell with its widest arc cut in two."""
    widest = max(arcs, key=lambda i: arc_at(cell, i).width)
    arc = cell[widest]
    if not isinstance(arc, Arc):
        return [cell]
    return [(*cell[:widest], half, *cell[widest + 1:]) for half in (Arc(arc.lo, arc.middle), Arc(arc.middle, arc.hi))]


def _root_inside(search: Search, cell: Cell, system: SlideSystem, limits: SlideBounds) -> np.ndarray | None:
    """Newton from the middle of the cell; its root where that lies in the cell and is known to be an answer, or to be none."""
    n, m = system.columns.shape[1], len(system.arcs)
    phi = np.array([arc_at(cell, i).middle for i in system.arcs])
    half = np.array([0.5 * arc_at(cell, i).width for i in system.arcs])
    sizes = [np.where(np.isfinite(x[:, 1]), 0.5 * (x[:, 0] + x[:, 1]), 1.0) for x in (limits.f_N, limits.alpha)]
    y = newton(system, np.concatenate([np.zeros(n), sizes[0], phi, sizes[1]]))
    if y is None or not (np.abs(y[n + m:n + 2 * m] - phi) <= half + 1e-12).all():
        return None
    if search.add(system.total(y)) or not (system.hidden or system.redundant(y)):
        return y
    fixed = dict(zip(system.arcs, y[n + m:n + 2 * m], strict=True))
    outcome, forces = cells.inner_point(search.stage, tuple(Arc(fixed[i], fixed[i]) if i in fixed else x for i, x in enumerate(cell)))
    return y if outcome == "infeasible" or (forces is not None and search.add(forces)) else None


def _settle(search: Search, cell: Cell) -> None:
    """A cell with every mode chosen and no unknown direction: its answers are a convex set."""
    stage = search.stage
    outcome, forces = cells.inner_point(stage, cell)
    if outcome == "infeasible":
        return
    if forces is None or not search.add(forces):
        search.leftover.append(cell)
    elif not monotone(stage, cell) and relax(stage, cell).varies(stage, SAME):
        _extremes(search, cell)


def _extremes(search: Search, cell: Cell) -> None:
    """A convex cell whose accelerations vary: all between its ends are answers too."""
    stage, ends = search.stage, []
    cuts: dict[int, list[float]] = {}
    for row in range(stage.free_rows):
        for sign in (1.0, -1.0):
            outcome, forces = cells.extreme(stage, cell, sign * stage.B[row], cuts)
            if outcome == "unbounded":
                forces = cells.far_point(stage, cell, sign * stage.B[row])
                search.unbounded.update({(row, -sign)} if forces is not None else ())
            if forces is None or not search.add(forces):   # unbounded only in the polygons around the circles, or not settled
                search.leftover.append(cell)
            else:
                ends.append(search.acceleration(forces))
    if ends:
        spread = np.ptp(np.array(ends), axis=0).max(initial=0.0)
        search.continuum = search.continuum or bool(spread > SAME * (1.0 + np.abs(ends).max()))


def _directional(search: Search, forces: np.ndarray) -> None:
    """With the directions of a known answer kept, are its slip accelerations free? Then the answers are a continuum."""
    stage, cell = search.stage, cell_of(search.stage, forces, search.acceleration(forces))
    if not monotone(stage, cell) and relax(stage, cell).varies(stage, SAME):
        _extremes(search, cell)
