"""Decoupled problems in mixed coordinates, v = Q v': as many answers as the product of their own numbers, and each of them known.

A block is one contact whose answers are known without a search: a scalar or Painleve problem (closed forms), or a contact at rest on a
mass of its own, whose sliding directions are the unit roots of a polynomial of degree four."""

import itertools

import numpy as np

from knuckle.instant.solve import solve
from oracles import closed_forms

ROWS = ("W_N", "W_T", "W_U")
CLEAR = 0.02                # draws whose answers are nearer to another mode or to one another, relative, are no test of counting
STIFF = 1e6                 # condition of a contact's inertia up to which every answer must be found
VERDICTS = {0: "inconsistent", 1: "determinate"}


def resting(mu, bias, rows):
    """One contact at rest on unit masses: a block, a problem and its forces (None where they are not clear)."""
    contact = {"label": "rolling", "mu": mu, "bias": bias, "slip": [0.0, 0.0]} | dict(zip(ROWS, rows, strict=True))
    return {"M": np.eye(3), "h": np.zeros(3), "contacts": [contact]}, lone(mu, np.array(bias), np.array(rows) @ np.transpose(rows))


def lone(mu, c, B):
    """Every force of one contact, a = B f + c; None where modes or roots are nearly one."""
    if np.linalg.cond(B) > STIFF:
        return None
    size, stick = np.abs(c).max(), -np.linalg.solve(B, c)
    room = mu * stick[0] - np.hypot(*stick[1:])
    if min(abs(c[0]) / size, abs(stick[0]) / abs(stick).max(), abs(room) / abs(stick).max()) < CLEAR:
        return None
    found = ([np.zeros(3)] if c[0] > 0 else []) + ([stick] if room > 0 else [])

    def cross(phi):
        """a_T sin - a_U cos where a_N = 0, times the force that the normal acceleration takes; and that with the slip itself."""
        push = np.array([np.ones_like(phi), -mu * np.cos(phi), -mu * np.sin(phi)])
        _, a_T, a_U = -c[0] * (B @ push) + c[:, None] * (B[0] @ push)
        return a_T * np.sin(phi) - a_U * np.cos(phi), a_T * np.cos(phi) + a_U * np.sin(phi), push

    values = cross(2 * np.pi * np.arange(8) / 8)[0]
    roots = np.roots(np.fft.fft(values)[[2, 1, 0, 7, 6]])              # sum of e^(ik phi), k = 2 to -2
    off = np.abs(np.abs(roots) - 1)
    gaps = [abs(x - y) for x, y in itertools.combinations(roots, 2)]
    if len(roots) < 4 or ((off > 1e-9) & (off < CLEAR)).any() or min(gaps) < CLEAR:
        return None
    for phi in np.angle(roots[off <= 1e-9]):
        _, slip, push = (part[..., 0] for part in cross(np.array([phi])))
        inertia = B[0] @ push
        if abs(inertia) < CLEAR * B[0, 0] or abs(slip) < CLEAR * size**2:
            return None
        if -c[0] / inertia > 0 and slip / inertia > 0:
            found.append(-c[0] / inertia * push)
    return found


def contact_at_rest(rng):
    """Nearly always one answer in plain draws: every other one ties normal and tangential motion strongly."""
    while True:
        W, bias = np.tril(rng.normal(size=(3, 3))), rng.normal(size=3)
        if rng.random() < 0.7:
            W[1:] += 2 * rng.normal(size=(2, 1)) * W[:1]
            bias[0] = abs(bias[0]) * rng.choice([1.0, 0.3])
        block = resting(float(rng.choice([0.3, 1.0, 2.5, 5.0])), bias.tolist(), W.tolist())
        if block[1] is not None:
            return block


def sliding_contact(rng):
    case = closed_forms.FAMILIES[str(rng.choice(["painleve", "scalar"]))](rng)
    return case.problem, [np.array(one["f"]) for one in case.solutions["cone"]]


def loaded(block, factor):
    """All loads of a block, and so all its forces, times a factor."""
    problem, forces = block
    contacts = [c | {"bias": (factor * np.array(c["bias"])).tolist()} for c in problem["contacts"]]
    return {"M": problem["M"], "h": factor * np.array(problem["h"]), "contacts": contacts}, [factor * f for f in forces]


def product(blocks, rng=None):
    """The blocks as one problem, in mixed coordinates where there is a generator; and its answers, as forces contact after contact."""
    sizes = [len(problem["h"]) for problem, _ in blocks]
    nv, ends, contacts, Q = sum(sizes), np.cumsum(sizes), [], np.eye(sum(sizes))
    while rng is not None and (np.allclose(Q, np.eye(nv)) or np.linalg.cond(Q) > 100):
        Q = rng.normal(size=(nv, nv)) + 2 * np.eye(nv)
    M, h = np.zeros((nv, nv)), np.zeros(nv)
    for (problem, _), size, end in zip(blocks, sizes, ends, strict=True):
        own = slice(end - size, end)
        M[own, own], h[own] = problem["M"], problem["h"]
        contacts += [c | {key: (np.array(c[key]) @ Q[own]).tolist() for key in ROWS} for c in problem["contacts"]]
    M = Q.T @ M @ Q
    mixed = {"M": (0.5 * (M + M.T)).tolist(), "h": (Q.T @ h).tolist(), "contacts": contacts}
    return mixed, [np.concatenate(parts) for parts in itertools.product(*(forces for _, forces in blocks))]


def check(problem, answers, tolerance=1e-6):
    """True where the search ended; a false verdict, a false answer or a lost one fails, and so does an undecided one that lost too much."""
    answer = solve(problem)
    label = (problem, answer.verdict.value, len(answer.solutions), len(answers), answer.certificate)
    assert not answer.continuum and all(s.residual <= 1e-9 for s in answer.solutions), label
    for s in answer.solutions:
        assert any(np.abs(s.f.ravel() - f).max() <= tolerance * (1 + np.abs(f).max()) for f in answers), label
    if not answer.complete:
        assert answer.verdict.value == "undecided" and len(answer.solutions) <= len(answers), label
        return False
    assert answer.verdict.value == VERDICTS.get(len(answers), "indeterminate"), label
    assert len(answer.solutions) == len(answers), label
    return True


def member(rng):
    """Two blocks, sometimes the same one twice."""
    blocks = [sliding_contact(rng) if rng.random() < 0.35 else contact_at_rest(rng) for _ in range(2)]
    return [blocks[0]] * 2 if rng.random() < 0.2 else blocks
