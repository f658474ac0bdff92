"""A user's law as a machine address, so that kernels call it without knowing it (about 5 ns a call).

    @compiled_law
    def worn_rubber(contact, slip_speed, x, y, z):
        return 0.8 - 0.1 * slip_speed / (0.01 + slip_speed)

Every argument and the result are float64. The function may use arithmetic and `math`; it must neither raise nor keep
state. Its machine code is kept in Knuckle's own cache folder, under all that it is made from: its code and the numbers that
it captures, wherever they are defined.
"""

import ctypes
import hashlib
import inspect
import math
from collections.abc import Callable
from types import CodeType
from typing import Any

import numpy as np

from knuckle.compiled import kernel
from knuckle.errors import InputError, UnsupportedError

NUMBERS = (bool, int, float)
LIBRARIES = (math, np)  # what they hold changes with their version alone
_laws: dict[int, Callable[..., float]] = {}  # Python functions by the addresses handed out, for interpreted kernels


class CompiledLaw:
    """A law; callable from Python, and from kernels by its `address`. Whoever hands out the address holds the law."""

    def __init__(self, function: Callable[..., float]):
        parameters = inspect.signature(function).parameters.values()
        if any(parameter.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD for parameter in parameters):
            todo = "remove * and keyword-only arguments"
            raise InputError("a compiled law takes plain positional arguments", key=function.__name__, todo=todo)
        self.function = function
        self.name = function.__name__
        self.arity = len(parameters)
        self._machine_code: Any = None
        self._through_python: Any = None

    def __call__(self, *values: float) -> float:
        return self.function(*values)

    @property
    def address(self) -> int:
        """Machine code once the process is compiled; before, a C function that calls Python: old addresses stay good."""
        if kernel.is_compiled():
            self._machine_code = self._machine_code or _machine_code(self.function, self.arity)
            return self._machine_code.address
        if self._through_python is None:
            self._through_python = ctypes.CFUNCTYPE(*[ctypes.c_double] * (self.arity + 1))(self.function)
        address = ctypes.cast(self._through_python, ctypes.c_void_p).value or 0
        _laws[address] = self.function
        return address


def compiled_law(function: Callable[..., float]) -> CompiledLaw:
    """Turns a plain function of k numbers into a law that kernels can call."""
    return CompiledLaw(function)


def _machine_code(function: Callable[..., float], arity: int) -> Any:
    import numba

    signature = numba.float64(*[numba.float64] * arity)
    key = _made_from(function) if kernel._cache_is_writable() else None
    outside = numba.config.CACHE_DIR
    if key is not None:
        numba.config.CACHE_DIR = str(kernel.CACHE / "laws" / key)
    try:
        try:
            return numba.cfunc(signature, cache=key is not None, error_model="numpy")(function)
        except (RuntimeError, OSError):  # typed at a prompt, so that Numba finds no source, or a disk is full
            return numba.cfunc(signature, error_model="numpy")(function)
    except numba.core.errors.NumbaError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        reason = next((line for line in lines if not line.startswith(("Failed in", "During:", "File "))), lines[0])
        message, todo = f"this law cannot be compiled: {reason}", "use arithmetic and math only"
        raise UnsupportedError(message, key=function.__name__, todo=todo) from None
    finally:
        numba.config.CACHE_DIR = outside


def _made_from(function: Callable[..., float]) -> str | None:
    """A name for the law and all it captures; None where that is more than numbers and libraries: such a law is compiled anew.

    (Numba's own cache looks at the law's file alone, and does not notice a changed number that comes from another one.)
    """
    if not inspect.isfunction(function) or any(isinstance(constant, CodeType) for constant in function.__code__.co_consts):
        return None
    captured, code = inspect.getclosurevars(function), function.__code__
    values = {**captured.globals, **captured.nonlocals}
    if not all(type(value) in NUMBERS or value in LIBRARIES for value in (*values.values(), *(function.__defaults__ or ()))):
        return None
    told = sorted((name, getattr(value, "__name__", repr(value))) for name, value in values.items())
    parts = (code.co_code, code.co_consts, code.co_names, code.co_varnames, function.__defaults__, told)
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:24]


def call(address: int, *values: float) -> float:
    """Calls a law from a kernel: `callbacks.call(address, 0.0, slip, x, y, z)`. The caller promises their number."""
    return _laws[address](*values)


@kernel.before_compiling
def declare() -> None:
    """Compiled kernels jump to the address."""
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    def jump(typing_context: Any, address: Any, *values: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            numbers = cgutils.unpack_tuple(builder, arguments[1])
            shape = ir.FunctionType(ir.DoubleType(), [ir.DoubleType()] * len(numbers))
            return builder.call(builder.inttoptr(arguments[0], shape.as_pointer()), numbers)

        doubles = types.StarArgTuple((types.float64,) * len(values))  # type: ignore[attr-defined]  # made at run time
        return types.float64(types.int64, doubles), generate

    globals()["call"] = intrinsic(jump)
