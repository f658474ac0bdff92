"""How far an answer is from changing its modes: at each contact, and along each actuator."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from knuckle.instant.active_mode import active_mode
from knuckle.instant.inequalities import Change, inequalities, nearest
from knuckle.instant.relaxation import Arc
from knuckle.instant.stage import Stage


@dataclass(frozen=True)
class Margin:
    """One inequality of the answer: it holds while `value` stays positive."""
    unit: str           # contact or joint row
    what: str           # normal force, friction, opening, slip, slip + ...
    value: float        # N, N m, m/s^2
    nearest: float      # smallest |change| of an actuator force that uses it up, N or N m; inf when none does


@dataclass(frozen=True)
class Margins:
    """`reach[j]`: how far actuator j may go down and up before some mode changes (first order where a spatial contact slides)."""
    margins: tuple[Margin, ...]
    reach: np.ndarray           # actuators x 2, N or N m, (negative, positive), infinite when free
    limiting: tuple[tuple[str, str], ...]   # actuators: (unit: what) that limits going down, going up; empty where nothing does
    exact: bool                 # False: first order, because a spatial contact begins to slide

    def to_dict(self) -> dict[str, Any]:
        def finite(x: float) -> float | None:
            return float(x) if math.isfinite(x) else None

        return {"margins": [{"unit": m.unit, "what": m.what, "value": m.value, "nearest": finite(m.nearest)} for m in self.margins],
                "reach": [[finite(x) for x in pair] for pair in self.reach], "limiting": [list(pair) for pair in self.limiting],
                "exact": self.exact}


def margins(stage: Stage, forces: np.ndarray, a: np.ndarray, directions: np.ndarray) -> Margins | None:
    """Margins of an answer along generalised-force directions (actuators x nv).

    None where its forces are not unique: how far each is from its limit then says nothing about the motion, which other forces may carry."""
    scale, load, n = stage.work.scale[:stage.free_rows], stage.work.load[:stage.free_rows], stage.free_rows
    mode = active_mode(stage, forces, a)
    if mode.singular:
        return None
    df, da = mode.rates(directions @ stage.work.Z[:n].T * scale / load)
    change = Change(forces * scale * load, a / scale * load, df * scale * load, da / scale * load,
                    np.zeros((len(directions), stage.problem.contacts)))
    rows = inequalities(stage, mode.cell, change)
    reach, limiting = nearest(rows, len(directions))
    listed = tuple(Margin(name, what, value, min([min(-d, u) for d, u in spans], default=math.inf)) for name, what, value, spans in rows)
    return Margins(listed, reach, tuple((d, u) for d, u in limiting), not any(isinstance(choice, Arc) for choice in mode.cell))
