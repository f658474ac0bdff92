"""What may stand for an array of numbers: nothing is turned into a number in silence."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from knuckle.errors import Fault, InputError

LARGEST_INTEGER = 10**308  # what is larger is no floating-point number
DEEPEST = 8  # lists inside lists; no table has more, and a list that holds itself has no end


def holds_numbers(value: Any, levels: int = DEEPEST) -> bool:
    """Whether a scalar, list or array holds real numbers alone: no text, no bool, nothing complex, nothing masked."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype.kind in "fiu" and not np.ma.is_masked(value)
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return levels > 0 and all(holds_numbers(part, levels - 1) for part in value)
    if hasattr(value, "__array__"):
        return holds_numbers(np.asarray(value))
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) <= LARGEST_INTEGER
    return isinstance(value, Real)


def refuse_other_than_numbers(**arrays: Any) -> None:
    """An `InputError` with a fault for each argument that is no array of real numbers."""
    faults = [Fault("must be an array of real numbers", key=name, got=value) for name, value in arrays.items() if not holds_numbers(value)]
    if faults:
        raise InputError(faults)
