"""Objects and shapes of a scenario put into a base model, through MuJoCo's MjSpec."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from knuckle.errors import Fault, Gathering, InputError
from knuckle.model import loading, structure
from knuckle.model.system import State, System

if TYPE_CHECKING:
    from knuckle.scenario.schema import AddedObject, AddedShape

KINDS = {
    kind: getattr(mujoco.mjtGeom, f"mjGEOM_{kind.upper()}")
    for kind in ("plane", "sphere", "capsule", "cylinder", "ellipsoid", "box", "mesh")
}
EMPTY = "<mujoco><worldbody/></mujoco>"


def compose(
    base: str | Path | None,
    objects: Sequence[AddedObject] = (),
    shapes: Sequence[AddedShape] = (),
    keyframe: str | None = None,
    gravity: Sequence[float] | None = None,
    folder: str | Path = ".",
    state_given: bool = False,
) -> tuple[System, State]:
    """A base file (or None) with objects and shapes added, and its state. `state_given`: none of several keyframes need be chosen.

    Objects come last in qpos and qvel; the base's keyframes are extended with the objects where they are placed.
    A planar object moves along e_x (world x in its plane; world y when the axis is within 26 degrees of x) and
    e_y = axis x e_x, and turns about the axis. Its coordinates are the world coordinates of its origin and the
    angle of its quaternion about the axis.
    """
    system, file = compose_system(base, objects, shapes, gravity, folder)
    return loading.with_state(system, keyframe, file, elsewhere=state_given)


def compose_system(
    base: str | Path | None,
    objects: Sequence[AddedObject] = (),
    shapes: Sequence[AddedShape] = (),
    gravity: Sequence[float] | None = None,
    folder: str | Path = ".",
) -> tuple[System, str]:
    """The system without a state, and the name of its base file. Mesh files are relative to `folder`. Every fault at once."""
    spec, file = loading.read(EMPTY if base is None else base)
    if gravity is not None:
        spec.option.gravity = gravity
    faults = Gathering()
    for thing in objects:
        with faults:
            _add_object(spec, thing, Path(folder))
    segments = []
    for shape in shapes:
        with faults:
            segments += [] if _add_shape(spec, shape) else [shape]
    faults.done()
    try:
        model, notes = loading.compile_spec(spec, file)
    except InputError as error:
        raise type(error)([_of_object(fault, objects) for fault in error.faults]) from None
    system = System(model, warnings=notes)
    if segments:
        extra = []
        for shape in segments:
            with faults:
                extra.append(_segment(system, shape))
        faults.done()
        system = System(model, extra_shapes=extra, warnings=notes)
    return system, file


def _of_object(fault: Fault, objects: Sequence[AddedObject]) -> Fault:
    """A fault that MuJoCo's compiler found in an object of the scenario: its place is there, not in the base file."""
    named = re.search(r"^(.*) Element name '(.*)', id \d+$", fault.message)
    if named is None:
        return fault
    message, element = named.groups()
    for thing in objects:
        if element == thing.name or element.startswith(f"{thing.name}."):
            part = ".file" if thing.kind == "mesh" and "mass" not in message else ".mass" if "mass" in message and thing.mass else ""
            return Fault(message, f"objects.{thing.name}{part}", fault.got, fault.todo)
    return fault


def _add_object(spec: mujoco.MjSpec, thing: AddedObject, folder: Path) -> None:
    if spec.body(thing.name) is not None:
        raise InputError(
            "the model has a body of this name already", key=f"objects.{thing.name}", todo="give another name"
        )
    quaternion = orientation(thing)
    body = spec.worldbody.add_body(name=thing.name, pos=thing.position, quat=quaternion)
    if thing.joint == "free":
        body.add_freejoint(name=thing.name)
    elif thing.joint == "planar":
        _add_planar_joints(spec, body, thing, quaternion)
    elif thing.joint != "fixed":
        raise InputError(
            "no such joint of an object",
            key=f"objects.{thing.name}.joint",
            got=thing.joint,
            todo="free, planar or fixed",
        )
    geom = _add_geom(spec, body, thing)
    if thing.kind == "mesh":
        file = (folder / str(thing.file)).resolve()
        if not file.is_file():
            raise InputError("no such file", key=f"objects.{thing.name}.file", got=thing.file, todo="give the path of a mesh file")
        mesh = spec.add_mesh(name=thing.name, file=str(file))
        geom.meshname = mesh.name
    if thing.inertia is not None:
        body.explicitinertial, body.mass, body.inertia = True, thing.mass, thing.inertia
        body.ipos, body.iquat = (0, 0, 0), (1, 0, 0, 0)
    elif thing.mass is not None:
        geom.mass = thing.mass
    elif thing.density is not None:
        geom.density = thing.density


def _add_geom(spec: mujoco.MjSpec, body: mujoco.MjsBody, part: AddedObject | AddedShape) -> mujoco.MjsGeom:
    if part.kind not in KINDS:
        raise InputError(
            "no such kind of shape", key=f"{part.name}.kind", got=part.kind, todo=f"one of {', '.join(KINDS)}"
        )
    size = np.zeros(3)
    size[: len(part.size or ())] = part.size or ()
    if part.kind == "plane":
        size[2] = 1.0  # spacing of the grid that viewers draw; MuJoCo wants one
    geom = body.add_geom(name=part.name, type=KINDS[part.kind], size=size)
    geom.contype = geom.conaffinity = 1        # a default of the hand's file is about the hand
    if part.friction is not None:
        geom.friction[0], geom.priority = part.friction, 1  # asked for, so it wins over the other side's
    return geom


def plane_axes(axis: Sequence[float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(e_x, e_y, w) of the plane across `axis`; e_x by the rule for tangents (PHYSICS 1)."""
    w = np.asarray(axis, np.float64) / np.linalg.norm(axis)
    e_x = np.array([0.0, 1.0, 0.0]) if abs(w[0]) > 0.9 else np.array([1.0, 0.0, 0.0])
    e_x = e_x - (e_x @ w) * w
    e_x /= np.linalg.norm(e_x)
    return e_x, np.cross(w, e_x), w


def _add_planar_joints(spec: mujoco.MjSpec, body: mujoco.MjsBody, thing: AddedObject, quaternion: np.ndarray) -> None:
    e_x, e_y, w = plane_axes(thing.axis)
    position = np.asarray(thing.position, np.float64)
    angle = 2.0 * np.arctan2(quaternion[1:] @ w, quaternion[0])  # of the twist about w
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, quaternion)
    for name, axis, value in (("x", e_x, position @ e_x), ("y", e_y, position @ e_y)):
        body.add_joint(
            name=f"{thing.name}.{name}", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=turn.reshape(3, 3).T @ axis, ref=value
        )
    reference = np.degrees(angle) if spec.compiler.degree else angle
    body.add_joint(
        name=f"{thing.name}.angle", type=mujoco.mjtJoint.mjJNT_HINGE, axis=turn.reshape(3, 3).T @ w, ref=reference
    )


def orientation(part: AddedObject | AddedShape) -> np.ndarray:
    """Unit quaternion (w, x, y, z) of `quaternion` or `euler` (about x, then the new y, then the new z)."""
    quaternion = np.array([1.0, 0.0, 0.0, 0.0])
    if part.quaternion is not None:
        quaternion[:] = part.quaternion
    elif part.euler is not None:
        mujoco.mju_euler2Quat(quaternion, np.asarray(part.euler, np.float64), "xyz")
    return quaternion / np.linalg.norm(quaternion)


def _add_shape(spec: mujoco.MjSpec, shape: AddedShape) -> bool:
    """False for a segment, which MuJoCo does not know."""
    body = spec.worldbody if shape.body == "world" else spec.body(shape.body)
    if body is None:
        names = ", ".join(["world", *(each.name for each in spec.bodies[1:])])
        raise InputError("no such body", key=f"shapes.{shape.name}.body", got=shape.body, todo=f"bodies: {names}")
    if shape.kind == "segment":
        return False
    geom = _add_geom(spec, body, shape)
    geom.mass = 0.0  # a contact shape; the body keeps its inertia
    if shape.start is not None and shape.end is not None:
        geom.fromto = (*shape.start, *shape.end)
    else:
        geom.pos, geom.quat = shape.position, orientation(shape)
    return True


def _segment(system: System, shape: AddedShape) -> structure.Shape:
    """Along local x from -size[0] to size[0]; local z is the normal of the plane of motion."""
    if system.plane is None:
        message = "a segment lives in the plane, but this system moves in space"
        raise InputError(message, key=f"shapes.{shape.name}", todo="use a capsule or a box")
    start, end = np.asarray(shape.start, np.float64), np.asarray(shape.end, np.float64)
    body, half = system.body(shape.body), np.linalg.norm(end - start) / 2
    x, z = (end - start) / (2 * half), system.plant.xmat[body].reshape(3, 3).T @ system.plane
    if abs(x @ z) > structure.PARALLEL:
        raise InputError(
            "a segment must lie in the plane of motion", key=f"shapes.{shape.name}", got=(end - start).tolist()
        )
    friction = 1.0 if shape.friction is None else shape.friction
    return structure.Shape(
        shape.name,
        "segment",
        -1,
        body,
        np.array([half, 0.0, 0.0]),
        (start + end) / 2,
        np.stack([x, np.cross(z, x), z], axis=1),
        friction,
        np.zeros((0, 3)),
        (),
    )
