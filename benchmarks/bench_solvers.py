"""How fast the solvers are, and how truthful, beside other libraries in the same run. Run by `make bench`.

All times are CPU time on one thread, warm, the least of several passes. Siconos runs in a worker process of the system's Python (Debian:
python3-siconos), quantecon and Pinocchio in this one; a peer that is absent is named and left out. Answers are judged by
tests/oracles/judges.py, not by those who gave them. `--quick` takes fewer problems; `--keep` also writes the tables to benchmarks/results."""
import os
import sys
from itertools import pairwise
from pathlib import Path

os.environ.setdefault("KNUCKLE_INTERPRETED", "0")
sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "oracles"))

import judges
import numba
import numpy as np
import peers
import solver_families as families
import solver_peers

import knuckle as kn

QUICK = "--quick" in sys.argv
PASSES = 3 if QUICK else 7
GOOD = 1e-9                          # the residual that a cone answer must reach here
TOLERANCES = (1e-10, 1e-12, 1e-14)   # for peers, whose residuals are scaled otherwise: the first that is good enough counts
GROSS = 1e-6                         # beyond any difference of scales
GOALS = {4: (5.0, 12.0), 8: (3.5, 6.5)}
TABLE = []


def line(text=""):
    TABLE.append(text)
    print(text, flush=True)


def mean_us(answers):
    return answers.seconds.mean(axis=1).min() * 1e6


def lcp_faults(members, answers):
    return np.array([judges.lcp_fault(member, x) if np.isfinite(x).all() else np.inf for member, x in zip(members, answers.x, strict=True)])


def cone_residuals(problems, answers):
    return np.array([judges.cone_residual(*problem, x) if np.isfinite(x).all() else np.inf for problem, x in zip(problems, answers.x, strict=True)])


def lcp_peers(problems, python, passes=PASSES):
    """Name -> answers, of all peers that are there and that end."""
    found = {"Knuckle": solver_peers.timed(solver_peers.knuckle_lcp, problems, passes)}
    if len({b.size for _, b in problems}) == 1:
        found["Knuckle batch"] = solver_peers.knuckle_batch(problems, passes)
        found["quantecon in a compiled loop"] = solver_peers.quantecon_batch(problems, passes)
    if solver_peers.lcp_lemke is not None:
        found["quantecon"] = solver_peers.timed(solver_peers.quantecon_single, problems, passes)
    if solver_peers.MobyLcpSolver is not None:
        found["Drake Moby"] = solver_peers.timed(solver_peers.drake_moby, problems, passes)
    for solver in solver_peers.SICONOS_LCP if python else ():
        few = solver == "ENUM" and max(b.size for _, b in problems) > 12        # 2^n bases
        found[f"Siconos {solver}"] = None if few else solver_peers.siconos(python, "lcp", solver, problems, passes, 1e-10)
    return {name: answers for name, answers in found.items() if answers is not None}


def batches(python):
    for n, goals in GOALS.items():
        rng, count = np.random.default_rng(n), 200 if QUICK else 2000
        members = [families.LCPS["P"](rng, n) for _ in range(count)]
        problems = [(member.A, member.b) for member in members]
        line(f"\n{count} linear complementarity problems of size {n} (family P): CPU time of one, solved (residual 1e-8), said so wrongly")
        found = lcp_peers(problems, python)
        good = {name: lcp_faults(members, answers) <= judges.LCP_TOLERANCE for name, answers in found.items()}
        for name, answers in sorted(found.items(), key=lambda item: mean_us(item[1])):
            line(f"  {name:32}{mean_us(answers):9.2f} us {good[name].sum():6d} {(answers.claimed & ~good[name]).sum():6d}")
        ours = min(mean_us(found[name]) for name in found if name.startswith("Knuckle"))
        for peer, goal in zip(("Siconos", "quantecon"), goals, strict=True):
            able = [name for name in found if name.startswith(peer) and good[name].mean() >= 0.95 and "loop" not in name]
            if able:
                best = min(able, key=lambda name: mean_us(found[name]))
                line(f"  {best}, called from Python, takes {mean_us(found[best]) / ours:.2f} times as long as Knuckle's fastest (goal {goal})")


@numba.njit
def determinant(T, m):
    """Of the leading m rows and columns, by LU decomposition with pivoting in place."""
    minor = 1.0
    for k in range(m):
        p = k
        for i in range(k + 1, m):
            if abs(T[i, k]) > abs(T[p, k]):
                p = i
        if p != k:
            minor = -minor
            for j in range(k, m):
                T[k, j], T[p, j] = T[p, j], T[k, j]
        minor *= T[k, k]
        if minor == 0.0:
            break
        for i in range(k + 1, m):
            factor = T[i, k] / T[k, k]
            for j in range(k + 1, m):
                T[i, j] -= factor * T[k, j]
    return minor


@numba.njit
def all_minors(A):
    """Whether every principal minor is positive."""
    n = len(A)
    T, chosen = np.empty((n, n)), np.empty(n, np.int64)
    for bits in range(1, 1 << n):
        m = 0
        for i in range(n):
            if bits >> i & 1:
                chosen[m] = i
                m += 1
        for i in range(m):
            for j in range(m):
                T[i, j] = A[chosen[i], chosen[j]]
        if determinant(T, m) <= 0.0:
            return False
    return True


def p_matrices():
    rng, ratios, kinds = np.random.default_rng(16), [], {}
    for _ in range(5 if QUICK else 15):
        A = families.p_matrix(rng, 16)
        ours = solver_peers.timed(lambda A: (True, kn.p_matrix(A).holds), [(A,)], PASSES)
        theirs = solver_peers.timed(lambda A: (True, all_minors(A)), [(A,)], 2)
        ratios.append(theirs.seconds.min() / ours.seconds.min())
        kinds.setdefault((bool(ours.x[0]), bool(theirs.x[0])), []).append(ours.seconds.min())
    line(f"\nP matrices of size 16: all {2**16 - 1} minors in a compiled loop take {theirs.seconds.min() * 1e3:.1f} ms")
    for (ours, theirs), spent in kinds.items():
        line(f"  kn.p_matrix says {ours}, the minors {theirs}: {len(spent)} matrices, median {np.median(spent) * 1e3:.3f} ms")
    line(f"  median ratio {np.median(ratios):.0f}, least {min(ratios):.0f} (goal 70)")


def cone_groups():
    """84 problems: 7 groups of 12; an index names a size and a member."""
    spread = [20 * turn + k - 1 for turn, k in enumerate([3, 5, 7, 9, 11, 12, 13, 14, 15, 17, 19, 20])]
    small = [20 * turn + k - 1 for turn in range(4) for k in (3, 4, 5)]
    large = [20 * turn + k - 1 for turn in range(2) for k in (10, 12, 14, 16, 18, 20)]
    groups = {"full rank, 3-5 contacts": [("random", i) for i in small], "full rank, 10-20 contacts": [("random", i) for i in large]}
    groups |= {family: [(family, i) for i in spread] for family in ("one body", "twice", "grazing", "mass ratio 1e6")}
    groups["stacks 1e2, 1e4, 1e6"] = [(f"stacks {(100, 10_000, 1_000_000)[j % 3]:.0e}".replace("e+0", "e"), i) for j, i in enumerate(spread)]
    return groups


def arrays(members):
    problems = [families.cone(family, index) for family, index in members]
    return [(p.W, p.q, p.mu) for p in problems]


def cone_solvers(python):
    """Name -> function of (problems, passes, tolerance)."""
    def of_siconos(solver):
        return lambda problems, passes, tolerance: solver_peers.siconos(python, "cone", solver, problems, passes, tolerance)

    def of_pinocchio(method):
        return lambda problems, passes, tolerance: solver_peers.timed(solver_peers.pinocchio(method, tolerance), problems, passes)

    found = {"Knuckle": lambda problems, passes, _: solver_peers.timed(solver_peers.knuckle_cone, problems, passes)}
    if hasattr(kn, "solve_cone_batch"):
        found["Knuckle in batches"] = lambda problems, passes, _: solver_peers.knuckle_cone_batch(problems, passes)
    found |= {f"Siconos {solver}": of_siconos(solver) for solver in solver_peers.SICONOS_CONE if python}
    return found | {f"Pinocchio {method}": of_pinocchio(method) for method in ("ADMM", "PGS") if peers.pin is not None}


def best_of_tolerances(solve, problems):
    """Times (inf where the residual is not reached), residuals, and the claims at the first tolerance; None if the solver does not end."""
    times, least, claims = np.full(len(problems), np.inf), np.full(len(problems), np.inf), None
    for tolerance in TOLERANCES:
        left = np.flatnonzero(np.isinf(times))
        tried = [problems[i] for i in left]
        answers = solve(tried, 1, tolerance) if tried else None
        if answers is None:
            continue
        residuals = cone_residuals(tried, answers)
        claims = claims or (answers.claimed, residuals)
        least[left] = np.minimum(least[left], residuals)
        reached = left[residuals <= GOOD]
        if reached.size and (again := solve([problems[i] for i in reached], PASSES, tolerance)) is not None:
            times[reached] = again.seconds.min(axis=0)
    return None if claims is None else (times, least, *claims)


def cones(python):
    groups = cone_groups()
    names, ends = list(groups), np.cumsum([0] + [len(group) for group in groups.values()])
    problems = arrays([member for group in groups.values() for member in group])
    line(f"\n{len(problems)} friction problems. Solved at {GOOD:g} (with the first of several tolerances that does), worst residual of these;")
    line(f"claimed at tolerance {TOLERANCES[0]:g} with a residual above {GOOD:g}, above {GROSS:g}; median CPU time of these in us (how many)")
    line("  " + " " * 20 + "solved   worst  wrong gross" + "".join(f"{name.replace(' contacts', ''):>22}" for name in names))
    found = {}
    for name, solve in cone_solvers(python).items():
        best = best_of_tolerances(solve, problems)
        if best is None:
            line(f"  {name:20} ends its process, or takes too long")
            continue
        found[name], least, claimed, residuals = best
        wrong = [(claimed & (residuals > bound)).sum() for bound in (GOOD, GROSS)]
        parts = [found[name][first:last] for first, last in pairwise(ends)]
        cells = [f"{np.median(part[part < np.inf]) * 1e6:.1f} ({(part < np.inf).sum():2d})" if np.isfinite(part).any() else "-" for part in parts]
        done = np.isfinite(found[name])
        line(f"  {name:20}{done.sum():6d} {least[done].max(initial=0.0):8.0e} {wrong[0]:5d} {wrong[1]:5d}" + "".join(f"{cell:>22}" for cell in cells))
    for peer in ("Siconos", "Pinocchio"):
        rivals = [times for name, times in found.items() if name.startswith(peer)]
        if rivals:
            for ours in [name for name in found if name.startswith("Knuckle")]:
                ratios(f"{ours}: time over that of the fastest of {peer} for each problem", found[ours], np.min(rivals, axis=0), names, ends)
            able = min((name for name in found if name.startswith(peer)), key=lambda name: np.isinf(found[name]).sum())
            ratios(f"Knuckle: time over that of {able}, which solves most", found["Knuckle"], found[able], names, ends)


def ratios(title, ours, theirs, names, ends):
    goals = {"full rank, 3-5 contacts": 0.5, "full rank, 10-20 contacts": 1.0, "one body": 1.0}
    line(f"  {title}, where both reach {GOOD:g}: median (goal)")
    for name, (first, last) in zip(names, pairwise(ends), strict=True):
        mine, other = ours[first:last], theirs[first:last]
        both = np.isfinite(mine) & np.isfinite(other)
        goal = f" (goal {goals[name]})" if name in goals else ""
        line(f"    {name:28}" + (f"{np.median(mine[both] / other[both]):6.2f}{goal}, {both.sum()} of {last - first}" if both.any() else "     -"))


def lies(python):
    """Answers that were called good and are not, family by family."""
    count = 24 if QUICK else 240
    line(f"\nsaid solved and wrong (residual above 1e-8, as given or before units were spread) / grossly (above {GROSS:g}) / solved, of {count}")
    tables = {}
    for family in families.LCPS:
        members = [families.lcp(family, index) for index in range(count)]
        problems = [(member.A, member.b) for member in members]
        answers = lcp_peers(problems, python, 1)
        answers["textbook Lemke"] = solver_peers.timed(solver_peers.textbook, problems, 1)
        judge(tables, family, answers, lambda found, members=members: lcp_faults(members, found))
    report(tables, list(families.LCPS))
    count, tables = count // 4 if not QUICK else count // 2, {}
    line(f"\nthe same for friction, of {count} in each family, tolerance {TOLERANCES[0]:g}")
    for family in families.CONES:
        problems = arrays([(family, index) for index in range(count)])
        answers = {name: solve(problems, 1, TOLERANCES[0]) for name, solve in cone_solvers(python).items()}
        judge(tables, family, answers, lambda found, problems=problems: cone_residuals(problems, found))
    report(tables, list(families.CONES))


def judge(tables, family, answers, residuals_of):
    for name, found in answers.items():
        if found is not None:
            residuals = residuals_of(found)
            wrong = [(found.claimed & (residuals > bound)).sum() for bound in (judges.LCP_TOLERANCE, GROSS)]
            tables.setdefault(name, {})[family] = (*wrong, (residuals <= judges.LCP_TOLERANCE).sum())


def report(tables, columns):
    line("  " + " " * 26 + "".join(f"{family:>17}" for family in columns))
    for name, row in tables.items():
        cells = ["{} / {} / {}".format(*row[family]) if family in row else "-" for family in columns]
        line(f"  {name:26}" + "".join(f"{cell:>17}" for cell in cells))


def main():
    python = solver_peers.siconos_python()
    line(f"Knuckle {kn.__version__}, NumPy {np.__version__}, Numba {numba.__version__}; calls from Python unless said otherwise")
    for name, there in (("Siconos", python), ("quantecon", solver_peers.lcp_lemke), ("Pinocchio", peers.pin),
        ("Drake (optional)", solver_peers.MobyLcpSolver)):
        line(f"  {name}: {'present' if there is not None else 'ABSENT, left out'}")
    batches(python)
    p_matrices()
    cones(python)
    lies(python)
    if "--keep" in sys.argv:
        folder = Path(__file__).parent / "results"
        folder.mkdir(exist_ok=True)
        (folder / f"solvers-{kn.__version__}.txt").write_text("\n".join(TABLE) + "\n")


if __name__ == "__main__":
    main()
