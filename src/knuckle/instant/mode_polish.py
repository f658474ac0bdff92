"""Forces that hold modes exactly: Newton on the equations of break, stick and slide, the slide direction unknown."""
from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from knuckle.complementarity.cone_kernels import BREAK, SLIDE, STICK
from knuckle.instant.contact_mncp import ContactMncp

UNSURE = 1e-3          # of order-one forces and accelerations: modes that this would change are tried as well
MOST_UNSURE = 4        # contacts whose modes are tried both ways
STEPS = 30


def likely_modes(mncp: ContactMncp, u: np.ndarray, v: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Modes of sliding and rolling contacts at a point, the most likely first, then those that a small change would give.

    The point is near an answer at best: pairs are compared with one another, where `active_mode.cell_of` reads zeros off an answer."""
    nS = len(mncp.S)
    c_n, _, c_t, _, forces = mncp.parts(u, v)
    a = mncp.A_mu @ forces + mncp.b
    a_n, a_t = a[:mncp.n], a[mncp.n:].reshape(mncp.tangents, -1)
    kept = c_n > a_n
    spare = mncp.mu * c_n[nS:] - np.linalg.norm(c_t, axis=0)
    slides = np.linalg.norm(a_t, axis=0) > np.maximum(spare, 0.0)
    modes = np.where(kept, STICK, BREAK)
    modes[nS:][kept[nS:] & slides] = SLIDE
    choices, doubt = [[int(mode)] for mode in modes], np.maximum(np.abs(c_n), np.abs(a_n))
    doubt[nS:] = np.minimum(doubt[nS:], np.where(kept[nS:], np.maximum(np.abs(spare), np.linalg.norm(a_t, axis=0)), np.inf))
    for i in np.argsort(doubt, kind="stable")[:MOST_UNSURE]:
        if doubt[i] < UNSURE:
            choices[i] += [mode for mode in ((BREAK, STICK, SLIDE) if i >= nS else (BREAK, STICK)) if mode != choices[i][0]]
    for chosen in itertools.product(*choices):
        yield np.array(chosen[:nS], dtype=int), np.array(chosen[nS:], dtype=int)


class ModeEquations:
    """Unknowns y: c_n of kept contacts, then c_t of sticking ones and the unit direction of slide of sliding ones."""

    def __init__(self, mncp: ContactMncp, sliding: np.ndarray, rolling: np.ndarray) -> None:
        self.mncp, nS, n, nR = mncp, len(mncp.S), mncp.n, len(mncp.R)
        self.kept = np.concatenate([sliding != BREAK, rolling != BREAK])
        self.stick, self.slide = np.flatnonzero(rolling == STICK), np.flatnonzero(rolling == SLIDE)
        self.normal = np.flatnonzero(self.kept)
        self.place = {int(i): k for k, i in enumerate(self.normal)}
        self.stick_rows = np.array([n + k * nR + i for k in range(mncp.tangents) for i in self.stick], dtype=int)
        self.slide_rows = np.array([[n + k * nR + i for k in range(mncp.tangents)] for i in self.slide], dtype=int).reshape(-1, mncp.tangents)
        self.own = np.array([self.place[nS + int(i)] for i in self.slide], dtype=int)
        self.mu = mncp.mu[self.slide]

    def start(self, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Forces of sticking contacts and all normals as they are; directions against the friction, or along the acceleration."""
        forces = self.mncp.parts(u, v)[4]
        a = self.mncp.A_mu @ forces + self.mncp.b
        along = a[self.slide_rows] - forces[self.slide_rows]
        length = np.linalg.norm(along, axis=1, keepdims=True)
        return np.concatenate([forces[self.normal], forces[self.stick_rows]]), along / np.where(length > 0.0, length, 1.0)

    def forces(self, y: np.ndarray, e: np.ndarray) -> np.ndarray:
        forces, k = np.zeros(len(self.mncp.b)), len(self.normal)
        forces[self.normal], forces[self.stick_rows] = y[:k], y[k:]
        forces[self.slide_rows] = -(self.mu * y[self.own])[:, None] * e
        return forces

    def step(self, y: np.ndarray, e: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """One Newton step; the size of what was wrong before it. Directions turn by the angle theta (in the plane they are fixed)."""
        A, b, turns = self.mncp.A_mu, self.mncp.b, self.mncp.tangents == 2
        rows = np.concatenate([self.normal, self.stick_rows])
        a = A @ self.forces(y, e) + b
        columns = np.zeros((len(b), len(y) + (len(self.slide) if turns else 0)))
        columns[rows, np.arange(len(y))] = 1.0
        side = np.stack([-e[:, 1], e[:, 0]], axis=1) if turns else np.zeros_like(e)
        for k, own in enumerate(self.own):
            columns[self.slide_rows[k], own] = -self.mu[k] * e[k]
            if turns:
                columns[self.slide_rows[k], len(y) + k] = -self.mu[k] * y[own] * side[k]
        motion = A @ columns
        wrong, J = a[rows], motion[rows]
        if turns and len(self.slide):                       # side.a_t = 0; side turns as well: d side / d theta = -e
            cross = (side * a[self.slide_rows]).sum(axis=1)
            turned = np.einsum("ki,kij->kj", side, motion[self.slide_rows])
            turned[np.arange(len(self.slide)), len(y) + np.arange(len(self.slide))] -= (e * a[self.slide_rows]).sum(axis=1)
            wrong, J = np.concatenate([wrong, cross]), np.vstack([J, turned])
        d = np.linalg.lstsq(J, -wrong, rcond=1e-12)[0] if wrong.size else np.zeros(0)
        theta = d[len(y):] if turns else np.zeros(len(e))
        turned_e = np.cos(theta)[:, None] * e + np.sin(theta)[:, None] * side
        return y + d[:len(y)], turned_e, float(np.abs(wrong).max(initial=0.0))


def hold_modes(mncp: ContactMncp, sliding: np.ndarray, rolling: np.ndarray, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(u, v) whose forces fulfil the equations of the modes as far as Newton's steps from here can; lambda by (30). No sign is checked."""
    equations = ModeEquations(mncp, sliding, rolling)
    y, e = equations.start(u, v)
    best, least = (y, e), np.inf
    for _ in range(STEPS):
        following = equations.step(y, e)
        if not following[2] < least:
            break
        best, least, (y, e, _) = (y, e), following[2], following
    forces = equations.forces(*best)
    forces[:mncp.n] = np.maximum(forces[:mncp.n], 0.0)       # round-off, or no answer anyway
    return point_of(mncp, forces)


def point_of(mncp: ContactMncp, forces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(u, v) of forces, with the accelerations of (25) and lambda of (30)."""
    a_t = (mncp.A_mu @ forces + mncp.b)[mncp.n:]
    lam = np.linalg.norm(a_t.reshape(mncp.tangents, -1), axis=0)                      # (30)
    return np.concatenate([forces[:mncp.n], lam]), np.concatenate([forces[mncp.n:], a_t])
