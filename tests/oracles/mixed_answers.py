"""Answers of the search, of the cone's Newton method and of paper 002's MNCP for one problem: none contradicts another."""

import numpy as np

import knuckle as kn
from knuckle.instant import kernels
from knuckle.instant.stage import lay_out

AGREE = 1e-8


def near(x, y, tolerance=AGREE):
    """CONTRACT 7: relative error of a vector."""
    return np.abs(x - y).max(initial=0.0) <= tolerance * (1.0 + np.abs(y).max(initial=0.0))


def belongs(answer, f, vdot):
    """Whether forces and accelerations are among the answers that the search lists or bounds."""
    if answer.verdict.value == "undecided" or answer.continuum:
        return True  # judged by the residual alone
    if not any(near(vdot, solution.vdot) for solution in answer.solutions):
        return False
    if answer.verdict.value == "determinate":
        return near(f, answer.solution.f)
    if answer.force_range is None:
        return True
    room = 1e-6 * (1.0 + np.abs(f).max())  # ranges are cut from circles
    return (f >= answer.force_range[..., 0] - room).all() and (f <= answer.force_range[..., 1] + room).all()


def by_cone_newton(problem):
    """Forces and generalised acceleration of the cone's Newton method, None where it does not come through."""
    if not problem.sliding.any():
        W = problem.W @ np.linalg.solve(problem.M, problem.W.T)
        found = kn.solve_cone(W, problem.W @ np.linalg.solve(problem.M, problem.h) + problem.bias, problem.mu)
        forces = found.r if found.outcome == "solved" else None
    else:
        stage = lay_out(problem, "cone")
        solved = kernels.newton_answer(stage.units, stage.work, stage.count, stage.free_rows)
        forces = stage.work.f[: stage.free_rows] * stage.force_unit if solved else None
    if forces is None:
        return None
    return forces.reshape(-1, problem.dim), np.linalg.solve(problem.M, problem.h + problem.W.T @ forces)


def compare(problem, methods):
    """The answer of the search and the methods that found one; fails where any of them contradicts it."""
    answer, solved = kn.solve(problem), []
    for method in methods:
        found = kn.solve_as_mncp(problem, method)
        if found.outcome == "solved":
            solved.append(method)
            assert found.residual < 1e-10 and answer.verdict.value != "inconsistent", (method, answer)
            assert belongs(answer, found.f, found.vdot), (method, answer, found)
            # merits are in newton and m/s2: round-off of lambda s, where forces or accelerations are large
            large = max(1.0, found.s.max(initial=0.0), np.abs(found.f).max() * np.abs(found.a).max())
            assert found.merit < 1e-20 + 1e-24 * large**2, (method, found)
        else:
            assert found.outcome == "undecided" and found.errors
    newton = by_cone_newton(problem)
    assert newton is None or belongs(answer, *newton), ("cone_newton", answer)
    return answer, solved, newton is not None
