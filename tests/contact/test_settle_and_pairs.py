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
    shapes, objects = geometry.shapes, geometry.system.objects
    assert named_pairs(shapes, objects, [("floor", "block"), ("ball", "block")]) == [(2, 0), (2, 3)]
    for names, words in (([("floor", "bal")], "no such shape"), ([("ball", "ball")], "same body"),
                         ([("ball", "floor"), ("floor", "ball")], "named twice")):
        with pytest.raises(InputError, match=words):
            named_pairs(shapes, objects, names)


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
