"""Which changes of the state lead to states that are instants of the same contact, to first order."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from knuckle.instant.state_rates import StateRates

if TYPE_CHECKING:
    from knuckle.instant.moment import Moment

RANK = 1e-7                 # relative singular value: differences leave 1e-9, and rows that differ by less imply one another


def state_directions(moment: Moment, state: StateRates) -> np.ndarray:
    """Columns (dq, dv), 2 nv x k: first those that change rates alone.

    Kept are the gaps of all contacts (W_N dq = 0), their normal velocities, the slips of those that roll, stops and equality constraints
    (distance and rate), and the rates of dry joints at rest. A single dq or dv leaves these as a rule, and `modes` then refuses the state,
    or sees other contacts.
    """
    problem, dim, nv = moment.problem, moment.problem.dim, len(moment.problem.h)
    rows = [dim * i + axis for i in range(problem.contacts) for axis in range(1 if problem.sliding[i] else dim)]
    joints = range(len(problem.joint_kind))
    held = [problem.contact_rows + j for j in joints if problem.joint_kind[j] != "dry_friction"]
    P = problem.W[[dim * i for i in range(problem.contacts)] + held]
    V = problem.W[rows + [problem.contact_rows + j for j in joints]]
    Q = np.hstack([state.q_velocity[:, rows], state.q_joint_rate]).T
    left, values, right = np.linalg.svd(V)
    rank = int((values > RANK * max(values.max(initial=0.0), 1e-300)).sum())
    # what V dv cannot make up for must not arise
    arising = left[:, rank:].T @ Q
    free = _null(np.vstack([_unit(P, 0.0), _unit(arising, RANK * (1.0 + float(np.abs(Q).max(initial=0.0))))]), nv)
    dv = -np.linalg.pinv(V, rcond=RANK) @ Q @ free
    rates = right[rank:].T
    return np.block([[np.zeros((nv, rates.shape[1])), free], [rates, dv]])


def _unit(rows: np.ndarray, none: float) -> np.ndarray:
    """Rows of length one; those that are no longer than `none` are left out."""
    sizes = np.linalg.norm(rows, axis=1)
    return rows[sizes > none] / sizes[sizes > none, None]


def _null(rows: np.ndarray, n: int) -> np.ndarray:
    """Orthonormal columns that the rows do not see."""
    if not len(rows):
        return np.eye(n)
    _, values, right = np.linalg.svd(rows)
    return right[int((values > RANK * values[0]).sum()):].T
