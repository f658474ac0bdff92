"""Convex hull of points in space, its coplanar triangles merged into faces.

MuJoCo merges triangles of a hull by the angle between them: its faces are bent by up to a millimetre per metre and leave vertices out.
Here a face is as flat as vertices in single precision let it be, and no vertex is outside of the hull.
"""

import numpy as np

# Relative to the size of the body: a point this little above a face is on it. Round-off of heights is 1e-16.
ON_FACE = 1e-13
# The same for triangles of one face: coordinates in single precision are off by 3e-8 of the size of a body around its origin, in three directions.
FLAT = 1e-7


def convex_hull(points: np.ndarray) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """The corners of the hull and its faces, indices of corners counter-clockwise from outside; no faces when all points are in one plane."""
    triangles = hull_triangles(points)
    if not len(triangles):
        return points, ()
    faces = merged(points, triangles, FLAT * float(np.ptp(points, axis=0).max()))
    used, place = np.unique(np.concatenate(faces), return_inverse=True)
    return points[used], tuple(np.split(place, np.cumsum([len(face) for face in faces])[:-1]))


def hull_triangles(points: np.ndarray) -> np.ndarray:
    """n x 3, counter-clockwise from outside. Points are added one by one, farthest first: each replaces the faces that it sees by a fan."""
    size = float(np.ptp(points, axis=0).max()) if len(points) > 3 else 0.0
    corners = _tetrahedron(points, ON_FACE * size) if size > 0.0 else None
    if corners is None:
        return np.zeros((0, 3), dtype=np.int64)
    normals, heights = _planes(points, corners)
    for point in np.argsort(-np.linalg.norm(points - points.mean(axis=0), axis=1), kind="stable"):
        sees = np.flatnonzero(normals @ points[point] - heights > ON_FACE * size)
        if not sees.size:
            continue
        edges = {(a, b) for face in corners[sees].tolist() for a, b in zip(face, face[1:] + face[:1], strict=True)}
        rim = [(a, b) for a, b in edges if (b, a) not in edges]
        fan = np.array([(a, b, point) for a, b in sorted(rim)], dtype=np.int64)
        new_normals, new_heights = _planes(points, fan)
        keep = np.ones(len(corners), dtype=bool)
        keep[sees] = False
        corners = np.concatenate([corners[keep], fan])
        normals, heights = np.concatenate([normals[keep], new_normals]), np.concatenate([heights[keep], new_heights])
    return corners


def _tetrahedron(points: np.ndarray, least: float) -> np.ndarray | None:
    """Four faces on points far from one another, or None when the points are in one plane."""
    a = int(np.argmin(points[:, 0]))
    b = int(np.argmax(np.linalg.norm(points - points[a], axis=1)))
    across = np.cross(points - points[a], points[b] - points[a])
    c = int(np.argmax(np.linalg.norm(across, axis=1)))
    if np.linalg.norm(across[c]) <= least * np.linalg.norm(points[b] - points[a]):
        return None
    above = (points - points[a]) @ across[c] / np.linalg.norm(across[c])
    d = int(np.argmax(np.abs(above)))
    if abs(above[d]) <= least:
        return None
    if above[d] > 0.0:                                       # across[c] points away from a, b, c seen counter-clockwise: it looks inwards
        b, c = c, b
    return np.array([(a, c, b), (a, b, d), (b, c, d), (c, a, d)], dtype=np.int64)


def _planes(points: np.ndarray, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit normals and heights of triangles, from the corner between their two shorter sides: the best that round-off allows."""
    p = points[corners]
    sides = np.linalg.norm(p[:, [1, 2, 0]] - p[:, [2, 0, 1]], axis=2)                    # opposite of each corner
    rows, at = np.arange(len(p)), np.argmax(sides, axis=1)
    tip, after, before = p[rows, at], p[rows, (at + 1) % 3], p[rows, (at + 2) % 3]
    a, b = after - tip, before - tip
    normals = a[:, [1, 2, 0]] * b[:, [2, 0, 1]] - a[:, [2, 0, 1]] * b[:, [1, 2, 0]]
    normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None]
    return normals, np.einsum("ij,ij->i", normals, tip)


def merged(points: np.ndarray, triangles: np.ndarray, flat: float) -> list[np.ndarray]:
    """Faces: triangles with all corners within `flat` (m) of the plane of a larger one beside them join it."""
    normals, heights = _planes(points, triangles)
    sides = {(int(t[k]), int(t[(k + 1) % 3])): number for number, t in enumerate(triangles) for k in range(3)}
    areas = np.linalg.norm(np.cross(points[triangles[:, 1]] - points[triangles[:, 0]], points[triangles[:, 2]] - points[triangles[:, 0]]), axis=1)
    taken, faces = np.zeros(len(triangles), dtype=bool), []
    for seed in np.argsort(-areas, kind="stable").tolist():
        if taken[seed]:
            continue
        above = np.abs(points @ normals[seed] - heights[seed]) <= flat
        face, border = {seed}, [seed]
        taken[seed] = True
        while border:
            t = triangles[border.pop()]
            for k in range(3):
                beside = sides[int(t[(k + 1) % 3]), int(t[k])]
                if not taken[beside] and above[triangles[beside]].all():
                    taken[beside] = True
                    face.add(beside)
                    border.append(beside)
        faces.append(_outline(points, triangles[sorted(face)]))
    return faces


def _outline(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """The corners around the triangles of one face, counter-clockwise, from three that span it well."""
    edges = {(a, b) for t in triangles.tolist() for a, b in zip(t, t[1:] + t[:1], strict=True)}
    after = {a: b for a, b in edges if (b, a) not in edges}
    loop = [min(after)]
    while after[loop[-1]] != loop[0]:
        loop.append(after[loop[-1]])
    p = points[loop]
    bends = np.linalg.norm(np.cross(np.roll(p, -1, axis=0) - p, np.roll(p, -2, axis=0) - p), axis=1)
    return np.roll(np.array(loop, dtype=np.int64), -int(np.argmax(bends)))
