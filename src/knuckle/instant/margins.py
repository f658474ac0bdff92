"""How far an answer is from changing its modes: at each contact, and along each actuator."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from knuckle.instant import mode_kernels
from knuckle.instant.relaxation import Arc, Cell, Choice, arc_at, mode_number
from knuckle.instant.slides import slide_system
from knuckle.instant.stage import Stage
from knuckle.instant.units import CONE, DRY, PLANAR, SLIDING, UNILATERAL

ZERO = 1e-9
STILL = 1e-12               # of the largest rate along a direction: slower is round-off
ON_CONE = 1e-9              # of mu f_N: nearer to its cone a force is on it


Row = tuple[str, str, float, list[tuple[float, float]]]     # unit, what, value, how far down and up along each actuator


@dataclass(frozen=True)
class Margin:
    """One inequality of the answer: it holds while `value` stays positive."""
    unit: str           # contact or joint row
    what: str           # normal force, friction, opening, slip, slip + ...
    value: float        # N, N m, m/s^2
    nearest: float      # smallest |change| of an actuator force that uses it up, N or N m; inf when none does


@dataclass(frozen=True)
class Margins:
    """`reach[j]`: how far actuator j may go down and up before some mode changes (first order where a spatial contact slides)."""
    margins: tuple[Margin, ...]
    reach: np.ndarray           # actuators x 2, N or N m, (negative, positive), infinite when free
    limiting: tuple[tuple[str, str], ...]   # actuators: (unit: what) that limits going down, going up; empty where nothing does
    exact: bool                 # False: first order, because a spatial contact begins to slide

    def to_dict(self) -> dict[str, Any]:
        def finite(x: float) -> float | None:
            return float(x) if math.isfinite(x) else None

        return {"margins": [{"unit": m.unit, "what": m.what, "value": m.value, "nearest": finite(m.nearest)} for m in self.margins],
                "reach": [[finite(x) for x in pair] for pair in self.reach], "limiting": [list(pair) for pair in self.limiting],
                "exact": self.exact}


def cell_of(stage: Stage, forces: np.ndarray, a: np.ndarray) -> Cell:
    """The modes of an answer, with the sliding direction of spatial contacts."""
    A = 1.0 + float(np.abs(a).max(initial=0.0))
    cell: list[Choice] = []
    for i in range(stage.count):
        kind, r, end = int(stage.units.kind[i]), int(stage.units.first[i]), int(stage.units.first[i + 1])
        if kind == DRY:
            cell.append(0 if abs(a[r]) <= ZERO * A else 1 if a[r] > 0 else 2)
        elif a[r] > ZERO * A:
            cell.append(0)
        elif kind in (SLIDING, UNILATERAL):
            cell.append(1)
        elif kind == CONE:
            moving = math.hypot(a[r + 1], a[r + 2]) > ZERO * A
            phi = math.atan2(a[r + 2], a[r + 1])
            cell.append(Arc(phi, phi) if moving else 1)
        else:
            signs = [0 if abs(x) <= ZERO * A else 1 if x > 0 else 2 for x in a[r + 1:end]]
            cell.append(1 + signs[0] if kind == PLANAR else 1 + 3 * signs[0] + signs[1])
    return tuple(cell)


def response(stage: Stage, forces: np.ndarray, a: np.ndarray, dc: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Rates of forces and accelerations inside the modes of an answer when c moves along the rows of dc; None if not unique."""
    cell = cell_of(stage, forces, a)
    system = slide_system(stage, cell)
    if system is None:
        return None
    n, m = system.columns.shape[1], len(system.arcs)
    if n < mode_kernels.unknowns_of_modes(stage.units, stage.work, stage.count, stage.free_rows):
        return None                                        # redundant forces: the slide system sees only those that move something
    phi = np.array([arc_at(cell, i).lo for i in system.arcs])
    y = np.concatenate([np.zeros(n), forces[system.normals], phi, np.hypot(a[system.normals + 1], a[system.normals + 2])]) if m else np.zeros(n)
    if system.redundant(y):
        return None
    rates_of_equations = np.hstack([dc @ system.equations.T, *(dc[:, system.normals + k] for k in range(3))]) if m else dc @ system.equations.T
    dy = -np.linalg.solve(system.jacobian(y), rates_of_equations.T).T if n + m else np.zeros((len(dc), 0))
    force, rate = system.slide_forces(phi)
    df = dy[:, :n] @ system.columns.T + dy[:, n:n + m] @ force.T + (dy[:, n + m:n + 2 * m] * y[n:n + m]) @ rate.T
    return df, df @ stage.B.T + dc


def _first_zero(value: float, rate: float, none: float) -> tuple[float, float]:
    """How far down and up until value + t rate = 0; a rate of `none` or less is round-off."""
    if abs(rate) <= none:
        return -math.inf, math.inf
    t = -max(value, 0.0) / rate
    return (t, math.inf) if rate > 0.0 else (-math.inf, t)


def _first_on_cone(f: np.ndarray, df: np.ndarray, mu: float) -> tuple[float, float]:
    """How far until |f_t| = mu f_N along f + t df."""
    a = df[1:] @ df[1:] - (mu * df[0]) ** 2
    b = 2.0 * (f[1:] @ df[1:] - mu * mu * f[0] * df[0])
    c = f[1:] @ f[1:] - (mu * f[0]) ** 2
    if c >= -(ON_CONE * mu * f[0]) ** 2:                   # on it: one side leads inside, unless the line only touches the cone
        inside = -b / a if a > 0.0 else -math.inf if b > 0.0 else math.inf
        return (min(inside, 0.0), 0.0) if b > 0.0 else (0.0, max(inside, 0.0)) if b < 0.0 else (0.0, 0.0) if a > 0.0 else (-math.inf, math.inf)
    roots = [t.real for t in np.roots([a, b, c]) if abs(t.imag) <= 1e-9 * (1.0 + abs(t)) and mu * (f[0] + t.real * df[0]) >= -1e-9 * (1.0 + f[0])] \
        if abs(a) + abs(b) > 0.0 else []
    return max([t for t in roots if t < 0.0], default=-math.inf), min([t for t in roots if t > 0.0], default=math.inf)


def margins(stage: Stage, forces: np.ndarray, a: np.ndarray, directions: np.ndarray) -> Margins | None:
    """Margins of an answer along generalised-force directions (actuators x nv).

    None where its forces are not unique: how far each is from its limit then says nothing about the motion, which other forces may carry."""
    scale, load, n = stage.work.scale[:stage.free_rows], stage.work.load[:stage.free_rows], stage.free_rows
    dc = directions @ stage.work.Z[:n].T * scale / load
    rates = response(stage, forces, a, dc)
    if rates is None:
        return None
    f, acc = forces * scale * load, a / scale * load
    df, da = rates[0] * scale * load, rates[1] / scale * load
    rows: list[Row] = []
    cell = cell_of(stage, forces, a)
    for i, choice in enumerate(cell):
        rows += _unit_margins(stage, i, choice, f, acc, df, da)
    reach = np.array([[-math.inf, math.inf]] * len(directions)).reshape(-1, 2)
    limiting = [["", ""] for _ in directions]
    for name, what, _, spans in rows:
        for j, (down, up) in enumerate(spans):
            if down > reach[j, 0]:
                reach[j, 0], limiting[j][0] = down, f"{name}: {what}"
            if up < reach[j, 1]:
                reach[j, 1], limiting[j][1] = up, f"{name}: {what}"
    listed = tuple(Margin(name, what, value, min([min(-d, u) for d, u in spans], default=math.inf)) for name, what, value, spans in rows)
    return Margins(listed, reach, tuple((d, u) for d, u in limiting), not any(isinstance(choice, Arc) for choice in cell))


def unit_name(stage: Stage, i: int) -> str:
    problem = stage.problem
    if i < problem.contacts:
        return problem.contact_name(i)
    joint = int(stage.row_of[int(stage.units.first[i])]) - problem.contact_rows
    return problem.joint_names[joint] if joint < len(problem.joint_names) else f"joint row {joint + 1}"


def _unit_margins(stage: Stage, i: int, choice: Choice, f: np.ndarray, a: np.ndarray, df: np.ndarray,
                  da: np.ndarray) -> list[Row]:
    kind, r, end = int(stage.units.kind[i]), int(stage.units.first[i]), int(stage.units.first[i + 1])
    mu, name = float(stage.units.mu[i]), unit_name(stage, i)

    def linear(what: str, value: float, rates: np.ndarray, all_rates: np.ndarray) -> Row:
        none = STILL * np.abs(all_rates).max(axis=1)
        return name, what, float(value), [_first_zero(float(value), float(rate), float(least)) for rate, least in zip(rates, none, strict=True)]

    if kind == DRY:
        if choice == 0:                                    # at +bound it gives way to a motion to -
            return [linear(f"dry friction {side}", mu - sign * f[r], -sign * df[:, r], df) for side, sign in (("-", 1.0), ("+", -1.0))]
        return [linear("slip", abs(a[r]), np.sign(a[r]) * da[:, r], da)]
    if choice == 0:
        return [linear("opening", a[r], da[:, r], da)]
    out = [linear("normal force", f[r], df[:, r], df)]
    if kind in (SLIDING, UNILATERAL):
        return out
    if kind == CONE:
        if choice == 1:
            spans = [_first_on_cone(f[r:end], row[r:end], mu) for row in df]
            return [*out, (name, "friction", float(mu * f[r] - np.linalg.norm(f[r + 1:end])), spans)]
        speed = math.hypot(a[r + 1], a[r + 2])
        return [*out, linear("slip", speed, da[:, r + 1:end] @ a[r + 1:end] / speed, da)]
    modes = (mode_number(choice) - 1,) if kind == PLANAR else divmod(mode_number(choice) - 1, 3)
    for axis, mode, row in zip("TU", modes, range(r + 1, end), strict=False):
        if mode == 0:
            for sign in (1.0, -1.0):
                out.append(linear(f"friction {axis}{'+' if sign < 0 else '-'}", mu * f[r] - sign * f[row], mu * df[:, r] - sign * df[:, row], df))
        else:
            sign = 1.0 if mode == 1 else -1.0
            out.append(linear(f"slip {axis}{'+' if mode == 1 else '-'}", sign * a[row], sign * da[:, row], da))
    return out
