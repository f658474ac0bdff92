"""Solves problems with one solver of Siconos: python siconos_worker.py lcp|cone SOLVER IN.npz OUT.npz

Runs in the Python that Siconos is installed for, which needs no more than NumPy. IN: tolerance, repeats, count and A0, b0, .. or W0, q0, mu0, ..;
OUT: x0, .. (the answer of the first pass), claimed (the solver's own word) and seconds (repeats x problems, CPU time of one call)."""
import sys
import time

import numpy as np
import siconos.numerics as sn

MOST_ITERATIONS = {"NSGS": 10_000, "ADMM": 10_000, "NSN": 500, "PGS": 10_000, "NEWTON": 1000, "PROX": 1000}


def options_of(kind, solver, tolerance):
    options = sn.SolverOptions(getattr(sn, ("SICONOS_LCP_" if kind == "lcp" else "SICONOS_FRICTION_3D_") + solver))
    options.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
    for name, most in MOST_ITERATIONS.items():
        if solver.startswith(name):
            options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = most
    return options


def lcp(A, b, options):
    z, w = np.zeros(b.size), np.zeros(b.size)
    return sn.linearComplementarity_driver(sn.LCP(A, b), z, w, options), z


def cone(W, q, mu, options):
    r, u = np.zeros(q.size), np.zeros(q.size)
    return sn.fc3d_driver(sn.FrictionContactProblem(3, mu.size, W, q, mu), r, u, options), r


def main():
    kind, solver, source, target = sys.argv[1:]
    given = np.load(source)
    names, call = (("A", "b"), lcp) if kind == "lcp" else (("W", "q", "mu"), cone)
    count, repeats = int(given["count"]), int(given["repeats"])
    problems = [[given["%s%d" % (name, i)] for name in names] for i in range(count)]
    options = options_of(kind, solver, float(given["tolerance"]))
    call(*problems[-1], options)
    seconds, claimed, answers = np.zeros((repeats, count)), np.zeros(count, dtype=bool), {}
    for i, problem in enumerate(problems):
        start = time.process_time()
        info, answers["x%d" % i] = call(*problem, options)
        claimed[i], seconds[0, i] = info == 0, time.process_time() - start
    for repeat in range(repeats if repeats > 1 else 0):
        for i, problem in enumerate(problems):
            times = 10 if seconds[0, i] < 1e-3 else 1                  # reading the clock takes a microsecond itself
            start = time.process_time()
            for _ in range(times):
                call(*problem, options)
            seconds[repeat, i] = (time.process_time() - start) / times
    np.savez(target, seconds=seconds, claimed=claimed, **answers)


if __name__ == "__main__":
    main()
