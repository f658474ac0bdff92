"""What is drawn at a contact: number and mode, cone, force, motion; and at a joint: its torque."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerPatch
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Patch, Polygon

from knuckle.instant.moment import Moment
from knuckle.plots import style
from knuckle.plots.outlines import AROUND, View, convex_hull

# Shape tells the mode as well as colour does.
MARKERS = {"R": "o", "S": "D", "B": "o", "F": "s"}
WORDS = {"R": "rolls", "S": "slides", "B": "breaks", "F": "touches without friction"}
CORNERS = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])


def _marker(mode: str) -> dict[str, Any]:
    colour = style.mode_colour(mode)
    face = style.PAPER if mode[:1] == "B" or not mode else colour
    return {"marker": MARKERS.get(mode[:1], "o"), "mfc": face, "mec": colour, "mew": 1.2, "ls": "none"}


def contact(axes: Axes, view: View, point: np.ndarray, n: np.ndarray, number: int, mode: str, size: float) -> None:
    """A dot where it touches, and outside the object its number in the mark of its mode."""
    at = view.of(point)
    outward = -view.of(n)
    length = float(np.linalg.norm(outward))
    place = at + (0.05 * size * outward / length if length > 0.3 else np.array([0.0, -0.05 * size]))
    axes.plot(*at, marker="o", ms=3.2, color=style.mode_colour(mode), mec=style.PAPER, mew=0.5, zorder=8, clip_on=False)
    axes.plot(*place, ms=9.5 if mode[:1] != "S" else 8.5, zorder=9, clip_on=False, **_marker(mode))
    ink = style.mode_colour(mode) if mode[:1] in ("B", "") else style.PAPER
    axes.text(float(place[0]), float(place[1]), str(number), color=ink, size=7, weight="bold", ha="center", va="center_baseline", zorder=10)


def cone_rim(frame: np.ndarray, mu: float, length: float, dim: int, law: str) -> np.ndarray:
    """Edge of the cone's base from its apex, n x 3. Its slant edges have the same length for every mu."""
    angle = math.atan(mu)
    high, wide = length * math.cos(angle), length * math.sin(angle)
    if dim == 2:
        rim = np.array([[high, wide, 0.0], [high, -wide, 0.0]])
    elif law == "pyramid":
        rim = np.column_stack([np.full(4, high), wide * CORNERS])
    else:
        rim = np.column_stack([np.full(len(AROUND), high), wide * np.cos(AROUND), wide * np.sin(AROUND)])
    return rim @ frame


def cone(axes: Axes, view: View, point: np.ndarray, frame: np.ndarray, mu: float, length: float, mode: str, dim: int, law: str) -> None:
    """The directions of force that friction allows."""
    base = view.of(point + cone_rim(frame, mu, length, dim, law))
    colour = style.mode_colour(mode)
    hull = convex_hull(np.concatenate([view.of(point)[None], base]))
    if len(hull) > 2:
        axes.add_patch(Polygon(hull, closed=True, fc=colour, ec="none", alpha=0.18, zorder=4))
        axes.add_patch(Polygon(hull, closed=True, fc="none", ec=colour, lw=0.7, zorder=5, joinstyle="round"))
    if dim == 3:
        axes.add_patch(Polygon(base, closed=True, fc="none", ec=colour, lw=0.7, zorder=5))


def force(axes: Axes, view: View, point: np.ndarray, arrow: np.ndarray, mode: str, least: float) -> None:
    """Force on A, drawn from the contact into the object."""
    start, step = view.of(point), view.of(arrow)
    if np.linalg.norm(step) <= least:
        if np.linalg.norm(arrow) > least:  # along the line of sight
            axes.plot(*start, marker="o", ms=6, mfc="none", mec=style.INK, mew=0.8, zorder=7, clip_on=False)
        return
    axes.add_patch(_arrow(start, start + step, style.INK, 1.7, 9.0, 7))


def motion(axes: Axes, view: View, point: np.ndarray, frame: np.ndarray, heading: np.ndarray, mode: str, size: float) -> None:
    """A small arrow beside a contact that slides or breaks: where the object goes."""
    if mode[:1] not in ("S", "B"):
        return
    step = view.of(heading @ frame)
    length = float(np.linalg.norm(heading))
    if length <= 0.0 or np.linalg.norm(step) < 0.2 * length:
        return
    step = step / length
    beside = view.of(frame[0])
    start = view.of(point) + 0.035 * size * beside + 0.045 * size * step
    axes.add_patch(_arrow(start, start + 0.085 * size * step, style.mode_colour(mode), 1.3, 7.0, 7, "->"))


def _arrow(start: np.ndarray, end: np.ndarray, colour: str, width: float, head: float, order: int, form: str = "-|>") -> FancyArrowPatch:
    return FancyArrowPatch(tuple(start), tuple(end), arrowstyle=form, mutation_scale=head, lw=width, color=colour, shrinkA=0, shrinkB=0,
                           zorder=order, clip_on=False, joinstyle="miter", capstyle="butt")


def joints(axes: Axes, moment: Moment, view: View, size: float) -> None:
    """Hinges of the hand, with the torque that its actuator applies."""
    system = moment.system.system
    for joint in range(system.model.njnt):
        dof, body = int(system.model.jnt_dofadr[joint]), int(system.model.jnt_bodyid[joint])
        if body in system.objects or abs(system.data.xaxis[joint] @ view.toward) < 0.5:
            continue
        at = view.of(system.data.xanchor[joint])
        axes.plot(*at, marker="o", ms=5.0, mfc=style.PAPER, mec=style.SOFT, mew=1.1, zorder=3, clip_on=False)
        tau = float(moment.contacts.tau[dof])
        if tau != 0.0:
            _torque(axes, at, tau * math.copysign(1.0, float(system.data.xaxis[joint] @ view.toward)), tau, size)


def _torque(axes: Axes, at: np.ndarray, turn: float, tau: float, size: float) -> None:
    radius, sense = 0.045 * size, math.copysign(1.0, turn)
    ends = [at + radius * np.array([sense * math.cos(angle), math.sin(angle)]) for angle in (math.radians(-20.0), math.radians(160.0))]
    arc = FancyArrowPatch(tuple(ends[0]), tuple(ends[1]), connectionstyle=f"arc3,rad={0.75 * sense}", arrowstyle="->", mutation_scale=6, lw=0.9,
                          color=style.SOFT, shrinkA=0, shrinkB=0, zorder=3, clip_on=False)
    axes.add_patch(arc)
    side = 1.0 if at[0] > sum(axes.get_xlim()) / 2.0 else -1.0
    where = at + radius * np.array([1.5 * side, 0.35])
    beside = "left" if side > 0.0 else "right"
    axes.text(float(where[0]), float(where[1]), f"{tau:.4g} N m", size=6.5, color=style.SOFT, ha=beside, va="bottom", zorder=10)


def force_scale(axes: Axes, window: np.ndarray, scale: float) -> None:
    """An arrow of a round number of newtons in the lower right corner."""
    wide = float(window[1, 0] - window[0, 0])
    newtons = _round_below(0.2 * wide / scale)
    end = np.array([window[1, 0] - 0.02 * wide, window[0, 1] + 0.02 * wide])
    axes.add_patch(_arrow(end - [newtons * scale, 0.0], end, style.INK, 1.3, 7.0, 7))
    axes.text(end[0], end[1] + 0.012 * wide, f"{newtons:g} N", size=6.5, color=style.INK, ha="right", va="bottom", zorder=10)


def _round_below(x: float) -> float:
    decade = 10.0 ** math.floor(math.log10(x))
    return max(step * decade for step in (1.0, 2.0, 5.0) if step * decade <= x * (1.0 + 1e-12))


def _legend_arrow(*, orig_handle: FancyArrowPatch, width: float, height: float, **_: object) -> FancyArrowPatch:
    """A legend shows an arrow as an arrow."""
    form, middle = orig_handle.get_arrowstyle(), height / 2.0
    return FancyArrowPatch((0.0, middle), (width, middle), arrowstyle=form, mutation_scale=7.0, shrinkA=0, shrinkB=0)


def legend(figure: Figure, modes: list[str], answered: bool) -> None:
    """Only what the picture shows."""
    entries: list[tuple[Artist, str]] = [(Line2D([], [], ms=7, **_marker(mode)), WORDS[mode]) for mode in modes]
    entries += [] if answered else [(Line2D([], [], ms=7, **_marker("")), "contact")]
    if modes or not answered:
        entries.append((Patch(fc=style.LINE, ec=style.SOFT, lw=0.6), "friction cone"))
    ends = (np.zeros(2), np.ones(2))
    if modes:
        entries.append((_arrow(*ends, style.INK, 1.7, 7.0, 1), "force on the object"))
    if {"S", "B"} & set(modes):
        entries.append((_arrow(*ends, style.SOFT, 1.2, 7.0, 1, "->"), "relative motion"))
    if not entries:
        return
    figure.legend([handle for handle, _ in entries], [word for _, word in entries], loc="lower left", ncols=len(entries), frameon=False,
                  fontsize=7, labelcolor=style.INK, handlelength=1.7, handletextpad=0.5, columnspacing=1.5, borderaxespad=0.5,
                  handler_map={FancyArrowPatch: HandlerPatch(patch_func=_legend_arrow)})
