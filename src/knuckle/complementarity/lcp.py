"""Linear complementarity problems: one answer or all. Nothing is called solved or none without its proof."""
from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from knuckle.compiled import kernel
from knuckle.complementarity import lcp_kernels, lp_kernels, principal_kernels, residual_kernels
from knuckle.complementarity.exact import exact_solution
from knuckle.complementarity.inputs import is_ready, refuse_other_than_numbers
from knuckle.complementarity.lcp_kernels import LcpWork
from knuckle.complementarity.lp import farkas_beyond, lp_work, matrix_and_vectors, tightened
from knuckle.complementarity.result import Result
from knuckle.complementarity.workspaces import Kept
from knuckle.errors import InputError

RESIDUAL = 1e-8        # CONTRACT 5
RATIONAL = 8           # up to this size rational arithmetic decides what is within round-off
ENUMERATED = 12        # up to this size all 2^n bases decide when Lemke does not
ENUMERABLE = 18        # up to this size `enumerate_lcp` tries all bases
COVERS = 12            # Lemke runs with so many covering vectors before other means
BRANCHES = 4000        # linear programs that one problem may cost
KEPT = 40              # rows up to which a thread keeps its workspaces
INSTANTS = 0.01        # interpreted work of a problem, per row
KERNEL_MODULES = tuple(f"knuckle.complementarity.{name}_kernels" for name in ("tableau", "lcp", "residual", "principal"))
FARTHEST = 1e300       # answers near the largest number lose their complement, or cannot be written at all
TOO_LARGE = "an answer has numbers that are too large for double precision"


@dataclass(frozen=True)
class LcpResult(Result):
    """`outcome`: solved (z, w), none (certificate), ray (Lemke ended on one: not a proof), undecided (errors say why).

    Certificates: {"kind": "farkas", "y", "beyond"}: y >= 0, A'y <= 0, b.y < 0, so no z >= 0 has A z + b >= 0 (where A'y <= 0 fails by round-off,
    none with a sum below `beyond`);
    {"kind": "enumeration", "bases"}: no complementary basis, singular ones included, holds a vertex ("arithmetic":
    "rational" where round-off had to be excluded);
    {"kind": "branches", "leaves", "beyond"}: every branch (z_i = 0 or w_i = 0) ends in such a proof (`beyond`: of z and w).
    """

    outcome: str
    z: np.ndarray | None = None                  # (n,)
    w: np.ndarray | None = None                  # (n,) A z + b
    residual: float | None = None                # CONTRACT 7
    certificate: dict[str, Any] | None = None
    errors: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Continuum(Result):
    """A polyhedron of solutions, conv(vertices) + cone(rays), on which z lives in `support` alone."""

    support: list[int]
    vertices: np.ndarray      # (k, n)
    rays: np.ndarray          # (l, n), largest entry 1


@dataclass(frozen=True)
class LcpSolutions(Result):
    """`solutions`: the isolated ones and the vertices of the continua; `complete`: proved to be all."""

    solutions: list[np.ndarray]
    continua: list[Continuum]
    complete: bool
    errors: list[str] = field(default_factory=list)


def lcp_work(n: int, side: int = 0, capacity: int = 64) -> LcpWork:
    """Workspace for n complementary rows, `side` further rows and `capacity` vertices."""
    rows = n + side
    names = ["basic", "nonbasic", "place", "support", "equations", "others", "picks"]
    integers = {name: np.zeros(2 * n + rows + 3, np.int64) for name in names}
    vectors = {name: np.zeros(rows + n + 2) for name in ["b", "row", "column", "x", "rest", "kept", "z"]}
    return LcpWork(
        A=np.zeros((rows + 1, n)), T=np.zeros((rows + 1, max(n, rows) + 2)), cover=np.ones(n), least=np.ones(1),
        basis=np.zeros(n, dtype=bool), vertices=np.zeros((capacity, n)), tally=np.zeros(6, np.int64),
        **integers, **vectors)


def square_problem(A: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
    """Arrays that kernels may read; ready ones are not copied."""
    if not (is_ready(A, 2) and is_ready(b, 1)):
        refuse_other_than_numbers(A=A, b=b)
        A, b = matrix_and_vectors(A, b=b)
    if A.shape != (b.size, b.size):
        raise InputError("A must be square, with a row for each entry of b", key="A", got=f"A {A.shape}, b {b.shape}")
    return A, b


own_work = Kept(lcp_work, KEPT)


def pivots(n: int) -> int:
    """What Lemke's method may take; paths are longer than some n only where they are exponential (Murty)."""
    return 50 * n + 500


def spend(problems: int, n: int) -> None:
    """Many problems in an interpreted process are worth the machine code."""
    kernel.spend(problems * INSTANTS * n, *KERNEL_MODULES)


def solve_lcp(A: ArrayLike, b: ArrayLike) -> LcpResult:
    """Find z with 0 <= z, 0 <= w = A z + b, z.w = 0, or prove that there is none."""
    A, b = square_problem(A, b)
    n = b.size
    if n == 0:
        return LcpResult("solved", z=b.copy(), w=b.copy(), residual=0.0)
    spend(1, n)
    work, z, residual = own_work(n), np.empty(n), np.empty(1)
    status = principal_kernels.settle_all(A[None], b[None], n, pivots(n), RESIDUAL, work, z[None], residual)
    if status == lcp_kernels.SOLVED:
        return LcpResult("solved", z=z, w=A @ z + b, residual=float(residual[0]))
    return decide(A, b, _ray(n, work) if status == lcp_kernels.RAY else None)


def decide(A: np.ndarray, b: np.ndarray, ray: np.ndarray | None) -> LcpResult:
    """What to do where Lemke's method failed, on a `ray` or without: other starts, all bases, branches."""
    n = b.size
    found = _lemke_from_elsewhere(A, b)
    if found is None and n <= ENUMERATED:
        found = _decide_by_enumeration(A, b)
    if found is None:
        found = _decide_by_branching(A, b)
    if found is not None:
        return found
    if ray is not None:
        return LcpResult(
            "ray", certificate={"kind": "ray", "direction": ray}, errors=["Lemke ended on a ray; nothing else decided"])
    return LcpResult("undecided", errors=["no candidate reached the residual, and nothing proves that there is none"])


def _solved(A: np.ndarray, b: np.ndarray, z: np.ndarray) -> LcpResult:
    return LcpResult("solved", z=z.copy(), w=A @ z + b, residual=_residual(A, b, z))


def _residual(A: np.ndarray, b: np.ndarray, z: np.ndarray) -> float:
    room = np.empty((3, b.size))
    return residual_kernels.lcp_residual(A, b, z, b.size, RESIDUAL, *room)


def _proved(A: np.ndarray, b: np.ndarray, z: np.ndarray) -> bool:
    return _residual(A, b, z) <= RESIDUAL


def _lemke_from_elsewhere(A: np.ndarray, b: np.ndarray) -> LcpResult | None:
    """Lemke's method again, with other covering vectors."""
    n, work, generator = b.size, lcp_work(b.size), np.random.default_rng(20)
    for _ in range(COVERS):
        work.cover[:] = generator.uniform(0.1, 2.0, n)
        if lcp_kernels.solve(A, b, n, False, pivots(n), work) == lcp_kernels.SOLVED and _proved(A, b, work.z[:n]):
            return _solved(A, b, work.z[:n])
    return None


def _ray(n: int, work: LcpWork) -> np.ndarray:
    """Direction of z along Lemke's ray."""
    column = int(work.picks[0])
    direction = np.zeros(n)
    entering = work.nonbasic[column]
    if n <= entering < 2 * n:
        direction[entering - n] = 1.0
    for i in range(n):
        if n <= work.basic[i] < 2 * n:
            direction[work.basic[i] - n] = max(-work.T[i, column], 0.0)
    direction *= work.column[:n]
    return direction / max(direction.max(), np.finfo(float).tiny)


def _farkas(A: np.ndarray, b: np.ndarray) -> dict[str, Any] | None:
    """Proof that {z >= 0, A z + b >= 0} is empty."""
    n = b.size
    work = lp_work(n, 2 * n)
    whole = np.hstack([A, -np.eye(n)])
    status = lp_kernels.solve(np.zeros(2 * n), whole, -b, np.zeros(2 * n, dtype=bool), n, 2 * n, work)
    return _farkas_certificate(A, b, work.y) if status == lp_kernels.INFEASIBLE else None


def _farkas_certificate(A: np.ndarray, b: np.ndarray, y: np.ndarray) -> dict[str, Any] | None:
    """None where y is no proof, be it by more than round-off."""
    y = tightened(A, y)
    beyond = farkas_beyond(A, -b, y)
    return {"kind": "farkas", "y": y, "beyond": beyond} if beyond > 0.0 else None


def _decide_by_enumeration(A: np.ndarray, b: np.ndarray) -> LcpResult | None:
    n = b.size
    certificate = _farkas(A, b)
    if certificate is not None and (n > RATIONAL or _exactly(A, b, certificate["y"])):
        return LcpResult("none", certificate=certificate)
    work, count = _vertices(A, b, recede=False)
    for z in work.vertices[:count]:
        if _proved(A, b, z):
            return _solved(A, b, z)
    if n > RATIONAL:
        sound = count == 0 and not work.tally[[lcp_kernels.DOUBTS, lcp_kernels.DROPPED]].any()
        return LcpResult("none", certificate={"kind": "enumeration", "bases": 2**n}) if sound else None
    exact = exact_solution(A, b)
    if exact is None:
        return LcpResult("none", certificate={"kind": "enumeration", "bases": 2**n, "arithmetic": "rational"})
    try:
        z = np.array([float(x) for x in exact])
    except OverflowError:
        return LcpResult("undecided", errors=[TOO_LARGE])
    return _solved(A, b, z) if _proved(A, b, z) else None


def _exactly(A: np.ndarray, b: np.ndarray, y: np.ndarray) -> bool:
    """Farkas' inequalities in rational numbers: y comes from round-off, so it may fail by a hair and enumeration decide."""
    weights = [Fraction(float(x)) for x in y]
    columns = [sum(w * Fraction(float(a)) for w, a in zip(weights, column, strict=True)) for column in (*A.T, b)]
    return max(columns[:-1]) <= 0 and columns[-1] < 0


def _decide_by_branching(A: np.ndarray, b: np.ndarray) -> LcpResult | None:
    """Branch on z_i = 0 or w_i = 0, depth first; a leaf is closed by the Farkas certificate of its linear program."""
    n = b.size
    whole, work = np.hstack([A, -np.eye(n)]), lp_work(n, 2 * n)
    open_nodes, leaves, proved, beyond = [np.ones(2 * n, dtype=bool)], 0, True, np.inf
    if (certificate := _farkas(A, b)) is not None:
        return LcpResult("none", certificate=certificate)
    for _ in range(BRANCHES):
        if not open_nodes:
            break
        allowed = open_nodes.pop()
        k = int(allowed.sum())
        part = np.ascontiguousarray(whole[:, allowed])
        status = lp_kernels.solve(np.ones(k), part, -b, np.zeros(k, dtype=bool), n, k, work)
        if status == lp_kernels.INFEASIBLE:
            reach = farkas_beyond(part, -b, work.y)
            leaves, beyond, proved = leaves + 1, min(beyond, reach), proved and reach > 0.0
            continue
        point = np.zeros(2 * n)
        point[allowed] = work.x[:k]
        if status == lp_kernels.OPTIMAL and _proved(A, b, point[:n]):
            return _solved(A, b, point[:n])
        children = _children(allowed, point)
        proved = proved and bool(children)
        open_nodes += children
    if open_nodes or not proved:
        return None
    return LcpResult("none", certificate={"kind": "branches", "leaves": leaves, "beyond": beyond})


def _children(allowed: np.ndarray, point: np.ndarray) -> list[np.ndarray]:
    """Forbid z_i or w_i of the least complementary open pair; the more promising branch is last."""
    n = point.size // 2
    z, w = point[:n], point[n:]
    both = np.where(allowed[:n] & allowed[n:], np.minimum(z, w), -1.0)
    i = int(both.argmax())
    if both[i] < 0.0:
        return []
    without_z, without_w = allowed.copy(), allowed.copy()
    without_z[i], without_w[n + i] = False, False
    return [without_z, without_w] if z[i] > w[i] else [without_w, without_z]


def _vertices(A: np.ndarray, b: np.ndarray, recede: bool) -> tuple[LcpWork, int]:
    capacity = 64
    while True:
        work = lcp_work(b.size, capacity=capacity)
        count = lcp_kernels.vertices(A, b, b.size, b.size, recede, work)
        if not work.tally[lcp_kernels.OVERFLOW] or capacity > 50_000 or work.tally[lcp_kernels.PICKS] > lcp_kernels.MOST_PICKS:
            return work, count
        capacity *= 16


def enumerate_lcp(A: ArrayLike, b: ArrayLike) -> LcpSolutions:
    """All solutions: isolated ones, and the polyhedra that singular bases hold."""
    A, b = square_problem(A, b)
    n = b.size
    if n == 0:
        return LcpSolutions([b.copy()], [], True)
    if n > ENUMERABLE:
        found = solve_lcp(A, b)
        solutions = [found.z] if found.z is not None else []
        errors = [f"2^{n} bases are too many; at most one answer was looked for"]
        return LcpSolutions(solutions, [], found.outcome == "none", errors)
    work, count = _vertices(A, b, recede=False)
    points = [z.copy() for z in work.vertices[:count]]
    solutions = [z for z in points if _proved(A, b, z)]
    unproved = work.tally[lcp_kernels.DOUBTS] + work.tally[lcp_kernels.OVERFLOW] + len(points) - len(solutions)
    continua: list[Continuum] = []
    if work.tally[lcp_kernels.SINGULAR] and solutions:
        ray_work, rays = _vertices(A, b, recede=True)
        unproved += ray_work.tally[lcp_kernels.DOUBTS] + ray_work.tally[lcp_kernels.OVERFLOW]
        continua = _continua(A, b, solutions, [ray / ray.max() for ray in ray_work.vertices[:rays]])
    errors = ["some bases are within round-off of an answer"] if unproved else []
    if _far_away(A, b):
        errors.append(TOO_LARGE.replace("an answer has", "an answer may have"))
    return LcpSolutions(solutions, continua, not errors, errors)


def _far_away(A: np.ndarray, b: np.ndarray) -> bool:
    """Whether an entry of A is so small beside b that a basis may hold an answer beyond all numbers."""
    size = np.abs(A)
    with np.errstate(over="ignore"):
        return bool(size.any()) and not np.abs(b).max() / size[size > 0.0].min() < FARTHEST


def _ranges(A: np.ndarray, b: np.ndarray, points: list[np.ndarray]) -> list[tuple[int, int]]:
    """Of each point the smallest and the largest support that it belongs to, as bits."""
    result = []
    for z in points:
        terms = np.abs(A) @ z + np.abs(b)
        bits = 1 << np.arange(z.size)
        positive, tight = z > 1e-9 * z.max(initial=0.0), np.abs(A @ z + b) <= 1e-9 * terms
        result.append((int(bits[positive].sum()), int(bits[tight].sum())))
    return result


def _continua(A: np.ndarray, b: np.ndarray, points: list[np.ndarray], rays: list[np.ndarray]) -> list[Continuum]:
    """The maximal polyhedra among those of all supports."""
    n = b.size
    of_points, of_rays = _ranges(A, b, points), _ranges(A, 0.0 * b, rays)
    faces: dict[tuple[frozenset[int], frozenset[int]], int] = {}
    for support in range(1 << n):
        ends = frozenset(k for k, (least, most) in enumerate(of_points) if not (least & ~support or support & ~most))
        away = frozenset(k for k, (least, most) in enumerate(of_rays) if not (least & ~support or support & ~most))
        if ends and len(ends) + len(away) > 1:
            faces.setdefault((ends, away), support)
    largest = [
        face for face in faces
        if not any(face != other and face[0] <= other[0] and face[1] <= other[1] for other in faces)]
    return [
        Continuum(
            support=[i for i in range(n) if faces[face] >> i & 1],
            vertices=np.array([points[k] for k in sorted(face[0])]).reshape(-1, n),
            rays=np.array([rays[k] for k in sorted(face[1])]).reshape(-1, n))
        for face in largest]
