"""The one style of all pictures: sizes of a paper's column, colours that the colour-blind tell apart, bytes that never vary."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

COLUMN = 3.5  # inches, one column of a paper
# Each of these appears in the SVG as written, so that a page may give it another value in a dark room.
PAPER, INK, SOFT, LINE = "#ffffff", "#1d2430", "#5d6675", "#c3c9d2"
LINK, GROUND, OBJECT, OBJECT_EDGE = "#e4e7ec", "#eceef1", "#fdf3d8", "#8c7430"
# Okabe and Ito 2008: told apart with every common form of colour blindness, and in print.
MODE_COLOURS = {"R": "#0072b2", "S": "#d55e00", "B": "#7a7f87", "F": "#7a7f87"}
UNKNOWN = "#7a7f87"
FONTS = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif"

_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "knuckle",
    "font.family": "DejaVu Sans",
    "font.size": 8.0,
    "axes.linewidth": 0.6,
    "lines.solid_capstyle": "round",
    "figure.facecolor": PAPER,
    "figure.dpi": 150,
    "hatch.linewidth": 0.5,
}


@contextmanager
def paper_style() -> Iterator[None]:
    """Every figure is made inside; the caller's matplotlib settings come back afterwards."""
    with mpl.rc_context(_SETTINGS):
        yield


def mode_colour(mode: str) -> str:
    return MODE_COLOURS.get(mode[:1], UNKNOWN)


def figure_svg(figure: Figure) -> str:
    """Inline SVG: no prolog, no metadata, no date; the same figure gives the same bytes."""
    target = io.StringIO()
    with paper_style():
        figure.savefig(target, format="svg", metadata={"Date": None, "Creator": None})
    text = target.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"\s*<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = text.replace("'DejaVu Sans'", FONTS)
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
