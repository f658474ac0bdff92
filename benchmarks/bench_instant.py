"""How long one instant takes: inside compiled code, and from Python (medians of CPU time). Run by `make bench`."""
import os
import time

os.environ.setdefault("KNUCKLE_INTERPRETED", "0")

import numba
import numpy as np

import knuckle as kn
from knuckle.compiled.kernel import numba_type, signature
from knuckle.instant import kernels

SCENES = {"two-finger-lift": "planar, two contacts, all modes and P-test", "three-finger-sphere": "three rolling contacts, circular cone"}


def repeat_kernel():
    """A compiled loop around solve_instant, so that nothing of Python is measured."""
    instant = signature(kernels.solve_instant.py_func)

    @numba.njit(numba_type(type(None))(*instant.args, numba.int64), nogil=True)
    def repeat(scene, q, v, torque, problem, work, times):
        for _ in range(times):
            kernels.solve_instant(scene, q, v, torque, problem, work)

    return repeat


def median_us(call, times, repeats=21):
    spent = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        spent.append((time.process_time() - start) / times * 1e6)
    return float(np.median(spent))


def main():
    repeat = repeat_kernel()
    print(f"{'scene':22} {'compiled':>10} {'from Python':>12}")
    for name, what in SCENES.items():
        system = kn.load(name).compile()
        q, v, tau = system.state.q, system.state.v, system.torque
        answer = system.modes(q, v, tau)
        compiled = median_us(lambda s=system, q=q, v=v, t=tau: repeat(s._scene, q, v, t, s._problem, s._work, 1000), 1000)
        python = median_us(lambda s=system, q=q, v=v, t=tau: [s.modes(q, v, t) for _ in range(100)], 100)
        print(f"{name:22} {compiled:7.1f} us {python:9.1f} us   {what}: {answer.verdict.value}, {answer.certificate['kind']}")


if __name__ == "__main__":
    main()
