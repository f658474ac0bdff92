"""One face for all solvers that are measured: problems in, answers with the solver's own word and its CPU time out. An absent peer is None."""
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import peers

import knuckle as kn

try:
    from numba import njit
    from quantecon.optimize import lcp_lemke
except ImportError:
    lcp_lemke = None

try:
    from pydrake.solvers import MathematicalProgram, MobyLcpSolver
except ImportError:
    MobyLcpSolver = None

WORKER = Path(__file__).with_name("siconos_worker.py")
SICONOS_LCP = ("LEMKE", "ENUM", "PIVOT", "NEWTON_FB_FBLSA", "NEWTONMIN", "AVI_CAOFERRIS", "BARD", "MURTY", "PGS")
SICONOS_CONE = ("NSGS", "NSN_AC", "NSN_AC_TEST", "NSN_FB", "ADMM", "PROX")
COPIES = 20
LONGEST = 300        # seconds that one worker may take


@dataclass(frozen=True)
class Answers:
    x: list[np.ndarray]
    claimed: np.ndarray      # (count,) bool
    seconds: np.ndarray      # (repeats, count)


def timed(call: Callable, problems: list, repeats: int) -> Answers:
    """`call(*problem)` gives (claimed, x)."""
    call(*problems[-1])
    seconds, found = np.zeros((repeats, len(problems))), []
    for i, problem in enumerate(problems):
        start = time.process_time()
        found.append(call(*problem))
        seconds[0, i] = time.process_time() - start
    for repeat in range(repeats if repeats > 1 else 0):
        for i, problem in enumerate(problems):
            times = 10 if seconds[0, i] < 1e-3 else 1                  # reading the clock takes a microsecond itself
            start = time.process_time()
            for _ in range(times):
                call(*problem)
            seconds[repeat, i] = (time.process_time() - start) / times
    return Answers([x for _, x in found], np.array([bool(claimed) for claimed, _ in found]), seconds)


def missing(x: np.ndarray | None, like: np.ndarray) -> np.ndarray:
    return np.zeros_like(like) if x is None else x


def knuckle_lcp(A, b):
    result = kn.solve_lcp(A, b)
    return result.outcome == "solved", missing(result.z, b)


def knuckle_cone(W, q, mu):
    result = kn.solve_cone(W, q, mu)
    return result.outcome == "solved", missing(result.r, q)


def textbook(A, b):
    z = peers.textbook_lemke(A, b)
    return z is not None, missing(z, b)


def quantecon_single(A, b):
    found = lcp_lemke(A, b)
    return found.success, found.z


def drake_moby(A, b):
    program = MathematicalProgram()
    z = program.NewContinuousVariables(b.size)
    program.AddLinearComplementarityConstraint(A, b, z)
    found = MobyLcpSolver().Solve(program, None, None)
    return found.is_success(), found.GetSolution(z)


def knuckle_cone_batch(problems: list, repeats: int) -> Answers | None:
    """Each problem COPIES times in one call: what it costs where calls from Python do not."""
    solve = getattr(kn, "solve_cone_batch", None)
    if solve is None:
        return None
    parts = []
    for problem in problems:
        W, q, mu = (np.array([part] * COPIES) for part in problem)
        parts.append(whole(lambda W=W, q=q, mu=mu: solve(W, q, mu), lambda found: (kn_solved(found), found.r), repeats))
    seconds = np.stack([part.seconds[:, 0] for part in parts], axis=1)
    return Answers([part.x[0] for part in parts], np.array([part.claimed[0] for part in parts]), seconds)


def knuckle_batch(problems: list, repeats: int) -> Answers | None:
    solve = getattr(kn, "solve_lcp_batch", None)
    if solve is None:
        return None
    A, b = (np.array(part) for part in zip(*problems, strict=True))
    return whole(lambda: solve(A, b), lambda found: (kn_solved(found), found.z), repeats)


def kn_solved(found) -> np.ndarray:
    return np.asarray(found.outcome) == "solved"


def quantecon_batch(problems: list, repeats: int) -> Answers | None:
    """A compiled loop around its compiled solver, as fast as it can be called."""
    if lcp_lemke is None:
        return None

    @njit
    def loop(A, b, z, solved):
        n = b.shape[1]
        tableau, basis = np.empty((n, 2 * n + 2)), np.empty(n, np.int64)
        for i in range(len(b)):
            solved[i] = lcp_lemke(A[i], b[i], None, 10**6, tableau=tableau, basis=basis, z=z[i]).success

    A, b = (np.array(part) for part in zip(*problems, strict=True))
    z, solved = np.zeros_like(b), np.zeros(len(b), dtype=bool)
    return whole(lambda: loop(A, b, z, solved), lambda _: (solved.copy(), z.copy()), repeats)


def whole(call: Callable, read: Callable, repeats: int) -> Answers:
    """One call for all problems: its time is shared evenly."""
    call()
    spent = []
    for _ in range(repeats):
        start = time.process_time()
        found = call()
        spent.append(time.process_time() - start)
    claimed, x = read(found)
    return Answers(list(x), np.asarray(claimed), np.outer(spent, np.ones(len(x)) / len(x)))


def siconos_python() -> str | None:
    """The first interpreter that has Siconos: KNUCKLE_SICONOS_PYTHON, this one, the system's."""
    for python in (os.environ.get("KNUCKLE_SICONOS_PYTHON"), sys.executable, "/usr/bin/python3"):
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        if python and Path(python).exists():
            asked = subprocess.run([python, "-c", "import siconos.numerics"], env=environment, capture_output=True, check=False)
            if asked.returncode == 0:
                return python
    return None


def siconos(python: str, kind: str, solver: str, problems: list, repeats: int, tolerance: float) -> Answers | None:
    """One process for each solver: some end the process when they fail. None then, and when it takes too long."""
    names = ("A", "b") if kind == "lcp" else ("W", "q", "mu")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "in.npz", Path(folder) / "out.npz"
        given = {f"{name}{i}": part for i, problem in enumerate(problems) for name, part in zip(names, problem, strict=True)}
        np.savez(source, tolerance=tolerance, repeats=repeats, count=len(problems), **given)
        try:
            subprocess.run([python, str(WORKER), kind, solver, str(source), str(target)], env=environment, capture_output=True,
                timeout=LONGEST, check=True)
        except subprocess.SubprocessError:
            return None
        found = np.load(target)
        return Answers([found[f"x{i}"] for i in range(len(problems))], found["claimed"], found["seconds"])


def pinocchio(method: str, tolerance: float, most: int = 20_000) -> Callable:
    """`ADMM` or `PGS` on the given matrix; its rows are T1, T2, N, and the contacts exist for their friction alone."""
    pin = peers.pin
    model = pin.Model()
    model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "body")
    settings = getattr(pin, f"{method}SolverSettings")()
    for name in ("absolute_complementarity_tol", "absolute_feasibility_tol", "relative_complementarity_tol", "relative_feasibility_tol"):
        setattr(settings, name, tolerance)
    settings.max_iterations = most

    def call(W, q, mu):
        order = (3 * np.arange(mu.size)[:, None] + [1, 2, 0]).ravel()
        models, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
        for friction in mu:
            contact = pin.PointContactConstraintModel(model, 1, pin.SE3.Identity())
            contact.setFriction(float(friction))
            contact.setCompliance(np.zeros(3))
            models.append(pin.ConstraintModel(contact))
            datas.append(pin.ConstraintData(contact.createData()))
        result, solver = getattr(pin, f"{method}SolverResult")(), getattr(pin, f"{method}ConstraintSolver")(q.size)
        operator = pin.DelassusOperatorDense(np.asfortranarray(W[np.ix_(order, order)]))
        claimed, r = solver.solve(operator, q[order], models, datas, settings, result), np.zeros(q.size)
        r[order] = result.retrieveConstraintImpulses()
        return claimed, r

    return call
