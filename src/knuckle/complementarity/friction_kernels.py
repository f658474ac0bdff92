"""Problems of circular cones alone, one after the other: Newton's method, and interior points where it is lost."""
import math

from knuckle.compiled.kernel import Cube, Integers, IntegerTable, Matrix, Vector, inner, kernel
from knuckle.complementarity import cone_kernels, interior_kernels, refine_kernels
from knuckle.complementarity.cone_kernels import EFFORT, MOST_EFFORT, STEPS, ConeWork

NEAR = 1e-4          # residuals below this are worth better digits
FORCES = (1e4, 1e2, 1e6, 1.0)      # over the load: how large forces may be, one path each


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
def settle(W: Matrix, q: Vector, kinds: Integers, first: Integers, mu: Vector, factor: Matrix, r: Vector, u: Vector, modes: Integers,
           kept: Vector, work: ConeWork, tol: float, rounds: int) -> float:
    """One answer into r, u, modes; its residual, the smallest that was reached where it is above `tol`."""
    cone_kernels.cone_newton(W, q, kinds, first, mu, factor, r, u, modes, work, tol, 1, False)
    best, steps, effort = keep_better(work.info[cone_kernels.RESIDUAL], math.inf, r, kept), work.info[STEPS], work.info[EFFORT]
    for force in FORCES:
        if best <= tol or effort >= work.info[MOST_EFFORT]:
            break
        steps += interior_kernels.interior(W, q, mu, force, work, r)
        best = keep_better(cone_kernels.cone_residual(W, q, kinds, first, mu, r, u), best, r, kept)
        cone_kernels.cone_newton(W, q, kinds, first, mu, factor, r, u, modes, work, tol, 1, True)
        best = keep_better(work.info[cone_kernels.RESIDUAL], best, r, kept)
        steps, effort = steps + work.info[STEPS], effort + work.info[EFFORT]
    if best > tol and effort < work.info[MOST_EFFORT]:
        cone_kernels.cone_newton(W, q, kinds, first, mu, factor, r, u, modes, work, tol, rounds, False)
        best, steps = keep_better(work.info[cone_kernels.RESIDUAL], best, r, kept), steps + work.info[STEPS]
    work.info[STEPS] = steps
    best = refine_kernels.exact_residual(W, q, kinds, first, mu, r, u)
    if tol < best < NEAR:
        size = cone_kernels.scale_problem(W, q, kinds, first, factor, work)
        best = refine_kernels.refine(W, q, kinds, first, mu, r, u, best, size, kept, work)
    return best


@kernel
def settle_cones(W: Cube, q: Matrix, kinds: Integers, first: Integers, mu: Matrix, factor: Matrix, r: Matrix, u: Matrix,
                 modes: IntegerTable, residual: Vector, kept: Vector, work: ConeWork, tol: float, rounds: int) -> None:
    """Answers of problem after problem, each from r = 0; residuals as in CONTRACT 5, from W, q, mu and r alone."""
    for k in range(len(q)):
        residual[k] = settle(W[k], q[k], kinds, first, mu[k], factor, r[k], u[k], modes[k], kept, work, tol, rounds)
