"""Which joints, tendons and equality constraints give rows to the contact problem, and the rows at a state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from knuckle.model import joint_kernels
from knuckle.model.joint_kernels import (
    BALL,
    BILATERAL,
    CONNECT,
    COUPLING,
    DOF,
    DRY_FRICTION,
    FRICTION,
    JOINT,
    LIMIT,
    STOP,
    TENDON,
    WELD,
    JointRowsWork,
    JointTable,
)
from knuckle.model.structure import dof_names
from knuckle.model.supported import is_disabled, name_of

if TYPE_CHECKING:
    from knuckle.model.system import System

AT_STOP = 1e-9  # rad or m; the tolerance of gaps in a scenario (CONTRACT 2)
KINDS = {LIMIT: "limit", DRY_FRICTION: "dry_friction", BILATERAL: "bilateral"}
ROWS_OF = {STOP: 1, FRICTION: 1, COUPLING: 1, CONNECT: 3, WELD: 6}
PARTS = ("x", "y", "z", "rx", "ry", "rz")


@dataclass(frozen=True)
class JointRows:
    """a = W v' + bias, one row each. A limit's row is positive when it leaves its stop; rate and gap are in the row's units."""

    kind: tuple[str, ...]  # limit | dry_friction | bilateral
    W: np.ndarray  # n x nv
    bias: np.ndarray  # n, second rate at v' = 0
    bound: np.ndarray  # n, of dry friction (N m or N)
    rate: np.ndarray  # n, W v
    gap: np.ndarray  # n, distance to the stop; error of a bilateral row
    name: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.kind)


@dataclass(frozen=True)
class _Entry:
    kind: int
    form: int
    first: int
    second: int
    number: tuple[float, ...]
    name: str


class JointRowsTable:
    """The table that kernels read, its names, and room for the rows.

    Numbers of an entry: STOP sign, stop; FRICTION 1, bound; COUPLING ref_1, ref_2, a_0..a_4; CONNECT point in each body;
    WELD the same and the relative rotation, row by row.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData):
        self._model = model
        self._coordinates: list[tuple[int, int, int]] = []  # type, dof or tendon, address in qpos
        self._entries: list[_Entry] = []
        self._add_limits()
        self._add_dry_friction()
        self._add_equalities(data.eq_active)
        self.names = [entry.name for entry in self._entries]
        self.kernel_table = self._kernel_table(data)
        rows = sum(ROWS_OF[entry.form] for entry in self._entries) + joint_kernels.MOST_ROWS
        bias, gap, bound, rate = np.zeros((4, rows))
        entry, part = np.zeros((2, rows), np.int64)
        self.work = JointRowsWork(np.zeros((rows, model.nv)), bias, gap, bound, rate, entry, part)

    def _add(self, kind: int, form: int, first: int, number: tuple[float, ...], name: str, second: int = -1) -> None:
        self._entries.append(_Entry(kind, form, first, second, number, name))

    def _coordinate(self, kind: int, index: int, address: int = 0) -> int:
        self._coordinates.append((kind, int(index), int(address)))
        return len(self._coordinates) - 1

    def _joint(self, joint: int) -> int:
        m = self._model
        kind = BALL if m.jnt_type[joint] == mujoco.mjtJoint.mjJNT_BALL else JOINT
        return self._coordinate(kind, m.jnt_dofadr[joint], m.jnt_qposadr[joint])

    def _add_limits(self) -> None:
        """The stop is where MuJoCo's constraint rests: at the range, moved inwards by the margin."""
        m = self._model
        if is_disabled(m, mujoco.mjtDisableBit.mjDSBL_LIMIT):
            return
        for joint in np.flatnonzero(m.jnt_limited).tolist():
            where, name = self._joint(joint), name_of(m, mujoco.mjtObj.mjOBJ_JOINT, joint)
            (low, high), margin = m.jnt_range[joint], m.jnt_margin[joint]
            if m.jnt_type[joint] == mujoco.mjtJoint.mjJNT_BALL:
                self._add(LIMIT, STOP, where, (-1.0, max(low, high) - margin), f"{name} stop")
            else:
                self._add(LIMIT, STOP, where, (1.0, low + margin), f"{name} lower stop")
                self._add(LIMIT, STOP, where, (-1.0, high - margin), f"{name} upper stop")
        for tendon in np.flatnonzero(m.tendon_limited).tolist():
            where, name = self._coordinate(TENDON, tendon), name_of(m, mujoco.mjtObj.mjOBJ_TENDON, tendon)
            (low, high), margin = m.tendon_range[tendon], m.tendon_margin[tendon]
            self._add(LIMIT, STOP, where, (1.0, low + margin), f"{name} lower stop")
            self._add(LIMIT, STOP, where, (-1.0, high - margin), f"{name} upper stop")

    def _add_dry_friction(self) -> None:
        m = self._model
        if is_disabled(m, mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS):
            return
        names = dof_names(m)
        for dof in np.flatnonzero(m.dof_frictionloss > 0).tolist():
            where, bound = self._coordinate(DOF, dof), m.dof_frictionloss[dof]
            self._add(DRY_FRICTION, FRICTION, where, (1.0, bound), f"{names[dof]} friction")
        for tendon in np.flatnonzero(m.tendon_frictionloss > 0).tolist():
            where, bound = self._coordinate(TENDON, tendon), m.tendon_frictionloss[tendon]
            name = name_of(m, mujoco.mjtObj.mjOBJ_TENDON, tendon)
            self._add(DRY_FRICTION, FRICTION, where, (1.0, bound), f"{name} friction")

    def _add_equalities(self, active: np.ndarray) -> None:
        m = self._model
        if is_disabled(m, mujoco.mjtDisableBit.mjDSBL_EQUALITY):
            return
        for number in np.flatnonzero(active).tolist():
            kind, name = mujoco.mjtEq(m.eq_type[number]), name_of(m, mujoco.mjtObj.mjOBJ_EQUALITY, number)
            one, two, values = int(m.eq_obj1id[number]), int(m.eq_obj2id[number]), m.eq_data[number]
            if kind in (mujoco.mjtEq.mjEQ_JOINT, mujoco.mjtEq.mjEQ_TENDON):
                self._add_coupling(kind, one, two, values, name)
            else:
                self._add_attachment(kind, one, two, m.eq_objtype[number], values, name)

    def _add_coupling(self, kind: mujoco.mjtEq, one: int, two: int, values: np.ndarray, name: str) -> None:
        m = self._model
        both = [one] if two < 0 else [one, two]
        if kind == mujoco.mjtEq.mjEQ_JOINT:
            coordinates, references = [self._joint(k) for k in both], [m.qpos0[m.jnt_qposadr[k]] for k in both]
        else:
            coordinates, references = [self._coordinate(TENDON, k) for k in both], [m.tendon_length0[k] for k in both]
        if two < 0:
            coordinates.append(-1)
            references.append(0.0)
        self._add(BILATERAL, COUPLING, coordinates[0], (*references, *values[:5]), name, coordinates[1])

    def _add_attachment(
        self, kind: mujoco.mjtEq, one: int, two: int, objects: int, values: np.ndarray, name: str
    ) -> None:
        """Bodies carry their points in the data of the constraint (a weld the second's first); sites bring their own."""
        m, weld = self._model, kind == mujoco.mjtEq.mjEQ_WELD
        points, relative = (values[0:3], values[3:6]), np.zeros(4)
        relative[:] = values[6:10] if weld else (1.0, 0.0, 0.0, 0.0)
        if weld:
            points = points[::-1]
        if objects == mujoco.mjtObj.mjOBJ_SITE:
            points, back = (m.site_pos[one], m.site_pos[two]), np.zeros(4)
            mujoco.mju_negQuat(back, m.site_quat[two])  # of the bodies, when the sites' frames coincide
            mujoco.mju_mulQuat(relative, m.site_quat[one], back)
            one, two = int(m.site_bodyid[one]), int(m.site_bodyid[two])
        rotation = np.zeros(9)
        mujoco.mju_quat2Mat(rotation, relative)
        holds_rotation = weld and values[10] > 0  # torquescale 0 leaves the rotation free
        self._add(BILATERAL, WELD if holds_rotation else CONNECT, one, (*points[0], *points[1], *rotation), name, two)

    def _kernel_table(self, data: mujoco.MjData) -> JointTable:
        m, entries = self._model, self._entries
        number = np.zeros((len(entries), 15))
        for k, entry in enumerate(entries):
            number[k, : len(entry.number)] = entry.number
        return JointTable(
            np.array([entry.kind for entry in entries], np.int64),
            np.array([entry.form for entry in entries], np.int64),
            np.array([entry.first for entry in entries], np.int64),
            np.array([entry.second for entry in entries], np.int64),
            number,
            np.array(self._coordinates, np.int64).reshape(-1, 3),
            data.ten_length,
            data.ten_J,
            m.ten_J_rownnz,
            m.ten_J_rowadr,
            m.ten_J_colind,
            m.tendon_adr,
            m.tendon_num,
            m.wrap_type,
            m.wrap_objid,
            m.wrap_prm,
            m.site_bodyid,
            data.site_xpos,
            np.zeros((6, m.nv)),
            np.zeros((6, 3)),
        )


def joint_rows(system: System, q: np.ndarray, v: np.ndarray, tolerance: float = AT_STOP) -> JointRows:
    """Rows at (q, v): limits within `tolerance` of their stop (or beyond), dry friction, active equality constraints."""
    system.terms(q, v)
    table, work = system.joint_table, system.joint_table.work
    n = joint_kernels.joint_rows(system.plant, table.kernel_table, system.plant.qvel, tolerance, work)
    entries, parts = work.entry[:n].tolist(), work.part[:n].tolist()
    kinds, forms = table.kernel_table.kind, table.kernel_table.form
    names = [
        f"{table.names[e]} {PARTS[p]}" if forms[e] >= CONNECT else table.names[e]
        for e, p in zip(entries, parts, strict=True)
    ]
    return JointRows(
        kind=tuple(KINDS[int(kinds[e])] for e in entries),
        W=work.W[:n].copy(),
        bias=work.bias[:n].copy(),
        bound=work.bound[:n].copy(),
        rate=work.rate[:n].copy(),
        gap=work.gap[:n].copy(),
        name=tuple(names),
    )
