"""Draws the pictures of the manual and of README anew: `python docs/pictures/make.py` in the repository's .venv."""

from pathlib import Path

import knuckle as kn
from knuckle.plots.instant import instant_figure
from knuckle.plots.style import figure_svg

HERE = Path(__file__).resolve().parent
PICTURES = {"two-finger-lift": "two-finger-lift", "painleve-rod": "painleve-rod"}  # file: scenario


def draw(scenario: str) -> str:
    return figure_svg(instant_figure(kn.modes(scenario)))


if __name__ == "__main__":
    for name, scenario in PICTURES.items():
        (HERE / f"{name}.svg").write_text(draw(scenario), encoding="utf-8")
