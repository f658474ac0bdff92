"""MuJoCo's C functions, callable from kernels. No rigid-body dynamics here: the numbers are MuJoCo's own, bit for bit.

Each function exists twice: compiled it calls the C function of the shared library that the Python bindings themselves
have loaded; interpreted it goes through those bindings, which find the objects behind the addresses in a register.
Rules, because C checks nothing:
- a model or data is passed as its address, an int, which keeps nothing alive: whoever holds it holds the MjModel and
  MjData too;
- `checked_addresses` is the only source of addresses; it has run every function once through the bindings, where an
  error of MuJoCo is a Python exception (raised inside compiled code it would end the process);
- body numbers and array lengths are the caller's promise; one MjData per thread.
"""

import re
import weakref
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from knuckle.compiled.kernel import Matrix, Vector, before_compiling, inner
from knuckle.errors import KnuckleError, UnsupportedError

OLDEST, TOO_NEW = (4, 0), (4, 1)  # a minor release has changed arguments before: mj_fullM in 3.10
LIBRARY_NAMES = ("libmujoco.so.*", "libmujoco.*.dylib", "mujoco.dll")  # Linux, macOS, Windows
C_FUNCTIONS = {  # result and arguments: v nothing, p pointer, i int, d double
    "mj_kinematics": "v pp",
    "mj_comPos": "v pp",
    "mj_tendon": "v pp",
    "mj_makeM": "v pp",
    "mj_fullM": "v ppp",
    "mj_fwdVelocity": "v pp",
    "mj_jac": "v pppppi",
    "mj_jacDot": "v pppppi",
    "mj_integratePos": "v pppd",
}
_pointer: Any = None  # these names are bound by `declare`, before the first kernel below is compiled
_data: Any = None
_mj_kinematics: Any = None
_mj_comPos: Any = None
_mj_tendon: Any = None
_mj_makeM: Any = None
_mj_fullM: Any = None
_mj_fwdVelocity: Any = None
_mj_jac: Any = None
_mj_jacDot: Any = None
_mj_integratePos: Any = None


def check_version(version: str, number_bytes: int) -> None:
    found = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if not OLDEST <= found < TOO_NEW or number_bytes != 8:
        wanted = f">={OLDEST[0]}.{OLDEST[1]},<{TOO_NEW[0]}.{TOO_NEW[1]}"
        found_here = f"MuJoCo {version} with {8 * number_bytes}-bit numbers is installed"
        raise KnuckleError(f"{found_here}; Knuckle needs mujoco-core{wanted} in double precision")


check_version(mujoco.__version__, mujoco.MJTNUM_BYTES)


def shared_library() -> Path:
    """The library that the Python bindings use; a second copy would have its own error handlers."""
    found = [path for folder in mujoco.__path__ for name in LIBRARY_NAMES for path in sorted(Path(folder).glob(name))]
    if not found:
        raise KnuckleError(
            f"no {' or '.join(LIBRARY_NAMES)} beside the mujoco package; install mujoco-core from a wheel"
        )
    return found[0]


@before_compiling
def declare() -> None:
    """Load the library by name and bind the C functions, before any cached code that names them is loaded."""
    import llvmlite.binding as llvm
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    llvm.load_library_permanently(str(shared_library()))
    letters = {"v": types.void, "p": types.voidptr, "i": types.intc, "d": types.float64}
    names = globals()
    for name, shape in C_FUNCTIONS.items():
        if llvm.address_of_symbol(name) is None:  # LLVM may end the whole process on an unknown symbol
            raise KnuckleError(f"{name} is not exported by {shared_library().name}; reinstall mujoco-core")
        names["_" + name] = types.ExternalFunction(name, letters[shape[0]](*(letters[letter] for letter in shape[2:])))

    def from_address(typing_context: Any, address: Any) -> Any:
        """An int64 as a C pointer. The address stays a run-time value, so nothing of it is baked into the cache."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], cgutils.voidptr_t)

        return types.voidptr(types.int64), generate

    def from_array(typing_context: Any, array: Any) -> Any:
        """The first element of an ARGUMENT array (a local one could be freed before the C call)."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            content = context.make_array(signature.args[0])(context, builder, arguments[0])
            return builder.bitcast(content.data, cgutils.voidptr_t)

        return types.voidptr(array), generate

    names["_pointer"], names["_data"] = intrinsic(from_address), intrinsic(from_array)


_models: weakref.WeakValueDictionary[int, mujoco.MjModel] = weakref.WeakValueDictionary()
_datas: weakref.WeakValueDictionary[int, mujoco.MjData] = weakref.WeakValueDictionary()


def checked_addresses(model: mujoco.MjModel, data: mujoco.MjData) -> tuple[int, int]:
    """What C never checks. The addresses hold while both objects live; the interpreted twins find the objects by them."""
    sizes = (data.qpos.size, data.qvel.size, len(data.xpos), len(data.geom_xpos))
    if sizes != (model.nq, model.nv, model.nbody, model.ngeom):
        raise KnuckleError("this MjData does not belong to this MjModel")
    if model.opt.enableflags & mujoco.mjtEnableBit.mjENBL_SLEEP:
        raise UnsupportedError("sleeping bodies are not supported", key="option.flag.sleep", todo="disable sleep")
    if data.nefc or data.ncon:
        raise KnuckleError("this MjData holds MuJoCo's own contacts; pass a fresh one")
    try:
        _run_once(model, data)
    except mujoco.FatalError as error:
        raise KnuckleError(f"MuJoCo refuses this model: {error}") from None
    model_address, data_address = model._address, data._address
    _models[model_address], _datas[data_address] = model, data
    return model_address, data_address


def _run_once(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Every C function through the bindings; the stack they need depends on the model alone, so one run speaks for all."""
    for name in ("mj_kinematics", "mj_comPos", "mj_tendon", "mj_makeM", "mj_fwdVelocity"):
        getattr(mujoco, name)(model, data)
    mujoco.mj_fullM(model, data, np.zeros((model.nv, model.nv)))
    rows, point = np.zeros((3, model.nv)), np.zeros(3)
    for body in range(model.nbody):
        mujoco.mj_jac(model, data, rows, rows, point, body)
        mujoco.mj_jacDot(model, data, rows, rows, point, body)
    mujoco.mj_integratePos(model, data.qpos.copy(), data.qvel, 0.0)


def _twin(function: Any) -> Any:
    return lambda model, data, *rest: function(_models[model], _datas[data], *rest)


def _jacobian_twin(function: Any, rotation: bool) -> Any:
    def twin(model: int, data: int, out: np.ndarray, point: np.ndarray, body: int) -> None:
        blocks = (None, out) if rotation else (out, None)
        function(_models[model], _datas[data], *blocks, point, body)

    return twin


@inner(interpreted=_twin(mujoco.mj_kinematics))
def kinematics(model: int, data: int) -> None:
    """qpos -> frames of bodies, joints, geoms. Leaves qpos unnormalised."""
    _mj_kinematics(_pointer(model), _pointer(data))


@inner(interpreted=_twin(mujoco.mj_comPos))
def com_pos(model: int, data: int) -> None:
    """Frames -> motion axes of the dofs and inertias about the centres of mass."""
    _mj_comPos(_pointer(model), _pointer(data))


@inner(interpreted=_twin(mujoco.mj_tendon))
def tendon(model: int, data: int) -> None:
    """Lengths and moment arms of tendons."""
    _mj_tendon(_pointer(model), _pointer(data))


@inner(interpreted=_twin(mujoco.mj_makeM))
def make_m(model: int, data: int) -> None:
    """The inertia matrix, sparse, with the armature of joints, tendons and actuators."""
    _mj_makeM(_pointer(model), _pointer(data))


@inner(interpreted=_twin(mujoco.mj_fullM))
def full_m(model: int, data: int, out: Matrix) -> None:
    _mj_fullM(_pointer(model), _pointer(data), _data(out))


@inner(interpreted=_twin(mujoco.mj_fwdVelocity))
def forward_velocity(model: int, data: int) -> None:
    """Velocities of bodies, tendons, actuators; qfrc_passive; qfrc_bias (Coriolis, gravity, tendon armature)."""
    _mj_fwdVelocity(_pointer(model), _pointer(data))


@inner(interpreted=_jacobian_twin(mujoco.mj_jac, False))
def jac(model: int, data: int, out: Matrix, point: Vector, body: int) -> None:
    """3 x nv Jacobian of the world point that is fixed to the body."""
    _mj_jac(_pointer(model), _pointer(data), _data(out), _pointer(0), _data(point), np.int32(body))


@inner(interpreted=_jacobian_twin(mujoco.mj_jac, True))
def jac_rotation(model: int, data: int, out: Matrix, point: Vector, body: int) -> None:
    """3 x nv Jacobian of the body's angular velocity, world axes."""
    _mj_jac(_pointer(model), _pointer(data), _pointer(0), _data(out), _data(point), np.int32(body))


@inner(interpreted=_jacobian_twin(mujoco.mj_jacDot, False))
def jac_dot(model: int, data: int, out: Matrix, point: Vector, body: int) -> None:
    """Rate of `jac`, the matrix J', not J' v."""
    _mj_jacDot(_pointer(model), _pointer(data), _data(out), _pointer(0), _data(point), np.int32(body))


@inner(interpreted=_jacobian_twin(mujoco.mj_jacDot, True))
def jac_dot_rotation(model: int, data: int, out: Matrix, point: Vector, body: int) -> None:
    _mj_jacDot(_pointer(model), _pointer(data), _pointer(0), _data(out), _data(point), np.int32(body))


@inner(interpreted=lambda model, q, v, duration: mujoco.mj_integratePos(_models[model], q, v, duration))
def integrate_pos(model: int, q: Vector, v: Vector, duration: float) -> None:
    """q moved in place along v; quaternions stay unit."""
    _mj_integratePos(_pointer(model), _data(q), _data(v), duration)
