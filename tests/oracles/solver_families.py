"""Random families of complementarity and friction problems that have an answer by construction, from NumPy alone.

`lcp(family, index)` and `cone(family, index)` are the same problem for ever: the family's name and the index are the seed, and sizes go
round with the index (1-24 rows, 1-20 contacts). Why each family has an answer:

LCP, w = A z + b: a P matrix gives exactly one answer for every b. Without one:
- low rank: A = B B', b = B x. If y >= 0 and A y <= 0 then B'y = 0, so b.y = 0: Farkas finds nothing, and a feasible semidefinite problem is solvable.
- duplicated: A = E A0 E', b = E b0 with E >= 0 and A0 a P matrix: split the answer of (A0, b0) among the copies.

Cones, W = G M^-1 G', q = G M^-1 f (a free acceleration seen at the contacts). There is an answer for every f when some motion v parts all
contacts strictly, u_N > mu |u_T| with u = G v: then no force balances itself, the forces of the convex problem with s = mu |u_T| given stay
bounded, and Brouwer's theorem gives an s that reproduces itself. G with independent rows, stacks (each level rises faster than the one below) and
chains (bodies part along their line, normals within 30 degrees of it, mu < 1.7) have such a motion. `one body` has none in general: one half is
manufactured around a chosen motion (u = G v, forces that obey the law, f what is missing); for the other half the same reasoning gives answers
up to closure: forces may have to grow beyond any bound, which chance alone does not meet.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

GRAVITY = 9.81
ROWS, CONTACTS = 24, 20


@dataclass(frozen=True)
class Lcp:
    """`rows`, `columns`: A = diag(rows) A0 diag(columns), b = rows b0 with A0, b0 of ordinary size."""

    A: np.ndarray
    b: np.ndarray
    rows: np.ndarray
    columns: np.ndarray


@dataclass(frozen=True)
class Cone:
    W: np.ndarray        # (3k, 3k), rows N, T1, T2
    q: np.ndarray
    mu: np.ndarray


def plain(A: np.ndarray, b: np.ndarray) -> Lcp:
    return Lcp(A, b, np.ones(b.size), np.ones(b.size))


def spread(rng: np.random.Generator, n: int, span: float) -> np.ndarray:
    """Log-uniform numbers, the largest `span` times the smallest."""
    powers = rng.uniform(0.0, 1.0, n)
    if n > 1:
        powers[rng.permutation(n)[:2]] = 0.0, 1.0
    return span ** (powers - 0.5)


def p_matrix(rng: np.random.Generator, n: int) -> np.ndarray:
    """Positive definite with little or much asymmetry; row dominant; quotients of row dominant matrices; triangular."""
    manner = int(rng.integers(5))
    if manner < 2:
        root, skew = rng.normal(size=(2, n, n))
        return root @ root.T / n + 0.05 * np.eye(n) + (0.3, 10 ** rng.uniform(0, 1.5))[manner] * (skew - skew.T)
    if manner == 4:
        return np.tril(rng.uniform(-1, 1, (n, n)), -1) + np.diag(rng.uniform(0.5, 2, n))
    one, two = (dominant(rng, n) for _ in range(2))
    # T C + (I - T) B is row dominant for every diagonal 0 <= T <= I, so T + (I - T) B C^-1 is regular: B C^-1 is P
    return one if manner == 2 else np.linalg.solve(two.T, one.T).T


def dominant(rng: np.random.Generator, n: int) -> np.ndarray:
    A = rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.6)
    np.fill_diagonal(A, 0.0)
    np.fill_diagonal(A, np.abs(A).sum(axis=1) * rng.uniform(1.05, 1.5) + 0.1)
    return A


def well_posed(rng: np.random.Generator, n: int) -> np.ndarray:
    """P, its condition below about 1e3."""
    root, skew = np.linalg.qr(rng.normal(size=(n, n)))[0], rng.normal(size=(n, n))
    return (root * 10 ** rng.uniform(-1, 1, n)) @ root.T + 10 ** rng.uniform(-2, 0.5) * (skew - skew.T) / math.sqrt(n)


def random_p(rng: np.random.Generator, n: int) -> Lcp:
    units = 10 ** rng.uniform(-6, 6) if rng.random() < 0.25 else 1.0       # the residual's 1 must not matter
    return plain(p_matrix(rng, n), rng.normal(size=n) * units)


def low_rank(rng: np.random.Generator, n: int) -> Lcp:
    """One half in integers, where A is of low rank exactly."""
    rank = int(rng.integers(1, max(2, n // 2 + 1)))
    if rng.random() < 0.5:
        B, x = rng.integers(-3, 4, (n, rank)).astype(float), rng.integers(-5, 6, rank).astype(float)
    else:
        B, x = rng.normal(size=(n, rank)), rng.normal(size=rank)
    return plain(B @ B.T, B @ x)


def degenerate(rng: np.random.Generator, n: int) -> Lcp:
    """Many pairs z_i = w_i = 0; one half in integers, where they are so exactly."""
    share = rng.uniform(0.3, 1.0)
    z, w = (rng.integers(1, 6, n) * (rng.random(n) < 0.5).astype(float) for _ in range(2))
    w[z > 0] = 0.0
    w[rng.random(n) < share] = 0.0
    if rng.random() < 0.5:
        A = np.tril(rng.integers(-2, 3, (n, n)), -1) + np.diag(rng.integers(1, 4, n))     # P, and still P with its order changed
        order = rng.permutation(n)
        A = A[np.ix_(order, order)].astype(float)
    else:
        A = p_matrix(rng, n)
    return plain(A, w - A @ z)


def duplicated(rng: np.random.Generator, n: int) -> Lcp:
    """Rows and columns repeated, some of them by a multiple."""
    few = int(rng.integers(1, max(2, n // 2 + 1)))
    chosen = np.concatenate([np.arange(few), rng.integers(few, size=n - few)])
    E = np.eye(few)[rng.permutation(chosen)] * rng.choice([1.0, 1.0, 0.5, 3.0], size=(n, 1))
    return plain(E @ p_matrix(rng, few) @ E.T, E @ rng.normal(size=few))


def spanned(span: float) -> Callable[[np.random.Generator, int], Lcp]:
    """A well-posed problem in units that span so much: of w alone, of z alone, of both alike, of both apart."""

    def make(rng: np.random.Generator, n: int) -> Lcp:
        A, b, manner = well_posed(rng, n), rng.normal(size=n), int(rng.integers(4))
        if manner < 2:
            rows, columns = (spread(rng, n, span), np.ones(n))[:: 1 - 2 * manner]
        else:
            rows = spread(rng, n, math.sqrt(span))
            columns = rows if manner == 2 else spread(rng, n, math.sqrt(span))
        return Lcp(rows[:, None] * A * columns, rows * b, rows, columns)

    return make


def turned(rng: np.random.Generator, normal: Any) -> np.ndarray:
    """Rows n, t1, t2: the tangents turned at random about the normal."""
    n = np.asarray(normal) / np.linalg.norm(normal)
    t = np.cross(n, rng.normal(size=3))
    t /= np.linalg.norm(t)
    return np.array([n, t, np.cross(n, t)])


class Bodies:
    """Free rigid bodies with boxes' inertia; contacts add rows of G, the relative velocity of `upper` to `lower` (None: the world)."""

    def __init__(self, rng: np.random.Generator, masses: np.ndarray, centres: np.ndarray, sides: np.ndarray):
        self.rng, self.masses, self.centres = rng, masses, centres
        self.inverse = np.zeros((6 * len(masses), 6 * len(masses)))
        for i, (m, (a, b, c)) in enumerate(zip(masses, sides, strict=True)):
            R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
            inertia = m / 12 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
            self.inverse[6 * i:6 * i + 3, 6 * i:6 * i + 3] = np.eye(3) / m
            self.inverse[6 * i + 3:6 * i + 6, 6 * i + 3:6 * i + 6] = (R / inertia) @ R.T
        self.rows: list[np.ndarray] = []

    def touch(self, upper: int, lower: int | None, at: Any, normal: Any) -> None:
        G, frame = np.zeros((3, 6 * len(self.masses))), turned(self.rng, normal)
        for body, sign in ((upper, 1.0), (lower, -1.0)):
            if body is not None:
                G[:, 6 * body:6 * body + 6] = sign * np.hstack([frame, np.cross(at - self.centres[body], frame)])
        self.rows.append(G)

    def problem(self, f: np.ndarray, mu: np.ndarray) -> Cone:
        G = np.vstack(self.rows)
        through = G @ self.inverse
        return Cone(through @ G.T, through @ f, mu)


def friction(rng: np.random.Generator, k: int) -> np.ndarray:
    """0.05 to 1.2, sometimes one for all, sometimes a contact without."""
    mu = np.full(k, rng.uniform(0.05, 1.2)) if rng.random() < 0.5 else rng.uniform(0.05, 1.2, k)
    return mu * (rng.random(k) > 0.1) if rng.random() < 0.2 else mu


def random_cones(rng: np.random.Generator, k: int) -> Cone:
    """W of full rank, of no particular bodies."""
    A = rng.normal(size=(3 * k, 3 * k + int(rng.integers(0, 6))))
    return Cone(A @ A.T, rng.normal(size=3 * k), friction(rng, k))


def grazing(rng: np.random.Generator, k: int) -> Cone:
    """The answer lies on borders: at rest without force, sticking on the cone's edge, leaving or sliding by next to nothing."""
    A = rng.normal(size=(3 * k, 3 * k + 3))
    W, mu, r, u = A @ A.T, rng.uniform(0.05, 1.2, k), np.zeros(3 * k), np.zeros(3 * k)
    for i in range(k):
        turn, border, tiny = rng.uniform(0, 2 * math.pi), int(rng.integers(7)), 10 ** rng.uniform(-12, -3)
        e = np.array([math.cos(turn), math.sin(turn)])
        if border in (1, 2, 6):                     # on the edge of its cone: sticks, barely slides, slides with hardly any force
            r[3 * i:3 * i + 3] = (tiny if border == 6 else rng.uniform(0.1, 2)) * np.array([1.0, *(-mu[i] * e)])
            u[3 * i + 1:3 * i + 3] = (0.0, tiny, 1.0)[(1, 2, 6).index(border)] * e
        elif border in (3, 4):                      # leaves with no acceleration along the normal, or hardly any
            u[3 * i:3 * i + 3] = [tiny * (border == 4), *e]
        elif border == 5:                           # rests with hardly any force
            r[3 * i:3 * i + 3] = tiny * np.array([1.0, *(-0.5 * mu[i] * e)])
    return Cone(W, u - W @ r, mu)


def twice(rng: np.random.Generator, k: int) -> Cone:
    """Every contact of independent rows twice (a single contact stays one)."""
    few = max(1, k // 2)
    G = rng.normal(size=(3 * few, 3 * few + int(rng.integers(0, 4))))
    order = rng.permutation(2 * few) % few if k > 1 else np.zeros(1, int)
    W, q, mu = G @ G.T, rng.normal(size=3 * few), friction(rng, few)
    rows = (3 * order[:, None] + np.arange(3)).ravel()
    return Cone(W[np.ix_(rows, rows)], q[rows], mu[order])


def pushes(rng: np.random.Generator, masses: np.ndarray, loads: np.ndarray, size: float) -> np.ndarray:
    """Weight, and a wrench on each body up to twice its weight or, in one half, twice its load: only that can move a light body under a heavy one."""
    most, weight = 10 ** rng.uniform(-2, 0.3), masses * GRAVITY
    wrench = rng.normal(size=(len(masses), 6)) * most * (weight if rng.random() < 0.5 else loads * GRAVITY)[:, None]
    wrench[:, 3:] *= size
    wrench[:, 2] = np.minimum(0.2 * wrench[:, 2], 0.0) - weight
    return wrench.ravel()


def chains(ratio: float) -> Callable[[np.random.Generator, int], Cone]:
    """A row of bodies on a fixed one, heavy and light in any order, neighbours touching at 1 to 4 points."""

    def make(rng: np.random.Generator, k: int) -> Cone:
        counts = parts(rng, k, 1, 4)
        n, size = len(counts), 0.1
        line = rng.normal(size=3)
        line /= np.linalg.norm(line)
        centres = np.outer(np.arange(1, n + 1) * size, line)
        bodies = Bodies(rng, rng.uniform(0.1, 2) * spread(rng, n, ratio), centres, size * rng.uniform(0.5, 1.5, (n, 3)))
        for i, count in enumerate(counts):
            for _ in range(count):
                lean = rng.normal(size=3)
                lean -= lean @ line * line
                normal = line + lean / np.linalg.norm(lean) * math.tan(math.radians(rng.uniform(0, 29)))
                bodies.touch(i, i - 1 if i else None, centres[i] - 0.5 * size * line + 0.3 * size * rng.normal(size=3), normal)
        return bodies.problem(pushes(rng, bodies.masses, np.full(n, bodies.masses.max()), size), friction(rng, k))

    return make


def parts(rng: np.random.Generator, k: int, least: int, most: int) -> list[int]:
    """k as a sum of random numbers from `least` to `most`; the last may be less."""
    counts: list[int] = []
    while sum(counts) < k:
        counts.append(min(int(rng.integers(least, most + 1)), k - sum(counts)))
    return counts


def stacks(ratio: float) -> Callable[[np.random.Generator, int], Cone]:
    """Light below, heavy on top, the masses growing by steps to `ratio`; level ground, or an incline; every contact along one normal.

    A level stands on 4 corners (box), 3 legs, 2 (a plank's edge) or 1 point (a ball); one level is not always above the middle of the next.
    """

    def make(rng: np.random.Generator, k: int) -> Cone:
        counts = parts(rng, k, 1, 4) if rng.random() < 0.3 else parts(rng, k, 3, 4)
        n, size = len(counts), rng.uniform(0.03, 0.3)
        centres = size * np.column_stack([0.15 * rng.normal(size=(n, 2)), np.arange(n) + 0.5])
        powers = np.arange(n) / max(n - 1, 1)
        bodies = Bodies(rng, rng.uniform(0.1, 2) * ratio**powers, centres, size * rng.uniform(0.7, 1.0, (n, 3)))
        for i, count in enumerate(counts):
            turn = rng.uniform(0, 2 * math.pi) + 2 * math.pi * np.arange(count) / count
            reach = 0.45 * size * (count > 1)
            for angle in turn:
                at = centres[i] + [reach * math.cos(angle), reach * math.sin(angle), -0.5 * size]
                bodies.touch(i, i - 1 if i else None, at, [0, 0, 1.0])
        loads = bodies.masses[::-1].cumsum()[::-1]
        f, slope = pushes(rng, bodies.masses, loads, size), rng.uniform(0, 0.6) * (rng.random() < 0.3)
        f[2::6] += (1 - math.cos(slope)) * GRAVITY * bodies.masses
        f[0::6] += math.sin(slope) * GRAVITY * bodies.masses
        return bodies.problem(f, friction(rng, k))

    return make


def one_body(rng: np.random.Generator, k: int) -> Cone:
    """Up to 20 fixed bodies around one: rank 6. Odd draws are manufactured around a motion, the others pushed at random."""
    size, mu, made = 0.1, friction(rng, k), rng.random() < 0.5
    bodies = Bodies(rng, np.array([rng.uniform(0.1, 2)]), np.zeros((1, 3)), size * rng.uniform(0.5, 1.5, (1, 3)))
    spin, through = rng.normal(size=3), size * rng.normal(size=3) * 0.3             # a rotation about an axis through this point
    held, r = rng.random() < 0.4, np.zeros(3 * k)
    for i in range(k):
        at, normal, mode = size * rng.normal(size=3) * 0.5, rng.normal(size=3), int(rng.integers(3))
        slip = np.zeros(3) if held else np.cross(spin, at - through)
        if mode == 2 and not held:                                                  # rolls: the point lies on the axis
            at, slip = through + spin * 0.3 * size * rng.normal(), np.zeros(3)
        elif not held:
            normal = np.cross(slip, rng.normal(size=3)) if mode == 1 else normal * np.sign(normal @ slip)
        bodies.touch(0, None, at, normal)
        frame = bodies.rows[-1][:, :3]
        if held or mode:
            e = frame[1:] @ slip
            turn = rng.uniform(0, 2 * math.pi)
            e = e / np.linalg.norm(e) if mode == 1 and not held else rng.uniform(0, 0.9) * np.array([math.cos(turn), math.sin(turn)])
            r[3 * i:3 * i + 3] = rng.uniform(0.1, 2) * np.array([1.0, *(-mu[i] * e)])
    if not made:
        return bodies.problem(pushes(rng, bodies.masses, bodies.masses, size) + rng.normal(size=6) * [1, 1, 1, size, size, size], mu)
    G, v = np.vstack(bodies.rows), np.concatenate([-np.cross(spin, through), spin]) * (not held)
    return bodies.problem(np.linalg.solve(bodies.inverse, v) - G.T @ r, mu)


def unsolvable(rng: np.random.Generator, n: int) -> Lcp:
    """Some rows of w add up to less than nothing whatever z >= 0 is: Farkas' proof in integers, with room to spare or none."""
    A, b = (rng.integers(-4, 5, size).astype(float) for size in ((n, n), n))
    some = rng.permutation(n)[: int(rng.integers(1, n + 1))]
    room = int(rng.integers(2))
    A[some[0]] -= np.maximum(A[some].sum(axis=0) + room, 0.0)
    b[some[0]] -= max(b[some].sum() + 1.0, 0.0)
    return plain(A, b)


def squeezed(rng: np.random.Generator, k: int) -> Cone:
    """A body between two walls that close upon it along one line, beside up to 18 other contacts: u_N1 + u_N2 = q_N1 + q_N2 < 0 for all forces."""
    G = rng.normal(size=(3 * max(k, 2), 6))
    G[3:6] = -G[:3] * [[1], [1], [-1]]
    W, q, mu = G @ G.T, G @ rng.normal(size=6), friction(rng, max(k, 2))
    q[[0, 3]] -= 1.0
    return Cone(W, q, mu)


LCPS: dict[str, Callable[[np.random.Generator, int], Lcp]] = {
    "P": random_p, "low rank": low_rank, "degenerate": degenerate, "duplicated": duplicated,
    "span 1e6": spanned(1e6), "span 1e12": spanned(1e12)}  # fmt: skip
CONES: dict[str, Callable[[np.random.Generator, int], Cone]] = {
    "random": random_cones, "grazing": grazing, "twice": twice, "mass ratio 1e6": chains(1e6), "one body": one_body,
    "stacks 1e2": stacks(1e2), "stacks 1e4": stacks(1e4), "stacks 1e6": stacks(1e6)}  # fmt: skip

# Problems without an answer: whoever finds one is wrong.
NONE: dict[str, Callable[[np.random.Generator, int], Any]] = {"unsolvable": unsolvable, "squeezed": squeezed}


def lcp(family: str, index: int) -> Lcp:
    return (LCPS | NONE)[family](np.random.default_rng([zlib.crc32(family.encode()), index]), 1 + index % ROWS)


def cone(family: str, index: int) -> Cone:
    return (CONES | NONE)[family](np.random.default_rng([zlib.crc32(family.encode()), index]), 1 + index % CONTACTS)
