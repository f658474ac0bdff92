"""Cells around answers that are known, and what `slides.only_motion` proves of them."""

import itertools
import math

import numpy as np

from knuckle.instant import search
from knuckle.instant.active_mode import cell_of
from knuckle.instant.problem import read_problem
from knuckle.instant.relaxation import Arc, relax
from knuckle.instant.slides import bounds, only_motion, slide_system
from knuckle.instant.stage import lay_out
from oracles import known_products as products

WIDEST = 0.5 * math.pi      # of an arc of a cell


def answers_of(problem):
    stage = lay_out(read_problem(problem), "cone")
    return stage, search.run(stage, []).answers


def cell_around(stage, one, other, generator):
    """The smallest cell around two answers, widened; None where their modes differ or their directions are too far apart."""
    cell = []
    for first, second in zip(cell_of(stage, *one), cell_of(stage, *other), strict=True):
        if isinstance(first, Arc) and isinstance(second, Arc):
            turn = math.remainder(second.lo - first.lo, 2 * math.pi)
            lo, hi = min(first.lo, first.lo + turn), max(first.lo, first.lo + turn)
            room = generator.uniform(0, 0.1, 2) + 1e-6
            if hi - lo + room.sum() > WIDEST:
                return None
            cell.append(Arc(lo - room[0], hi + room[1]))
        elif first != second or isinstance(first, Arc):
            return None
        else:
            cell.append(first)
    return tuple(cell) if any(isinstance(choice, Arc) for choice in cell) else None


def root_of(system, cell, forces, a):
    """The unknowns of `system` of a known answer."""
    r = system.normals
    phi = np.arctan2(a[r + 2], a[r + 1])
    middle = np.array([cell[i].middle for i in system.arcs])
    phi = middle + np.remainder(phi - middle + math.pi, 2 * math.pi) - math.pi
    rest = forces - system.known - system.slide_forces(phi)[0] @ forces[r]
    y = np.concatenate([np.linalg.lstsq(system.columns, rest, rcond=None)[0], forces[r], phi, np.hypot(a[r + 1], a[r + 2])])
    return y if np.abs(system.value(y)).max(initial=0.0) <= 1e-8 * (1.0 + np.abs(y).max()) else None


def proves(stage, cell, answer):
    """What only_motion says of the cell and this root of it; None where the cell is not for it."""
    system = slide_system(stage, cell)
    y = None if system is None else root_of(system, cell, *answer)
    return None if y is None else only_motion(system, cell, bounds(stage, cell, relax(stage, cell)), y)


def examine(problem, generator):
    """Cells around pairs, in which no proof was given; and whether each answer with a slide was proved close around itself."""
    stage, answers = answers_of(problem)
    pairs, alone = 0, []
    for one, other in itertools.permutations(answers, 2):
        cell = cell_around(stage, one, other, generator)
        if cell is None:
            continue
        proved = proves(stage, cell, one)
        assert not proved, (problem, cell)
        pairs += proved is not None
    for one in answers:
        modes = cell_of(stage, *one)
        close = tuple(Arc(x.lo - 1e-3, x.hi + 1e-3) if isinstance(x, Arc) else x for x in modes)
        if any(isinstance(x, Arc) for x in modes):
            alone.append(bool(proves(stage, close, one)))
    return pairs, alone


def two_slides(rng):
    """A contact at rest with at least two sliding answers less than a right angle apart."""
    while True:
        problem, forces = products.contact_at_rest(rng)
        directions = [math.atan2(-f[2], -f[1]) for f in forces if f[0] > 0 and abs(np.hypot(*f[1:]) / f[0] - problem["contacts"][0]["mu"]) < 1e-9]
        if any(abs(math.remainder(x - y, 2 * math.pi)) < WIDEST - 0.3 for x, y in itertools.combinations(directions, 2)):
            return problem, forces


def twice_the_contact(problem):
    """Redundant normal forces: the same contact listed twice."""
    return problem | {"M": np.array(problem["M"]).tolist(), "h": list(problem["h"]), "contacts": problem["contacts"] * 2}


def slid(rng):
    """A contact at rest with an answer that slides, to stand beside another."""
    while True:
        problem, forces = products.contact_at_rest(rng)
        if len(forces) == 1 and abs(np.hypot(*forces[0][1:]) - problem["contacts"][0]["mu"] * forces[0][0]) < 1e-9 < forces[0][0]:
            return problem, forces


def drawn(kind, rng):
    if kind == "one contact":
        return products.product([two_slides(rng)], rng)[0]
    if kind == "two blocks":
        return products.product([two_slides(rng), slid(rng)], rng)[0]
    if kind == "both with two":
        return products.product([two_slides(rng), two_slides(rng)], rng)[0]
    if kind == "listed twice":
        return twice_the_contact(products.product([two_slides(rng)], rng)[0])
    problem = products.product([two_slides(rng), slid(rng)])[0]            # answers of blocks survive a little inertia between them
    tie = 0.02 * rng.normal(size=(6, 6))
    return problem | {"M": (np.array(problem["M"]) + tie + tie.T).tolist()}
