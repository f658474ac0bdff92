"""Every answer of a small contact problem by brute force, from the problem file alone (NumPy and SciPy's linear programs).

Planar contacts and the pyramid: each choice of modes is a polyhedron in (v', f); its range of v' and of f is found by linear programs.
Circular cones: sliding directions by Newton's method from a dense grid of starts. Nothing here uses the package.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import linprog

TOLERANCE = 1e-7
BOX, FAR = (
    1e8,
    1e4,
)  # unknowns are kept inside the box, and those beyond `FAR` are unbounded (the test problems have the size 1 to 10)


@dataclass
class Brute:
    """`verdict` of CONTRACT 3; `motions`: distinct v' (ends where they vary); `moves`: v' varies within one choice of modes."""

    verdict: str
    motions: list[np.ndarray] = field(default_factory=list)
    moves: bool = False
    force_low: np.ndarray | None = None
    force_high: np.ndarray | None = None


@dataclass
class Rows:
    W: np.ndarray
    bias: np.ndarray
    M: np.ndarray
    h: np.ndarray
    contacts: list[dict[str, Any]]
    joints: list[dict[str, Any]]
    dim: int


def read(problem: dict[str, Any]) -> Rows:
    contacts, joints = problem.get("contacts", []), problem.get("joints", [])
    dim = 3 if any("W_U" in c for c in contacts) else 2
    keys = ("W_N", "W_T", "W_U")[:dim]
    W = [c[key] for c in contacts for key in keys] + [j["W"] for j in joints]
    bias = [b for c in contacts for b in c.get("bias", [0.0] * dim)] + [j.get("bias", 0.0) for j in joints]
    nv = len(problem["h"])
    return Rows(
        np.array(W, float).reshape(-1, nv),
        np.array(bias, float),
        np.array(problem["M"], float),
        np.array(problem["h"], float),
        contacts,
        joints,
        dim,
    )


def _contact_modes(contact: dict[str, Any], dim: int) -> list[Any]:
    if contact["label"] == "sliding":
        return ["break", "slide"]
    if contact["mu"] == 0.0:
        return ["break", "smooth"]
    return ["break", *itertools.product("0+-", repeat=dim - 1)]


def _joint_modes(joint: dict[str, Any]) -> list[str]:
    if joint["kind"] == "bilateral":
        return ["held"]
    if joint["kind"] == "limit":
        return ["open", "held+"]
    if joint.get("rate", 0.0) != 0.0:
        return ["moving"]
    return ["0", "+", "-"]


class _Program:
    """E x = e, L x <= l in x = (v', f)."""

    def __init__(self, p: Rows) -> None:
        self.p, self.nv, self.n = p, len(p.h), len(p.bias)
        self.E = [*np.hstack([p.M, -p.W.T])]
        self.e = [*p.h]
        self.L: list[np.ndarray] = []
        self.l: list[float] = []

    def _force(self, entries: dict[int, float]) -> np.ndarray:
        row = np.zeros(self.nv + self.n)
        for k, x in entries.items():
            row[self.nv + k] = x
        return row

    def _acceleration(self, k: int, sign: float = 1.0) -> np.ndarray:
        return np.concatenate([sign * self.p.W[k], np.zeros(self.n)])

    def equal_f(self, entries: dict[int, float], value: float = 0.0) -> None:
        self.E.append(self._force(entries))
        self.e.append(value)

    def less_f(self, entries: dict[int, float], value: float = 0.0) -> None:
        self.L.append(self._force(entries))
        self.l.append(value)

    def zero_a(self, k: int) -> None:
        self.E.append(self._acceleration(k))
        self.e.append(-self.p.bias[k])

    def positive_a(self, k: int, sign: float = 1.0) -> None:
        self.L.append(self._acceleration(k, -sign))
        self.l.append(sign * self.p.bias[k])

    def contact(self, i: int, mode: Any) -> None:
        c, d = self.p.contacts[i], self.p.dim
        r, mu = d * i, c["mu"]
        if mode == "break":
            self.positive_a(r)
            for k in range(d):
                self.equal_f({r + k: 1.0})
            return
        self.zero_a(r)
        self.less_f({r: -1.0})
        if mode in ("slide", "smooth"):
            slip = np.array(c.get("slip", [0.0] * (d - 1)), float)
            along = slip / np.linalg.norm(slip) if mode == "slide" else slip * 0
            for k in range(1, d):
                self.equal_f({r + k: 1.0, r: mu * along[k - 1]})
            return
        for k, sign in enumerate(mode, start=1):
            if sign == "0":
                self.zero_a(r + k)
                self.less_f({r + k: 1.0, r: -mu})
                self.less_f({r + k: -1.0, r: -mu})
            else:
                s = 1.0 if sign == "+" else -1.0
                self.positive_a(r + k, s)
                self.equal_f({r + k: 1.0, r: s * mu})

    def joint(self, j: int, mode: str) -> None:
        k, joint = self.p.dim * len(self.p.contacts) + j, self.p.joints[j]
        bound = joint.get("bound", 0.0)
        if mode == "held":
            self.zero_a(k)
        elif mode == "open":
            self.positive_a(k)
            self.equal_f({k: 1.0})
        elif mode == "held+":
            self.zero_a(k)
            self.less_f({k: -1.0})
        elif mode == "moving":
            self.equal_f({k: 1.0}, -bound * np.sign(joint["rate"]))
        elif mode == "0":
            self.zero_a(k)
            self.less_f({k: 1.0}, bound)
            self.less_f({k: -1.0}, bound)
        else:
            s = 1.0 if mode == "+" else -1.0
            self.positive_a(k, s)
            self.equal_f({k: 1.0}, -s * bound)

    def solve(self, cost: np.ndarray) -> tuple[str, np.ndarray | None]:
        result = linprog(
            cost,
            A_ub=np.array(self.L) if self.L else None,
            b_ub=self.l or None,
            A_eq=np.array(self.E),
            b_eq=self.e,
            bounds=(-BOX, BOX),
            method="highs",
        )
        return {0: "optimal", 2: "infeasible"}.get(result.status, "unsettled"), result.x


def every_mode(problem: dict[str, Any]) -> Brute:
    """All answers for planar contacts or the pyramid, degenerate ones included."""
    p = read(problem)
    choices = [_contact_modes(c, p.dim) for c in p.contacts] + [_joint_modes(j) for j in p.joints]
    nv, n = len(p.h), len(p.bias)
    motions: list[np.ndarray] = []
    low, high, varies = np.full(n, math.inf), np.full(n, -math.inf), False
    for modes in itertools.product(*choices):
        program = _Program(p)
        for i, mode in enumerate(modes):
            if i < len(p.contacts):
                program.contact(i, mode)
            else:
                program.joint(i - len(p.contacts), mode)
        outcome, x = program.solve(np.zeros(nv + n))
        if outcome != "optimal" or x is None:
            continue
        mine = [x[:nv]]
        for k in range(nv + n):
            for sign in (1.0, -1.0):
                cost = np.zeros(nv + n)
                cost[k] = sign
                outcome, y = program.solve(cost)
                if outcome == "optimal" and y is not None:
                    varies = varies or bool(np.abs(y[:nv]).max() > FAR)
                    if np.abs(y).max() < FAR:
                        mine.append(y[:nv])
                if k >= nv and y is not None:
                    value = y[k] if abs(y[k]) < FAR else math.copysign(math.inf, y[k])
                    low[k - nv], high[k - nv] = min(low[k - nv], value), max(high[k - nv], value)
        varies = varies or bool(np.ptp(np.array(mine), axis=0).max() > TOLERANCE * (1 + np.abs(mine).max()))
        for v in mine:
            if all(np.abs(v - other).max() > TOLERANCE * (1 + np.abs(other).max()) for other in motions):
                motions.append(v)
    if not motions:
        return Brute("inconsistent")
    if len(motions) > 1 or varies:
        return Brute("indeterminate", motions, varies, low, high)
    # how dependent bilateral rows share their force is no part of the verdict
    own = [
        k
        for k in range(n)
        if k < p.dim * len(p.contacts) or p.joints[k - p.dim * len(p.contacts)]["kind"] != "bilateral"
    ]
    wide = bool(np.any((high - low)[own] > TOLERANCE * (1 + np.abs(np.where(np.isfinite(low), low, 0)))[own]))
    return Brute("force_indeterminate" if wide else "determinate", motions, False, low, high)


# ---- circular cones -------------------------------------------------------------------------------------------------------------------


def cone_answers(problem: dict[str, Any], starts: int = 24) -> list[tuple[np.ndarray, np.ndarray]]:
    """(v', f) of every regular mode; sliding directions by Newton from starts^m directions at once. No joints, W M^-1 W' of full rank."""
    p = read(problem)
    B, free = p.W @ np.linalg.solve(p.M, p.W.T), np.linalg.solve(p.M, p.h)
    c = p.W @ free + p.bias
    kinds = []
    for contact in p.contacts:
        if contact["label"] == "sliding" or contact["mu"] == 0.0:
            kinds.append(("break", "known"))
        else:
            kinds.append(("break", "stick", "slide"))
    answers: list[tuple[np.ndarray, np.ndarray]] = []
    for modes in itertools.product(*kinds):
        for f in _directions(p, B, c, modes, starts):
            a = B @ f + c
            if _lawful(p, f, a) and all(np.abs(f - g).max() > 1e-6 * (1 + np.abs(g).max()) for _, g in answers):
                answers.append((free + np.linalg.solve(p.M, p.W.T @ f), f))
    return answers


def _directions(p: Rows, B: np.ndarray, c: np.ndarray, modes: tuple[str, ...], starts: int) -> list[np.ndarray]:
    slides = [i for i, mode in enumerate(modes) if mode == "slide"]
    m = len(slides)
    grid = 2 * math.pi * (np.arange(starts) + 0.37) / starts
    phis = np.array(list(itertools.product(grid, repeat=m))).reshape(starts**m, m)

    def residual(phi: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Cross product of a_t and the direction, per sliding contact; forces; whether the linear part was solvable. phi: batch x m."""
        batch, columns = len(phi), []
        equations: list[int] = []
        for i, mode in enumerate(modes):
            r = 3 * i
            if mode == "stick":
                for k in range(3):
                    columns.append(np.tile(np.eye(len(c))[r + k], (batch, 1)))
                    equations.append(r + k)
            elif mode != "break":
                column = np.zeros((batch, len(c)))
                column[:, r] = 1.0
                contact = p.contacts[i]
                if mode == "slide":
                    angle = phi[:, slides.index(i)]
                    column[:, r + 1], column[:, r + 2] = -contact["mu"] * np.cos(angle), -contact["mu"] * np.sin(angle)
                elif contact["label"] == "sliding":
                    slip = np.array(contact["slip"], float)
                    column[:, r + 1 : r + 3] = -contact["mu"] * slip / np.linalg.norm(slip)
                columns.append(column)
                equations.append(r)
        if not columns:
            return np.zeros((batch, 0)), np.zeros((batch, len(c))), np.ones(batch, bool)
        F = np.stack(columns, axis=2)
        K = (B @ F)[:, equations, :]
        good = np.abs(np.linalg.det(K)) > 1e-14
        K[~good] = np.eye(len(equations))
        f = (F @ np.linalg.solve(K, np.tile(-c[equations], (batch, 1))[:, :, None]))[:, :, 0]
        a = f @ B.T + c
        cross = [
            a[:, 3 * i + 1] * np.sin(phi[:, k]) - a[:, 3 * i + 2] * np.cos(phi[:, k]) for k, i in enumerate(slides)
        ]
        return np.array(cross).T.reshape(batch, m), f, good

    if m == 0:
        _, f, good = residual(phis)
        return [f[0]] if good[0] else []
    step = 1e-6
    for _ in range(40):
        value, _, _ = residual(phis)
        J = np.stack(
            [
                (residual(phis + step * np.eye(m)[k])[0] - residual(phis - step * np.eye(m)[k])[0]) / (2 * step)
                for k in range(m)
            ],
            axis=2,
        )
        bad = np.abs(np.linalg.det(J)) < 1e-13
        J[bad] = np.eye(m)
        change = -np.linalg.solve(J, value[:, :, None])[:, :, 0]
        phis = phis + change * np.minimum(1.0, 0.3 / np.maximum(np.abs(change).max(axis=1, keepdims=True), 1e-300))
    value, f, good = residual(phis)
    size = 1 + np.abs(f).max(axis=1)
    return list(f[good & (np.abs(value).max(axis=1) < 1e-9 * size)])


def _lawful(p: Rows, f: np.ndarray, a: np.ndarray) -> bool:
    F, A = 1e-7 * (1 + np.abs(f).max()), 1e-7 * (1 + np.abs(a).max())
    for i, contact in enumerate(p.contacts):
        fi, ai, mu = f[3 * i : 3 * i + 3], a[3 * i : 3 * i + 3], contact["mu"]
        if fi[0] < -F or ai[0] < -A or min(abs(fi[0]), abs(ai[0])) > max(F, A):
            return False
        if contact["label"] == "rolling":
            if np.hypot(*fi[1:]) > mu * fi[0] + F:
                return False
            if np.hypot(*ai[1:]) > A and np.abs(np.hypot(*ai[1:]) * fi[1:] + mu * fi[0] * ai[1:]).max() > 1e-7 * (
                1 + np.abs(f).max()
            ) * (1 + np.abs(a).max()):
                return False
    return True
