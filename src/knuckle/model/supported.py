"""What Knuckle does not do with a MuJoCo model, refused by name. Nothing is dropped in silence."""

from collections.abc import Iterator

import mujoco
import numpy as np

from knuckle.errors import Fault, InputError, UnsupportedError

EQUALITIES = (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD, mujoco.mjtEq.mjEQ_JOINT, mujoco.mjtEq.mjEQ_TENDON)
WRAPS = (int(mujoco.mjtWrap.mjWRAP_SPHERE), int(mujoco.mjtWrap.mjWRAP_CYLINDER))
CALLBACKS = ("passive", "act_dyn", "act_gain", "act_bias", "control")


def name_of(model: mujoco.MjModel, kind: mujoco.mjtObj, number: int) -> str:
    """The name in the file, or kind and number."""
    return mujoco.mj_id2name(model, kind, number) or f"{kind.name.removeprefix('mjOBJ_').lower()} {number}"


def is_disabled(model: mujoco.MjModel, *flags: mujoco.mjtDisableBit) -> bool:
    return any(model.opt.disableflags & flag for flag in (mujoco.mjtDisableBit.mjDSBL_CONSTRAINT, *flags))


def wraps_geoms(model: mujoco.MjModel, tendon: int) -> bool:
    path = range(model.tendon_adr[tendon], model.tendon_adr[tendon] + model.tendon_num[tendon])
    return any(int(model.wrap_type[k]) in WRAPS for k in path)


def refuse_callbacks() -> None:
    """MuJoCo would call them from compiled code, and its compiler already does."""
    faults = [
        Fault(
            "MuJoCo callbacks written in Python cannot run in compiled code",
            key=f"mjcb_{callback}",
            todo="unset the callback",
        )
        for callback in CALLBACKS
        if getattr(mujoco, f"get_mjcb_{callback}")() is not None
    ]
    if faults:
        raise UnsupportedError(faults)


def refuse_unsupported(model: mujoco.MjModel, equality_active: np.ndarray) -> None:
    """Raises with every fault of the model at once."""
    refuse_callbacks()
    if faults := [*_whole_model(model), *_actuators(model), *_geoms(model), *_constraints(model, equality_active)]:
        raise UnsupportedError(faults)
    if faults := [*_numbers(model), *_inertias(model)]:
        raise InputError(faults)


def _whole_model(model: mujoco.MjModel) -> Iterator[Fault]:
    if model.opt.enableflags & mujoco.mjtEnableBit.mjENBL_SLEEP:
        yield Fault("sleeping bodies are not supported", key="option.flag.sleep", got="enable", todo="disable sleep")
    if model.nflex:
        yield Fault(
            "flexible bodies (flex) are not supported", key="flex", got=int(model.nflex), todo="use rigid bodies"
        )
    if model.nplugin:
        yield Fault(
            "MuJoCo plugins are not supported", key="plugin", got=int(model.nplugin), todo="remove them from the model"
        )
    if model.nplastic:
        yield Fault(
            "plastic springs (springyield) have an inner state and are not supported",
            key="springyield",
            todo="remove springyield",
        )
    if model.nhistory:
        yield Fault(
            "delays of actuators and sensors have an inner state and are not supported",
            key="delay",
            todo="remove delay",
        )


def _actuators(model: mujoco.MjModel) -> Iterator[Fault]:
    refused = {
        "dyntype": (model.actuator_dyntype, mujoco.mjtDyn.mjDYN_USER, "user-defined dynamics are"),
        "gaintype": (model.actuator_gaintype, mujoco.mjtGain.mjGAIN_USER, "a user-defined gain is"),
        "biastype": (model.actuator_biastype, mujoco.mjtBias.mjBIAS_USER, "a user-defined bias is"),
        "body": (model.actuator_trntype, mujoco.mjtTrn.mjTRN_BODY, "adhesion is"),
    }
    for key, (values, value, words) in refused.items():
        for number in np.flatnonzero(values == value).tolist():
            name = name_of(model, mujoco.mjtObj.mjOBJ_ACTUATOR, number)
            yield Fault(
                f"{words} not supported",
                key=f"actuator.{name}.{key}",
                todo="remove the actuator or give its force with --torque",
            )


def _geoms(model: mujoco.MjModel) -> Iterator[Fault]:
    for geom in range(model.ngeom):
        name = name_of(model, mujoco.mjtObj.mjOBJ_GEOM, geom)
        if model.geom_surfacevel[geom].any():
            yield Fault(
                "surface velocity is not supported",
                key=f"geom.{name}.surfacevel",
                todo="give the body a prescribed motion instead",
            )
        if model.geom_adhesion[geom] != 0:
            yield Fault(
                "adhesion is not supported",
                key=f"geom.{name}.adhesion",
                got=float(model.geom_adhesion[geom]),
                todo="remove it",
            )


def _constraints(model: mujoco.MjModel, equality_active: np.ndarray) -> Iterator[Fault]:
    disable = mujoco.mjtDisableBit
    for number in range(0 if is_disabled(model, disable.mjDSBL_EQUALITY) else model.neq):
        if not equality_active[number]:
            continue
        kind, name = mujoco.mjtEq(model.eq_type[number]), name_of(model, mujoco.mjtObj.mjOBJ_EQUALITY, number)
        if kind not in EQUALITIES:
            yield Fault(
                "this equality constraint is not supported",
                key=f"equality.{name}",
                got=kind.name[5:].lower(),
                todo="supported: connect, weld, joint, tendon",
            )
        elif kind == mujoco.mjtEq.mjEQ_TENDON:
            for tendon in (model.eq_obj1id[number], model.eq_obj2id[number]):
                if tendon >= 0 and wraps_geoms(model, tendon):
                    yield _wrapped(model, tendon, "an equality constraint")
    for tendon in range(model.ntendon):
        if not wraps_geoms(model, tendon):
            continue
        if model.tendon_limited[tendon] and not is_disabled(model, disable.mjDSBL_LIMIT):
            yield _wrapped(model, tendon, "limits")
        if model.tendon_frictionloss[tendon] > 0 and not is_disabled(model, disable.mjDSBL_FRICTIONLOSS):
            yield _wrapped(model, tendon, "dry friction")


def _wrapped(model: mujoco.MjModel, tendon: int, words: str) -> Fault:
    name = name_of(model, mujoco.mjtObj.mjOBJ_TENDON, tendon)
    return Fault(
        f"{words} on a tendon that wraps around geoms is not supported",
        key=f"tendon.{name}",
        todo="route the tendon through sites",
    )


def _numbers(model: mujoco.MjModel) -> Iterator[Fault]:
    """MuJoCo's compiler lets NaN and infinity through in places."""
    fields = (
        "qpos0",
        "qpos_spring",
        "body_pos",
        "body_quat",
        "body_ipos",
        "body_iquat",
        "body_mass",
        "body_inertia",
        "body_gravcomp",
        "jnt_pos",
        "jnt_axis",
        "jnt_stiffness",
        "jnt_range",
        "jnt_margin",
        "dof_armature",
        "dof_damping",
        "dof_frictionloss",
        "geom_pos",
        "geom_quat",
        "geom_size",
        "geom_friction",
        "pair_friction",
        "site_pos",
        "tendon_stiffness",
        "tendon_damping",
        "tendon_armature",
        "tendon_range",
        "tendon_frictionloss",
        "eq_data",
        "key_qpos",
        "key_qvel",
        "key_act",
        "key_ctrl",
    )
    for field in fields:
        values = getattr(model, field)
        if not np.isfinite(values).all():
            yield Fault("a number of the model is not finite", key=field, got=float(values[~np.isfinite(values)][0]))
    if not np.isfinite(model.opt.gravity).all():
        yield Fault("gravity is not finite", key="option.gravity", got=model.opt.gravity.tolist())


def _inertias(model: mujoco.MjModel) -> Iterator[Fault]:
    for body in range(1, model.nbody):
        name = name_of(model, mujoco.mjtObj.mjOBJ_BODY, body)
        if model.body_mass[body] < 0:
            yield Fault("mass must not be negative", key=f"body.{name}.mass", got=float(model.body_mass[body]))
        elif (model.body_inertia[body] < 0).any():
            yield Fault(
                "inertia must not be negative", key=f"body.{name}.inertia", got=model.body_inertia[body].tolist()
            )
    for geom in np.flatnonzero(model.geom_friction[:, 0] < 0).tolist():
        name = name_of(model, mujoco.mjtObj.mjOBJ_GEOM, geom)
        yield Fault("must not be negative", key=f"geom.{name}.friction", got=float(model.geom_friction[geom, 0]))
    for pair in np.flatnonzero((model.pair_friction[:, :2] < 0).any(axis=1)).tolist():
        name = name_of(model, mujoco.mjtObj.mjOBJ_PAIR, pair)
        yield Fault("must not be negative", key=f"pair.{name}.friction", got=model.pair_friction[pair, :2].tolist())
    for field in ("dof_armature", "dof_frictionloss", "tendon_frictionloss", "tendon_armature"):
        if (getattr(model, field) < 0).any():
            yield Fault("must not be negative", key=field, got=float(getattr(model, field).min()))
