"""How accelerations and forces of an answer follow torque, friction and state inside its modes, and how far that is true.

The equations of the active modes are differentiated exactly by forces, load, friction and slip; the data of the problem by the state are
central differences of the compiled terms. Held fixed: the generalised forces of actuators and what else is applied, mu, bounds of dry
joints, prescribed motions; along q the numbers v, along v the numbers q; and who touches whom, with which features, in which modes.
"""
from __future__ import annotations

import html
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from knuckle.complementarity.result import Result, plain
from knuckle.contact.labels import BOUNDARY
from knuckle.errors import InputError
from knuckle.instant.active_mode import ActiveMode, active_mode, known_slip
from knuckle.instant.answer import Answer, Verdict
from knuckle.instant.data_rates import DataRates, FullRates, HeldForces, combined, full, together
from knuckle.instant.inequalities import STILL, Change, Row, first_zeros, inequalities, nearest
from knuckle.instant.problem import AT_REST, ContactProblem
from knuckle.instant.relaxation import Arc
from knuckle.instant.stage import Stage, lay_out
from knuckle.instant.state_directions import state_directions
from knuckle.instant.state_rates import StateRates, state_rates

STRICT = 1e-8               # relative: an inequality that holds by less is on its boundary, where there are two answers to how it goes on
NOISE = 1e-8                # of the largest force, acceleration or speed, per unit of the state: what differences may leave of a rate that is none


@dataclass(frozen=True)
class Rates(Result):
    """Derivatives by each direction (last axis), per unit of it, and how far it may be followed."""
    directions: tuple[str, ...]
    vdot: np.ndarray            # nv x directions, m/s^2 or rad/s^2
    f: np.ndarray               # contacts x dim x directions, N
    a: np.ndarray               # contacts x dim x directions, m/s^2
    joint_f: np.ndarray         # joint rows x directions, N or N m
    joint_a: np.ndarray         # joint rows x directions
    reach: np.ndarray           # directions x 2, down and up, in units of the direction; infinite where no mode changes
    limiting: tuple[tuple[str, str], ...]   # directions: (unit: what) that fails going down, going up; empty where nothing does
    exact: bool                 # whether the reach is, or of first order
    residual: float             # relative: of the differentiated equations of motion and rows


@dataclass(frozen=True)
class Sensitivities(Result):
    """Of the first answer. What is None is not known, for the reasons in `refused`; a bare problem has neither actuators nor a state."""
    refused: tuple[str, ...] = ()           # why there are none: a mode is about to change, forces are not unique, a feature ends, ...
    tau: Rates | None = None                # by the generalised force on each dof, per N or N m
    actuators: Rates | None = None          # by the force of each actuator, per N or N m
    mu: Rates | None = None                 # by the coefficient of each contact
    q: Rates | None = None                  # by a motion along each dof (mj_integratePos), per m or rad, whether or not contacts allow it
    v: Rates | None = None                  # by each rate, per m/s or rad/s, whether or not contacts allow it
    state: Rates | None = None              # along the columns of state_directions
    state_directions: np.ndarray | None = None      # 2 nv x k, (dq, dv): those that keep gap, stops, and what rolls or rests, to first order
    data: Rates | None = None               # along the directions that were given as DataRates

    def _repr_html_(self) -> str:
        if self.refused and self.tau is None:
            return "<p><b>no sensitivities</b></p><ul>" + "".join(f"<li>{html.escape(why)}</li>" for why in self.refused) + "</ul>"
        rows = "".join(
            f"<tr><td>{block}</td><td>{html.escape(name)}</td><td>{low:.4g}</td><td>{html.escape(below)}</td><td>{high:.4g}</td><td>{html.escape(above)}</td></tr>"
            for block, rates in self.blocks().items()
            for name, (low, high), (below, above) in zip(rates.directions, rates.reach, rates.limiting, strict=True))
        return ("<table><tr><th>by</th><th>direction</th><th>down to</th><th>then fails</th><th>up to</th><th>then fails</th></tr>"
                f"{rows}</table>" + "".join(f"<p>{html.escape(why)}</p>" for why in self.refused))

    def blocks(self) -> dict[str, Rates]:
        """What there is, by name."""
        found = {name: getattr(self, name) for name in ("tau", "actuators", "mu", "q", "v", "state", "data")}
        return {name: rates for name, rates in found.items() if rates is not None}

    def to_dict(self) -> dict[str, Any]:
        document = {"refused": list(self.refused), **{name: rates.to_dict() for name, rates in self.blocks().items()}}
        if self.state_directions is not None:
            document["state_directions"] = plain(self.state_directions)
        return document


def sensitivities(answer: Answer, data: DataRates | None = None) -> Sensitivities:
    """Of the first solution of an answer; `data`: other directions in which the data of its problem may change.

    Refused, with every reason, where the verdict is not determinate, where an inequality of the modes holds by less than STRICT, where a
    slip is about to stop, and where the modes leave forces open. The part by the state is refused on borders of features.
    """
    if not isinstance(answer, Answer):
        raise InputError("must be the Answer of a solve", key="answer", got=answer, todo="call knuckle.solve or knuckle.modes first")
    problem = answer.problem
    if problem is None or answer.solution is None or answer.verdict is not Verdict.DETERMINATE:
        return Sensitivities(refused=(f"the verdict is {answer.verdict.value}: {answer.verdict.sentence}",))
    stage = lay_out(problem, answer.law)
    forces = np.concatenate([answer.solution.f.ravel(), answer.solution.joint_f])
    scaled = forces[stage.row_of[:stage.free_rows]] / stage.force_unit
    mode = active_mode(stage, scaled, stage.B @ scaled + stage.c)
    slowest = BOUNDARY * (AT_REST if answer.moment is None else answer.moment.slip_tolerance)
    refused = [*_boundaries(mode), *_slow_slips(problem, slowest)]
    if mode.singular:
        refused.append("the forces of these modes are not unique: their equations are singular")
    if refused:
        return Sensitivities(refused=tuple(refused))
    return _all_blocks(answer, problem, _Derivatives(mode, HeldForces.of(stage, answer.solution.vdot, forces)), data)


def _boundaries(mode: ActiveMode) -> list[str]:
    """Inequalities that hold by so little that the mode may end there, in scaled numbers."""
    stage, none = mode.stage, np.zeros((0, len(mode.f)))
    change = Change(mode.f, mode.a, none, none, np.zeros((0, stage.problem.contacts)))
    force, acceleration = (1.0 + float(np.abs(x).max(initial=0.0)) for x in (mode.f, mode.a))
    return [f"{name}: {what} is zero, or nearly: the mode is about to change"
            for name, what, value, _ in inequalities(stage, mode.cell, change, scaled=True)
            if value <= STRICT * (force if what.startswith(("normal", "friction", "dry")) else acceleration)]


def _slow_slips(problem: ContactProblem, slowest: float) -> list[str]:
    names = [problem.contact_name(i) for i in range(problem.contacts)
             if problem.sliding[i] and float(np.linalg.norm(problem.slip[i])) <= slowest]
    return [f"{name}: the slip is about to stop" for name in names]


def _all_blocks(answer: Answer, problem: ContactProblem, derivatives: _Derivatives, data: DataRates | None) -> Sensitivities:
    """Every direction in one system of equations, then each block for itself."""
    nv, moment, refused = len(problem.h), answer.moment, []
    names: dict[str, tuple[str, ...]] = {"tau": tuple(str(j + 1) for j in range(nv)) if moment is None else tuple(moment.system.dof_names)}
    parts = {"tau": full(problem, DataRates(h=np.eye(nv)))}
    parts["mu"], names["mu"] = full(problem, DataRates(mu=np.eye(problem.contacts))), problem.names
    extra: dict[str, list[Row]] = {}
    directions = None
    if moment is not None:
        parts["actuators"], names["actuators"] = full(problem, DataRates(h=moment.directions)), tuple(moment.system.actuator_names)
        state = state_rates(moment, derivatives.held.vdot)
        if isinstance(state, str):
            refused.append(f"no derivatives by the state: {state}")
        else:
            directions = state_directions(moment, state)
            both = together([state.q, state.v])
            parts |= {"q": state.q, "v": state.v, "state": combined(both, directions)}
            names |= {"q": names["tau"], "v": names["tau"], "state": _named(directions, names["tau"])}
            extra = {name: _moving_joints(moment, moving) for name, moving in _moving_rates(state, directions).items()}
    if data is not None:
        parts["data"] = full(problem, data)
        names["data"] = tuple(str(j + 1) for j in range(len(parts["data"])))
    found = derivatives.blocks(parts, names, extra)
    return Sensitivities(tuple(refused), state_directions=directions, **found)


def _named(directions: np.ndarray, dofs: tuple[str, ...]) -> tuple[str, ...]:
    """Numbers of motions, and what moves most in each."""
    most = np.abs(directions).argmax(axis=0) if directions.size else []
    return tuple(f"{j + 1}: {'d' + 'qv'[k // len(dofs)]} {dofs[k % len(dofs)]}" for j, k in enumerate(most))


def _moving_rates(state: StateRates, directions: np.ndarray) -> dict[str, np.ndarray]:
    moving = {"q": state.q_moving, "v": state.v_moving}
    return moving | {"state": directions.T @ np.concatenate([state.q_moving, state.v_moving])}


def _moving_joints(moment: Any, moving: np.ndarray) -> list[Row]:
    """Rates of joints that move against dry friction: it turns when they do."""
    here = moment.contacts
    return [_speed_row(name, "rate", abs(float(rate)), np.sign(rate) * moving[:, k])
            for k, (name, rate) in enumerate(zip(here.moving_joints, here.moving_rates, strict=True))]


def _speed_row(name: str, what: str, speed: float, rates: np.ndarray) -> Row:
    return name, what, speed, first_zeros(speed, rates, np.full(len(rates), NOISE * (1.0 + speed)))


@dataclass(frozen=True)
class _Derivatives:
    """What is needed to differentiate one solution along any direction."""
    mode: ActiveMode
    held: HeldForces

    @property
    def stage(self) -> Stage:
        return self.held.stage

    def blocks(self, parts: dict[str, FullRates], names: dict[str, tuple[str, ...]], extra: dict[str, list[Row]]) -> dict[str, Rates]:
        rates = together(list(parts.values()))
        dvdot, dforces, da, df_free, da_free = self._solve(rates)
        problem, found, start = self.stage.problem, {}, 0
        k, dim, rows = problem.contacts, problem.dim, problem.contact_rows
        linear = not any(isinstance(choice, Arc) for choice in self.mode.cell)
        for name, part in parts.items():
            own = slice(start, start + len(part))
            start = own.stop
            exact = linear and (name in ("tau", "actuators") or (name == "mu" and not self._first_friction_turns()))
            change = self._change(part, df_free[own], da_free[own], NOISE if name in ("q", "v", "state") else 0.0)
            table = [*inequalities(self.stage, self.mode.cell, change), *self._slips(part), *extra.get(name, []), *self._onsets(change)]
            reach, limiting = nearest(table, len(part))
            if name == "mu":
                self._along_friction(reach, limiting, change, exact)
            found[name] = Rates(
                names[name], dvdot[own].T + 0.0, dforces[own, :rows].T.reshape(k, dim, len(part)) + 0.0,   # + 0: no minus before a zero
                da[own, :rows].T.reshape(k, dim, len(part)) + 0.0, dforces[own, rows:].T + 0.0, da[own, rows:].T + 0.0,
                reach, tuple((low, high) for low, high in limiting), exact, self._residual(part, dvdot[own], dforces[own]))
        return found

    def _solve(self, rates: FullRates) -> tuple[np.ndarray, ...]:
        """Rates of v', of all forces, of all accelerations; and of forces and accelerations of the free rows."""
        stage, problem = self.stage, self.stage.problem
        n, scale, load = stage.free_rows, stage.work.scale[:stage.free_rows], stage.work.load[:stage.free_rows]
        free, held = stage.row_of[:n], self.held.held
        kept = self.held.acceleration_rates(rates)
        dc = (kept @ problem.W.T + rates.W @ self.held.vdot + rates.bias)[:, free] * scale / load
        df, _ = self.mode.rates(dc, self.mode.friction_change(rates.mu, rates.slip))
        dvdot = kept + (df * stage.force_unit) @ stage.work.Z[:n]
        dforces = np.zeros((len(rates), len(problem.bias)))
        dforces[:, free] = df * stage.force_unit
        if len(held):
            dforces[:, held] = self.held.held_force_rates(rates, dvdot, dforces)
        da = dvdot @ problem.W.T + rates.W @ self.held.vdot + rates.bias
        return dvdot, dforces, da, dforces[:, free], da[:, free]

    def _change(self, part: FullRates, df: np.ndarray, da: np.ndarray, noise: float) -> Change:
        unit, n = self.stage.force_unit, self.stage.free_rows
        acceleration = self.stage.work.load[:n] / self.stage.work.scale[:n]
        return Change(self.mode.f * unit, self.mode.a * acceleration, df, da, part.mu, noise)

    def _slips(self, part: FullRates) -> list[Row]:
        """Slips of sliding contacts: where one stops, its direction is lost."""
        problem, rows = self.stage.problem, []
        for i in np.flatnonzero(problem.sliding).tolist():
            speed = float(np.linalg.norm(problem.slip[i]))
            rows.append(_speed_row(problem.contact_name(i), "slip speed", speed, part.slip[:, i] @ problem.slip[i] / speed))
        return rows

    def _onsets(self, change: Change) -> list[Row]:
        """Slip that begins at contacts without friction, along directions that give them some: from then on it must not turn back."""
        problem, rows = self.stage.problem, []
        for i in np.flatnonzero(~problem.sliding & (problem.mu == 0.0)).tolist():
            r = int(self.stage.units.first[i])
            along = known_slip(self.mode, i)
            rates = np.where(change.dmu[:, i] != 0.0, change.da[:, r + 1:r + problem.dim] @ along, 0.0)
            rows.append((problem.contact_name(i), "slip", 0.0, first_zeros(change.a[r + 1:r + problem.dim] @ along, rates, np.zeros(len(rates)))))
        return rows

    def _first_friction_turns(self) -> bool:
        """Whether some contact without friction would slide in a direction that its friction turns."""
        problem = self.stage.problem
        return problem.dim == 3 and self.stage.law == "cone" and bool((~problem.sliding & (problem.mu == 0.0)).any())

    def _along_friction(self, reach: np.ndarray, limiting: list[list[str]], change: Change, exact: bool) -> None:
        """Along the mu of a contact that slides everything is linear in s = t / (1 + g t), where its own f_N is f_N / (1 + g t): so a reach
        of first order is a reach in s. Where 1 + g t = 0 the equations are singular. No mu is below zero."""
        problem, first = self.stage.problem, self.stage.units.first
        for i in range(problem.contacts):
            r = int(first[i])
            g = -float(change.df[i, r] / change.f[r]) if exact and change.f[r] > 0.0 and self.mode.cell[i] != 0 else 0.0
            for side, sign in ((0, -1.0), (1, 1.0)):
                reach[i, side] = sign * _unfolded(abs(float(reach[i, side])), sign * g)
                if not math.isfinite(reach[i, side]):
                    limiting[i][side] = ""
                elif not limiting[i][side]:
                    limiting[i][side] = f"{problem.contact_name(i)}: the equations of the modes become singular"
            if reach[i, 0] < -problem.mu[i]:
                reach[i, 0], limiting[i][0] = -problem.mu[i], f"{problem.contact_name(i)}: mu"

    def _residual(self, part: FullRates, dvdot: np.ndarray, dforces: np.ndarray) -> float:
        """Of d(M v' - h - W^T f) = 0 and of the modes' equations, over the size of their terms."""
        problem, W, f, vdot, n = self.stage.problem, self.stage.problem.W, self.held.forces, self.held.vdot, self.stage.free_rows
        motion = [dvdot @ problem.M, part.M @ vdot, -part.h, -dforces @ W, -np.tensordot(part.W, f, axes=(1, 0))]
        free, unit, inverse = self.stage.row_of[:n], self.stage.force_unit, self.stage.work.scale[:n] / self.stage.work.load[:n]
        scaled, by_acceleration = dforces[:, free] / unit, self.mode.by_acceleration.T
        changes = [dvdot @ W.T, part.W @ vdot + part.bias]
        modes = [scaled @ self.mode.by_force.T, self.mode.friction_change(part.mu, part.slip),
                 *(change[:, free] * inverse @ by_acceleration for change in changes)]
        pushed = np.abs(scaled) @ np.abs(self.stage.B) @ np.abs(by_acceleration)          # what forces do may cancel to round-off
        return max(_share(motion, np.abs(dforces) @ np.abs(W)), _share(modes, pushed))


def _share(terms: list[np.ndarray], size: np.ndarray | float = 0.0) -> float:
    """Largest sum of the terms of a direction (first axis) over the size of what is summed up; directions that do nothing are round-off."""
    sizes = (size + np.abs(np.array(terms)).sum(axis=0)).max(axis=1, initial=0.0)
    left = np.abs(sum(terms)).max(axis=1, initial=0.0)
    least = max(NOISE * float(sizes.max(initial=0.0)), STILL)
    return float((left / np.maximum(sizes, least)).max(initial=0.0))


def _unfolded(s: float, g: float) -> float:
    """t >= 0 at s = t / (1 + g t); infinite where t never gets so far, 1 / |g| where s gets there without end."""
    if abs(g) <= STILL:
        return s
    if math.isinf(s):
        return math.inf if g > 0.0 else -1.0 / g
    return s / (1.0 - g * s) if g * s < 1.0 else math.inf
