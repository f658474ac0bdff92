"""The one decorator of compiled code, and its cache.

A kernel is a plain function on float64 C-contiguous arrays whose annotations are its machine signature. Compiled, it is machine
code from a cache that is keyed by the text of ALL kernel sources; interpreted, it is the same Python, bit for bit. A process starts
interpreted (a first answer within a second beats loading the machine code, let alone a minute of compiling) and is promoted when much
work is ahead.
"""
import hashlib
import importlib
import os
import sys
import typing
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

import numpy as np

Vector = Annotated[np.ndarray, "float64[::1]"]
Matrix = Annotated[np.ndarray, "float64[:, ::1]"]
Cube = Annotated[np.ndarray, "float64[:, :, ::1]"]
Integers = Annotated[np.ndarray, "int64[::1]"]
IntegerTable = Annotated[np.ndarray, "int64[:, ::1]"]
Flags = Annotated[np.ndarray, "boolean[::1]"]
Bodies = Annotated[np.ndarray, "int32[::1]"]

PACKAGE = Path(__file__).resolve().parent.parent
SCALARS = {int: "int64", float: "float64", bool: "boolean", type(None): "void"}
# Division by zero gives inf as in NumPy, never a hidden exception; no wrapper for C callers, because nobody calls from C.
# No reference counts: they cost 200 ns for each call with a workspace, and kernels allocate nothing (but those that say so).
OPTIONS = dict(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True, _nrt=False)


@dataclass
class _Entry:
    function: Callable
    inner: bool
    allocates: bool = False
    waiting: bool = False       # an inner kernel that no caller needed yet, because the caller's machine code contains it


_registry: list[_Entry | Callable[[], None]] = []     # kernels and preparations, in the order of their definition


def kernel_modules() -> list[str]:
    """Every module that defines kernels, callees before callers (the order of the rooms)."""
    rooms = ("compiled", "complementarity", "integration", "model", "contact", "instant", "motion", "quasistatic", "atlas", "planning")
    names = ["knuckle.compiled.dense", "knuckle.compiled.libmujoco"]
    for room in rooms[1:]:
        files = sorted((PACKAGE / room).glob("kernels.py")) + sorted((PACKAGE / room).glob("*_kernels.py"))
        names += [f"knuckle.{room}.{file.stem}" for file in files]
    return names


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "absent"


def source_hash() -> str:
    """Numba looks at the edited file alone, so a stale caller could survive in its cache: all sources make one key."""
    files = sorted([*PACKAGE.glob("compiled/*.py"), *PACKAGE.glob("*/kernels.py"), *PACKAGE.glob("*/*_kernels.py")])
    versions = [_version(name) for name in ("numba", "llvmlite", "numpy", "mujoco-core", "mujoco")]
    digest = hashlib.sha256(repr([str(PACKAGE), sys.version, *versions]).encode())
    for file in files:
        digest.update(str(file.relative_to(PACKAGE)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:24]


def _cache_root() -> Path:
    if folder := os.environ.get("KNUCKLE_CACHE_DIR"):
        return Path(folder)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "knuckle" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "knuckle"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "knuckle"


CACHE = _cache_root() / source_hash()
_COMPLETE = CACHE / "complete"


def is_warm() -> bool:
    """Whether `knuckle warmup` has finished for exactly these sources and versions."""
    return _COMPLETE.exists()


def _starts_compiled() -> bool:
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return False
    return os.environ.get("KNUCKLE_INTERPRETED", "") == "0"


_compiled = _starts_compiled()
_unkept = False             # a kernel could not be written to the cache


def is_compiled() -> bool:
    return _compiled


_structures: dict[type, Any] = {}


def numba_type(annotation: Any) -> Any:
    """The machine type of an annotation: a scalar, an array alias, a NamedTuple of these, or a tuple of scalars."""
    from numba import types

    if annotation in SCALARS:
        return getattr(types, SCALARS[annotation])
    if (metadata_of := getattr(annotation, "__metadata__", None)) is not None:
        element, layout = metadata_of[0].split("[", 1)
        return types.Array(getattr(types, element), layout.count(":") - 1, "C")
    if typing.get_origin(annotation) is tuple:
        return types.Tuple([numba_type(part) for part in typing.get_args(annotation)])
    if isinstance(annotation, type) and hasattr(annotation, "_fields"):
        if annotation not in _structures:
            hints = typing.get_type_hints(annotation, include_extras=True)
            _structures[annotation] = types.NamedTuple([numba_type(hints[name]) for name in annotation._fields], annotation)
        return _structures[annotation]
    raise TypeError(f"{annotation!r} is no kernel type; see the aliases at the top of {__name__}")


def signature(function: Callable) -> Any:
    hints = typing.get_type_hints(function, include_extras=True)
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return numba_type(hints.get("return", type(None)))(*(numba_type(hints[name]) for name in names))


def _cache_is_writable() -> bool:
    try:
        CACHE.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(CACHE, os.W_OK)


def _compile(entry: _Entry) -> Callable:
    from numba.core.errors import TypingError

    try:
        return _dispatcher(entry)
    except TypingError:                    # not in the cache, and an inner kernel it calls was left out
        if not _compile_waiting():
            raise
        return _dispatcher(entry)


def _dispatcher(entry: _Entry) -> Callable:
    import numba

    outside, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(CACHE)
    try:
        if _cache_is_writable():
            try:
                return _compiled_by(numba, entry, cache=True)
            except OSError as error:       # nothing more can be kept, or what was kept cannot be read
                _not_kept(error)
        return _compiled_by(numba, entry, cache=False)
    finally:
        numba.config.CACHE_DIR = outside


def _compiled_by(numba: Any, entry: _Entry, cache: bool) -> Callable:
    dispatcher = numba.njit(**OPTIONS | dict(no_cpython_wrapper=entry.inner, cache=cache, _nrt=entry.allocates))(entry.function)
    if cache:      # the folder's name answers for the sources; a new time stamp of a file alone is no reason to recompile
        dispatcher._cache._cache_file._source_stamp = CACHE.name
    try:
        dispatcher.compile(signature(entry.function))
    except OSError as error:
        if not dispatcher.signatures:
            raise
        _not_kept(error)                   # compiled all the same
    dispatcher.disable_compile()
    return dispatcher


def _not_kept(error: OSError) -> None:
    """One word for all kernels: the cache is a convenience, no answer depends on it."""
    global _unkept
    if not _unkept:
        warnings.warn(f"{CACHE}: compiled kernels cannot be kept ({error.strerror or error}): every process compiles its own", stacklevel=2)
    _unkept = True


def _compile_waiting() -> bool:
    """Compile the inner kernels that were left out; whether there were any."""
    waiting = [entry for entry in _registry if isinstance(entry, _Entry) and entry.waiting]
    for entry in waiting:
        entry.waiting = False
        setattr(sys.modules[entry.function.__module__], entry.function.__name__, _compile(entry))
    return bool(waiting)


def _define(function: Callable, inner: bool, interpreted: Callable | None, allocates: bool = False) -> Callable:
    entry = _Entry(function, inner, allocates)
    _registry.append(entry)
    entry.waiting = _compiled and inner and is_warm()
    if _compiled and not entry.waiting:
        return _compile(entry)
    return function if interpreted is None else interpreted


def kernel(function: Callable | None = None, *, interpreted: Callable | None = None, allocates: bool = False) -> Any:
    """A kernel that Python may call. `interpreted` is its twin where plain Python cannot do the same (C calls) or is too slow;
    `allocates` allows np.empty inside (for entrances only)."""
    if function is None:
        return lambda function: _define(function, False, interpreted, allocates)
    return _define(function, False, interpreted, allocates)


def inner(function: Callable | None = None, *, interpreted: Callable | None = None) -> Any:
    """A kernel that only kernels call: no Python wrapper, so it compiles faster."""
    if function is None:
        return lambda function: _define(function, True, interpreted)
    return _define(function, True, interpreted)


def before_compiling(prepare: Callable[[], None]) -> Callable[[], None]:
    """Run `prepare` once before the kernels that follow it are compiled (it declares the C functions they call)."""
    _registry.append(prepare)
    if _compiled:
        prepare()
    return prepare


def promote(only: tuple[str, ...] = ()) -> None:
    """Turn an interpreted process into a compiled one: compile every kernel and rebind its name in its module.

    Hence the rule that kernels of another module are called by module attribute, `dense.lu_solve(...)`. `only`: modules that need no
    others; the rest stays interpreted.
    """
    global _compiled
    if only:
        for wanted in [entry for entry in _registry if isinstance(entry, _Entry) and entry.function.__module__ in only]:
            setattr(sys.modules[wanted.function.__module__], wanted.function.__name__, _compile(wanted))
        return
    if _compiled:
        return
    _compiled = True
    for entry in tuple(_registry):
        if not isinstance(entry, _Entry):
            entry()
        elif entry.inner and is_warm():
            entry.waiting = True
        else:
            setattr(sys.modules[entry.function.__module__], entry.function.__name__, _compile(entry))


def warm_up(report: Callable[[int, int, str], None] = lambda done, total, name: None) -> None:
    """Compile (or load) every kernel of the package; afterwards every process starts compiled. `report(done, total, module)`."""
    promote()
    names = kernel_modules()
    for done, name in enumerate(names):
        report(done, len(names), name)
        importlib.import_module(name)
    report(len(names), len(names), "")
    if _unkept or not _cache_is_writable():
        return
    try:
        _COMPLETE.write_text("")
    except OSError as error:
        _not_kept(error)


def ready() -> None:
    """Compiled kernels from here on, with a word on standard error when that takes a while."""
    if _compiled and is_warm():
        return
    if not is_warm() and sys.stderr.isatty():
        sys.stderr.write("knuckle: compiling kernels, once per version (`knuckle warmup` does it ahead) ...\n")
        sys.stderr.flush()
    warm_up()


WORTH_LOADING = 100         # instants, or as much work: interpreted that takes longer than loading the machine code
WORTH_COMPILING = 300       # as much of one small module takes longer than compiling it
SECONDS_WORTH_LOADING, SECONDS_WORTH_COMPILING = 0.5, 10.0     # of interpreted geometry; hulls of a hand take seconds per state
_spent = 0.0
_seconds = 0.0


def spend_seconds(seconds: float, ahead: float = 0.0) -> None:
    """Count time spent in interpreted kernels, and time `ahead` as far as it is foreseen; much of it and the process is promoted."""
    global _seconds
    _seconds += seconds
    if _compiled or os.environ.get("KNUCKLE_INTERPRETED") == "1":
        return
    if _seconds + ahead > SECONDS_WORTH_COMPILING or (_seconds + ahead > SECONDS_WORTH_LOADING and is_warm()):
        ready()


def spend(work: float, *modules: str) -> None:
    """Count interpreted work, in instants. A process that has much of it is promoted if machine code is at hand, else at least the
    modules that the work is done in."""
    global _spent
    before, _spent = _spent, _spent + work
    if _compiled or os.environ.get("KNUCKLE_INTERPRETED") == "1":
        return
    if before <= WORTH_LOADING < _spent and is_warm():
        promote()
    elif before <= WORTH_COMPILING < _spent and modules:
        promote(modules)
