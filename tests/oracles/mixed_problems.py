"""Contact problems of several bodies that roll and slide on each other, on the ground and on moving links (the future work of paper 002).

Two or three free spheres with inertia, links of arms with revolute joints, a fixed ground. The twists are drawn from those that
keep every contact closed and every rolling contact at zero slip; what they leave at rest is labelled rolling."""

from functools import lru_cache

import numpy as np

from knuckle.contact.kinematics import contact_acceleration
from knuckle.instant.problem import read_problem

G = 9.81
UP = np.array([0.0, 0.0, 1.0])


def unit(x):
    return x / np.linalg.norm(x)


def cross(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def tangents(rng, n):
    """T and U = n x T, T anywhere in the tangent plane."""
    T = unit(np.cross(n, unit(rng.normal(size=3))))
    return T, np.cross(n, T)


class World:
    """Bodies: free spheres (six velocities each: centre, rotation), then arms (their joint rates); None is the ground."""

    def __init__(self, rng, spheres, arms):
        self.rng = rng
        self.radius = rng.uniform(0.03, 0.2, spheres)
        self.mass = rng.uniform(0.1, 3.0, spheres)
        self.centre = [np.array([0.0, 0.0, 0.3])]
        for i in range(1, spheres):  # each touches one before it
            j = int(rng.integers(i))
            self.centre.append(self.centre[j] + (self.radius[i] + self.radius[j]) * unit(rng.normal(size=3) + UP))
        self.joints = [int(rng.integers(1, 4)) for _ in range(arms)]
        self.first = np.concatenate([6 * np.arange(spheres), 6 * spheres + np.cumsum([0, *self.joints])]).astype(int)
        self.nv = int(self.first[-1])
        self.arms = [[(unit(rng.normal(size=3)), None) for _ in range(count)] for count in self.joints]
        self.spheres = spheres

    def inertia(self):
        M = np.zeros((self.nv, self.nv))
        for i in range(self.spheres):
            turn = np.linalg.qr(self.rng.normal(size=(3, 3)))[0]
            size = self.mass[i] * self.radius[i] ** 2 * self.rng.uniform(0.25, 0.5, 3)  # not homogeneous
            M[6 * i:6 * i + 3, 6 * i:6 * i + 3] = self.mass[i] * np.eye(3)
            M[6 * i + 3:6 * i + 6, 6 * i + 3:6 * i + 6] = turn @ np.diag(size) @ turn.T
        for k, count in enumerate(self.joints):
            own = slice(self.first[self.spheres + k], self.first[self.spheres + k] + count)
            root = self.rng.normal(size=(count, count))
            M[own, own] = self.rng.uniform(0.01, 0.3) * (root @ root.T + 0.3 * np.eye(count))
        return M

    def point_rows(self, body, point, pivots):
        """3 x nv: velocity of the material point; 3 x nv: angular velocity of the body."""
        P, R = np.zeros((3, self.nv)), np.zeros((3, self.nv))
        if body is None:
            return P, R
        own = self.first[body]
        if body < self.spheres:
            P[:, own:own + 3], P[:, own + 3:own + 6] = np.eye(3), -cross(point - self.centre[body])
            R[:, own + 3:own + 6] = np.eye(3)
        else:
            for j, (axis, _) in enumerate(self.arms[body - self.spheres]):
                P[:, own + j], R[:, own + j] = np.cross(axis, point - pivots[j]), axis
        return P, R


def acceleration_at_rest_rates(world, body, point, pivots, v):
    """Of the material point where v' = 0."""
    if body is None:
        return np.zeros(3)
    own = world.first[body]
    if body < world.spheres:
        w = v[own + 3:own + 6]
        return np.cross(w, np.cross(w, point - world.centre[body]))
    total, w = np.zeros(3), np.zeros(3)
    axes = [axis for axis, _ in world.arms[body - world.spheres]]
    for j, axis in enumerate(axes):  # w_j x (w_j x to the next pivot) + (w_(j-1) x axis_j rate_j) x to the point
        rate, end = v[own + j], pivots[j + 1] if j + 1 < len(axes) else point
        total = total + np.cross(np.cross(w, axis * rate), point - pivots[j])
        w = w + axis * rate
        total = total + np.cross(w, np.cross(w, end - pivots[j]))
    return total


def places(rng, world, contacts):
    """(A, B, point, n into A, pivots of B's arm, curvature of B): touching spheres first, then ground and arms."""
    found = []
    for i in range(world.spheres):
        for j in range(i):
            apart = world.centre[i] - world.centre[j]
            if abs(np.linalg.norm(apart) - world.radius[i] - world.radius[j]) < 1e-12:
                n = unit(apart)
                found.append((i, j, world.centre[j] + world.radius[j] * n, n, None, 1.0 / world.radius[j]))
    arms = list(range(world.spheres, world.spheres + len(world.joints)))
    while len(found) < contacts:
        i = int(rng.integers(world.spheres))
        body = arms.pop() if arms else None
        n = unit(rng.normal(size=3) + UP * (1.0 if body is None else 0.3))
        point = world.centre[i] - world.radius[i] * n
        pivots = None if body is None else [point - rng.uniform(0.1, 0.5) * unit(rng.normal(size=3) + n) for _ in world.arms[body - world.spheres]]
        found.append((i, body, point, n, pivots, 0.0 if rng.random() < 0.5 else 1.0 / rng.uniform(0.02, 0.3)))
    return found[:contacts]


def velocity(rng, rows, rolling):
    """Generalised velocity with v_N = 0 at every contact and no slip at the rolling ones; at rest in one problem of four."""
    fixed = np.vstack([own if rolls else own[:1] for own, rolls in zip(rows, rolling, strict=True)])
    _, size, V = np.linalg.svd(fixed)
    free = V[int((size > 1e-10 * size[0]).sum()):]
    if rng.random() < 0.25 or not len(free):
        return np.zeros(fixed.shape[1])
    v = rng.normal(size=len(free)) @ free
    return v * rng.uniform(0.1, 1.0) / (np.abs(v).max() or 1.0)


def mixed_problem(rng, spheres=None, contacts=None, slides=0.5):
    """The document of CONTRACT 3. `slides`: share of contacts that may slide."""
    spheres = int(rng.integers(2, 4)) if spheres is None else spheres
    contacts = int(rng.integers(max(2, spheres - 1), 7)) if contacts is None else contacts
    world = World(rng, spheres, int(rng.integers(0, max(contacts - spheres, 0) + 2)))
    spots = places(rng, world, contacts)
    frames = [np.array([n, *tangents(rng, n)]) for _, _, _, n, _, _ in spots]
    A_rows = [world.point_rows(i, point, None) for i, _, point, _, _, _ in spots]
    B_rows = [world.point_rows(j, point, pivots) for _, j, point, _, pivots, _ in spots]
    W = [E @ (A[0] - B[0]) for E, A, B in zip(frames, A_rows, B_rows, strict=True)]
    rolling = rng.random(contacts) >= slides
    v = velocity(rng, W, rolling)
    listed = []
    for k, (i, j, point, n, pivots, bend) in enumerate(spots):
        (P_A, R_A), (P_B, R_B), E = A_rows[k], B_rows[k], frames[k]
        K = np.eye(3) - np.outer(n, n)
        moved = contact_acceleration(
            n, K / world.radius[i], K * bend, P_A @ v, R_A @ v, acceleration_at_rest_rates(world, i, point, None, v), P_B @ v, R_B @ v,
            acceleration_at_rest_rates(world, j, point, pivots, v))
        slip = E[1:] @ (P_A - P_B) @ v
        slides_here = np.linalg.norm(slip) > 1e-6
        listed.append({
            "label": "sliding" if slides_here else "rolling", "mu": float(rng.uniform(0.05, 1.0)),
            "slip": slip.tolist() if slides_here else [0.0, 0.0],
            "bias": [float(moved.gap_acceleration), *(E[1:] @ moved.relative_acceleration).tolist()],
        } | {key: row.tolist() for key, row in zip(("W_N", "W_T", "W_U"), W[k], strict=True)})  # fmt: skip
    M, h = world.inertia(), np.zeros(world.nv)
    for i in range(spheres):
        w, own = v[6 * i + 3:6 * i + 6], M[6 * i + 3:6 * i + 6, 6 * i + 3:6 * i + 6]
        h[6 * i + 2] = -world.mass[i] * G
        h[6 * i:6 * i + 3] += world.mass[i] * rng.normal(size=3) * 2.0
        h[6 * i + 3:6 * i + 6] = rng.normal(size=3) * world.mass[i] * world.radius[i] - np.cross(w, own @ w)
    for k, count in enumerate(world.joints):  # arms press against what they touch
        own = slice(world.first[spheres + k], world.first[spheres + k] + count)
        pushed = sum((B[0][:, own].T @ n for (_, j, _, n, _, _), B in zip(spots, B_rows, strict=True) if j == spheres + k), np.zeros(count))
        h[own] = rng.uniform(0.0, 20.0) * pushed + 0.3 * rng.normal(size=count)
    return {"M": M.tolist(), "h": h.tolist(), "contacts": listed}


@lru_cache(maxsize=64)
def drawn(seed):
    """One of the numbered problems, read."""
    return read_problem(mixed_problem(np.random.default_rng([9, seed])))
