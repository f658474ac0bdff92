"""Labels of contacts from gap and velocity, and the tolerances that part them."""
from dataclasses import dataclass

import numpy as np

BOUNDARY = 10.0      # a quantity within this factor of its tolerance, on either side, is reported: the label could be the other one


@dataclass(frozen=True)
class Tolerances:
    """Where physics says "zero". Each is far above what round-off of a settled state leaves and far below what a hand can measure."""

    gap: float = 1e-9          # m; round-off of closest points on metre-sized bodies is 1e-15, a state typed with 10 digits 1e-10
    drift: float = 1e-9        # m/s; normal velocity of a contact that stays
    slip: float = 1e-9         # m/s; slower is rolling: the direction of such a slip means nothing
    creep: float = 1e-3        # m/s, rad/s; while settling: softened friction creeps so fast where rigid contacts roll and joints rest
    residual: float = 1e-6     # rad/s; F7, above it the contact is about to tip on its line or face


TOLERANCES = Tolerances()


@dataclass(frozen=True)
class Label:
    """What one contact does at this instant."""

    name: str                       # rolling, sliding, leaving, approaching, penetrating or apart
    slip: np.ndarray                # (2,) m/s, along t and u
    on_boundary: tuple[str, ...]    # quantities close to their tolerance, in words; empty when the label is clear


def label(gap: float, velocity: np.ndarray, tolerances: Tolerances = TOLERANCES) -> Label:
    """`velocity`: (v_N, v_T, v_U) of A minus B (v_N, v_T in the plane), m/s."""
    slip = np.zeros(2)
    slip[: len(velocity) - 1] = velocity[1:]
    speed = float(np.hypot(*slip))
    drift = float(velocity[0])
    if gap < -tolerances.gap:
        name = "penetrating"
    elif gap > tolerances.gap:
        name = "apart"
    elif abs(drift) > tolerances.drift:
        name = "leaving" if drift > 0.0 else "approaching"
    else:
        name = "sliding" if speed > tolerances.slip else "rolling"
    quantities = {"gap": (abs(gap), tolerances.gap, "m"), "normal velocity": (abs(drift), tolerances.drift, "m/s"),
                  "slip": (speed, tolerances.slip, "m/s")}
    if name in ("penetrating", "apart"):
        quantities = {"gap": quantities["gap"]}
    notes = tuple(f"{what} {value:.2e} {unit} is close to its tolerance {limit:.0e} {unit}" for what, (value, limit, unit)
                  in quantities.items() if limit / BOUNDARY < value < limit * BOUNDARY)
    return Label(name, slip, notes)
