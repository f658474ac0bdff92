"""Random contact problems with joint rows; some of small whole numbers, some whose normal and tangential motion are strongly tied."""

import numpy as np

SLIPS = np.array([[1.0, 0.0], [0.0, -1.0], [1.0, 1.0]])


def contact(rng, W, mu, bias, coarse):
    dim = len(W)
    sliding = rng.random() < 0.35
    slip = (SLIPS[rng.integers(3)][: dim - 1] if coarse else rng.normal(size=dim - 1)) if sliding else np.zeros(dim - 1)
    if sliding and not slip.any():
        slip = slip + 1.0
    return {
        "label": "sliding" if sliding else "rolling",
        "mu": float(mu),
        "bias": bias.tolist(),
        "slip": slip.tolist(),
    } | {key: row.tolist() for key, row in zip(("W_N", "W_T", "W_U"), W, strict=False)}


def joint(rng, nv, coarse):
    kind = str(rng.choice(["limit", "dry_friction", "dry_friction", "bilateral"]))
    W = np.round(rng.normal(size=nv)) if coarse else rng.normal(size=nv)
    W[0] = W[0] or 1.0
    row = {
        "kind": kind,
        "W": W.tolist(),
        "bias": float(rng.integers(-1, 2) if coarse else rng.normal() * (rng.random() < 0.5)),
    }
    if kind == "dry_friction":
        row |= {
            "bound": float(rng.integers(0, 3) if coarse else rng.uniform(0, 3)),
            "rate": float(rng.choice([0, 0, 1, -1])),
        }
    return row


def random_problem(rng, contacts, dim, joints=0, nv=None):
    """Coarse problems have small whole numbers: singular modes, ties, forces and motions that are not unique."""
    coarse = nv is None and rng.random() < 0.4
    nv = nv or int(rng.integers(2, 3 + dim * contacts))
    root, W = rng.normal(size=(nv, nv)), rng.normal(size=(contacts, dim, nv))
    M, h, bias = (
        root @ root.T / nv + 0.3 * np.eye(nv),
        3 * rng.normal(size=nv),
        rng.normal(size=(contacts, dim)) * (rng.random() < 0.5),
    )
    mu = rng.uniform(0, 2, contacts) * (rng.random(contacts) > 0.1)
    if coarse:
        W, h, bias, M = np.round(W), np.round(h), np.round(bias), np.diag(rng.integers(1, 3, nv).astype(float))
        mu = rng.choice([0.0, 0.5, 1.0, 2.0], contacts)
        for rows in W:
            rows[0, 0] = rows[0, 0] if rows[0].any() else 1.0
    problem = {
        "M": M.tolist(),
        "h": h.tolist(),
        "contacts": [contact(rng, W[i], mu[i], bias[i], coarse) for i in range(contacts)],
    }
    return problem | ({"joints": [joint(rng, nv, coarse) for _ in range(joints)]} if joints else {})


def coupled(problem, rng):
    """Normal and tangential motion strongly tied: several answers, or none."""
    for one in problem["contacts"]:
        one |= {"label": "rolling", "slip": [0.0, 0.0]}
        for key in ("W_T", "W_U"):
            one[key] = (0.4 * np.array(one[key]) + 1.5 * rng.normal() * np.array(one["W_N"])).tolist()
    return problem
