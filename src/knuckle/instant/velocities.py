"""Velocity level: which motions do prescribed rolling and sliding contacts allow (paper 004, section 2.2, eqs 16-19)."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RANK = 1e-10            # relative: a row or direction below it adds nothing
AGREES = 1e-9           # relative: equations that hold to this agree


@dataclass(frozen=True)
class Motion:
    """v solves rows v = wanted with some velocities given. `free`: what may be added to v (rows of the null space)."""
    v: np.ndarray                   # nv
    free: np.ndarray                # k x nv
    consistent: bool                # the rows agree with what is given
    residual: float                 # relative
    dependent_rows: tuple[str, ...]     # rows that those before them imply
    contradicting_rows: tuple[str, ...]     # rows that no motion satisfies together with those before them

    @property
    def unique(self) -> bool:
        return self.consistent and len(self.free) == 0


def constrained_rows(W: np.ndarray, drift: np.ndarray, names: Sequence[str], dim: int, modes: Sequence[str],
                     slips: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Rows, right sides and names that the modes ask for: R no relative velocity, S no normal velocity (and the slip where one is given),
    F no normal velocity, B nothing. `drift`: relative velocity that prescribed bodies make at v = 0 (004 (15)-(17))."""
    rows, wanted, labels = [], [], []
    for i, mode in enumerate(modes):
        slip = None if slips is None else slips[i]
        axes = 0 if mode[0] == "B" else dim if mode[0] == "R" or (mode[0] == "S" and slip is not None) else 1
        for axis in range(axes):
            rows.append(W[dim * i + axis])
            target = 0.0 if axis == 0 or mode[0] == "R" or slip is None else float(slip[axis - 1])
            wanted.append(target - drift[dim * i + axis])
            labels.append(f"{names[i]} {'NTU'[axis]}")
    return np.array(rows).reshape(-1, W.shape[1]), np.array(wanted), labels


def solve_velocities(rows: np.ndarray, wanted: np.ndarray, names: Sequence[str], given: np.ndarray | None = None,
                     known: np.ndarray | None = None) -> Motion:
    """Least-norm v with rows v = wanted and v[i] = given[i] where known[i].

    Forward problem: joint rates known, object twist asked. Inverse problem: object twist known, joint rates asked.
    """
    nv = rows.shape[1]
    known = np.zeros(nv, bool) if known is None else np.asarray(known, bool)
    v = np.zeros(nv)
    if given is not None:
        v[known] = np.asarray(given, float)[known]
    left, right = rows[:, ~known], wanted - rows[:, known] @ v[known]
    size = np.linalg.norm(rows, axis=1)
    size[size == 0.0] = 1.0
    left, right = left / size[:, None], right / size
    dependent, contradicting = _sort_rows(left, right, names)
    _, values, transposed = np.linalg.svd(left)
    rank = int((values > RANK * max(values.max(initial=0.0), 1e-300)).sum())
    v[~known] = np.linalg.lstsq(left, right, rcond=RANK)[0] if left.size else 0.0
    free = np.zeros((transposed.shape[0] - rank, nv))
    free[:, ~known] = transposed[rank:]
    gap = float(np.abs(left @ v[~known] - right).max(initial=0.0)) / (1.0 + float(np.abs(right).max(initial=0.0)))
    return Motion(v, free, gap <= AGREES, gap, tuple(dependent), tuple(contradicting))


def _sort_rows(left: np.ndarray, right: np.ndarray, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Gram-Schmidt in the order given: rows that add nothing, and among them those whose right side disagrees."""
    basis: list[np.ndarray] = []
    targets: list[float] = []
    dependent, contradicting = [], []
    for row, target, name in zip(left, right, names, strict=True):
        rest, goal = row.copy(), float(target)
        for _ in range(2):                                 # twice is enough (Kahan)
            for b, t in zip(basis, targets, strict=True):
                part = float(rest @ b)
                rest, goal = rest - part * b, goal - part * t
        length = float(np.linalg.norm(rest))
        if length > 1e-9:
            basis.append(rest / length)
            targets.append(goal / length)
        else:
            dependent.append(name)
            if abs(goal) > AGREES * (1.0 + abs(target)):
                contradicting.append(name)
    return dependent, contradicting
