"""Paper 002, (25) to (36): the contact problem of one instant as a mixed nonlinear complementarity problem."""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from knuckle.errors import InputError
from knuckle.instant.problem import ContactProblem


@dataclass(frozen=True)
class ContactMncp:
    """u = (c_Sn, c_Rn, lambda) >= 0, v = (c_Rt, c_Ro, a_Rt, a_Ro), z = (a_Sn, a_Rn, s) >= 0 (31). In the plane there is no o.

    Rows of A_mu and b: S n, R n, R t, R o. Forces are size / scale and accelerations size * scale times those of the unknowns."""
    A_mu: np.ndarray        # (26) n_S + 3 n_R square
    b: np.ndarray           # (25)
    mu: np.ndarray          # n_R
    V: np.ndarray           # (28) n_S x tangents: c_t = -V c_n where it slides
    S: np.ndarray           # sliding contacts
    R: np.ndarray           # rolling contacts
    tangents: int           # 2, in the plane 1
    scale: np.ndarray       # contacts
    size: float

    @property
    def n(self) -> int:
        """Normal forces."""
        return len(self.S) + len(self.R)

    @property
    def p(self) -> int:
        return self.n + len(self.R)

    @property
    def m(self) -> int:
        return 2 * self.tangents * len(self.R)

    def parts(self, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """c_n, lambda, c_t (tangents x n_R), a_t and all forces in the order of the columns of A_mu."""
        half = self.tangents * len(self.R)
        c_t, a_t = v[:half].reshape(self.tangents, -1), v[half:].reshape(self.tangents, -1)
        return u[:self.n], u[self.n:], c_t, a_t, np.concatenate([u[:self.n], v[:half]])

    def slack(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """002 (29): s = mu^2 c_n^2 - c_t^2 - c_o^2."""
        c_n, _, c_t, _, _ = self.parts(u, v)
        return (self.mu * c_n[len(self.S):]) ** 2 - (c_t ** 2).sum(axis=0)

    def F(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """002 (32), and (29) below it: z = F."""
        forces = self.parts(u, v)[4]
        return np.concatenate([self.A_mu[:self.n] @ forces + self.b[:self.n], self.slack(u, v)])

    def G(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """002 (33) to (36)."""
        c_n, lam, c_t, a_t, forces = self.parts(u, v)
        opposed = self.mu * c_n[len(self.S):] * a_t + c_t * lam                       # (34), (35)
        motion = a_t.ravel() - self.A_mu[self.n:] @ forces - self.b[self.n:]          # (36)
        return np.concatenate([opposed.ravel(), motion])

    @cached_property
    def _constant(self) -> tuple[np.ndarray, np.ndarray]:
        """What of the Jacobian does not depend on the point; and columns of v: c_t, then a_t (2 tangents x n_R)."""
        n, p, half = self.n, self.p, self.tangents * len(self.R)
        J, forces = np.zeros((p + self.m, p + self.m)), np.r_[0:n, p:p + half]
        J[:n, forces], J[p + half:, forces] = self.A_mu[:n], -self.A_mu[n:]
        J[p + half:, p + half:] = np.eye(half)
        return J, p + np.arange(2 * half).reshape(2 * self.tangents, -1)

    def jacobian(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Exact derivatives: rows F, G; columns u, v."""
        constant, columns = self._constant
        J, k = constant.copy(), self.tangents
        c_n, lam, c_t, a_t, _ = self.parts(u, v)
        normal, slack = np.arange(len(self.S), self.n), np.arange(self.n, self.p)
        J[slack, normal] = 2.0 * self.mu ** 2 * c_n[len(self.S):]
        for i in range(k):
            row = columns[i]                                # (34) stands in the rows of c_t's columns, and (35) of c_o's
            J[slack, columns[i]] = -2.0 * c_t[i]
            J[row, normal], J[row, columns[k + i]] = self.mu * a_t[i], self.mu * c_n[len(self.S):]
            J[row, columns[i]], J[row, slack] = lam, c_t[i]
        return J

    def curvature(self, u: np.ndarray, v: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """The sum over (F, G) of weight times the Hessian: (29), (34) and (35) are quadratic, so that it is the same everywhere."""
        columns, k = self._constant[1], self.tangents
        H = np.zeros((self.p + self.m, self.p + self.m))
        normal, slack = np.arange(len(self.S), self.n), np.arange(self.n, self.p)
        H[normal, normal] = 2.0 * self.mu ** 2 * weight[slack]
        for i in range(k):
            H[columns[i], columns[i]] = -2.0 * weight[slack]
            for one, other, factor in ((normal, columns[k + i], self.mu), (columns[i], slack, 1.0)):
                H[one, other] = H[other, one] = factor * weight[columns[i]]
        return H

    def forces(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Contacts x dim, N; the friction of sliding contacts by (19)."""
        c_n, _, c_t, _, _ = self.parts(u, v)
        f = np.zeros((self.n, 1 + self.tangents))
        f[self.S, 0], f[self.R, 0] = c_n[:len(self.S)], c_n[len(self.S):]
        f[self.S, 1:], f[self.R, 1:] = -self.V * c_n[:len(self.S), None], c_t.T
        return f * (self.size / self.scale)[:, None]

    def from_units_of(self, other: ContactMncp, u: np.ndarray, v: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """u, v, z of `other` in the units of this one."""
        order = np.concatenate([self.S, self.R])
        force = (other.size / other.scale / (self.size / self.scale))[order]
        motion = (other.size * other.scale / (self.size * self.scale))[order]
        nS, k = len(self.S), self.tangents
        v_scale = np.concatenate([np.tile(force[nS:], k), np.tile(motion[nS:], k)])
        return u * np.concatenate([force, motion[nS:]]), v * v_scale, z * np.concatenate([motion, force[nS:] ** 2])


def contact_mncp(problem: ContactProblem, scaled: bool = True) -> ContactMncp:
    """The MNCP of a problem of contacts alone; `scaled`: unit inertia on the diagonal and a load of order one, else the problem's own units."""
    if problem.joint_kind:
        raise InputError("must be empty: the mixed complementarity problem of paper 002 knows contacts alone", key="joints",
                         got=list(problem.joint_kind), todo="use knuckle.solve")
    k, dim = problem.contacts, problem.dim
    A = problem.W @ np.linalg.solve(problem.M, problem.W.T)                           # (22)
    b = problem.W @ np.linalg.solve(problem.M, problem.h) + problem.bias              # (24)
    scale, size = np.ones(k), 1.0
    if scaled and k:
        mean = np.diag(A).reshape(k, dim).mean(axis=1)
        scale = np.where(mean > 0.0, np.sqrt(mean), 1.0)
        rows = np.repeat(scale, dim)
        A, b = A / np.outer(rows, rows), b / rows
        size = float(np.abs(b).max()) or 1.0
        b = b / size
    S, R = np.flatnonzero(problem.sliding), np.flatnonzero(~problem.sliding)
    V = problem.mu[S, None] * problem.slip[S] / np.linalg.norm(problem.slip[S], axis=1, keepdims=True)        # (28)
    order = np.concatenate([dim * S, dim * R, *(dim * R + i for i in range(1, dim))]).astype(int)
    A_mu = A[np.ix_(order, order)]
    for i in range(1, dim):                                                           # (27)
        A_mu[:, :len(S)] -= A[np.ix_(order, dim * S + i)] * V[:, i - 1]
    return ContactMncp(A_mu, b[order], problem.mu[R], V, S, R, dim - 1, scale, size)


def sliding_merit(t: np.ndarray, M: np.ndarray, b_n: np.ndarray) -> float:
    """002 (45), (48) for t = (c_n, a_n): |a_n - M c_n - b_n|^2 + (a_n.c_n)^2."""
    c_n, a_n = np.split(np.asarray(t, dtype=float), 2)
    return float(((a_n - M @ c_n - b_n) ** 2).sum() + (a_n @ c_n) ** 2)


def sliding_lcp(problem: ContactProblem) -> tuple[np.ndarray, np.ndarray]:
    """002 (46), (24): M and b_n of a_n = M c_n + b_n in the problem's own units, where every contact slides."""
    if not problem.sliding.all():
        raise InputError("must be sliding at every contact: otherwise the problem is no linear one", key="contacts",
                         got=f"contact {problem.contact_name(int(np.flatnonzero(~problem.sliding)[0]))} that rolls", todo="use knuckle.solve_as_mncp")
    built = contact_mncp(problem, scaled=False)
    return built.A_mu, built.b
