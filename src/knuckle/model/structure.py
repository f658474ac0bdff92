"""What a model is made of, read off once: names, objects, the plane of motion, shapes, pairs that may touch."""

from dataclasses import dataclass

import mujoco
import numpy as np

from knuckle.model.convex import convex_hull
from knuckle.model.supported import name_of

JOINT, GEOM, BODY = mujoco.mjtObj.mjOBJ_JOINT, mujoco.mjtObj.mjOBJ_GEOM, mujoco.mjtObj.mjOBJ_BODY
FREE, BALL, SLIDE, HINGE = (int(kind) for kind in mujoco.mjtJoint.__members__.values())
PARTS = {FREE: ("x", "y", "z", "rx", "ry", "rz"), BALL: ("rx", "ry", "rz"), SLIDE: ("",), HINGE: ("",)}
MESH = int(mujoco.mjtGeom.mjGEOM_MESH)
PARALLEL = 1e-9  # sine of the angle below which two axes count as parallel


@dataclass(frozen=True)
class Shape:
    """One geom, in MuJoCo's conventions: `position` and `rotation` in the frame of its body."""

    name: str
    kind: str  # plane sphere capsule cylinder ellipsoid box mesh hfield sdf
    geom: int
    body: int
    size: np.ndarray  # 3
    position: np.ndarray  # 3
    rotation: np.ndarray  # 3 x 3
    friction: float  # sliding coefficient
    vertices: np.ndarray  # n x 3, of a mesh's convex hull, in the frame of the geom; empty for other kinds
    polygons: tuple[np.ndarray, ...]  # faces of the hull, indices into `vertices`, counter-clockwise from outside


def dof_names(model: mujoco.MjModel) -> list[str]:
    names = []
    for joint in range(model.njnt):
        body = model.jnt_bodyid[joint]
        default = name_of(model, BODY, body) + ("" if model.body_jntnum[body] == 1 else f".joint{joint}")
        name = mujoco.mj_id2name(model, JOINT, joint) or default
        names += [f"{name}.{part}" if part else name for part in PARTS[model.jnt_type[joint]]]
    return names


def joints_of(model: mujoco.MjModel, body: int) -> tuple[int, ...]:
    """Types of the joints that move a body against its parent."""
    return tuple(model.jnt_type[model.body_jntadr[body] : model.body_jntadr[body] + model.body_jntnum[body]].tolist())


def objects(model: mujoco.MjModel, moment: np.ndarray) -> list[int]:
    """Bodies that no actuator moves: the root of each unactuated tree that is free or planar (slide, slide, hinge); where there is none of
    them, of each unactuated tree that is one body alone."""
    found: dict[bool, list[int]] = {True: [], False: []}
    for tree in range(model.ntree):
        dofs = slice(model.tree_dofadr[tree], model.tree_dofadr[tree] + model.tree_dofnum[tree])
        root = int(model.dof_bodyid[dofs.start])
        whole = model.body_dofnum[root] == model.tree_dofnum[tree]
        roams = joints_of(model, root) in ((FREE,), (SLIDE, SLIDE, HINGE))
        if not moment[:, dofs].any() and (whole or roams):
            found[roams].append(root)
    return found[True] or found[False]


def plane_of_motion(model: mujoco.MjModel, axes: np.ndarray, object_bodies: list[int]) -> np.ndarray | None:
    """Unit normal w when every joint moves in one plane (PHYSICS 2, Traps): the axis of an object's hinge, else of the first hinge.

    `axes` are the joints' axes in world coordinates at any one state: in a planar system the hinges never turn.
    """
    kinds = model.jnt_type
    if not model.njnt or np.isin(kinds, (FREE, BALL)).any():
        return None
    hinges, slides = np.flatnonzero(kinds == HINGE), np.flatnonzero(kinds == SLIDE)
    ours = [joint for joint in hinges if model.jnt_bodyid[joint] in object_bodies]
    if hinges.size:
        w = axes[ours[0] if ours else hinges[0]]
    else:
        w = np.cross(axes[slides[0]], axes[slides[-1]])
        if np.linalg.norm(w) < PARALLEL:
            return None
    w = w / np.linalg.norm(w)
    if any(np.linalg.norm(np.cross(axes[joint], w)) > PARALLEL for joint in hinges):
        return None
    if any(abs(axes[joint] @ w) > PARALLEL for joint in slides):
        return None
    return w + 0.0  # no negative zeros in what people read


def shapes(model: mujoco.MjModel) -> list[Shape]:
    names, meshes = shape_names(model), model.geom_dataid[model.geom_type == MESH].tolist()
    hulls = {mesh: hull(model, mesh) for mesh in sorted(set(meshes))}
    return [_shape(model, geom, names[geom], hulls) for geom in range(model.ngeom)]


def shape_names(model: mujoco.MjModel) -> list[str]:
    """The geom's own name; hands seldom name their geoms, so else the body's, numbered where it has several that can touch."""
    own = [mujoco.mj_id2name(model, GEOM, geom) for geom in range(model.ngeom)]
    touches = model.geom_contype | model.geom_conaffinity
    taken, names = {name for name in own if name}, []
    for geom in range(model.ngeom):
        mates = [k for k in np.flatnonzero(model.geom_bodyid == model.geom_bodyid[geom]).tolist() if touches[k]]
        body = mujoco.mj_id2name(model, BODY, model.geom_bodyid[geom])
        stem = f"{body}.{mates.index(geom) + 1}" if body and len(mates) > 1 and geom in mates else body
        free = body and geom in mates and stem not in taken
        names.append(own[geom] or (stem if free else f"geom {geom}"))
    return names


def _shape(model: mujoco.MjModel, geom: int, name: str, hulls: dict[int, tuple[np.ndarray, tuple[np.ndarray, ...]]]) -> Shape:
    kind = mujoco.mjtGeom(model.geom_type[geom]).name.removeprefix("mjGEOM_").lower()
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, model.geom_quat[geom])
    vertices, polygons = hulls[int(model.geom_dataid[geom])] if kind == "mesh" else (np.zeros((0, 3)), ())
    return Shape(
        name,
        kind,
        geom,
        int(model.geom_bodyid[geom]),
        model.geom_size[geom].copy(),
        model.geom_pos[geom].copy(),
        rotation.reshape(3, 3),
        float(model.geom_friction[geom, 0]),
        vertices,
        polygons,
    )


def hull(model: mujoco.MjModel, mesh: int) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """Convex hull of a mesh that may collide: corners and flat faces. Of others, which are only seen, the vertices alone."""
    first = model.mesh_vertadr[mesh]
    vertices = model.mesh_vert[first : first + model.mesh_vertnum[mesh]].astype(np.float64)
    return convex_hull(vertices) if model.mesh_graphadr[mesh] >= 0 else (vertices, ())


def pairs_that_may_touch(model: mujoco.MjModel) -> list[tuple[int, int]]:
    """Pairs that MuJoCo's filters let collide: <pair>, contype and conaffinity, <exclude>, same or parent body."""
    if model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_CONTACT:
        return []
    named = {
        (min(int(a), int(b)), max(int(a), int(b))) for a, b in zip(model.pair_geom1, model.pair_geom2, strict=True)
    }
    excluded = {(int(code) >> 16, int(code) & 0xFFFF) for code in model.exclude_signature}
    found = set(named)
    for a in range(model.ngeom):
        for b in range(a + 1, model.ngeom):
            if _filters_allow(model, a, b, excluded):
                found.add((a, b))
    return sorted(found)


def _filters_allow(model: mujoco.MjModel, a: int, b: int, excluded: set[tuple[int, int]]) -> bool:
    body_a, body_b = int(model.geom_bodyid[a]), int(model.geom_bodyid[b])
    weld_a, weld_b = model.body_weldid[body_a], model.body_weldid[body_b]
    if weld_a == weld_b or (body_a, body_b) in excluded or (body_b, body_a) in excluded:
        return False
    if not (model.geom_contype[a] & model.geom_conaffinity[b] or model.geom_contype[b] & model.geom_conaffinity[a]):
        return False
    if model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_FILTERPARENT or not (weld_a and weld_b):
        return True  # a child of the world does collide with the world
    parent_a, parent_b = (model.body_weldid[model.body_parentid[weld]] for weld in (weld_a, weld_b))
    return bool(weld_a != parent_b and weld_b != parent_a)


def pair_friction(model: mujoco.MjModel, a: int, b: int) -> float:
    """Sliding friction of a pair as MuJoCo mixes it: none where condim is 1, else the override's, the <pair>'s own, the higher priority's,
    or the larger."""
    if pair_dimension(model, a, b) == 1:
        return 0.0
    if model.opt.enableflags & mujoco.mjtEnableBit.mjENBL_OVERRIDE:
        return float(model.opt.o_friction[0])
    own = _own_pair(model, a, b)
    if own is not None:
        return float(model.pair_friction[own, 0])
    first = _of_higher_priority(model, a, b)
    if first is not None:
        return float(model.geom_friction[first, 0])
    return float(max(model.geom_friction[a, 0], model.geom_friction[b, 0]))


def pair_dimension(model: mujoco.MjModel, a: int, b: int) -> int:
    """MuJoCo's condim of a pair: 1 without friction, 3 with sliding friction, 4 and 6 with torsional and rolling friction besides."""
    own, first = _own_pair(model, a, b), _of_higher_priority(model, a, b)
    if own is not None:
        return int(model.pair_dim[own])
    return int(model.geom_condim[first] if first is not None else max(model.geom_condim[a], model.geom_condim[b]))


def pair_notes(model: mujoco.MjModel, pairs: list[tuple[int, int]]) -> list[str]:
    """What contacts of MuJoCo between these geoms have and Knuckle's have not."""
    notes = []
    if any(pair_dimension(model, a, b) > 3 for a, b in pairs):
        notes.append("torsional and rolling friction (condim 4 and 6) is not used: contacts have sliding friction alone")
    own = [pair for pair in (_own_pair(model, a, b) for a, b in pairs) if pair is not None]
    if any(model.pair_dim[pair] > 1 and model.pair_friction[pair, 0] != model.pair_friction[pair, 1] for pair in own):
        notes.append("friction that differs by direction (<pair friction>) is not used: its first number holds in every direction")
    return notes


def _own_pair(model: mujoco.MjModel, a: int, b: int) -> int | None:
    for pair in range(model.npair):
        if {int(model.pair_geom1[pair]), int(model.pair_geom2[pair])} == {a, b}:
            return pair
    return None


def _of_higher_priority(model: mujoco.MjModel, a: int, b: int) -> int | None:
    if model.geom_priority[a] == model.geom_priority[b]:
        return None
    return a if model.geom_priority[a] > model.geom_priority[b] else b
