"""How long one instant takes, beside other libraries in the same run (medians of CPU time, one thread). Run by `make bench`.

The peers answer other questions about the same bodies: MuJoCo gives one motion with soft contacts, Pinocchio the rigid-body terms alone.
`--keep` also writes the table to benchmarks/results, one file per version."""
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("KNUCKLE_INTERPRETED", "0")

import mujoco
import numba
import numpy as np
import peers

import knuckle as kn
from knuckle.compiled.kernel import numba_type, signature
from knuckle.instant import kernels

SCENES = {"two-finger-lift": "plane, 2 contacts", "three-finger-sphere": "space, 3 contacts, circular cone"}
TABLE = []


def line(text):
    TABLE.append(text)
    print(text, flush=True)


def row(what, us, question):
    line(f"  {what:32} {us:9.2f} us   {question}")


def median_us(call, times=200, repeats=21):
    """Per call; `call` runs once before, so that nothing is loaded or compiled within."""
    call()
    spent = []
    for _ in range(repeats):
        start = time.process_time()
        for _ in range(times):
            call()
        spent.append((time.process_time() - start) / times * 1e6)
    return float(np.median(spent))


def repeat_kernel():
    """A compiled loop around solve_instant, so that nothing of Python is measured."""
    instant = signature(kernels.solve_instant.py_func)

    @numba.njit(numba_type(type(None))(*instant.args, numba.int64), nogil=True)
    def repeat(scene, q, v, torque, problem, work, times):
        for _ in range(times):
            kernels.solve_instant(scene, q, v, torque, problem, work)

    return repeat


def instants(name, repeat):
    ready = kn.load(name).compile()
    q, v, tau = ready.state.q, ready.state.v, ready.torque
    answer = ready.modes(q, v, tau)
    line(f"{name}: {SCENES[name]}, nv {ready.system.nv}; the answer is {answer.verdict.value} ({answer.certificate['kind']})")
    row("Knuckle, compiled loop", median_us(lambda: repeat(ready._scene, q, v, tau, ready._problem, ready._work, 1000), 1) / 1000,
        "which contacts roll, slide or break, and is it the only answer")
    row("Knuckle system.modes", median_us(lambda: ready.modes(q, v, tau)), "the same, as an answer with its certificate")
    row("Knuckle system.terms", median_us(lambda: ready.system.terms(q, v)), "M and h")
    if peers.pin is not None:
        row("Pinocchio crba, nle, jacobians", median_us(peers.pinocchio_terms(ready.system.model, len(ready.pairs))), "M, h and J")
    for contacts in (False, True):
        calls, found = peers.mujoco_calls(ready.system.model, contacts, q, v, tau)
        for function in ("mj_forward", "mj_step"):
            row(f"MuJoCo {function}, {'all' if contacts else 'no'} contacts", median_us(calls[function]),
                f"one motion, {found} soft contacts" + (", and a time step" if function == "mj_step" else ""))
    row("  of which writing the state", median_us(calls["state"]), "so that every call starts from the same one")


def lcps():
    for n in (4, 16, 64):
        rng = np.random.default_rng(n)
        root = rng.normal(size=(n, n))
        A, b = root @ root.T / n + 0.1 * np.eye(n) + 0.3 * (root - root.T), rng.normal(size=n)
        apart = np.abs(kn.solve_lcp(A, b).z - peers.textbook_lemke(A, b)).max()
        line(f"linear complementarity problem of size {n}, positive definite")
        row("kn.solve_lcp", median_us(lambda A=A, b=b: kn.solve_lcp(A, b), 20), "z, its outcome and its residual")
        row("textbook Lemke in NumPy", median_us(lambda A=A, b=b: peers.textbook_lemke(A, b), 20), f"z alone; apart by {apart:.0e}")


def main():
    others = f", Pinocchio {peers.pin.__version__}" if peers.pin is not None else ""
    line(f"Knuckle {kn.__version__}, MuJoCo {mujoco.__version__}{others}, NumPy {np.__version__}; calls from Python unless said otherwise")
    repeat = repeat_kernel()
    for name in SCENES:
        instants(name, repeat)
    lcps()
    if "--keep" in sys.argv:
        folder = Path(__file__).parent / "results"
        folder.mkdir(exist_ok=True)
        (folder / f"{kn.__version__}.txt").write_text("\n".join(TABLE) + "\n")


if __name__ == "__main__":
    main()
