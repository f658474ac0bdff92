"""The picture of one instant: hand, object, contacts, friction cones, forces and the verdict."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from knuckle.instant.answer import Answer, Solution
from knuckle.instant.moment import Moment
from knuckle.plots import marks, style
from knuckle.plots.outlines import FIXED, LINK, OBJECT, Placed, View, edges, outline, placed_shapes
from knuckle.plots.views import planar_view, spatial_views

CONE, FORCE = 0.17, 0.24  # lengths of a cone and of the largest force over the size of the picture
FILL = {OBJECT: style.OBJECT, LINK: style.LINK, FIXED: style.GROUND}
EDGE = {OBJECT: style.OBJECT_EDGE, LINK: style.SOFT, FIXED: style.SOFT}


@dataclass(frozen=True)
class Scene:
    """What every panel shares."""

    moment: Moment
    law: str
    placed: list[Placed]
    drawn: np.ndarray  # answers x contacts x 3, N, world, force on A


def most_panels(answer: Answer) -> int:
    """How many answers are drawn: those in space take two views each."""
    return 4 if answer.moment is not None and answer.moment.system.system.plane is not None else 2


def instant_figure(answer: Answer, headed: bool = True) -> Figure:
    """One panel per answer in the plane; two views per answer in space. The verdict is the title (a page has its own)."""
    if answer.moment is None:
        raise ValueError("a bare contact problem has no places to draw")
    scene = _scene(answer, answer.moment)
    solutions: list[Solution | None] = list(answer.solutions[: most_panels(answer)]) or [None]
    plane = answer.moment.system.system.plane
    if plane is not None:
        views = [planar_view(answer.moment.system.system, plane)]
    else:
        views = spatial_views(answer.moment.system.system, answer.moment.contacts.point, scene.drawn.reshape(-1, 3))
    rows, columns = (len(solutions), len(views)) if len(views) > 1 else _grid(len(solutions))
    windows = [_window(scene, view) for view in views]
    with style.paper_style():
        figure = _sheet(answer, windows, rows, columns, headed)
        for number, solution in enumerate(solutions):
            for k, view in enumerate(views):
                axes = figure.axes[number * len(views) + k]
                _draw(axes, scene, view, windows[k], None if solution is None else number, solution)
                _panel_title(axes, number, len(answer.solutions), view, len(views))
        for axes in figure.axes[len(solutions) * len(views) :]:
            axes.set_visible(False)
        marks.legend(figure, [mode for mode in "RSBF" if any(mode == m[0] for s in answer.solutions for m in s.modes)], bool(answer.solutions))
    return figure


def _scene(answer: Answer, moment: Moment) -> Scene:
    here = moment.contacts
    drawn = np.zeros((len(answer.solutions), len(here.gap), 3))
    for number, solution in enumerate(answer.solutions):
        drawn[number] = np.einsum("ik,ikx->ix", solution.f, here.frame[:, : solution.f.shape[1]])
    return Scene(moment, answer.law, placed_shapes(moment.system.system, here.q, here.v), drawn)


def _grid(panels: int) -> tuple[int, int]:
    columns = 1 if panels == 1 else 2
    return -(-panels // columns), columns


def _window(scene: Scene, view: View) -> np.ndarray:
    """Lower left and upper right corner on the paper: the objects with their surroundings, as far as anything is there."""
    near = [outline(one, view) for one in scene.placed if one.role == OBJECT]
    near.append(view.of(scene.moment.contacts.point).reshape(-1, 2))
    # What is fixed may be far away; a hand is shown whole, unless it belongs to an arm.
    every = [outline(one, view) for one in scene.placed if one.role != FIXED or not near[:-1]] + near
    whole, close = _box(every), _box(near)
    size = max(float((close[1] - close[0]).max()), 1e-3 if close.any() else float((whole[1] - whole[0]).max()))
    seen = np.array([np.maximum(whole[0], close[0] - 3.0 * size), np.minimum(whole[1], close[1] + 3.0 * size)])
    moment = scene.moment
    ends = [view.of(moment.contacts.point + CONE * size * moment.contacts.frame[:, 0]).reshape(-1, 2)]
    for i, point in enumerate(moment.contacts.point):
        rim = marks.cone_rim(moment.contacts.frame[i], float(moment.problem.mu[i]), CONE * size, moment.problem.dim, scene.law)
        ends.append(view.of(point + rim))
    return _box([seen, *ends]) + 0.14 * size * np.array([[-1.0, -1.0], [1.0, 1.0]])


def _box(outlines: list[np.ndarray]) -> np.ndarray:
    points = np.concatenate([np.zeros((0, 2)), *outlines])
    return np.array([points.min(axis=0), points.max(axis=0)]) if len(points) else np.zeros((2, 2))


def _sheet(answer: Answer, windows: list[np.ndarray], rows: int, columns: int, headed: bool) -> Figure:
    """The figure with its empty panels, all at one scale per column, and the verdict above."""
    widths = [float(windows[k % len(windows)][1, 0] - windows[k % len(windows)][0, 0]) for k in range(columns)]
    height = max(float(window[1, 1] - window[0, 1]) for window in windows)
    width = 1.45 * style.COLUMN if columns == 1 else 2.0 * style.COLUMN
    tall = min(width * height / sum(widths), 1.1 * style.COLUMN)
    titled = len(windows) > 1 or rows * columns > 1
    head, foot, between = 0.56 * headed + 0.2 * titled + 0.02, 0.38, 0.12 + 0.2 * titled
    total = head + foot + rows * (tall + between)
    figure = Figure(figsize=(width, total))
    grid = figure.add_gridspec(rows, columns, left=0.01, right=0.99, top=1 - head / total, bottom=foot / total,
                               width_ratios=widths, wspace=0.03, hspace=between / tall)
    for k in range(rows * columns):
        figure.add_subplot(grid[k // columns, k % columns])
    if not headed:
        return figure
    figure.text(0.02, 1 - 0.1 / total, answer.verdict.value.replace("_", " "), weight="bold", size=11, va="top", color=style.INK)
    sentence = textwrap.fill(answer.verdict.sentence, int(15.5 * width))
    figure.text(0.02, 1 - 0.32 / total, sentence, size=8, va="top", color=style.SOFT)
    return figure


def _panel_title(axes: Axes, number: int, answers: int, view: View, views: int) -> None:
    words = [f"answer {number + 1} of {answers}"] if answers > 1 else []
    words += [view.name] if views > 1 else []
    if words:
        axes.set_title(", ".join(words), size=7.5, color=style.SOFT, loc="left", pad=3)


def _draw(axes: Axes, scene: Scene, view: View, window: np.ndarray, number: int | None, solution: Solution | None) -> None:
    """One panel: bodies first, then cones, then forces and contact marks on top of everything."""
    axes.set_aspect("equal", adjustable="box", anchor="N")
    axes.set_xlim(*window[:, 0])
    axes.set_ylim(*window[:, 1])
    axes.set_axis_off()
    size = float((window[1] - window[0]).max())
    middle = scene.moment.contacts.point.mean(axis=0) if len(scene.moment.contacts.point) else np.zeros(3)
    for one in scene.placed:
        _draw_body(axes, one, view, window, middle)
    if view.name.startswith("in the plane"):
        marks.joints(axes, scene.moment, view, size)
    here, problem = scene.moment.contacts, scene.moment.problem
    largest = float(np.linalg.norm(scene.drawn, axis=2).max(initial=0.0))
    scale = FORCE * size / largest if largest > 0.0 else 0.0
    for i, point in enumerate(here.point):
        mode = "" if solution is None else solution.modes[i]
        marks.cone(axes, view, point, here.frame[i], float(problem.mu[i]), CONE * size, mode, problem.dim, scene.law)
    for i, point in enumerate(here.point):
        mode = "" if solution is None else solution.modes[i]
        if number is not None:
            marks.force(axes, view, point, scene.drawn[number, i] * scale, mode, 0.012 * size)
        if solution is not None:
            marks.motion(axes, view, point, here.frame[i], _heading(scene, solution, i), mode, size)
        marks.contact(axes, view, point, here.frame[i, 0], i + 1, mode, size)
    if scale > 0.0 and number is not None:
        marks.force_scale(axes, window, scale)


def _heading(scene: Scene, solution: Solution, i: int) -> np.ndarray:
    """Where A goes against B, in the contact frame: the slip where there is one, else the acceleration."""
    problem = scene.moment.problem
    heading = np.zeros(3)
    if problem.sliding[i] and solution.modes[i] != "B":
        heading[1 : problem.dim] = problem.slip[i]
    else:
        heading[: problem.dim] = solution.a[i]
    return heading


def _draw_body(axes: Axes, one: Placed, view: View, window: np.ndarray, middle: np.ndarray) -> None:
    if one.shape.kind == "plane":
        _draw_plane(axes, one, view, window, middle)
        return
    corners = outline(one, view)
    if one.shape.kind == "segment":
        axes.plot(*corners.T, color=EDGE[one.role], lw=3.2, solid_capstyle="round", zorder=2)
        return
    if one.shape.kind == "box" and len(corners) > 4:
        for ends in edges(one, view):
            axes.plot(*ends.T, color=EDGE[one.role], lw=0.5, alpha=0.55, zorder=2)
    # A light, see-through fill: whatever lies behind stays visible.
    axes.add_patch(Polygon(corners, closed=True, fc=FILL[one.role], ec="none", alpha=0.75, zorder=1))
    axes.add_patch(Polygon(corners, closed=True, fc="none", ec=EDGE[one.role], lw=1.0, zorder=2, joinstyle="round"))


def _draw_plane(axes: Axes, one: Placed, view: View, window: np.ndarray, middle: np.ndarray) -> None:
    """Seen edge on: a line with the solid side hatched. Else: a patch under the contacts."""
    normal, size = one.rotation[:, 2], float((window[1] - window[0]).max())
    foot = middle - ((middle - one.position) @ normal) * normal
    if abs(normal @ view.toward) < 1e-6:
        flat_normal, start = view.of(normal), view.of(foot)
        along = 2.0 * size * np.array([flat_normal[1], -flat_normal[0]])
        ends = np.array([start - along, start + along])
        deep = 0.03 * size * flat_normal
        axes.add_patch(Polygon([*ends, *(ends[::-1] - deep)], closed=True, fc=style.GROUND, ec=style.LINE, hatch="/////", lw=0.0, zorder=0.5))
        axes.plot(*ends.T, color=style.SOFT, lw=1.2, zorder=2)
        return
    finite = min(one.shape.size[:2]) > 0.0
    half = one.shape.size[:2] if finite else (0.45 * size, 0.45 * size)
    # The patch of an endless plane is squared to the view.
    x = one.rotation[:, 0] if finite else view.right - (view.right @ normal) * normal
    x = x / np.linalg.norm(x) if np.linalg.norm(x) > 1e-6 else one.rotation[:, 0]
    y = np.cross(normal, x)
    centre = one.position if finite else foot
    corners = np.array([centre + i * half[0] * x + j * half[1] * y for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
    axes.add_patch(Polygon(view.of(corners), closed=True, fc=style.GROUND, ec=style.LINE, lw=0.7, zorder=0.5))
