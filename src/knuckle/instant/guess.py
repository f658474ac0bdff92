"""One answer to begin a search with, whatever the number of contacts: Lemke's method for the pyramid, Newton's for the cone."""
from __future__ import annotations

import numpy as np

from knuckle.complementarity.lcp import solve_lcp
from knuckle.instant import kernels
from knuckle.instant.stage import Stage
from knuckle.instant.units import CONE, DRY, PLANAR, PYRAMID, SLIDING


def guesses(stage: Stage) -> list[np.ndarray]:
    """Forces worth a look; empty where neither method came through."""
    return [forces for forces in (_by_newton(stage), _by_lemke(stage)) if forces is not None]


def _by_newton(stage: Stage) -> np.ndarray | None:
    """An answer of the circle is one of the pyramid when nothing slides."""
    kind = stage.units.kind.copy()
    stage.units.kind[kind == PYRAMID] = CONE
    solved = kernels.newton_answer(stage.units, stage.work, stage.count, stage.free_rows)
    stage.units.kind[:] = kind
    return stage.work.f[:stage.free_rows].copy() if solved else None


def _by_lemke(stage: Stage) -> np.ndarray | None:
    """Per axis f = p - q and a bound lam of |a| (Stewart and Trinkle 1996): 0 <= p _|_ a + lam >= 0, 0 <= q _|_ lam - a >= 0,
    0 <= lam _|_ mu f_N - p - q >= 0; per normal 0 <= f_N _|_ a_N >= 0. Dry joints have a bound instead of mu f_N."""
    units, rows = stage.units, stage.free_rows
    normals = [i for i in range(stage.count) if units.kind[i] != DRY]
    axes = [(i, row) for i in range(stage.count) if units.kind[i] in (DRY, PLANAR, PYRAMID)
            for row in range(int(units.first[i]) + (units.kind[i] != DRY), int(units.first[i + 1]))]
    n, m = len(normals), len(axes)
    forces, ties, limit = np.zeros((rows, n + 3 * m)), np.zeros((m, n + 3 * m)), np.zeros(m)
    for k, i in enumerate(normals):
        first = int(units.first[i])
        forces[first, k] = 1.0
        if units.kind[i] == SLIDING:
            forces[first + 1:int(units.first[i + 1]), k] = units.factor[i, :int(units.size[i]) - 1]
    for k, (i, row) in enumerate(axes):
        p, q = n + k, n + m + k
        forces[row, p], forces[row, q], ties[k, p], ties[k, q] = 1.0, -1.0, -1.0, -1.0
        if units.kind[i] == DRY:
            limit[k] = stage.bound(i)
        else:
            ties[k, normals.index(i)] = units.mu[i]
    N, T = [int(units.first[i]) for i in normals], [row for _, row in axes]
    motion, lam = stage.B @ forces, np.hstack([np.zeros((m, n + 2 * m)), np.eye(m)])
    A = np.vstack([motion[N], motion[T] + lam, lam - motion[T], ties])
    result = solve_lcp(A, np.concatenate([stage.c[N], stage.c[T], -stage.c[T], limit]))
    return forces @ result.z if result.z is not None else None
