"""Points that two flat features will share once they are parallel: a soft contact leaves faces and edges a little tilted."""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from knuckle.contact.geometry import Geometry
from knuckle.contact.shape_kernels import CYLINDER, EDGE, FACE, PLANE, VERTEX, ShapeTable

TILT = 0.05          # rad; a face or edge tilted less may be meant to lie flat: 0.3 mm over 6 mm
BORDER = 1e-9        # m; a point so far beside a border is on it
RIM = 8              # points that stand for the rim of a cap
CAP = 7              # their code beside VERTEX, EDGE and FACE

Key = tuple[int, int, int]      # a contact point: pair, feature of A, feature of B


@dataclass(frozen=True)
class FlatPoint:
    """One such point: where the surfaces are now, and the row that moves its gap."""

    key: Key
    gap: float
    row: np.ndarray         # nv


@dataclass(frozen=True)
class _Feature:
    """A face or edge: its corners in order, their codes, the codes of its sides, and how thick it is."""

    corners: np.ndarray         # n x 3
    normal: np.ndarray | None   # outward, of a face; None of an edge
    code: int
    corner_codes: list[int]
    side_codes: list[int]
    radius: float               # of what is round about its edge

    @property
    def sides(self) -> list[tuple[int, int, int]]:
        """(corner, next corner, code)"""
        count = len(self.corners)
        return [(k, (k + 1) % count, code) for k, code in enumerate(self.side_codes)]


def flat_points(geometry: Geometry, pair: int, n: np.ndarray) -> list[FlatPoint]:
    """Points of a pair whose faces or edges lie flat on one another to within TILT, n from B into A."""
    table, (a, b) = geometry.table, geometry.search.pairs[pair].tolist()
    A, B = _facing(table, a, -n), _facing(table, b, n)
    if A is None or B is None:
        return []
    m = B.normal if B.normal is not None else None if A.normal is None else -A.normal
    if m is None:
        return []
    spots = [*_corners_over(A, B, m), *((x_B, x_A, code_A, code_B) for x_A, x_B, code_B, code_A in _corners_over(B, A, -m)), *_crossings(A, B, m)]
    found = []
    for x_A, x_B, code_A, code_B in spots:
        J_A, _, _ = geometry.system.point(int(table.body[a]), x_A)
        J_B, _, _ = geometry.system.point(int(table.body[b]), x_B)
        found.append(FlatPoint((pair, code_A, code_B), float(m @ (x_A - x_B)), m @ (J_A - J_B)))
    return found


def _facing(table: ShapeTable, s: int, d: np.ndarray) -> _Feature | None:
    """The face of shape s that looks along d to within TILT, else its edge that lies across d and is farthest along it."""
    if table.kind[s] == PLANE:
        up = table.mat[s].reshape(3, 3)[:, 2].copy()
        return _Feature(np.zeros((0, 3)), up, 8 * -1 + FACE, [], [], float(up @ table.pos[s])) if up @ d > math.cos(TILT) else None
    faces = range(int(table.face_at[s]), int(table.face_at[s + 1]))
    best = max(faces, key=lambda f: float(table.world_normals[f] @ d), default=-1)
    if best >= 0 and table.world_normals[best] @ d > math.cos(TILT):
        return _cap(table, s, best) if table.kind[s] == CYLINDER else _face(table, s, best)
    return _edge(table, s, d)


def _face(table: ShapeTable, s: int, f: int) -> _Feature:
    loop = table.loops[table.loop_at[f]:table.loop_at[f + 1]].tolist()
    first = int(table.edge_at[s])
    row_of = {frozenset(edge): first + k for k, edge in enumerate(table.edges[first:table.edge_at[s + 1]].tolist())}
    sides = [8 * row_of[frozenset(ends)] + EDGE for ends in zip(loop, [*loop[1:], loop[0]], strict=True)]
    return _Feature(table.world_vertices[loop].copy(), table.world_normals[f].copy(), 8 * f + FACE, [8 * k + VERTEX for k in loop], sides, 0.0)


def _cap(table: ShapeTable, s: int, f: int) -> _Feature:
    centre, R, size = table.world_vertices[table.loops[table.loop_at[f]]], table.mat[s].reshape(3, 3), table.size[s]
    turns = 2.0 * np.pi * np.arange(RIM) / RIM * math.copysign(1.0, float(table.world_normals[f] @ R[:, 2]))
    rim = centre + size[0] * (np.outer(np.cos(turns), R[:, 0]) + np.outer(np.sin(turns), R[:, 1]))
    codes = [8 * (RIM * f + k) + CAP for k in range(RIM)]
    return _Feature(rim, table.world_normals[f].copy(), 8 * f + FACE, codes, codes, 0.0)


def _edge(table: ShapeTable, s: int, d: np.ndarray) -> _Feature | None:
    best, highest = -1, -np.inf
    top = float((table.world_vertices[table.vertex_at[s]:table.vertex_at[s + 1]] @ d).max(initial=-np.inf))
    for e in range(int(table.edge_at[s]), int(table.edge_at[s + 1])):
        ends = table.world_vertices[table.edges[e]]
        rise = (ends[1] - ends[0]) @ d
        if abs(rise) < TILT * np.linalg.norm(ends[1] - ends[0]) and (ends @ d).max() > max(highest, top - BORDER):
            best, highest = e, float((ends @ d).max())
    if best < 0:
        return None
    ends = table.edges[best].tolist()
    return _Feature(table.world_vertices[ends].copy(), None, 8 * best + EDGE, [8 * k + VERTEX for k in ends], [8 * best + EDGE],
                    float(table.radius[s]))


def _corners_over(A: _Feature, B: _Feature, m: np.ndarray) -> list[tuple[np.ndarray, np.ndarray, int, int]]:
    """Corners of A over the face of B along m: the points of both, and their codes."""
    if B.normal is None:
        return []
    found = []
    for corner, code in zip(A.corners, A.corner_codes, strict=True):
        x = corner - A.radius * m
        if all(np.cross(B.corners[j] - B.corners[i], x - B.corners[i]) @ B.normal >= -BORDER * np.linalg.norm(B.corners[j] - B.corners[i])
               for i, j, _ in B.sides):
            base = B.corners[0] @ B.normal if len(B.corners) else B.radius
            found.append((x, x - m * float((B.normal @ x - base) / (B.normal @ m)), code, B.code))
    return found


def _crossings(A: _Feature, B: _Feature, m: np.ndarray) -> list[tuple[np.ndarray, np.ndarray, int, int]]:
    """Where sides of A cross sides of B, seen along m."""
    found = []
    for i, j, code_A in A.sides if A.normal is not None else A.sides[:1]:
        along = A.corners[j] - A.corners[i]
        for k, l, code_B in B.sides if B.normal is not None else B.sides[:1]:
            beside, apart = B.corners[l] - B.corners[k], B.corners[k] - A.corners[i]
            area = float(np.cross(along, beside) @ m)
            if abs(area) < TILT * np.linalg.norm(along) * np.linalg.norm(beside):
                continue
            s, t = float(np.cross(apart, beside) @ m) / area, float(np.cross(apart, along) @ m) / area
            if 0.0 < s < 1.0 and 0.0 < t < 1.0:
                found.append((A.corners[i] + s * along - A.radius * m, B.corners[k] + t * beside + B.radius * m, code_A, code_B))
    return found
