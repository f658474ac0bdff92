"""How the contact problem of a system changes with its state, while the contacts and joint rows of the instant stay the same."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from knuckle.errors import GeometryError
from knuckle.instant.data_rates import FullRates
from knuckle.instant.problem import ContactProblem

if TYPE_CHECKING:
    from knuckle.instant.moment import Moment

# m, rad: with the fourth-order formula 1e-5 leaves 1e-10 on surfaces of a millimetre and more. Faces and edges are found as such while they
# are parallel to 1e-6, and a border may be near: then the smaller ones.
STEPS = (1e-5, 2e-7)
RATE_STEP = 1e-3            # m/s, rad/s: all terms are of second order in the rates, for which the formula is exact
SETTLED = 1e-6              # relative: formulas of second and fourth order that differ by more do not see a smooth change
SAME_FRAME = 0.5            # cosine: a tangent that turns farther within a step follows another axis there


@dataclass(frozen=True)
class StateRates:
    """Rates of the data, of the contacts' velocities and of the joint rows' rates along unit changes of q (tangent) and v."""
    q: FullRates
    v: FullRates
    q_velocity: np.ndarray      # nv x contact rows, m/s
    q_joint_rate: np.ndarray    # nv x joint rows, rad/s or m/s
    q_moving: np.ndarray        # nv x moving dry joints
    v_moving: np.ndarray


@dataclass(frozen=True)
class _Layout:
    """Where the parts of a sample stand."""
    shapes: tuple[tuple[int, ...], ...]

    def parts(self, samples: np.ndarray) -> list[np.ndarray]:
        ends = np.cumsum([int(np.prod(shape)) for shape in self.shapes])
        return [part.reshape(len(samples), *shape) for part, shape in zip(np.split(samples, ends[:-1], axis=1), self.shapes, strict=True)]


def state_rates(moment: Moment, vdot: np.ndarray) -> StateRates | str:
    """The rates, or why there are none."""
    here, system, problem = moment.contacts, moment.system.system, moment.problem
    nv = len(problem.h)
    layout = _Layout(((nv, nv), (nv,), (len(problem.bias), nv), (len(problem.bias),), (problem.contact_rows,), (len(problem.joint_kind),),
                      (len(here.moving_entries),)))
    sampler, sizes = _Sampler(moment), _sizes(problem, vdot, here.v)
    by_v = _differences(lambda step: sampler.at(here.q, here.v + step), nv, RATE_STEP)
    by_q, noise = by_v, np.inf
    for size in STEPS:
        by_q = _differences(lambda step: sampler.at(system.integrate(here.q, step), here.v), nv, size)
        noise = np.inf if isinstance(by_q, str) else _noise(layout, sizes, *by_q)
        if noise <= SETTLED:
            break
    if isinstance(by_q, str) or isinstance(by_v, str):
        return str(by_q if isinstance(by_q, str) else by_v)
    noise = max(noise, _noise(layout, sizes, *by_v))
    if not noise <= SETTLED:
        return f"the terms of the problem do not change smoothly with the state (formulas of two orders differ by {noise:.1e})"
    q, velocity, joint_rate, moving = _rates(problem, layout.parts(by_q[0]))
    v, _, _, v_moving = _rates(problem, layout.parts(by_v[0]))
    return StateRates(q, v, velocity, joint_rate, moving, v_moving)


def _differences(sample: Callable[[np.ndarray], np.ndarray | str], nv: int, size: float) -> tuple[np.ndarray, np.ndarray] | str:
    """Central differences of fourth and of second order along each dof, or why there are none."""
    fourth, second = [], []
    for direction in np.eye(nv):
        values = []
        for steps in (1.0, -1.0, 2.0, -2.0):
            found = sample(steps * size * direction)
            if isinstance(found, str):
                return found
            values.append(found)
        near, far = values[0] - values[1], values[2] - values[3]
        second.append(near / (2.0 * size))
        fourth.append((8.0 * near - far) / (12.0 * size))
    return np.array(fourth), np.array(second)


def _noise(layout: _Layout, sizes: list[float], fourth: np.ndarray, second: np.ndarray) -> float:
    """Largest difference of the two formulas, each part of the data over its own size."""
    worst = 0.0
    for size, rate, apart in zip(sizes, layout.parts(fourth), layout.parts(fourth - second), strict=True):
        size += float(np.abs(rate).max(initial=0.0))
        worst = max(worst, float(np.abs(apart).max(initial=0.0)) / size if size > 0.0 else 0.0)
    return worst


def _sizes(problem: ContactProblem, vdot: np.ndarray, v: np.ndarray) -> list[float]:
    """Of M, h, W, bias and the velocities: of their terms, because their sums may cancel to round-off."""
    fastest, W = float(np.abs(v).max(initial=0.0)), np.abs(problem.W)
    speed = float((W @ np.abs(v)).max(initial=0.0))
    load = np.abs(problem.h) + np.abs(problem.M) @ (np.abs(vdot) + fastest * np.abs(v))
    acceleration = float((W @ np.abs(vdot) + np.abs(problem.bias)).max(initial=0.0)) + fastest * speed
    return [float(np.abs(problem.M).max()), float(load.max()), float(W.max(initial=0.0)), acceleration, speed, speed, fastest]


def _rates(problem: ContactProblem, parts: list[np.ndarray]) -> tuple[FullRates, np.ndarray, np.ndarray, np.ndarray]:
    M, h, W, bias, velocity, joint_rate, moving = parts
    k = problem.contacts
    data = FullRates(M, h, W, bias, np.zeros((len(h), k)), velocity.reshape(len(h), k, problem.dim)[:, :, 1:])
    return data, velocity, joint_rate, moving


@dataclass(frozen=True)
class _Sampler:
    """All terms of the problem at neighbouring states, as one vector."""
    moment: Moment

    def at(self, q: np.ndarray, v: np.ndarray) -> np.ndarray | str:
        ready, problem, here = self.moment.system, self.moment.problem, self.moment.contacts
        try:
            count = ready.geometry.update(q, v)
        except GeometryError as error:
            return str(error)
        slots = self._slots(count)
        if isinstance(slots, str):
            return slots
        contacts = ready.geometry.contacts
        picked = (3 * slots[:, None] + np.arange(problem.dim)).ravel()
        W, bias, velocity = contacts.W[picked], contacts.bias[picked], contacts.velocity[picked]
        M, h = ready.system.terms(q, v)
        joint_W, joint_bias, joint_rate, moving = (np.zeros((0, len(v))), *np.zeros((3, 0)))
        if len(here.joint_entries) or len(here.moving_entries):
            rows = self._joint_rows(q, v)
            if isinstance(rows, str):
                return rows
            own, known = rows
            work = ready.system.joint_table.work
            joint_W, joint_bias, joint_rate, moving = work.W[own], work.bias[own], work.rate[own], work.rate[known]
            h = h - (work.bound[known] * np.sign(here.moving_rates)) @ work.W[known]
        return np.concatenate([M.ravel(), h, W.ravel(), joint_W.ravel(), bias, joint_bias, velocity, joint_rate, moving])

    def _slots(self, count: int) -> np.ndarray | str:
        """Where the contacts of the instant stand now, each by the features that touch."""
        here, contacts = self.moment.contacts, self.moment.system.geometry.contacts
        found = np.array([contacts.pair[:count], contacts.feature_A[:count], contacts.feature_B[:count]]).T
        if len(found) == len(here.features) and (found == here.features).all():        # as a rule
            slots = np.arange(count)
        else:
            slots = np.array([self._slot(i, np.flatnonzero((found == key).all(axis=1))) for i, key in enumerate(here.features)], int)
        for i in np.flatnonzero(slots < 0).tolist():
            name = self.moment.problem.contact_name(i)
            return f"contact '{name}' stands on the border of a feature: it is another point, or none, when the state changes a little"
        for i in np.flatnonzero((contacts.t[slots] * here.frame[:, 1]).sum(axis=1) < SAME_FRAME).tolist():
            name = self.moment.problem.contact_name(i)
            return f"the tangent of contact '{name}' follows another axis when the state changes a little; give the contact a tangent"
        return slots

    def _slot(self, i: int, same: np.ndarray) -> int:
        """Of the slots with the features of contact i the nearest; -1 where there is none."""
        if not len(same):
            return -1
        places = self.moment.system.geometry.contacts.point_A[same]
        return int(same[np.linalg.norm(places - self.moment.contacts.point[i], axis=1).argmin()])

    def _joint_rows(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray] | str:
        """Rows of the instant's joints among all that the system has, and those that move against dry friction."""
        here, system = self.moment.contacts, self.moment.system.system
        count = len(system.joint_rows(q, v, np.inf))
        work = system.joint_table.work
        place = {(int(entry), int(part)): k for k, (entry, part) in enumerate(zip(work.entry[:count], work.part[:count], strict=True))}
        own, known = ([place.get((int(entry), int(part)), -1) for entry, part in entries] for entries in (here.joint_entries, here.moving_entries))
        if -1 in own + known:
            return "a joint row of the instant is no row when the state changes a little"
        return np.array(own, int), np.array(known, int)
