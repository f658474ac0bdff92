"""Problems written otherwise: another order of contacts, other tangents, units and coordinates; and the way back for their answers."""

import copy

import numpy as np


class Change:
    """A problem written otherwise, and the way back for its answers: f and a per contact, v'."""

    def __init__(self, problem):
        self.problem = copy.deepcopy(problem)
        k, nv = len(problem["contacts"]), len(problem["h"])
        self.order, self.turn, self.force, self.motion, self.S = (
            np.arange(k),
            np.tile(np.eye(3), (k, 1, 1)),
            1.0,
            1.0,
            np.eye(nv),
        )

    def permute(self, rng):
        """Also swaps fingers: contacts exchange their places."""
        order = rng.permutation(len(self.order))
        self.problem["contacts"] = [self.problem["contacts"][i] for i in order]
        self.order, self.turn = self.order[order], self.turn[order]

    def turn_tangents(self, rng, law):
        """Any rotation or reflection for the cone; exchanged and reversed axes for the pyramid."""
        for i, contact in enumerate(self.problem["contacts"]):
            if law == "cone":
                angle = rng.uniform(-np.pi, np.pi)
                Q = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
            else:
                Q = np.eye(2)
            Q = np.diag(rng.choice([-1.0, 1.0], 2)) @ Q @ np.eye(2)[rng.permutation(2)]
            rows = Q @ np.array([contact["W_T"], contact["W_U"]])
            contact["W_T"], contact["W_U"] = rows.tolist()
            contact["slip"] = (Q @ contact["slip"]).tolist()
            contact["bias"] = [contact["bias"][0], *(Q @ contact["bias"][1:]).tolist()]
            self.turn[i][1:, 1:] = Q @ self.turn[i][1:, 1:]

    def units(self, rng, nv):
        """Mass, length and time, and each coordinate in a unit of its own."""
        mass, length, time = 10.0 ** rng.uniform(-3, 3, 3)
        acceleration, force = length / time**2, mass * length / time**2
        own = 10.0 ** rng.uniform(-1, 1, nv)
        W_scale, p = acceleration / own, self.problem
        for contact in p["contacts"]:
            for key in ("W_N", "W_T", "W_U"):
                contact[key] = (np.array(contact[key]) * W_scale).tolist()
            contact["bias"] = (np.array(contact["bias"]) * acceleration).tolist()
            contact["slip"] = (np.array(contact["slip"]) * length / time).tolist()
        power = force * acceleration
        p["h"] = (np.array(p["h"]) * power / own).tolist()
        p["M"] = (np.array(p["M"]) * power / np.outer(own, own)).tolist()
        self.force, self.motion, self.S = self.force * force, self.motion * acceleration, self.S @ np.diag(1.0 / own)

    def coordinates(self, rng, nv):
        """v = S w."""
        S = (
            np.linalg.qr(rng.normal(size=(nv, nv)))[0]
            @ np.diag(rng.uniform(0.5, 2.0, nv))
            @ np.linalg.qr(rng.normal(size=(nv, nv)))[0]
        )
        M = S.T @ np.array(self.problem["M"]) @ S
        self.problem["M"], self.problem["h"] = (0.5 * (M + M.T)).tolist(), (S.T @ np.array(self.problem["h"])).tolist()
        for contact in self.problem["contacts"]:
            for key in ("W_N", "W_T", "W_U"):
                contact[key] = (np.array(contact[key]) @ S).tolist()
        self.S = self.S @ S

    def back(self, solution):
        f, a = np.empty_like(solution.f), np.empty_like(solution.a)
        for i, old in enumerate(self.order):
            f[old] = self.turn[i].T @ solution.f[i] / self.force
            a[old] = self.turn[i].T @ solution.a[i] / self.motion
        return f, a, self.S @ solution.vdot


def changed(problem, law, seed):
    rng, change, nv = np.random.default_rng(seed), Change(problem), len(problem["h"])
    steps = [
        lambda: change.permute(rng),
        lambda: change.turn_tangents(rng, law),
        lambda: change.units(rng, nv),
        lambda: change.coordinates(rng, nv),
    ]
    for i in rng.permutation(4)[: rng.integers(1, 5)]:
        steps[i]()
    return change
