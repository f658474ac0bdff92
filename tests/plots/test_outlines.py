"""Outlines against support functions in closed form."""

import numpy as np
import pytest

from knuckle.model.structure import Shape
from knuckle.plots.outlines import Placed, View, convex_hull, outline

VIEW = View(np.array([0.6, 0.8, 0.0]), np.array([0.0, 0.0, 1.0]), np.array([0.8, -0.6, 0.0]))


def turned(seed):
    q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


def placed(kind, size, seed=0):
    shape = Shape(kind, kind, -1, 1, np.array(size), np.zeros(3), np.eye(3), 1.0, np.zeros((0, 3)), ())
    return Placed(shape, "object", np.array([0.3, -0.2, 0.5]), turned(seed))


def support(kind, size, d):
    """Largest d.x over the shape, in its own frame."""
    radial = np.hypot(d[0], d[1])
    return {
        "sphere": size[0] * np.linalg.norm(d),
        "ellipsoid": np.linalg.norm(np.array(size) * d),
        "box": np.abs(np.array(size) * d).sum(),
        "capsule": size[0] * np.linalg.norm(d) + size[1] * abs(d[2]),
        "cylinder": size[0] * radial + size[1] * abs(d[2]),
    }[kind]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", ["sphere", "ellipsoid", "box", "capsule", "cylinder"])
def test_outline_has_the_support_function_of_the_shape(kind, seed):
    one = placed(kind, [0.2, 0.3, 0.1], seed)
    corners = outline(one, VIEW)
    for angle in np.linspace(0.0, 6.0, 13):
        flat = np.array([np.cos(angle), np.sin(angle)])
        d = flat[0] * VIEW.right + flat[1] * VIEW.up
        expected = d @ one.position + support(kind, one.shape.size, one.rotation.T @ d)
        # A polygon of 72 corners inside a circle of radius 0.3 misses at most 0.3 (1 - cos(2.5 deg)).
        assert expected - 3e-4 <= (corners @ flat).max() <= expected + 1e-12


def test_hull_of_a_square_with_points_inside():
    inside = np.random.default_rng(1).uniform(0.1, 0.9, (50, 2))
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    assert convex_hull(np.concatenate([inside, square, [[0.5, 0.0]]])).tolist() == square.tolist()


def test_hull_of_almost_nothing():
    assert convex_hull(np.zeros((4, 2))).tolist() == [[0.0, 0.0]]
