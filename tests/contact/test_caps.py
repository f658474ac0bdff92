"""Caps of cylinders against lines, faces and other caps: the corners of the common region, whatever the spin about the axis."""
import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation
from worlds import TWO_FREE, make_shape, pose, two_bodies

from knuckle.contact.geometry import contact_geometry
from knuckle.model import load
from knuckle.model.system import System

R, HALF = 0.25, 0.35                    # the cylinder of worlds.py
SPINS = [0.0, 0.3, np.pi / 4, 1.1, np.pi / 2, 2.5]
LYING = Rotation.from_euler("y", 90, degrees=True)
ON_EDGE = Rotation.from_euler("x", np.arctan2(0.1, 0.1))


def points(geometry, place, turn, spin, speed=None, world=None):
    """What A (at `place`, `turn`) touches on the standing cylinder B: positions in the frame of B's axis, sorted."""
    world = world or Rotation.identity()
    q = pose(world.apply(place), world * turn, np.zeros(3), world * Rotation.from_euler("z", spin))
    count = geometry.update(q, np.zeros(12) if speed is None else speed)
    c = geometry.contacts
    np.testing.assert_allclose(c.n[:count], np.tile(world.apply([0, 0, 1]), (count, 1)), atol=1e-9)
    assert np.abs(c.gap[:count]).max() < 1e-9
    found = world.inv().apply(c.point_A[:count])
    return found[np.lexsort(found.round(8).T)]


def same_points(found, expected):
    assert len(found) == len(expected)
    assert all(np.linalg.norm(found - point, axis=1).min() < 1e-9 for point in expected)


@pytest.mark.parametrize("spin", SPINS)
@pytest.mark.parametrize("shift", [0.0, 0.1, -0.2])
@pytest.mark.parametrize(("line", "height"), [(make_shape("capsule", 2, (0.02, 0.8)), 0.02), (make_shape("cylinder", 2, (0.03, 0.8)), 0.03),
                                              (make_shape("box", 2, (0.1, 0.1, 0.8)), np.hypot(0.1, 0.1))], ids=["capsule", "flank", "edge"])
def test_a_line_across_a_cap_touches_where_it_leaves_it(line, height, shift, spin):
    """Also with the whole world turned; an end of the line that is over the cap takes the place of its crossing."""
    geometry = two_bodies(line, make_shape("cylinder", 1), reach=1e-3)
    turn = LYING * Rotation.from_euler("z", 45, degrees=True) if line.kind == "box" else LYING
    half = np.sqrt(R**2 - shift**2)
    for world in (Rotation.identity(), Rotation.random(random_state=4)):
        found = points(geometry, np.array([0.1, shift, HALF + height]), turn, spin, world=world)
        same_points(found, [[half, shift, HALF], [-half, shift, HALF]])
        found = points(geometry, np.array([0.75, shift, HALF + height]), turn, spin, world=world)
        same_points(found, [[half, shift, HALF], [-0.05, shift, HALF]])


def common_region(polygon, count=2000):
    """A disc cut by a convex polygon, as many points around it: a fine polygon clipped side by side (Sutherland and Hodgman 1974)."""
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
    ring = R * np.column_stack([np.cos(angle), np.sin(angle)])
    for a, b in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        side, kept = (ring - a) @ [a[1] - b[1], b[0] - a[0]], []
        for k in range(len(ring)):
            if side[k - 1] * side[k] < 0.0:
                kept.append(ring[k - 1] + (ring[k] - ring[k - 1]) * side[k - 1] / (side[k - 1] - side[k]))
            if side[k] >= 0.0:
                kept.append(ring[k])
        ring = np.array(kept)
    return ring


@pytest.mark.parametrize("seed", range(12))
def test_cap_over_the_border_of_a_face(seed):
    """The points lie in the common region, reach as far as its sharp corners, hold its centre, and do not turn with the cylinder."""
    rng = np.random.default_rng(seed)
    size = rng.uniform(0.15, 0.4, 2)
    geometry = two_bodies(make_shape("box", 2, (*size, 0.1)), make_shape("cylinder", 1), reach=1e-3)
    yaw = rng.uniform(0, np.pi)
    turn = Rotation.from_euler("z", yaw)
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * size
    away = rng.uniform(0.3, 1.0) * (R + size.min())
    place = np.array([*(away * np.array([np.cos(2.0 * seed), np.sin(2.0 * seed)])), HALF + 0.1])
    polygon = turn.apply(np.column_stack([square, np.zeros(4)]))[:, :2] + place[:2]
    region = common_region(polygon)
    found = points(geometry, place, turn, 0.0)
    hull = ConvexHull(region)
    assert (hull.equations[:, :2] @ found[:, :2].T + hull.equations[:, 2:]).max() < 1e-6
    first, second = region, np.roll(region, -1, axis=0)
    areas = first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]
    centre = areas @ (first + second) / (3.0 * areas.sum())
    own = ConvexHull(found[:, :2])
    assert (own.equations @ [*centre, 1.0]).max() < 0.0
    sharp = [a for a in polygon if np.linalg.norm(a) < R] + list(crossings(polygon))
    assert len(found) >= 8 or all(np.linalg.norm(found[:, :2] - a, axis=1).min() < 1e-9 for a in sharp)
    for spin in SPINS[1:]:
        np.testing.assert_allclose(points(geometry, place, turn, spin), found, atol=1e-9)


def crossings(polygon):
    for a, b in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        roots = np.roots([(b - a) @ (b - a), 2 * a @ (b - a), a @ a - R**2])
        yield from (a + s.real * (b - a) for s in roots if abs(s.imag) < 1e-12 and 1e-6 < s.real < 1 - 1e-6)


@pytest.mark.parametrize("spin", SPINS)
@pytest.mark.parametrize(("radius", "away"), [(0.25, 0.2), (0.25, 0.45), (0.1, 0.2), (0.1, 0.3), (0.4, 0.5)])
def test_cap_on_cap_touches_where_the_rims_cross(radius, away, spin):
    geometry = two_bodies(make_shape("cylinder", 2, (radius, 0.1)), make_shape("cylinder", 1), reach=1e-3)
    direction = np.array([np.cos(0.7), np.sin(0.7), 0.0])
    place = away * direction + [0, 0, HALF + 0.1]
    found = points(geometry, place, Rotation.from_euler("z", 2 * spin), spin)
    along = (away**2 + R**2 - radius**2) / (2 * away)
    across = np.sqrt(R**2 - along**2) * np.cross([0, 0, 1], direction)
    for corner in (along * direction + across, along * direction - across, R * direction, (away - radius) * direction):
        assert np.linalg.norm(found - corner - [0, 0, HALF], axis=1).min() < 1e-9
    assert np.linalg.norm(found[:, :2], axis=1).max() < R + 1e-9
    assert np.linalg.norm(found[:, :2] - place[:2], axis=1).max() < radius + 1e-9


def test_coaxial_caps_touch_at_one_rim_alone():
    for radius in (0.1, 0.25, 0.4):
        geometry = two_bodies(make_shape("cylinder", 2, (radius, 0.1)), make_shape("cylinder", 1), reach=1e-3)
        found = points(geometry, np.array([0, 0, HALF + 0.1]), Rotation.from_euler("z", 0.3), 0.9)
        assert len(found) == 4
        np.testing.assert_allclose(np.linalg.norm(found[:, :2], axis=1), min(radius, R), atol=1e-12)


@pytest.mark.parametrize("spin", SPINS)
@pytest.mark.parametrize("downhill", [0.0, 0.4, 2.0, -2.6])
def test_a_can_on_a_slope_stands_on_its_lowest_point(downhill, spin):
    """The rim's farthest point downhill is a contact: so it tips at tan(slope) = R / h, not where two other points say so."""
    pull = np.array([0.3 * np.cos(downhill), 0.3 * np.sin(downhill), -1.0])
    xml = TWO_FREE.replace('gravity="0 0 0"', f'gravity="{" ".join(map(str, pull))}"')
    for kind, height in (("plane", 0.0), ("box", 0.2)):
        system = System(load(xml)[0].model, extra_shapes=[make_shape("cylinder", 2), make_shape(kind, 1)])
        geometry = contact_geometry(system, [(2, 3)])
        count = geometry.update(pose(np.array([0, 0, height + HALF]), Rotation.from_euler("z", spin), np.zeros(3), Rotation.identity()),
                                np.zeros(12))
        assert count == 4
        reach = geometry.contacts.point_A[:count, :2] @ pull[:2] / np.linalg.norm(pull[:2])
        assert reach.max() == pytest.approx(R, abs=1e-12)


def test_points_on_a_rim_slide_and_spin_without_tipping():
    """Flat on flat, any sliding and spinning about the normal: the gap stays, so its acceleration is 0 at every point, and F6 is consistent."""
    geometry = two_bodies(make_shape("box", 2, (0.3, 0.1, 0.1)), make_shape("cylinder", 1), reach=1e-3)
    speed = np.zeros(12)
    speed[[0, 1, 5, 6, 7, 11]] = [0.3, -0.2, 0.7, 0.1, 0.5, -1.3]
    found = points(geometry, np.array([0.1, 0.05, HALF + 0.1]), Rotation.from_euler("z", 0.4), 0.2, speed)
    c, count = geometry.contacts, len(found)
    assert {1} <= set(c.rank_A[:count]) and 1 in c.rank_B[:count]
    assert np.abs(c.bias[: 3 * count : 3]).max() < 1e-12
    assert c.residual[:count].max() < 1e-12
    on_rim = [k for k in range(count) if c.rank_B[k] == 1]
    for k in on_rim:
        np.testing.assert_allclose(abs(np.cross(c.E_B[k, :3], [0, 0, 1]) @ c.point_B[k]), R, atol=1e-9)


PLANAR_CAN = """<mujoco><worldbody><geom name="table" type="box" size=".2 .2 .1" pos="0 0 -.1"/><body name="can" pos="{x} 0 .1"
 euler="0 0 25"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint axis="0 1 0"/>
 <geom name="can" type="cylinder" size=".05 .1" mass="1"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(("x", "expected"), [(0.0, [-0.05, 0.05]), (0.18, [0.13, 0.2])])
def test_in_the_plane_a_cap_is_a_line(x, expected):
    system, state = load(PLANAR_CAN.format(x=x).replace('axis="1 0 0"', 'axis="0.9063077870366499 -0.42261826174069944 0"')
                         .replace('axis="0 1 0"', 'axis="0.42261826174069944 0.9063077870366499 0"'))
    assert system.plane is not None
    geometry = contact_geometry(system, [(1, 0)])
    count = geometry.update(state.q, state.v)
    np.testing.assert_allclose(sorted({*geometry.contacts.point_A[:count, 0].round(9)}), expected, atol=1e-9)
