"""Random members of the families of tests/data/spatial/problems, with answers from closed forms (PHYSICS 4).

Every generator takes a NumPy Generator and returns a `Case`: a problem file of CONTRACT 3 and, per law, what must come out.
Nothing here uses the package: each answer is a formula derived from Newton's and Coulomb's laws for that one case.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

G = 9.81
X, Y, Z = np.eye(3)
BOTH = ("cone", "pyramid")


@dataclass
class Case:
    """`verdict`: per law. `solutions`: all answers (f and a flat, N T U contact after contact), per law."""

    name: str
    problem: dict[str, Any]
    verdict: dict[str, str] = field(default_factory=dict)
    solutions: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    contains: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    vdot: list[float] | None = None
    a: list[float] | None = None
    transitions: list[str] | None = None
    p_matrix: bool | None = None
    continuum: bool = False

    def one(
        self, f: Any, a: Any, transitions: list[str], laws: tuple[str, ...] = BOTH, verdict: str = "determinate"
    ) -> Case:
        for law in laws:
            self.verdict[law] = verdict
            self.solutions[law] = [{"f": np.ravel(f).tolist(), "a": np.ravel(a).tolist(), "transitions": transitions}]
        return self

    def motion(self, a: Any, transitions: list[str], verdict: str, laws: tuple[str, ...] = BOTH) -> Case:
        self.verdict |= dict.fromkeys(laws, verdict)
        self.a, self.transitions = np.ravel(a).tolist(), transitions
        return self


def contact(
    mu: float, r: Any, n: Any, t: Any, bias: Any = (0.0, 0.0, 0.0), slip: Any = (0.0, 0.0), u: Any = None
) -> dict[str, Any]:
    """A contact of a free body at r from its centre with a fixed body; u = n x t unless given."""
    r, n, t = (np.array(x, float) for x in (r, n, t))
    u = np.cross(n, t) if u is None else np.array(u, float)
    rows = {key: [*d, *np.cross(r, d)] for key, d in (("W_N", n), ("W_T", t), ("W_U", u))}
    return {
        "label": "sliding" if np.hypot(*slip) > 0 else "rolling",
        "mu": float(mu),
        "bias": [float(x) for x in bias],
        "slip": [float(x) for x in slip],
    } | {k: [float(x) for x in v] for k, v in rows.items()}


def particle_contact(mu: float, bias: Any = (0.0, 0.0, 0.0), slip: Any = (0.0, 0.0)) -> dict[str, Any]:
    c = contact(mu, (0, 0, 0), Z, X, bias, slip, Y)
    return c | {key: c[key][:3] for key in ("W_N", "W_T", "W_U")}


def body(m: float, inertia: Any) -> list[list[float]]:
    M = np.zeros((6, 6))
    M[:3, :3], M[3:, 3:] = m * np.eye(3), np.diag(inertia) if np.ndim(inertia) == 1 else inertia
    return M.tolist()


def file(name: str, M: Any, h: Any, contacts: list[dict[str, Any]]) -> dict[str, Any]:
    return {"name": name, "M": np.array(M, float).tolist(), "h": [float(x) for x in h], "contacts": contacts}


def ball(m: float, k: float, R: float) -> list[list[float]]:
    return body(m, [k * m * R * R] * 3)


def block_incline(rng: np.random.Generator) -> Case:
    """f_N = m g cos; sticks iff |load| <= mu f_N (cone), per axis for the pyramid."""
    m, alpha, psi = rng.uniform(0.5, 5), rng.uniform(0.1, 1.2), rng.uniform(-math.pi, math.pi)
    kind = rng.choice(["free", "boundary", "frictionless", "lifted", "sliding", "sliding_lifted", "between"])
    mu = rng.uniform(0.05, 2.0) * math.tan(alpha)
    slip = rng.normal(size=2)
    if kind == "boundary":
        mu, psi = math.tan(alpha), 0.5 * math.pi * rng.integers(4)
    if kind == "frictionless":
        mu = 0.0
    if kind == "between":
        mu, psi = rng.uniform(0.75, 0.95) * math.tan(alpha), 0.25 * math.pi
    load = m * G * math.sin(alpha) * np.array([math.cos(psi), math.sin(psi)])
    lift = rng.uniform(0.1, 3) if "lifted" in kind else 0.0
    N = m * G * math.cos(alpha) if not lift else 0.0
    h = [*load, lift or -N]
    moving = "sliding" in kind
    case = Case(
        "block_" + kind, file("block", m * np.eye(3), h, [particle_contact(mu, slip=slip if moving else (0, 0))])
    )
    for law in BOTH:
        if lift:
            f_t, tag = np.zeros(2), "b2" if moving else "a3"
        elif moving:
            f_t, tag = -mu * N * slip / np.hypot(*slip), "b1"
        elif law == "pyramid":
            f_t, tag = -np.clip(load, -mu * N, mu * N), ""
        else:
            f_t, tag = -load * min(1.0, mu * N / np.hypot(*load)), ""
        if kind == "boundary":
            f_t, tag = -load, "a1"
        a_t = (load + f_t) / m
        tag = tag or ("a1" if np.abs(a_t).max() == 0.0 else "a2")
        case.one([N, *f_t], [lift / m, *a_t], [tag], (law,))
    return case


def sphere_incline(rng: np.random.Generator) -> Case:
    m, R, alpha, k = (
        rng.uniform(0.1, 3),
        rng.uniform(0.02, 0.5),
        rng.uniform(0.1, 1.2),
        rng.choice([0.4, 2 / 3, rng.uniform(0.05, 1)]),
    )
    threshold = math.tan(alpha) * k / (1 + k)
    mu = threshold * rng.choice([rng.uniform(0.05, 0.95), rng.uniform(1.05, 3)])
    N = m * G * math.cos(alpha)
    case = Case(
        "sphere_incline",
        file("sphere", ball(m, k, R), [m * G * math.sin(alpha), 0, -N, 0, 0, 0], [contact(mu, (0, 0, -R), Z, X)]),
    )
    f = -min(mu, threshold) * N
    x, spin = G * math.sin(alpha) + f / m, -f / (k * m * R)
    case.vdot = [x, 0, 0, 0, spin, 0]
    slides = mu < threshold
    return case.one([N, f, 0], [0, x - R * spin if slides else 0.0, 0], ["a2" if slides else "a1"])


def billiard(rng: np.random.Generator) -> Case:
    """f = -mu m g u/|u|; the slip speed falls at 7/2 mu g."""
    m, R, mu = rng.uniform(0.1, 0.3), rng.uniform(0.02, 0.04), rng.uniform(0.05, 0.6)
    v, w = rng.normal(size=3) * [3, 3, 0], rng.normal(size=3) * 50
    slip = (v + np.cross(w, [0, 0, -R]))[:2]
    d = slip / np.hypot(*slip)
    case = Case(
        "billiard", file("ball", ball(m, 0.4, R), [0, 0, -m * G, 0, 0, 0], [contact(mu, (0, 0, -R), Z, X, slip=slip)])
    )
    return case.one([m * G, *(-mu * m * G * d)], [0, *(-3.5 * mu * G * d)], ["b1"])


def turntable(rng: np.random.Generator) -> Case:
    """Rolling: R w = z x (v - Om z x x) for the contact point; v' = 2/7 Om z x v, f = m v'."""
    m, R, Om, k = rng.uniform(0.1, 1), rng.uniform(0.02, 0.3), rng.uniform(-4, 4), 0.4
    v = np.array([*rng.normal(size=2), 0]) * 0.4
    acc = k / (1 + k) * Om * np.cross(Z, v)
    bias = -Om * np.cross(Z, v)
    mu = np.linalg.norm(acc) / G * rng.uniform(1.05, 4)
    case = Case(
        "turntable",
        file("ball", ball(m, k, R), [0, 0, -m * G, 0, 0, 0], [contact(mu, (0, 0, -R), Z, X, [0, bias[0], bias[1]])]),
    )
    spin = np.cross([0, 0, -R], m * acc) / (k * m * R * R)
    case.vdot = [*acc, *spin]
    return case.one([m * G, *(m * acc)[:2]], [0, 0, 0], ["a1"], ("cone",)).one(
        [m * G, *(m * acc)[:2]], [0, 0, 0], ["a1"], ("pyramid",)
    )


def ball_between_plates(rng: np.random.Generator) -> Case:
    """f_1,2 = m/4 [(A1 + A2) +- k (A1 - A2)], upper plate free to move in height."""
    m, R, plate, load, k = rng.uniform(0.2, 2), rng.uniform(0.05, 0.3), rng.uniform(0.3, 2), rng.uniform(2, 20), 0.4
    A1, A2 = rng.normal(size=2) * 0.6, rng.normal(size=2) * 0.6
    if rng.random() < 0.3:
        spin, at = rng.normal(size=2) * 2, rng.normal(size=2) * 0.2  # A = Omega x v with the plates turning
        A1, A2 = spin[0] * np.array([-at[1], at[0]]), spin[1] * np.array([-at[1], at[0]])
    f1, f2 = m / 4 * ((A1 + A2) + k * (A1 - A2)), m / 4 * ((A1 + A2) - k * (A1 - A2))
    N2 = plate * G + load
    N1 = N2 + m * G
    mu = max(np.hypot(*f1) / N1, np.hypot(*f2) / N2) * rng.uniform(1.05, 5) + 0.01
    M = np.zeros((7, 7))
    M[:6, :6], M[6, 6] = ball(m, k, R), plate
    low, high = contact(mu, (0, 0, -R), Z, X, [0, *-A1], u=Y), contact(mu, (0, 0, R), -Z, X, [0, *-A2], u=Y)
    for c, up in ((low, 0.0), (high, 1.0)):
        c["W_N"].append(up), c["W_T"].append(0.0), c["W_U"].append(0.0)
    case = Case("plates", file("plates", M, [0, 0, -m * G, 0, 0, 0, -N2], [low, high]))
    return case.one([N1, *f1, N2, *f2], np.zeros(6), ["a1", "a1"])


def ball_over_sphere(rng: np.random.Generator) -> Case:
    m, a, b, k = rng.uniform(0.1, 1), rng.uniform(0.05, 0.2), rng.uniform(0.3, 1), 0.4
    theta, V = rng.uniform(0.1, 1.1), rng.uniform(0.2, 4)
    push = V * V / (a + b)
    N, along = m * (G * math.cos(theta) - push), m * G * math.sin(theta)
    mu = rng.uniform(0.05, 1.0)
    case = Case(
        "ball_over_sphere",
        file(
            "ball",
            ball(m, k, a),
            [along, 0, -m * G * math.cos(theta), 0, 0, 0],
            [contact(mu, (0, 0, -a), Z, X, [push, 0, 0])],
        ),
    )
    if N < 0:
        return case.one([0, 0, 0], [-N / m, along / m, 0], ["a3"])
    f = -min(mu * N, along * k / (1 + k))
    slides = mu * N < along * k / (1 + k)
    return case.one([N, f, 0], [0, (along + f) / m + f / (k * m) if slides else 0.0, 0], ["a2" if slides else "a1"])


def particle_on_sphere(rng: np.random.Generator) -> Case:
    m, R, theta, V, mu = (
        rng.uniform(0.2, 2),
        rng.uniform(0.2, 1),
        rng.uniform(0.1, 1.3),
        rng.uniform(0.3, 3),
        rng.uniform(0.0, 1),
    )
    N, along = m * (G * math.cos(theta) - V * V / R), m * G * math.sin(theta)
    case = Case(
        "particle",
        file(
            "particle",
            m * np.eye(3),
            [along, 0, -m * G * math.cos(theta)],
            [particle_contact(mu, [V * V / R, 0, 0], [V, 0])],
        ),
    )
    if N < 0:
        return case.one([0, 0, 0], [-N / m, along / m, 0], ["b2"])
    return case.one([N, -mu * N, 0], [0, (along - mu * N) / m, 0], ["b1"])


def spool(rng: np.random.Generator) -> Case:
    """Pull T at the angle phi above the ground on the inner radius r: m x'' = T cos + f, J s = -R f - r T; rolls when x'' = R s."""
    m, R = rng.uniform(0.5, 3), rng.uniform(0.1, 0.4)
    r, phi, J = rng.uniform(0.2, 0.8) * R, rng.uniform(0.1, 1.45), None
    J = rng.uniform(0.3, 0.7) * m * R * R
    T = rng.uniform(0.1, 0.4) * m * G
    x = T * (math.cos(phi) - r / R) / (m + J / (R * R))  # moment of the pull about the contact: T (R cos phi - r)
    N, f = m * G - T * math.sin(phi), None
    f = m * x - T * math.cos(phi)
    threshold = abs(f) / N
    slides = rng.random() < 0.4
    mu = threshold * (rng.uniform(0.2, 0.95) if slides else rng.uniform(1.05, 3))
    case = Case(
        "spool",
        file(
            "spool", body(m, [J, J / 2, J]), [T * math.cos(phi), 0, -N, 0, -r * T, 0], [contact(mu, (0, 0, -R), Z, X)]
        ),
    )
    case.problem["M"][4][4] = J
    if not slides:
        case.vdot = [x, 0, 0, 0, x / R, 0]
        return case.one([N, f, 0], [0, 0, 0], ["a1"])
    f = mu * N * math.copysign(1.0, f)
    acc, spin = (T * math.cos(phi) + f) / m, (-R * f - r * T) / J
    return case.one([N, f, 0], [0, acc - R * spin, 0], ["a2"])


def table(rng: np.random.Generator) -> Case:
    """Sliding table: f_i = m g/3 + 2 mu m g h/(3 rho) cos(phi_i - beta) on three legs; more legs leave the forces open."""
    legs = int(rng.choice([3, 3, 4, 5, 6]))
    m, rho, hc, beta = rng.uniform(1, 5), rng.uniform(0.3, 0.8), rng.uniform(0.05, 0.4), rng.uniform(0, 2 * math.pi)
    mu = min(rng.uniform(0.05, 0.6), 0.45 * rho / hc)
    d, speed = np.array([math.cos(beta), math.sin(beta)]), rng.uniform(0.2, 2)
    angle = 2 * math.pi * np.arange(legs) / legs
    inertia = m * rho * rho / 4
    contacts = [contact(mu, (rho * math.cos(p), rho * math.sin(p), -hc), Z, X, slip=speed * d) for p in angle]
    case = Case(
        f"table_{legs}", file("table", body(m, [inertia, inertia, 2 * inertia]), [0, 0, -m * G, 0, 0, 0], contacts)
    )
    case.vdot = [*(-mu * G * d), 0, 0, 0, 0]
    a = np.tile([0, *(-mu * G * d)], legs)
    if legs > 3:
        return case.motion(a, ["b1"] * legs, "force_indeterminate")
    N = m * G / 3 + 2 * mu * m * G * hc / (3 * rho) * np.cos(angle - beta)
    return case.one([[n, *(-mu * n * d)] for n in N], a, ["b1"] * legs)


def pulled_box(rng: np.random.Generator) -> Case:
    """Two feet at +-w/2, centre hc above them, pulled by F at hp: N_front,rear = m g/2 -+ (F (hp - hc) + mu m g hc)/w, tips when one is 0."""
    m, w, hc = rng.uniform(0.5, 3), rng.uniform(0.3, 0.8), rng.uniform(0.1, 0.4)
    inertia = m * (w * w + 4 * hc * hc) / 12
    kind = rng.choice(["rest", "slides", "tips"])
    hp, mu = hc + rng.uniform(0.02, 0.2), rng.uniform(0.1, 0.6)
    if kind == "rest":
        # no pull above the centre: F at hc, all in the cone; hp = hc
        hp, F = hc, rng.uniform(0.1, 0.8) * mu * m * G
        limit = F * hc / w
        if limit > 0.4 * m * G:
            F *= 0.4 * m * G / limit
        contacts = [contact(mu, (s * w / 2, 0, -hc), Z, X) for s in (1, -1)]
        case = Case("box_rest", file("box", body(m, [inertia] * 3), [F, 0, -m * G, 0, 0, 0], contacts))
        case.vdot = [0.0] * 6
        return case.motion(np.zeros(6), ["a1", "a1"], "force_indeterminate")
    tip = (m * G / 2 * w - mu * m * G * hc) / (hp - hc)
    if tip < 0.5 * m * G:
        mu = 0.3 * w / (2 * hc)
        tip = (m * G / 2 * w - mu * m * G * hc) / (hp - hc)
    F = tip * (rng.uniform(0.1, 0.95) if kind == "slides" else rng.uniform(1.05, 1.5))
    contacts = [contact(mu, (s * w / 2, 0, -hc), Z, X, slip=(1, 0)) for s in (1, -1)]
    case = Case("box_" + kind, file("box", body(m, [inertia] * 3), [F, 0, -m * G, 0, F * (hp - hc), 0], contacts))
    if kind == "slides":
        shift = (F * (hp - hc) + mu * m * G * hc) / w
        N = [m * G / 2 + shift, m * G / 2 - shift]
        x = F / m - mu * G
        return case.one([[n, -mu * n, 0] for n in N], [0, x, 0] * 2, ["b1", "b1"])
    # front foot only: z'' - w/2 s = 0, J s = F (hp - hc) + mu N hc - N w/2 (s about +y lifts the rear foot)
    s = (F * (hp - hc) + m * G * (mu * hc - w / 2)) / (inertia - m * w / 2 * (mu * hc - w / 2))
    N = m * G + m * w / 2 * s
    x = (F - mu * N) / m
    return case.one([N, -mu * N, 0, 0, 0, 0], [0, x - hc * s, 0, w * s, x - hc * s, 0], ["b1", "b2"])


def rod(m: float, l: float, theta: float, kappa: float) -> list[list[float]]:
    """Rod of half-length l with its upper end towards -x: thin, but with inertia about its own axis (which nothing here excites)."""
    J, axis = kappa * m * l * l, np.array([-math.cos(theta), 0, math.sin(theta)])
    return body(m, J * (np.eye(3) - np.outer(axis, axis)) + 1e-3 * J * np.outer(axis, axis))


def painleve(rng: np.random.Generator) -> Case:
    """Tip at (-l cos, 0, -l sin), slipping towards -x (away from under the centre): A, b of PHYSICS 4."""
    while True:
        m, l, theta, kappa = (
            rng.uniform(0.5, 2),
            rng.uniform(0.3, 1),
            rng.uniform(0.3, 1.45),
            rng.choice([1 / 3, rng.uniform(0.1, 0.5)]),
        )
        mu, omega = rng.uniform(0.2, 2.5), rng.uniform(0, 8)
        c, s = math.cos(theta), math.sin(theta)
        A, b = (1 + (c * c - mu * s * c) / kappa) / m, omega * omega * l * s - G
        if abs(A * m) > 0.02 and abs(b) > 0.05:
            break
    J = kappa * m * l * l
    tip = contact(mu, (-l * c, 0, -l * s), Z, X, [omega**2 * l * s, omega**2 * l * c, 0], (-rng.uniform(0.3, 2), 0), Y)
    upright = np.array([c, 0, s])
    M = body(m, J * (np.eye(3) - np.outer(upright, upright)) + 1e-3 * J * np.outer(upright, upright))
    case = Case("painleve", file("rod", M, [0, 0, -m * G, 0, 0, 0], [tip]))
    away = {"f": [0, 0, 0], "a": [b, omega**2 * l * c, 0], "transitions": ["b2"]}
    N = -b / A
    a_t = omega**2 * l * c + N * (mu / m + (l * s) * (mu * s - c) * l / J)
    stays = {"f": [N, mu * N, 0], "a": [0, a_t, 0], "transitions": ["b1"]}
    answers = ([stays] if A > 0 else []) if b < 0 else ([away] if A > 0 else [away, stays])
    case.verdict = dict.fromkeys(BOTH, {0: "inconsistent", 1: "determinate", 2: "indeterminate"}[len(answers)])
    case.solutions = dict.fromkeys(BOTH, answers)
    case.p_matrix = A > 0
    return case


def rod_released(rng: np.random.Generator) -> Case:
    """From rest: sticks iff mu >= sin cos/(kappa + sin^2); N = m g (kappa + s^2)/(1 + kappa) when sticking."""
    m, l, theta, kappa = rng.uniform(0.5, 2), rng.uniform(0.3, 1), rng.uniform(0.3, 1.3), 1 / 3
    c, s = math.cos(theta), math.sin(theta)
    threshold = s * c / (kappa + s * s)
    slips = rng.random() < 0.5
    mu = threshold * (rng.uniform(0.1, 0.95) if slips else rng.uniform(1.05, 1.6))
    J, axis = kappa * m * l * l, np.array([c, 0, s])
    M = body(m, J * (np.eye(3) - np.outer(axis, axis)) + 1e-3 * J * np.outer(axis, axis))
    case = Case("rod_released", file("rod", M, [0, 0, -m * G, 0, 0, 0], [contact(mu, (-l * c, 0, -l * s), Z, X, u=Y)]))
    if not slips:
        case.one([m * G * (kappa + s * s) / (1 + kappa), m * G * s * c / (1 + kappa), 0], [0, 0, 0], ["a1"])
    else:
        N = m * G / (1 + (c * c - mu * s * c) / kappa)  # A N = g with the friction +mu N of a tip going to -x
        a_t = N * (mu / m + l * s * (mu * s - c) * l / J)
        case.one([N, mu * N, 0], [0, a_t, 0], ["a2"])
    return case


def ladder(rng: np.random.Generator) -> Case:
    """Frictionless wall. Foot at (l cos, 0, -l sin), top at (-l cos, 0, l sin). Stands iff mu >= cot/2."""
    m, l, theta = rng.uniform(1, 5), rng.uniform(0.5, 3), rng.uniform(0.3, 1.3)
    c, s, J = math.cos(theta), math.sin(theta), m * l * l / 3
    kind = rng.choice(["frictionless", "stands", "slips"])
    mu = {"frictionless": 0.0, "stands": rng.uniform(1.05, 3), "slips": rng.uniform(0.1, 0.95)}[kind] * c / s / 2
    axis = np.array([-c, 0, s])
    M = body(m, J * (np.eye(3) - np.outer(axis, axis)) + 1e-3 * J * np.outer(axis, axis))
    contacts = [contact(mu, (l * c, 0, -l * s), Z, X, u=Y), contact(0.0, (-l * c, 0, l * s), X, Z, u=Y)]
    case = Case("ladder_" + kind, file("ladder", M, [0, 0, -m * G, 0, 0, 0], contacts))
    if kind == "stands":
        return case.one([m * G, -m * G * c / s / 2, 0, m * G * c / s / 2, 0, 0], np.zeros(6), ["a1", "a1"])
    spin = m * G * l * (2 * mu * s - c) / (J + m * l * l - 2 * mu * m * l * l * s * c)
    N = m * G + m * l * c * spin
    wall = -m * l * s * spin + mu * N
    return case.one([N, -mu * N, 0, wall, 0, 0], [0, -2 * l * s * spin, 0, 0, 2 * l * c * spin, 0], ["a2", "a2"])


def scalar(rng: np.random.Generator) -> Case:
    """a_N = A f + b, A = 1 + mu c."""
    mu, A, b = (
        rng.uniform(0.2, 2),
        rng.choice([-1, 1]) * rng.uniform(0.05, 1),
        rng.choice([-1, 1]) * rng.uniform(0.1, 2),
    )
    c = (A - 1) / mu
    one = {
        "label": "sliding",
        "mu": mu,
        "W_N": [1.0, 0.0],
        "W_T": [c, 1.0],
        "W_U": [0.0, 0.0],
        "bias": [0.0] * 3,
        "slip": [-1.0, 0.0],
    }
    case = Case("scalar", file("scalar", np.eye(2), [b, 0], [one]))
    N = -b / A
    away = {"f": [0, 0, 0], "a": [b, c * b, 0], "transitions": ["b2"]}
    stays = {"f": [N, mu * N, 0], "a": [0, c * b + N * (c + mu * (c * c + 1)), 0], "transitions": ["b1"]}
    answers = ([stays] if A > 0 else []) if b < 0 else ([away] if A > 0 else [away, stays])
    case.verdict = dict.fromkeys(BOTH, {0: "inconsistent", 1: "determinate", 2: "indeterminate"}[len(answers)])
    case.solutions, case.p_matrix = dict.fromkeys(BOTH, answers), A > 0
    return case


def squeeze(rng: np.random.Generator) -> Case:
    """Two fingers press with F along x: each holds half the weight, or slips at mu F."""
    m, R, F, finger = rng.uniform(0.2, 2), rng.uniform(0.03, 0.2), rng.uniform(5, 20), rng.uniform(0.1, 1)
    psi, k = float(rng.choice([0.0, 0.0, 0.25 * math.pi])), 0.4
    need = m * G / (2 * F)
    kind = rng.choice(["hold", "slip", "one_slips"]) if psi == 0.0 else "between"
    mu = {
        "hold": (rng.uniform(1.05, 2),) * 2,
        "slip": (rng.uniform(0.2, 0.95),) * 2,
        "one_slips": (rng.uniform(0.1, 0.5), rng.uniform(1.3, 3)),
        "between": (rng.uniform(0.75, 0.95),) * 2,
    }[kind]
    mu = tuple(x * need for x in mu)
    M = np.zeros((8, 8))
    M[:6, :6], M[6, 6], M[7, 7] = ball(m, k, R), finger, finger
    t, u = math.cos(psi) * Z + math.sin(psi) * Y, math.cos(psi) * Y - math.sin(psi) * Z
    contacts = [contact(mu[0], (-R, 0, 0), X, t, u=u), contact(mu[1], (R, 0, 0), -X, t, u=u)]
    for c, own in zip(contacts, ([-1.0, 0.0], [0.0, 1.0]), strict=True):
        c["W_N"] += own
        c["W_T"] += [0.0, 0.0]
        c["W_U"] += [0.0, 0.0]
    case = Case("squeeze_" + kind, file("squeeze", M, [0, 0, -m * G, 0, 0, 0, F, -F], contacts))
    down = np.array([math.cos(psi), -math.sin(psi)])  # z in the tangent frame
    hold = np.ravel([[F, *(m * G / 2 * down)]] * 2)
    if kind == "hold":
        return case.one(hold, np.zeros(6), ["a1", "a1"])
    if kind in ("slip", "between"):
        a = (2 * mu[0] * F / m - G) * down
        case.one(np.ravel([[F, *(mu[0] * F * down)]] * 2), [0, *a, 0, *a], ["a2", "a2"])
        return case if kind == "slip" else case.one(hold, np.zeros(6), ["a1", "a1"], ("pyramid",))
    # finger 1 slips with P1 = mu1 F up; at 2 the ball does not move: z'' = R s, k m R^2 s = R (P1 - P2) about y (rows +R, -R)
    P1 = mu[0] * F
    # z''_2 = z'' - R s = 0, m z'' = P1 + P2 - m g
    P2 = (m * G - P1 * (1 - 1 / k)) / (1 + 1 / k)
    a1 = 2 * (P1 + P2 - m * G) / m
    if mu[1] * F < P2:
        return squeeze(rng)
    return case.one([F, P1, 0, F, P2, 0], [0, a1, 0, 0, 0, 0], ["a2", "a1"])


def v_groove(rng: np.random.Generator) -> Case:
    """Solid ball in a groove whose walls' normals stand at delta from the vertical plane, axis inclined by beta."""
    m, R, delta, beta = rng.uniform(0.2, 2), rng.uniform(0.03, 0.1), rng.uniform(0.2, 1.2), rng.uniform(0.2, 0.9)
    s, c = math.sin(delta), math.cos(delta)
    kappa = 0.4 / (c * c)
    threshold = math.tan(beta) * c * kappa / (1 + kappa)
    rolls = rng.random() < 0.5
    mu = threshold * (rng.uniform(1.05, 1.6) if rolls else rng.uniform(0.2, 0.9))
    contacts = []
    for side in (1, -1):
        n = np.array([0, side * s, c])
        contacts.append(contact(mu, -R * n, n, X, slip=(0, 0) if rolls else (1, 0)))
    case = Case(
        "v_groove",
        file("groove", ball(m, 0.4, R), [m * G * math.sin(beta), 0, -m * G * math.cos(beta), 0, 0, 0], contacts),
    )
    if rolls:
        x = G * math.sin(beta) / (1 + kappa)
        case.contains = {law: [{"a": [0.0] * 6}] for law in BOTH}
        case.vdot = [x, 0, 0, 0, x / (R * c), 0]
        if mu * math.tan(delta) < 0.95:
            case.motion(np.zeros(6), ["a1", "a1"], "force_indeterminate", ("cone",))
        else:
            case.vdot = None
        return case
    N = m * G * math.cos(beta) / (2 * c)
    x = G * math.sin(beta) - 2 * mu * N / m
    spin = 2 * mu * N * R * c / (0.4 * m * R * R)
    return case.one([N, -mu * N, 0] * 2, [0, x - R * c * spin, 0] * 2, ["b1", "b1"])


def fingers(rng: np.random.Generator) -> Case:
    """Fixed fingers round a ball's equator: free fall and a full hold are both exact (one finger alone cannot press)."""
    n = int(rng.choice([1, 2, 3, 4, 5]))
    m, R, mu, turn = (
        rng.uniform(0.5, 3),
        rng.uniform(0.05, 0.3),
        rng.uniform(0.2, 1),
        rng.uniform(0, 6) * (rng.random() < 0.5),
    )
    contacts = []
    for p in turn + 2 * math.pi * np.arange(n) / n:
        d = np.array([math.cos(p), math.sin(p), 0])
        contacts.append(contact(mu, R * d, -d, Z))
    case = Case(f"fingers_{n}", file("fingers", ball(m, 0.4, R), [0, 0, -m * G, 0, 0, 0], contacts))
    fall = {"f": [0.0] * 3 * n, "a": [0, -G, 0] * n, "transitions": ["a2"] * n}
    if n == 1:
        case.verdict, case.solutions = dict.fromkeys(BOTH, "determinate"), {law: [fall] for law in BOTH}
        return case
    case.verdict = dict.fromkeys(BOTH, "indeterminate")
    case.contains = {law: [fall, {"a": [0.0] * 3 * n}] for law in BOTH}
    case.continuum = True
    return case


def supports(rng: np.random.Generator) -> Case:
    """A ball on n supports at gamma from below, carried by normals alone: f_N = m g/(n cos gamma)."""
    n, smooth = int(rng.choice([1, 2, 3, 4, 5])), rng.random() < 0.5
    m, R = rng.uniform(0.5, 3), rng.uniform(0.05, 0.3)
    gamma, mu = (rng.uniform(0.2, 1.0) if n > 1 else 0.0), 0.0 if smooth else rng.uniform(0.1, 0.9)
    contacts = []
    for p in 2 * math.pi * np.arange(n) / n:
        d = np.array([math.sin(gamma) * math.cos(p), math.sin(gamma) * math.sin(p), -math.cos(gamma)])
        contacts.append(contact(mu, R * d, -d, [-math.sin(p), math.cos(p), 0]))
    case = Case(f"supports_{n}", file("supports", ball(m, 0.4, R), [0, 0, -m * G, 0, 0, 0], contacts))
    case.vdot = [0.0] * 6
    if n == 1 or (smooth and n <= 3):
        return case.one([m * G / (n * math.cos(gamma)), 0, 0] * n, np.zeros(3 * n), ["a1"] * n)
    return case.motion(np.zeros(3 * n), ["a1"] * n, "force_indeterminate")


def degenerate(rng: np.random.Generator) -> Case:
    m, F, mu = rng.uniform(0.5, 3), rng.uniform(0.1, 3), rng.uniform(0.4, 1)
    kind = rng.choice(["duplicated", "opposed", "opposed_friction", "none"])
    if kind == "duplicated":
        n = int(rng.choice([2, 3]))
        case = Case(
            "duplicated",
            file("", m * np.eye(3), [min(F, 0.9 * mu * m * G), 0, -m * G], [particle_contact(mu) for _ in range(n)]),
        )
        case.vdot = [0.0] * 3
        return case.motion(np.zeros(3 * n), ["a1"] * n, "force_indeterminate")
    walls = [particle_contact(0.0 if kind == "opposed" else mu) for _ in range(2)]
    walls[1]["W_N"] = [0.0, 0.0, -1.0]
    case = Case(str(kind), file("", m * np.eye(3), [F, 0, 0], walls if kind != "none" else []))
    if kind == "opposed":
        case.vdot = [F / m, 0, 0]
        return case.motion([0, F / m, 0] * 2, ["a2", "a2"], "force_indeterminate")
    if kind == "opposed_friction":  # the squeeze is free: any acceleration from 0 to F/m
        case.verdict, case.continuum = dict.fromkeys(BOTH, "indeterminate"), True
        case.contains = {law: [{"a": [0, F / m, 0] * 2}, {"a": [0.0] * 6}] for law in BOTH}
        return case
    case.vdot = [F / m, 0, 0]
    return case.one([], [], [])


def manufactured(rng: np.random.Generator, law: str = "cone", contacts: int | None = None) -> Case:
    """Choose f and a that obey the law, then the h and bias that make them so."""
    k = int(rng.choice([2, 3, 4, 5, 6])) if contacts is None else contacts
    nv = 3 * k + 1
    root = rng.normal(size=(nv, nv))
    M, W = root @ root.T / nv + 0.5 * np.eye(nv), rng.normal(size=(3 * k, nv))
    W /= np.linalg.norm(W, axis=1)[:, None]
    f, a, transitions, listed = np.zeros(3 * k), np.zeros(3 * k), [], []
    for i in range(k):
        mu, mode = rng.uniform(0.1, 0.3), rng.choice(["stick", "slide", "break", "sliding"])
        r, slip = slice(3 * i, 3 * i + 3), np.zeros(2)
        N = rng.uniform(0.5, 3)
        d = rng.normal(size=2)
        d /= np.hypot(*d)
        if mode == "stick":
            f[r], tag = [N, *(rng.uniform(0, 0.9) * mu * N * d)], "a1"
        elif mode == "slide":
            pull = rng.uniform(0.3, 2) * d
            f[r] = [N, *(-mu * N * (d if law == "cone" else np.sign(d)))]
            a[r], tag = [0, *pull], "a2"
        elif mode == "sliding":
            slip = rng.uniform(0.5, 1.5) * d
            f[r], a[r], tag = [N, *(-mu * N * d)], [0, *rng.normal(size=2)], "b1"
        else:
            a[r], tag = [rng.uniform(0.3, 2), *rng.normal(size=2)], "a3"
        transitions.append(tag)
        listed.append(
            {"label": "sliding" if slip.any() else "rolling", "mu": float(mu), "slip": slip.tolist()}
            | {key: row.tolist() for key, row in zip(("W_N", "W_T", "W_U"), W[r], strict=True)}
        )
    vdot = rng.normal(size=nv)
    h, bias = M @ vdot - W.T @ f, a - W @ vdot
    for i, c in enumerate(listed):
        c["bias"] = bias[3 * i : 3 * i + 3].tolist()
    case = Case(f"manufactured_{law}_{k}", file("made", M, h, listed))
    case.contains = {law: [{"f": f.tolist(), "a": a.tolist(), "transitions": transitions}]}
    return case


FAMILIES: dict[str, Callable[[np.random.Generator], Case]] = {
    f.__name__: f
    for f in (
        block_incline,
        sphere_incline,
        billiard,
        turntable,
        ball_between_plates,
        ball_over_sphere,
        particle_on_sphere,
        spool,
        table,
        pulled_box,
        painleve,
        rod_released,
        ladder,
        scalar,
        squeeze,
        v_groove,
        fingers,
        supports,
        degenerate,
    )
}
