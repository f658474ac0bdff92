"""Answers in newton and metre, and the judge: how far each is from the laws, from M, h, W and the answer alone (CONTRACT 7)."""
import math

from knuckle.compiled.kernel import Matrix, Vector, inner
from knuckle.instant.mode_kernels import CONE, DRY, SLIDING, UNILATERAL
from knuckle.instant.space_kernels import Problem, Work

ROUND_OFF_SHARE = 1e-6      # of what the forces alone would move: where they cancel, accelerations below it times 1e-9 are round-off


@inner
def motion_residual(problem: Problem, vdot: Vector, forces: Vector, rows: int, nv: int) -> float:
    """|M v' - h - W^T f| over the size of its terms."""
    worst, size = 0.0, 0.0
    for i in range(nv):
        total, terms = -problem.h[i], abs(problem.h[i])
        for j in range(nv):
            total += problem.M[i, j] * vdot[j]
            terms += abs(problem.M[i, j] * vdot[j])
        for r in range(rows):
            total -= problem.W[r, i] * forces[r]
            terms += abs(problem.W[r, i] * forces[r])
        worst, size = max(worst, abs(total)), max(size, terms)
    return worst / size if size > 0.0 else 0.0


@inner
def over(violation: float, scale: float) -> float:
    return 0.0 if violation <= 0.0 else (violation / scale if scale > 0.0 else math.inf)


@inner
def friction_residual(kind: int, mu: float, factor: Matrix, unit: int, f: Vector, a: Vector, first: int, last: int, F: float, A: float) -> float:
    """Coulomb's law at one contact: the force inside its cone, and against the acceleration where that is not zero."""
    pull, slip, worst = 0.0, 0.0, 0.0
    for r in range(first + 1, last):
        if kind == SLIDING:
            worst = max(worst, over(abs(f[r] - factor[unit, r - first - 1] * f[first]), F))
        pull, slip = pull + f[r] * f[r], slip + a[r] * a[r]
        if kind != CONE and kind != SLIDING:
            worst = max(worst, over(abs(f[r]) - mu * f[first], F), over(abs(abs(a[r]) * f[r] + mu * f[first] * a[r]), F * A))
    if kind == CONE:
        worst = over(math.sqrt(pull) - mu * f[first], F)
        for r in range(first + 1, last):
            worst = max(worst, over(abs(math.sqrt(slip) * f[r] + mu * f[first] * a[r]), F * A))
    return worst


@inner
def residual(problem: Problem, work: Work, vdot: Vector, forces: Vector, a: Vector, units: int, rows: int, free_motion: int,
             nv: int) -> tuple[float, float]:
    """The largest violation of motion, contact, complementarity and friction, each over its own scale; the scale of accelerations."""
    worst = motion_residual(problem, vdot, forces, rows, nv)
    A, F, inertia = 0.0, 0.0, 0.0
    for r in range(rows):
        size, diagonal, pushed = abs(problem.bias[r]), 0.0, 0.0
        for j in range(nv):
            size += abs(problem.W[r, j]) * max(abs(vdot[j]), abs(work.Z[free_motion, j]))
            diagonal += problem.W[r, j] * work.Z[r, j]
        for s in range(rows):                              # what the forces alone would move; work.B is scaled
            pushed += abs(work.B[r, s] / work.scale[s] * forces[s])
        A, F, inertia = max(A, size, ROUND_OFF_SHARE * pushed / work.scale[r]), max(F, abs(forces[r])), max(inertia, diagonal)
    F = max(F, A / inertia) if inertia > 0.0 else F
    for i in range(units):
        kind, r = problem.kind[i], problem.first[i]
        if kind == DRY:
            bound = problem.mu[i]
            worst = max(worst, over(abs(forces[r]) - bound, F), over(abs(abs(a[r]) * forces[r] + bound * a[r]), F * A))
            continue
        worst = max(worst, over(-forces[r], F), over(-a[r], A))
        worst = max(worst, over(abs(forces[r] * a[r]), F * A))
        if kind != UNILATERAL:
            worst = max(worst, friction_residual(kind, problem.mu[i], problem.factor, i, forces, a, r, problem.first[i + 1], F, A))
    return worst, A


@inner
def report_answers(problem: Problem, work: Work, units: int, free_rows: int, rows: int, nv: int) -> None:
    """Unscale every answer and judge it."""
    for k in range(work.counts[0]):
        for j in range(nv):
            work.vdot[k, j] = work.Z[rows, j]
        for r in range(free_rows):
            force = work.answers[k, r] * work.scale[r] * work.load[r]
            work.forces[k, r] = force
            if force != 0.0:
                for j in range(nv):
                    work.vdot[k, j] += force * work.Z[r, j]
        for r in range(free_rows):
            total = problem.bias[r]
            for j in range(nv):
                total += problem.W[r, j] * work.vdot[k, j]
            work.motions[k, r] = total
        work.residual[k], work.size[k] = residual(problem, work, work.vdot[k], work.forces[k], work.motions[k], units, free_rows, rows, nv)
