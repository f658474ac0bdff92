"""Settling of soft states (CONTRACT 2) and the choice of pairs."""
import numpy as np
import pytest

from knuckle.contact.geometry import contact_geometry
from knuckle.contact.pairs import found_pairs, named_pairs
from knuckle.contact.settle import settle
from knuckle.errors import GeometryError, InputError
from knuckle.model import load, pairs_that_may_touch

TABLE = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/><geom name="wall" type="box" size=".1 .1 .1" pos="3 0 0"/>
<body name="block" pos="0 0 {height}"><freejoint/><geom name="block" type="box" size=".1 .2 .1" mass="1"/></body>
<body name="ball" pos="0 0 {ball}"><freejoint/><geom name="ball" type="sphere" size=".05" mass="1"/></body></worldbody></mujoco>"""


def table(height=0.1, ball=0.25):
    system, state = load(TABLE.format(height=height, ball=ball))
    pairs = found_pairs(system.shapes, system.objects, pairs_that_may_touch(system.model))
    return contact_geometry(system, pairs), state.q, state.v, pairs


def test_found_pairs_put_the_object_first():
    geometry, _, _, pairs = table()
    names = {(geometry.shapes[a].name, geometry.shapes[b].name) for a, b in pairs}
    assert names == {("block", "floor"), ("ball", "floor"), ("block", "wall"), ("ball", "wall"), ("block", "ball")}


def test_named_pairs():
    geometry, _, _, _ = table()
    shapes = geometry.shapes
    assert named_pairs(shapes, [("floor", "block"), ("ball", "block")]) == [(0, 2), (3, 2)]
    for names, words in (([("floor", "bal")], "no such shape"), ([("ball", "ball")], "same body"),
                         ([("ball", "floor"), ("floor", "ball")], "named twice")):
        with pytest.raises(InputError, match=words):
            named_pairs(shapes, names)


def test_soft_state_is_brought_to_exact_contact():
    geometry, q, v, _ = table(height=0.0997, ball=0.2493)
    q[3:7] = [1, 2e-4, -1e-4, 0]
    q[3:7] /= np.linalg.norm(q[3:7])
    v[:] = np.random.default_rng(0).normal(size=12) * 0.01
    settled = settle(geometry, q, v)
    count = geometry.update(settled.q, settled.v)
    contacts = geometry.contacts
    touching = [k for k in range(count) if abs(contacts.gap[k]) < 1e-9]
    assert len(touching) == 5            # four corners of the block, the ball on top
    assert np.abs(contacts.velocity[[3 * k for k in touching]]).max() < 1e-12
    assert 1e-4 < settled.displacement < 1e-3 and settled.largest_gap > 1e-4
    # Of all motions that reach contact, nearly the least: the block, free to slide and spin on the floor, does neither.
    assert np.abs(settled.q[:2] - q[:2]).max() < 2e-5


def test_settling_twice_changes_nothing():
    geometry, q, v, _ = table(height=0.0998, ball=0.2495)
    once = settle(geometry, q, v)
    twice = settle(geometry, once.q, once.v)
    np.testing.assert_array_equal(twice.q, once.q)
    np.testing.assert_allclose(twice.v, once.v, atol=1e-15)
    assert twice.displacement == 0.0


def test_slip_is_removed_where_rolling_is_asked():
    geometry, q, v, pairs = table(ball=0.25)
    v[:] = np.random.default_rng(1).normal(size=12)
    settled = settle(geometry, q, v, rolling=(pairs.index((2, 3)),))
    geometry.update(settled.q, settled.v)
    k = int(np.flatnonzero(geometry.contacts.pair[:5] == pairs.index((2, 3)))[0])
    assert np.abs(geometry.contacts.velocity[3 * k : 3 * k + 3]).max() < 1e-12


def test_more_than_a_millimetre_is_refused():
    geometry, q, v, _ = table(height=0.0985, ball=0.2485)
    with pytest.raises(GeometryError, match="1 mm"):
        settle(geometry, q, v)
    assert settle(geometry, q, v, largest=0.01).displacement > 1e-3


def moved(height, ball, tilt=0.0):
    geometry, q, v, _ = table(height, ball)
    q[3:7] = [np.cos(tilt / 2), np.sin(tilt / 2), 0.0, 0.0]
    return geometry, settle(geometry, q, v)


def test_open_pairs_stay_open_beside_pairs_that_touch():
    geometry, settled = moved(height=0.0998, ball=0.2503)
    assert [geometry.shapes[row].name for row in geometry.search.pairs[settled.pairs[0]]] == ["block", "floor"]
    assert len(settled.pairs) == 1 and not settled.parted and not settled.lost
    assert geometry.update(settled.q, settled.v) == 5            # the ball is within reach, but not in contact
    assert 1e-4 < geometry.contacts.gap[:5].max() < 5e-4


def test_where_none_touches_all_near_pairs_come_to_touch():
    _, settled = moved(height=0.1003, ball=0.2506)
    assert len(settled.pairs) == 2 and all(settled.gap[pair] > 1e-4 for pair in settled.pairs)


def test_links_are_not_pulled_together():
    geometry, q, v, pairs = table(height=0.1003, ball=0.2506)
    ball = pairs.index((2, 3))
    assert ball not in settle(geometry, q, v, touching_only=[ball]).pairs


def test_all_corners_of_a_tilted_face_come_to_touch():
    geometry, settled = moved(height=0.0997, ball=0.5, tilt=1e-3)
    assert geometry.update(settled.q, settled.v) == 4 and not settled.lost
    assert np.abs(geometry.contacts.gap[:4]).max() < 1e-10


SHELVES = """<mujoco><worldbody><geom name="left" type="box" size=".05 .05 .05" pos="-.1 .02 0"/>
<geom name="right" type="box" size=".05 .05 .05" pos=".1 -.02 0"/>
<body name="plank" pos="0 0 .06" euler="{tilt} {slope} 5"><freejoint/><geom name="plank" type="box" size=".3 .03 .01" mass="1"/></body>
</worldbody></mujoco>"""


def test_faces_that_overlap_in_part_come_to_lie_flat():
    """The plank's own corners are over no shelf: what touches are crossings and corners of the shelves."""
    system, state = load(SHELVES.format(tilt=0.1, slope=0.05))
    state.q[2] -= 2e-4
    pairs = found_pairs(system.shapes, system.objects, pairs_that_may_touch(system.model))
    geometry = contact_geometry(system, pairs)
    settled = settle(geometry, state.q, state.v)
    count = geometry.update(settled.q, settled.v)
    assert not settled.lost and len(settled.pairs) == 2
    assert count == 8 and np.abs(geometry.contacts.gap[:8]).max() < 1e-10
    np.testing.assert_allclose(geometry.contacts.n[:8], np.tile([0, 0, 1], (8, 1)), atol=1e-9)


SLIDER = """<mujoco><worldbody><body name="cart"><joint name="cart" type="slide" axis="1 0 0" range="{low} 1" limited="true"/>
<geom name="cart" size=".01" mass="1"/></body></worldbody></mujoco>"""


def test_a_stop_is_named_with_its_unit():
    system, state = load(SLIDER.format(low=0.01))
    with pytest.raises(GeometryError, match=r"cart lower stop: passed by 0\.01 m"):
        settle(contact_geometry(system, []), state.q, state.v)
    system, state = load(SLIDER.format(low=0.0005))
    assert settle(contact_geometry(system, []), state.q, state.v).q[0] == pytest.approx(0.0005, abs=1e-12)
