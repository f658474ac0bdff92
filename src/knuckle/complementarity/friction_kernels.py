"""Problems of circular cones alone, one after the other: Newton's method, and interior points where it is lost."""
import math
from typing import NamedTuple

from knuckle.compiled.kernel import Cube, Integers, IntegerTable, Matrix, Vector, inner, kernel
from knuckle.complementarity import cone_kernels, interior_kernels, refine_kernels
from knuckle.complementarity.cone_kernels import EFFORT, MOST_EFFORT, RESIDUAL, STEPS, ConeWork

NEAR = 1e-6          # residuals below this are worth better digits
NEWTON, LONG, PATHS = -1, 4, 100    # the first path is Newton's method alone; the long one sweeps and Newton's method in turn
RESERVE = 0.99
ROUNDS = 12                         # of the long one
FORCES = (1e4, 1e2, 1e6, 1.0)       # over the load: how large forces may be, one path each; the paths after the long one are spread
SPREADS = (0.5, 1.5, 0.5, 1.0)


class FrictionWork(NamedTuple):
    cone: ConeWork
    kept: Vector            # rows: forces of this path
    best: Vector            # rows: forces of the best path


@inner
def keep_better(residual: float, best: float, f: Vector, kept: Vector) -> float:
    """The better of f and `kept` into both; its residual."""
    for i in range(len(f)):
        if residual < best:
            kept[i] = f[i]
        else:
            f[i] = kept[i]
    return min(residual, best)


@inner
def attempt(W: Matrix, q: Vector, kinds: Integers, first: Integers, mu: Vector, factor: Matrix, r: Vector, u: Vector, modes: Integers,
            kept: Vector, work: ConeWork, tol: float, path: int) -> None:
    """The interior path of that number, and Newton's method from its end."""
    spread = SPREADS[path % len(SPREADS)] if path > LONG else 0.0
    steps = interior_kernels.interior(W, q, mu, FORCES[path % len(FORCES)], spread, path, work, r)
    near = cone_kernels.cone_residual(W, q, kinds, first, mu, r, u)
    for i in range(len(q)):
        kept[i] = r[i]
    cone_kernels.cone_newton(W, q, kinds, first, mu, factor, r, u, modes, work, tol, 1, True)
    keep_better(work.info[RESIDUAL], near, r, kept)
    work.info[STEPS] += steps


@inner
def settle(W: Matrix, q: Vector, kinds: Integers, first: Integers, mu: Vector, factor: Matrix, r: Vector, u: Vector, modes: Integers,
           start: int, stop: int, work: FrictionWork, tol: float) -> float:
    """One answer into r, u, modes; its residual, the smallest that was reached where it is above `tol`. Answers are sought with some reserve to
    `tol`, so that a judge's own round-off makes no difference.

    Newton's method alone is path -1; the paths from `start` on, before `stop`, go on from what r is already.
    """
    cone, best, steps = work.cone, math.inf, 0.0
    tol *= RESERVE
    if start >= 0:
        best, steps = keep_better(refine_kernels.exact_residual(W, q, kinds, first, mu, r, u), best, r, work.best), cone.info[STEPS]
    else:
        cone.info[EFFORT] = 0.0
    for path in range(start, stop):
        if path < 0 or path == LONG:
            cone_kernels.cone_newton(W, q, kinds, first, mu, factor, r, u, modes, cone, tol, 1 if path < 0 else ROUNDS, False)
        else:
            attempt(W, q, kinds, first, mu, factor, r, u, modes, work.kept, cone, tol, path)
        steps += cone.info[STEPS]
        if path < 0 and cone.info[RESIDUAL] + refine_kernels.round_off(W, q, mu, r, u) <= refine_kernels.WELL * tol:
            return cone.info[RESIDUAL]
        now = refine_kernels.exact_residual(W, q, kinds, first, mu, r, u)
        if refine_kernels.WELL * tol < now < NEAR:
            size = cone_kernels.scale_problem(W, q, kinds, first, factor, cone)
            now = refine_kernels.refine(W, q, kinds, first, mu, r, u, now, size, work.kept, cone, tol)
        best = keep_better(now, best, r, work.best)
        if best <= tol or cone.info[EFFORT] >= cone.info[MOST_EFFORT]:
            break
    cone.info[STEPS] = steps
    return refine_kernels.exact_residual(W, q, kinds, first, mu, r, u)


@kernel
def settle_cones(W: Cube, q: Matrix, kinds: Integers, first: Integers, mu: Matrix, factor: Matrix, r: Matrix, u: Matrix,
                 modes: IntegerTable, residual: Vector, start: int, stop: int, work: FrictionWork, tol: float) -> None:
    """Answers of problem after problem; residuals as in CONTRACT 5, from W, q, mu and r alone."""
    for k in range(len(q)):
        residual[k] = settle(W[k], q[k], kinds, first, mu[k], factor, r[k], u[k], modes[k], start, stop, work, tol)
