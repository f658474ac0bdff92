"""The picture: the same bytes every time, the verdict in it, its arrows where the forces are."""

import xml.etree.ElementTree as ElementTree

import matplotlib as mpl
import numpy as np
import pytest

import knuckle as kn
from knuckle.plots import style
from knuckle.plots.instant import instant_figure
from knuckle.plots.views import planar_view, spatial_views

BALL = """
knuckle: 1
objects: [{name: ball, kind: sphere, size: [0.1], mass: 1.0, position: [0, 0, 0.1]}]
shapes: [{name: floor, kind: plane}]
friction: 0.5
contacts: [{name: foot, object: ball, link: floor}]
"""


@pytest.fixture(scope="module")
def lift():
    return kn.modes("two-finger-lift")


@pytest.fixture(scope="module")
def ball(tmp_path_factory):
    file = tmp_path_factory.mktemp("ball") / "ball.yaml"
    file.write_text(BALL)
    return kn.modes(str(file))


def texts(svg):
    return ["".join(node.itertext()) for node in ElementTree.fromstring(svg).iter() if node.tag.endswith("text")]


def test_same_bytes_every_time(lift):
    first, second = style.figure_svg(instant_figure(lift)), style.figure_svg(instant_figure(lift))
    assert first == second
    assert "Matplotlib" not in first
    assert "date" not in first.lower()


def test_the_title_is_the_verdict(lift):
    assert {"determinate", "one motion and one set of forces can follow, and no other"} <= set(texts(style.figure_svg(instant_figure(lift))))


def test_torques_are_told(lift):
    assert texts(style.figure_svg(instant_figure(lift))).count("2.5 N m") == 2


def arrows(axes, colour):
    found = [patch for patch in axes.patches if hasattr(patch, "get_arrowstyle") and mpl.colors.to_hex(patch.get_edgecolor()) == colour]
    return [np.array(patch._posA_posB) for patch in found]


def test_arrows_have_the_direction_of_the_forces(lift):
    """Each starts at its contact and is as long, on one scale, as the force."""
    figure = instant_figure(lift)
    view = planar_view(lift.moment.system.system, lift.moment.system.system.plane)
    here, f = lift.moment.contacts, lift.solution.f
    *drawn, _ = arrows(figure.axes[0], style.INK)  # the last one is the scale
    expected = view.of(f[:, :1] * here.frame[:, 0] + f[:, 1:] * here.frame[:, 1])
    scales = []
    for (start, end), point, force in zip(drawn, view.of(here.point), expected, strict=True):
        assert np.abs(start - point).max() < 1e-12
        step = end - start
        assert abs(step[0] * force[1] - step[1] * force[0]) < 1e-12
        scales.append(step @ force / (force @ force))
    assert scales[0] == pytest.approx(scales[1], rel=1e-9)


def test_every_answer_has_a_panel():
    assert len(instant_figure(kn.modes("painleve-rod")).axes) == 2


def test_no_answer_is_drawn_without_forces():
    figure = instant_figure(kn.modes("painleve-rod-inconsistent"))
    assert "inconsistent" in texts(style.figure_svg(figure))
    assert not arrows(figure.axes[0], style.INK)


def test_two_views_in_space(ball):
    assert len(instant_figure(ball).axes) == 2


def test_views_are_right_handed_and_up_is_up(ball, lift):
    system = ball.moment.system.system
    points = np.random.default_rng(3).normal(size=(4, 3))
    for view in [*spatial_views(system, points, points), planar_view(lift.moment.system.system, lift.moment.system.system.plane)]:
        axes = np.array([view.right, view.up, view.toward])
        assert np.abs(axes @ axes.T - np.eye(3)).max() < 1e-12
        assert view.name == "from above" or view.up[2] > 0.9


def test_settings_of_the_caller_stay(ball):
    before = dict(mpl.rcParams)
    style.figure_svg(instant_figure(ball))
    assert dict(mpl.rcParams) == before


def test_a_bare_problem_has_no_picture():
    with pytest.raises(ValueError, match="no places"):
        instant_figure(kn.solve({"M": [[1.0]], "h": [0.0], "contacts": []}))


def test_the_pictures_of_the_manual_are_of_this_answer(root, lift):
    """Not byte for byte: another release of matplotlib writes other paths."""
    shown = texts((root / "docs" / "pictures" / "two-finger-lift.svg").read_text())
    assert shown == texts(style.figure_svg(instant_figure(lift)))
