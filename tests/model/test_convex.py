"""The hull of a mesh against scipy's, and against what a hull is: closed, flat, convex, around every vertex."""

import mujoco
import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from knuckle.model.convex import FLAT, convex_hull, hull_triangles
from knuckle.model.structure import shapes

BOX = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.07, 0.07) for z in (-0.03, 0.03)])
TURNS = np.linspace(0, 2 * np.pi, 32, endpoint=False)
PRISM = np.array([[0.05 * np.cos(a), 0.05 * np.sin(a), z] for a in TURNS for z in (-0.03, 0.03)])
GRID = np.array([[x, y, z] for x in range(5) for y in range(4) for z in range(3)]) * 0.01


def single(points):
    return points.astype(np.float32).astype(float)


def planes(corners, faces):
    for face in faces:
        ring = corners[face] - corners[face].mean(axis=0)
        normal = np.cross(ring, np.roll(ring, -1, axis=0)).sum(axis=0)
        yield face, corners[face].mean(axis=0), normal / np.linalg.norm(normal)


def check(points, flat):
    corners, faces = convex_hull(points)
    size = np.ptp(points, axis=0).max()
    edges = [(int(a), int(b)) for face in faces for a, b in zip(face, np.roll(face, -1), strict=True)]
    assert len(set(edges)) == len(edges) and set(edges) == {(b, a) for a, b in edges}
    assert len(corners) - len(edges) // 2 + len(faces) == 2
    for face, middle, normal in planes(corners, faces):
        assert np.abs((corners[face] - middle) @ normal).max() <= flat * size
        assert ((points - middle) @ normal).max() <= 2 * flat * size
    a, b, c = points[hull_triangles(points)].transpose(1, 0, 2)
    assert np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6 == pytest.approx(ConvexHull(points).volume, rel=1e-12)
    return corners, faces


@pytest.mark.parametrize("seed", range(24))
def test_random_hulls_are_exact(seed):
    """Clouds, ellipsoids and cubes full of points: every face flat to round-off, every vertex of scipy's hull a corner."""
    rng = np.random.default_rng(seed)
    cloud = rng.normal(size=(rng.integers(4, 80), 3))
    cloud = (cloud * 0.06, cloud / np.linalg.norm(cloud, axis=1)[:, None] * [0.1, 0.08, 0.05], rng.uniform(-0.1, 0.1, (30, 3)))[seed % 3]
    corners, _ = check(single(cloud), 1e-14)
    assert len(corners) == len(ConvexHull(single(cloud)).vertices)


@pytest.mark.parametrize(("points", "count"), [(BOX, 6), (PRISM, 34), (GRID, 6)], ids=["box", "prism", "grid"])
def test_a_face_in_single_precision_is_one_face(points, count):
    for turn in Rotation.random(5, random_state=1):
        assert len(check(turn.apply(points), 1e-14)[1]) == count
        assert len(check(single(turn.apply(points)), FLAT)[1]) == count


def test_slightly_bent_faces_stay_apart():
    """MuJoCo merges faces with up to 0.03 rad between them, as of this roof 0.2 mm high over a box 0.2 m wide."""
    roof = np.vstack([BOX, [[0.0, 0.07, 0.0302], [0.0, -0.07, 0.0302]]])
    corners, faces = check(roof, 1e-14)
    assert len(corners) == 10 and len(faces) == 7
    xml = f"""<mujoco><asset><mesh name="roof" vertex="{' '.join(map(str, roof.ravel()))}"/></asset><worldbody><body><freejoint/>
    <geom type="mesh" mesh="roof"/></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(xml)
    shape = shapes(model)[0]
    size = np.ptp(model.mesh_vert, axis=0).max()
    assert len(shape.vertices) == 10
    for _, middle, normal in planes(shape.vertices, shape.polygons):
        assert ((model.mesh_vert - middle) @ normal).max() < 2 * FLAT * size


def test_points_without_volume_have_no_faces():
    for points in (np.zeros((0, 3)), np.zeros((4, 3)), BOX[:2], BOX * [1, 1, 0], BOX * [1, 0, 0]):
        assert convex_hull(points)[1] == ()
