"""How far an answer may go along a direction until some inequality of its modes fails."""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from knuckle.instant.active_mode import signs
from knuckle.instant.relaxation import Cell, Choice
from knuckle.instant.stage import Stage
from knuckle.instant.units import CONE, DRY, SLIDING, UNILATERAL

STILL = 1e-12               # of the largest rate along a direction: slower is round-off
ON_CONE = 1e-9              # of mu f_N: nearer to its cone a force is on it
DOUBLE = 1e-14              # relative: roots of a quadratic nearer than round-off of its discriminant are one

Row = tuple[str, str, float, list[tuple[float, float]]]     # unit, what, value, how far down and up along each direction


@dataclass(frozen=True)
class Change:
    """Forces and accelerations of the free rows, and their rates along directions (first axis)."""
    f: np.ndarray               # free rows, N or N m
    a: np.ndarray               # free rows, m/s^2 or rad/s^2
    df: np.ndarray              # directions x free rows
    da: np.ndarray
    dmu: np.ndarray             # directions x contacts
    noise: float = 0.0          # of the largest force or acceleration: what differences may leave of a rate that is none

    def slowest(self, value: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """Of each direction the rate up to which it is none."""
        return STILL * np.abs(rates).max(axis=1, initial=0.0) + self.noise * float(np.abs(value).max(initial=0.0))


def _first_zero(value: float, rate: float, none: float) -> tuple[float, float]:
    """How far down and up until value + t rate = 0; a rate of `none` or less is round-off."""
    if abs(rate) <= none:
        return -math.inf, math.inf
    t = -max(value, 0.0) / rate
    return (t, math.inf) if rate > 0.0 else (-math.inf, t)


def _quadratic_roots(a: float, b: float, c: float) -> list[float]:
    """Real roots of a t^2 + b t + c, without cancellation; a double root (through the tip of the cone) up to round-off."""
    square = b * b - 4.0 * a * c
    if square < -DOUBLE * b * b:
        return []
    q = -0.5 * (b + math.copysign(math.sqrt(max(square, 0.0)), b))
    return [*([q / a] if a != 0.0 else []), *([c / q] if q != 0.0 else [])]


def _first_on_cone(f: np.ndarray, df: np.ndarray, mu: float) -> tuple[float, float]:
    """How far until |f_t| = mu f_N along f + t df."""
    a = float(df[1:] @ df[1:] - (mu * df[0]) ** 2)
    b = 2.0 * float(f[1:] @ df[1:] - mu * mu * f[0] * df[0])
    c = float(f[1:] @ f[1:] - (mu * f[0]) ** 2)
    if c >= -(ON_CONE * mu * f[0]) ** 2:                   # on it: one side leads inside, unless the line only touches the cone
        inside = -b / a if a > 0.0 else -math.inf if b > 0.0 else math.inf
        return (min(inside, 0.0), 0.0) if b > 0.0 else (0.0, max(inside, 0.0)) if b < 0.0 else (0.0, 0.0) if a > 0.0 else (-math.inf, math.inf)
    roots = [t for t in _quadratic_roots(a, b, c) if mu * (f[0] + t * df[0]) >= -1e-9 * (1.0 + f[0])]
    return max([t for t in roots if t < 0.0], default=-math.inf), min([t for t in roots if t > 0.0], default=math.inf)


def _first_off(f: np.ndarray, df: np.ndarray, mu: float, dmu: float) -> tuple[float, float]:
    """How far until |f_t| = mu f_N where mu changes: exact where its forces do not, as those of a contact that sticks by its own mu."""
    f_t = float(np.linalg.norm(f[1:]))
    rate = dmu * f[0] + mu * df[0] - (float(f[1:] @ df[1:]) / f_t if f_t > 0.0 else float(np.linalg.norm(df[1:])))
    return _first_zero(float(mu * f[0] - f_t), float(rate), 0.0)


def inequalities(stage: Stage, cell: Cell, change: Change, scaled: bool = False) -> list[Row]:
    """Every inequality of the modes; `scaled`: the change is in the numbers of the stage, not in newtons and metres."""
    return [row for i, choice in enumerate(cell) for row in _of_unit(stage, i, choice, change, scaled)]


def nearest(rows: list[Row], directions: int) -> tuple[np.ndarray, list[list[str]]]:
    """The ends of each direction (directions x 2: down, up), and what fails there: nothing where an end is infinite."""
    reach = np.array([[-math.inf, math.inf]] * directions).reshape(-1, 2)
    limiting = [["", ""] for _ in range(directions)]
    for name, what, _, spans in rows:
        for j, (down, up) in enumerate(spans):
            if down > reach[j, 0]:
                reach[j, 0], limiting[j][0] = down, f"{name}: {what}"
            if up < reach[j, 1]:
                reach[j, 1], limiting[j][1] = up, f"{name}: {what}"
    return reach, limiting


def first_zeros(value: float, rates: np.ndarray, none: np.ndarray) -> list[tuple[float, float]]:
    """How far along each direction until a positive value is used up."""
    return [_first_zero(float(value), float(rate), float(least)) for rate, least in zip(rates, none, strict=True)]


def unit_name(stage: Stage, i: int) -> str:
    problem = stage.problem
    if i < problem.contacts:
        return problem.contact_name(i)
    joint = int(stage.row_of[int(stage.units.first[i])]) - problem.contact_rows
    return problem.joint_names[joint] if joint < len(problem.joint_names) else f"joint row {joint + 1}"


def _of_unit(stage: Stage, i: int, choice: Choice, change: Change, scaled: bool) -> list[Row]:
    kind, r, end = int(stage.units.kind[i]), int(stage.units.first[i]), int(stage.units.first[i + 1])
    name, f, a, df, da = unit_name(stage, i), change.f, change.a, change.df, change.da
    mu = stage.bound(i) if kind == DRY and scaled else float(stage.units.mu[i])

    def linear(what: str, value: float, rates: np.ndarray, all_rates: np.ndarray) -> Row:
        none = change.slowest(a if all_rates is da else f, all_rates)
        return name, what, float(value), first_zeros(value, rates, none)

    if kind == DRY:
        if choice == 0:                                    # at +bound it gives way to a motion to -
            return [linear(f"dry friction {side}", mu - sign * f[r], -sign * df[:, r], df) for side, sign in (("-", 1.0), ("+", -1.0))]
        return [linear("slip", abs(a[r]), np.sign(a[r]) * da[:, r], da)]
    if choice == 0:
        return [linear("opening", a[r], da[:, r], da)]
    out = [linear("normal force", f[r], df[:, r], df)]
    if kind in (SLIDING, UNILATERAL):
        return out
    dmu = change.dmu[:, i]                                 # a contact: joint rows have returned
    if kind == CONE:
        if choice == 1:
            rates = np.where(np.abs(df[:, r:end]).max(axis=1, initial=0.0, keepdims=True) > change.slowest(f, df)[:, None], df[:, r:end], 0.0)
            spans = [_first_on_cone(f[r:end], row, mu) if turn == 0.0 else _first_off(f[r:end], row, mu, turn)
                     for row, turn in zip(rates, dmu, strict=True)]
            return [*out, (name, "friction", float(mu * f[r] - np.linalg.norm(f[r + 1:end])), spans)]
        speed = math.hypot(a[r + 1], a[r + 2])
        return [*out, linear("slip", speed, da[:, r + 1:end] @ a[r + 1:end] / speed, da)]
    for axis, sign, row in zip("TU", signs(kind, choice), range(r + 1, end), strict=False):
        if sign == 0:
            for side in (1.0, -1.0):
                rates = dmu * f[r] + mu * df[:, r] - side * df[:, row]
                out.append(linear(f"friction {axis}{'+' if side < 0 else '-'}", mu * f[r] - side * f[row], rates, df))
        else:
            out.append(linear(f"slip {axis}{'+' if sign > 0 else '-'}", sign * a[row], sign * da[:, row], da))
    return out
