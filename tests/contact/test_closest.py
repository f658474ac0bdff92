"""Closest points and normals of every pair of shapes against independent computations."""
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import nnls, root
from scipy.spatial.transform import Rotation
from worlds import PAIRS, apart, make_shape, pose, support, two_bodies

from knuckle.contact import slots
from knuckle.contact.shape_kernels import EDGE, RIM, VERTEX
from knuckle.contact.shapes import shape_table
from knuckle.errors import GeometryError


def rotation(plant, body):
    return plant.xmat[body].reshape(3, 3)


def distance(shape_a, R_a, p_a, shape_b, R_b, p_b):
    """Least norm in the Minkowski difference: support points one by one, least squares over their hull (Wolfe 1976)."""
    towards = (p_b - p_a) / np.linalg.norm(p_b - p_a)
    x = support(shape_a, R_a, p_a, towards) - support(shape_b, R_b, p_b, -towards)
    points = [x]
    for _ in range(400):
        d = x / np.linalg.norm(x)
        y = support(shape_a, R_a, p_a, -d) - support(shape_b, R_b, p_b, d)
        if np.linalg.norm(x) - y @ d < 1e-10:
            break
        points.append(y)
        weights, _ = nnls(np.vstack([np.array(points).T, 1e3 * np.ones(len(points))]), np.array([0, 0, 0, 1e3]))
        points = [p for p, w in zip(points, weights, strict=True) if w > 1e-12]
        kept = weights[weights > 1e-12]
        x = kept / kept.sum() @ np.array(points)
    return np.linalg.norm(x)


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_distance_of_every_pair(kinds):
    rng = np.random.default_rng(len(kinds[0]) + 100 * len(kinds[1]))
    for _ in range(6):
        geometry, _, k = apart(kinds, rng)
        plant, c = geometry.system.plant, geometry.contacts
        shape_a, shape_b = geometry.shapes[2:4]
        if kinds[0] == "plane":
            n = rotation(plant, 2)[:, 2]
            expected = n @ (support(shape_b, rotation(plant, 1), plant.xpos[1], -n) - plant.xpos[2])
        else:
            expected = distance(shape_a, rotation(plant, 2), plant.xpos[2], shape_b, rotation(plant, 1), plant.xpos[1])
        assert c.gap[k] == pytest.approx(expected, abs=2e-10)
        np.testing.assert_allclose(c.point_A[k] - c.point_B[k], c.gap[k] * c.n[k], atol=1e-14)


def touches_without_normal(shapes, feature):
    """Two sharp features other than two edges: their normal exists only while they are apart. Spheres and capsules are never sharp."""
    codes = [code % 8 for code in feature]
    if any(shape.kind in ("sphere", "capsule") for shape in shapes) or not set(codes) <= {VERTEX, EDGE, RIM}:
        return False
    flank = any(shape.kind == "cylinder" and code == EDGE for shape, code in zip(shapes, codes, strict=True))
    return codes != [EDGE, EDGE] and not flank


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
@pytest.mark.parametrize("gap", [0.0, -1e-6, -1e-4, 1e-7])
def test_normal_does_not_change_through_touching(kinds, gap):
    """Moving A along n changes the gap by as much and nothing else: apart, touching or slightly inside."""
    rng = np.random.default_rng(7)
    for _ in range(4):
        geometry, q, k = apart(kinds, rng)
        c = geometry.contacts
        n, feature, first = c.n[k].copy(), (c.feature_A[k], c.feature_B[k]), c.gap[k]
        if touches_without_normal(geometry.shapes[2:4], feature):
            continue
        q[7:10] -= (first - gap) * n
        count = geometry.update(q, np.zeros(12))
        same = [j for j in range(count) if (c.feature_A[j], c.feature_B[j]) == feature]
        assert len(same) == 1
        np.testing.assert_allclose(c.n[same[0]], n, atol=1e-10)
        assert c.gap[same[0]] == pytest.approx(gap, abs=1e-13)


@pytest.mark.parametrize("seed", range(4))
def test_thin_long_and_tiny_shapes(seed):
    """Sizes from 1 cm to 1 m in one shape: needles, discs, plates; every one is found, at its true distance."""
    rng = np.random.default_rng(seed)
    for _ in range(60):
        kinds = rng.choice(["sphere", "capsule", "cylinder", "ellipsoid", "box", "mesh"], size=2)
        a, b = (make_shape(str(kind), 2 - i, tuple(np.exp(rng.uniform(np.log(0.01), 0, 3))), int(rng.integers(1000)))
                for i, kind in enumerate(kinds))
        turns = Rotation.random(2, random_state=rng)
        d = rng.normal(size=3)
        d /= np.linalg.norm(d)
        depth_a, depth_b = (support(s, R.as_matrix(), np.zeros(3), m) @ m for s, R, m in zip((a, b), turns, (-d, d), strict=True))
        offset = d * (depth_a + depth_b + 0.01) + np.cross(d, rng.normal(size=3)) * 0.3 * min(depth_a, depth_b)
        geometry = two_bodies(a, b)
        count = geometry.update(pose(offset, turns[0], np.zeros(3), turns[1]), np.zeros(12))
        plant = geometry.system.plant
        expected = distance(a, rotation(plant, 2), plant.xpos[2], b, rotation(plant, 1), plant.xpos[1])
        assert geometry.contacts.gap[:count].min() == pytest.approx(expected, abs=2e-10)


def test_two_ellipsoids_against_lagrange():
    """Nearest points of x'Fx = 1, y'Gy = 1: x - y = -a F x = b G y, eight equations solved apart from the kernels."""
    geometry = two_bodies(make_shape("ellipsoid", 2, (0.5, 0.3, 0.2)), make_shape("ellipsoid", 1, (0.7, 0.2, 0.4)))
    turns = Rotation.random(2, random_state=np.random.default_rng(5))
    assert geometry.update(pose(np.array([0.5, 0.6, 0.4]), turns[0], np.zeros(3), turns[1]), np.zeros(12)) == 1
    c, plant = geometry.contacts, geometry.system.plant
    forms = [rotation(plant, body) @ np.diag(shape.size**-2.0) @ rotation(plant, body).T
             for body, shape in zip((2, 1), geometry.shapes[2:4], strict=True)]

    def conditions(z):
        x, y = z[:3] - plant.xpos[2], z[3:6] - plant.xpos[1]
        d, r, s = z[:3] - z[3:6], forms[0] @ x, forms[1] @ y
        return [*(d + z[6] * r), *(d - z[7] * s), x @ r - 1, y @ s - 1]

    found = root(conditions, [*(c.point_A[0] + 1e-3), *(c.point_B[0] - 1e-3), 0.1, 0.1], tol=1e-15)
    d = found.x[:3] - found.x[3:6]
    np.testing.assert_allclose(c.n[0], d / np.linalg.norm(d), atol=1e-13)
    assert c.gap[0] == pytest.approx(np.linalg.norm(d), abs=1e-14)


UPRIGHT = Rotation.identity()
LYING = Rotation.from_euler("x", 90, degrees=True)
MANIFOLDS = [
    ("box", "plane", 0.2, UPRIGHT, 4), ("box", "box", 0.4, UPRIGHT, 4), ("box", "box", 0.4, Rotation.from_euler("z", 45, degrees=True), 8),
    ("capsule", "plane", 0.2, LYING, 2), ("capsule", "box", 0.4, LYING, 2), ("cylinder", "plane", 0.35, UPRIGHT, 4),
    ("cylinder", "plane", 0.25, LYING, 2), ("cylinder", "box", 0.55, UPRIGHT, 4), ("capsule", "capsule", 0.4, UPRIGHT, 2),
    ("box", "plane", 0.4, LYING, 4),
    ("ellipsoid", "box", 0.4, UPRIGHT, 1), ("box", "box", 0.2 + np.hypot(0.4, 0.2), Rotation.from_euler("x", np.arctan2(0.4, 0.2)), 2),
]


@pytest.mark.parametrize(("a", "b", "height", "turn", "expected"), MANIFOLDS)
def test_lines_and_faces_are_several_points(a, b, height, turn, expected):
    both_lying = a == b == "capsule"
    geometry = two_bodies(make_shape(a, 2), make_shape(b, 1), reach=1e-3)
    turn = LYING if both_lying else turn
    count = geometry.update(pose(np.array([0, 0, height]), turn, np.zeros(3), LYING if both_lying else UPRIGHT), np.zeros(12))
    assert count == expected
    assert np.abs(geometry.contacts.gap[:count]).max() < 1e-15
    np.testing.assert_allclose(geometry.contacts.n[:count], np.tile([0, 0, 1], (count, 1)), atol=1e-12)
    assert len(np.unique(geometry.contacts.point_A[:count].round(9), axis=0)) == count


def test_crossed_boxes_touch_where_their_edges_cross():
    long_a, long_b = make_shape("box", 2, (1.0, 0.1, 0.1)), make_shape("box", 1, (0.1, 1.0, 0.1))
    geometry = two_bodies(long_a, long_b, reach=1e-3)
    assert geometry.update(pose(np.array([0, 0, 0.2]), UPRIGHT, np.zeros(3), UPRIGHT), np.zeros(12)) == 4
    assert set(map(tuple, geometry.contacts.point_A[:4, :2].round(12))) == {(x, y) for x in (-0.1, 0.1) for y in (-0.1, 0.1)}
    assert (geometry.contacts.rank_A[:4] == 1).all()


def test_of_many_corners_over_a_face_those_far_from_one_another_count():
    """A prism of 40 sides stands on all sides of its middle, not on the eight corners that come first; how it is turned does not matter."""
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    vertices = 0.2 * np.vstack([np.column_stack([np.cos(angle), np.sin(angle), z * np.ones(40)]) for z in (1, -1)])
    around = np.arange(40)
    sides = [np.array([k, 40 + k, 40 + (k + 1) % 40, (k + 1) % 40]) for k in around]
    prism = replace(make_shape("mesh", 2), vertices=vertices, polygons=(around, 40 + around[::-1], *sides))
    for kind, height in (("plane", 0.0), ("box", 0.2)):
        geometry = two_bodies(prism, make_shape(kind, 1), reach=1e-3)
        for turn in Rotation.from_euler("z", np.linspace(0, 6, 13)[:, None]):
            count = geometry.update(pose(np.array([0, 0, height + 0.2]), turn, np.zeros(3), UPRIGHT), np.zeros(12))
            assert count == 8
            directions = np.column_stack([np.cos(angle), np.sin(angle)])
            assert (geometry.contacts.point_A[:8, :2] @ directions.T).max(axis=0).min() > 0.2 * np.cos(np.pi / 4)


@pytest.mark.parametrize("kind", ["capsule", "cylinder"])
@pytest.mark.parametrize("radius", [0.02, 0.002])
@pytest.mark.parametrize("angle", [1.1e-6, 1e-5, 1e-4, 1.5e-4, 1e-3, 1e-2])
def test_a_flank_almost_along_a_sharp_edge_has_their_common_perpendicular(kind, radius, angle):
    """Lying across the upper edge of a box: the normal is vertical wherever they cross, never that of an end of either."""
    geometry = two_bodies(make_shape(kind, 2, (radius, 0.1)), make_shape("box", 1, (0.1, 0.03, 0.03)))
    turn = Rotation.from_euler("z", angle) * Rotation.from_euler("y", 90, degrees=True)
    for x in np.linspace(-0.08, 0.08, 9):
        place = np.array([x, 0, 0.03 * np.sqrt(2) + radius])
        assert geometry.update(pose(place, turn, np.zeros(3), Rotation.from_euler("x", 45, degrees=True)), np.zeros(12)) == 1
        c = geometry.contacts
        assert abs(c.gap[0]) < 1e-15
        assert np.abs(c.n[0] - [0, 0, 1]).max() < 1e-15 / angle
        assert abs(c.point_A[0, 0] - x) < 1e-14 / angle + 1e-15 * radius / angle**2      # what round-off of the two directions does


@pytest.mark.parametrize("gap", [1e-8, 3e-8, 1e-7, 1e-6])
@pytest.mark.parametrize("seed", range(5))
def test_a_vertex_as_near_as_round_off_lets_it_be(seed, gap):
    """Beside an edge and beside a rim: the normal leads from the one to the other, to the precision that the gap allows."""
    rng = np.random.default_rng(seed)
    turn, world = Rotation.from_euler("xyz", [0.3, -0.4, 0.2]), Rotation.random(random_state=rng)
    tip = turn.apply([-0.3, -0.4, -0.2])
    for kind, foot, normal in (("box", [0.3, rng.uniform(-0.3, 0.3), 0.2], [1, 0, 1]), ("cylinder", [0.25, 0, 0.35], [1, 0, 1])):
        around = Rotation.from_euler("z", rng.uniform(0, 6) if kind == "cylinder" else 0)
        foot, n = around.apply(foot), around.apply(normal) / np.sqrt(2)
        facing = Rotation.align_vectors([n], [-tip / np.linalg.norm(tip)])[0]
        geometry = two_bodies(make_shape("box", 2), make_shape(kind, 1), reach=1e-3)
        place = foot + gap * n - facing.apply(tip)
        count = geometry.update(pose(world.apply(place), world * facing * turn, np.zeros(3), world), np.zeros(12))
        assert count == 1
        assert geometry.contacts.gap[0] == pytest.approx(gap, abs=1e-15)
        assert np.abs(geometry.contacts.n[0] - world.apply(n)).max() < 2e-15 / gap + 1e-14


def test_pairs_that_do_not_exist_are_refused_by_name():
    with pytest.raises(GeometryError, match="plane2.*plane1.*two planes"):
        two_bodies(make_shape("plane", 2), make_shape("plane", 1))
    with pytest.raises(GeometryError, match="hfield"):
        shape_table([make_shape("hfield", 1, (1, 1, 1))])


def test_deep_overlap_is_reported_never_guessed():
    """Sphere centre inside a box: the shallowest way out, a negative gap."""
    geometry = two_bodies(make_shape("sphere", 2), make_shape("box", 1), reach=slots.REACH)
    geometry.update(pose(np.array([0.02, 0.01, 0.15]), UPRIGHT, np.zeros(3), UPRIGHT), np.zeros(12))
    assert geometry.contacts.gap[0] == pytest.approx(0.15 - 0.2 - 0.3)


ROUND = [("sphere", "sphere"), ("sphere", "ellipsoid"), ("ellipsoid", "ellipsoid"), ("sphere", "capsule"), ("capsule", "capsule"),
         ("capsule", "ellipsoid"), ("cylinder", "cylinder"), ("cylinder", "sphere"), ("box", "sphere")]


@pytest.mark.parametrize("kinds", ROUND, ids="-".join)
@pytest.mark.parametrize("away", [0.0, 1e-13, 1e-9, 1e-3])
def test_bodies_inside_one_another_never_pass_for_apart(kinds, away):
    geometry = two_bodies(make_shape(kinds[0], 2), make_shape(kinds[1], 1), reach=slots.REACH)
    for turn in (UPRIGHT, LYING, *Rotation.random(5, random_state=3)):
        try:
            count = geometry.update(pose(np.array([0, 0, away]), turn, np.zeros(3), UPRIGHT), np.zeros(12))
        except GeometryError:
            continue
        assert count > 0
        assert geometry.contacts.gap[:count].min() < -0.1
