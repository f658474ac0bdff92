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


def is_ready(array: Any, dimensions: int) -> bool:
    """Whether this is a finite array that kernels take as it is: most calls need no other check."""
    if type(array) is not np.ndarray or array.dtype != np.float64 or array.ndim != dimensions:
        return False
    flags = array.flags
    return flags.c_contiguous and flags.writeable and array.dtype.isnative and all_finite(array)


def all_finite(array: np.ndarray) -> bool:
    return bool(np.logical_and.reduce(np.isfinite(array.ravel())))       # quicker than `.all()`, and no product of which huge entries overflow


def ready_arrays(**given: tuple[Any, int | None]) -> list[np.ndarray]:
    """Finite arrays that kernels take, from name = (value, dimensions or None); `InputError` with every fault. Ready ones are not copied."""
    refuse_other_than_numbers(**{name: value for name, (value, dimensions) in given.items() if not is_ready(value, dimensions or 1)})
    arrays, faults = [], []
    for name, (value, dimensions) in given.items():
        try:
            array = value if is_ready(value, dimensions or 1) else np.array(value, dtype=float, order="C")
        except (ValueError, OverflowError):
            faults.append(Fault("must have rows of one length", key=name, got=value))
            continue
        if dimensions is not None and array.ndim != dimensions:
            faults.append(Fault(f"must have {dimensions} dimensions", key=name, got=array.shape))
        elif not all_finite(array):
            faults.append(Fault("must be finite", key=name, got=float(array[~np.isfinite(array)][0])))
        arrays.append(array)
    if faults:
        raise InputError(faults)
    return arrays
