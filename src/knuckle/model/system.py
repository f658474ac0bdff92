"""System: a MuJoCo model and one MjData, as the rest of Knuckle sees them. MuJoCo itself is used in this room alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from knuckle.compiled import libmujoco
from knuckle.errors import Fault, InputError
from knuckle.model import joint_kernels, kernels, structure
from knuckle.model.joint_rows import AT_STOP, JointRows, JointRowsTable, joint_rows
from knuckle.model.supported import name_of, refuse_unsupported

UNIT = 1e-6  # a quaternion this close to unit length is normalised, any other is refused


@dataclass(frozen=True)
class State:
    """A state in mjData's order and frames. `applied` are generalised forces that no actuator makes (qfrc_applied, xfrc_applied)."""

    q: np.ndarray  # nq
    v: np.ndarray  # nv
    ctrl: np.ndarray  # nu
    act: np.ndarray  # na, activations
    applied: np.ndarray  # nv


class System:
    """What exists: bodies, joints, actuators, shapes. Build one with `load`, `compose` or `from_mujoco`.

    It owns its MjModel and MjData; `plant` holds addresses of them for kernels, so keep the System while a Plant is in use.
    One System serves one thread: `fork()` gives another.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData | None = None,
        extra_shapes: Sequence[structure.Shape] = (),
        warnings: Sequence[str] = (),
    ):
        self.model = model
        self.data = _fresh_data(model, data)
        refuse_unsupported(model, self.data.eq_active)
        self.nq, self.nv, self.nu, self.na = int(model.nq), int(model.nv), int(model.nu), int(model.na)
        self.warnings = list(warnings)
        self.moving = np.zeros((model.nbody, 12))
        self.plant = self._plant()
        self._M, self._h = np.zeros((self.nv, self.nv)), np.zeros(self.nv)
        self._refuse_singular_inertia()
        self.dof_names = structure.dof_names(model)
        self.body_names = [name_of(model, mujoco.mjtObj.mjOBJ_BODY, body) for body in range(model.nbody)]
        self.actuator_names = [name_of(model, mujoco.mjtObj.mjOBJ_ACTUATOR, k) for k in range(model.nactuator)]
        self.objects = structure.objects(model, self.actuator_moment(model.qpos0))
        self.plane = structure.plane_of_motion(model, self.data.xaxis, self.objects)
        self.shapes = [*structure.shapes(model), *extra_shapes]
        self.joint_table = JointRowsTable(model, self.data)

    def _plant(self) -> kernels.Plant:
        d = self.data
        addresses = libmujoco.checked_addresses(self.model, d)
        return kernels.Plant(
            *addresses,
            d.qpos,
            d.qvel,
            d.xpos,
            d.xmat,
            d.geom_xpos,
            d.geom_xmat,
            d.cvel,
            self.moving,
            d.qfrc_passive,
            d.qfrc_bias,
        )

    def _refuse_singular_inertia(self) -> None:
        """A dof without inertia, or masses that make M indefinite."""
        M, _ = self.terms(self.model.qpos0, np.zeros(self.nv))
        names = structure.dof_names(self.model)
        faults = [
            Fault(
                "this degree of freedom has no inertia",
                key=names[i],
                got=float(M[i, i]),
                todo="give its body mass and inertia",
            )
            for i in range(self.nv)
            if not M[i, i] > 0
        ]
        if not faults and self.nv and not np.linalg.eigvalsh(M)[0] > 0:
            faults = [Fault("the inertia matrix is not positive definite", todo="check masses, inertias and armatures")]
        if faults:
            raise InputError(faults)

    def fork(self) -> System:
        """The same system with an MjData of its own, for another thread."""
        other = System(self.model, self.data, self.shapes[self.model.ngeom :], self.warnings)
        other.moving[:] = self.moving
        return other

    def terms(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(M, h) with M v' = h + actuator forces + W f. Moves `plant` to (q, v)."""
        q, v = (np.ascontiguousarray(x, np.float64) for x in (q, v))
        self._check_lengths(q=(q, self.nq), v=(v, self.nv))
        kernels.rigid_body_terms(self.plant, q, v, self._M, self._h)
        return self._M.copy(), self._h.copy()

    def point(self, body: int, point: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Jacobian, velocity and acceleration at v' = 0 of the point of `body` that is at `point` (world), after `terms`."""
        if not 0 <= body < self.model.nbody:
            raise InputError("no such body", got=body, todo=f"0 to {self.model.nbody - 1}")
        J, velocity, acceleration = np.zeros((3, self.nv)), np.zeros(3), np.zeros(3)
        kernels.point_terms(
            self.plant, self.plant.qvel, body, np.ascontiguousarray(point, np.float64), J, velocity, acceleration
        )
        return J, velocity, acceleration

    def joint_rows(self, q: np.ndarray, v: np.ndarray, tolerance: float = AT_STOP) -> JointRows:
        return joint_rows(self, q, v, tolerance)

    def joint_units(self, count: int) -> list[str]:
        """Units of the gaps of the first `count` rows that `joint_rows` wrote last."""
        table, work = self.joint_table.kernel_table, self.joint_table.work
        units = []
        for entry, part in zip(work.entry[:count].tolist(), work.part[:count].tolist(), strict=True):
            if table.form[entry] in (joint_kernels.CONNECT, joint_kernels.WELD):
                units.append("m" if part < 3 else "rad")
            else:
                units.append(self._unit(*table.coordinate[table.first[entry], :2].tolist()))
        return units

    def _unit(self, kind: int, index: int) -> str:
        """Of a coordinate of joint_kernels. The length of a tendon over joints is an angle where its first joint turns."""
        m = self.model
        if kind == joint_kernels.TENDON:
            first = m.tendon_adr[index]
            joint = m.wrap_objid[first] if m.wrap_type[first] == mujoco.mjtWrap.mjWRAP_JOINT else -1
        else:
            joint = m.dof_jntid[index]
        return "m" if joint < 0 or m.jnt_type[joint] == structure.SLIDE else "rad"

    def near(self, q: np.ndarray, geoms: Sequence[tuple[int, int]], distance: float) -> list[tuple[int, int]]:
        """Of pairs of geoms those nearer than `distance` at q, by MuJoCo's own measure. Moves `plant` to q."""
        self.terms(q, np.zeros(self.nv))
        return [(a, b) for a, b in geoms if mujoco.mj_geomDistance(self.model, self.data, a, b, distance, None) < distance]

    def actuator_moment(self, q: np.ndarray) -> np.ndarray:
        """Rows: what one unit of each actuator's force does on the dofs (nu x nv; more rows for actuators with several outputs)."""
        self.terms(q, np.zeros(self.nv))
        m, d = self.model, self.data
        mujoco.mj_transmission(m, d)
        moment = np.zeros((m.nout, m.nv))
        mujoco.mju_sparse2dense(moment, d.actuator_moment.ravel(), d.moment_rownnz, d.moment_rowadr, d.moment_colind)
        return moment

    def actuator_torque(
        self, q: np.ndarray, v: np.ndarray, ctrl: np.ndarray, act: np.ndarray | None = None
    ) -> np.ndarray:
        """Generalised forces of the actuators (MuJoCo's qfrc_actuator). Moves `plant` to (q, v)."""
        act = np.zeros(self.na) if act is None else np.asarray(act, np.float64)
        self._check_lengths(ctrl=(np.asarray(ctrl), self.nu), act=(act, self.na))
        self.terms(q, v)
        m, d = self.model, self.data
        d.ctrl[:], d.act[:] = ctrl, act
        mujoco.mj_transmission(m, d)
        mujoco.mj_fwdVelocity(m, d)  # again, for the actuators' velocities
        mujoco.mj_fwdActuation(m, d)
        return d.qfrc_actuator.copy()

    def springs(self, q: np.ndarray) -> np.ndarray:
        """Generalised forces of springs of joints and tendons (MuJoCo's qfrc_spring). Moves `plant` to q."""
        self.terms(q, np.zeros(self.nv))
        return np.asarray(self.data.qfrc_spring).copy()

    def integrate(self, q: np.ndarray, dv: np.ndarray) -> np.ndarray:
        """q moved along the tangent vector dv; quaternions stay unit."""
        moved = np.array(q, np.float64)
        mujoco.mj_integratePos(self.model, moved, np.asarray(dv, np.float64), 1.0)
        return moved

    def difference(self, q_from: np.ndarray, q_to: np.ndarray) -> np.ndarray:
        """The tangent vector that `integrate` takes from q_from to q_to."""
        dv = np.zeros(self.nv)
        mujoco.mj_differentiatePos(self.model, dv, 1.0, np.asarray(q_from, np.float64), np.asarray(q_to, np.float64))
        return dv

    def body(self, name: str) -> int:
        if name not in self.body_names:
            raise InputError("no such body", got=name, todo=f"bodies: {', '.join(self.body_names)}")
        return self.body_names.index(name)

    def set_moving(
        self,
        body: int | str,
        velocity: Sequence[float] = (0, 0, 0),
        angular_velocity: Sequence[float] = (0, 0, 0),
        acceleration: Sequence[float] = (0, 0, 0),
        angular_acceleration: Sequence[float] = (0, 0, 0),
    ) -> None:
        """Prescribed motion of a body that no joint moves (belt, turntable) and of what is fixed to it; velocity of its origin, world axes."""
        body = self.body(body) if isinstance(body, str) else body
        carried = [k for k in range(self.model.nbody) if self._is_below(k, body)]
        if any(self.model.body_weldid[k] != 0 for k in carried):
            todo = "prescribe the motion of bodies without joints above or below them"
            raise InputError("this body moves or carries joints", key="moving", got=self.body_names[body], todo=todo)
        self.terms(self.model.qpos0, np.zeros(self.nv))
        v, w, a, alpha = (
            np.asarray(x, np.float64) for x in (velocity, angular_velocity, acceleration, angular_acceleration)
        )
        for k in carried:
            r = self.plant.xpos[k] - self.plant.xpos[body]
            self.moving[k] = np.concatenate(
                [v + np.cross(w, r), w, a + np.cross(alpha, r) + np.cross(w, np.cross(w, r)), alpha]
            )

    def _is_below(self, body: int, ancestor: int) -> bool:
        while body != ancestor and body != 0:
            body = int(self.model.body_parentid[body])
        return body == ancestor

    def checked_state(
        self,
        q: np.ndarray,
        v: np.ndarray | None = None,
        ctrl: np.ndarray | None = None,
        act: np.ndarray | None = None,
        applied: np.ndarray | None = None,
    ) -> State:
        """A state whose lengths, numbers and quaternions are right; what is not given is zero."""
        given = {
            "q": (q, self.nq),
            "v": (v, self.nv),
            "ctrl": (ctrl, self.nu),
            "act": (act, self.na),
            "applied": (applied, self.nv),
        }
        arrays = {
            name: (np.zeros(n) if x is None else np.array(x, np.float64).ravel(), n) for name, (x, n) in given.items()
        }
        self._check_lengths(**arrays)
        state = State(*(x for x, _ in arrays.values()))
        self._normalise_quaternions(state.q)
        return state

    def _check_lengths(self, **arrays: tuple[np.ndarray, int]) -> None:
        faults = [
            Fault("has the wrong length", key=name, got=x.size, todo=f"give {n} numbers")
            for name, (x, n) in arrays.items()
            if x.size != n
        ]
        faults += [
            Fault(
                "is not finite",
                key=f"{name}.{int(np.flatnonzero(~np.isfinite(x))[0])}",
                got=float(x[~np.isfinite(x)][0]),
            )
            for name, (x, n) in arrays.items()
            if x.size == n and not np.isfinite(x).all()
        ]
        if faults:
            raise InputError(faults)

    def _normalise_quaternions(self, q: np.ndarray) -> None:
        for joint in range(self.model.njnt):
            kind, address = self.model.jnt_type[joint], self.model.jnt_qposadr[joint]
            if kind in (structure.FREE, structure.BALL):
                part = q[address + 3 : address + 7] if kind == structure.FREE else q[address : address + 4]
                length = float(np.linalg.norm(part))
                if abs(length - 1.0) > UNIT:
                    name = name_of(self.model, structure.JOINT, joint)
                    raise InputError(
                        "a quaternion must have unit length",
                        key=f"q.{name}",
                        got=length,
                        todo="divide it by its length",
                    )
                mujoco.mju_normalize4(part)  # leaves what is unit to round-off as it is


def _fresh_data(model: mujoco.MjModel, source: mujoco.MjData | None) -> mujoco.MjData:
    """An MjData of our own with what a state does not say: which equalities hold, where mocap bodies are. No contacts of MuJoCo in it."""
    data = mujoco.MjData(model)
    if source is not None:
        for field in ("eq_active", "mocap_pos", "mocap_quat"):
            getattr(data, field)[:] = getattr(source, field)
    return data


def from_mujoco(model: mujoco.MjModel, data: mujoco.MjData) -> tuple[System, State]:
    """System and state of a living MuJoCo simulation. Both arguments are copied and stay as they are."""
    import copy

    if (data.qpos.size, data.qvel.size, len(data.xpos)) != (model.nq, model.nv, model.nbody):
        raise InputError("this MjData does not belong to this MjModel", todo="pass the pair that is simulated together")
    system = System(copy.copy(model), data)
    q = data.qpos.copy()
    for joint in np.flatnonzero(np.isin(model.jnt_type, (structure.FREE, structure.BALL))):
        start = model.jnt_qposadr[joint] + (3 if model.jnt_type[joint] == structure.FREE else 0)
        mujoco.mju_normalize4(q[start : start + 4])  # as MuJoCo does before it uses them
    system.checked_state(q, data.qvel, data.ctrl, data.act)
    system.terms(q, data.qvel)
    applied = data.qfrc_applied.copy()
    for body in np.flatnonzero(data.xfrc_applied.any(axis=1)):
        force, torque = data.xfrc_applied[body, :3], data.xfrc_applied[body, 3:]
        mujoco.mj_applyFT(system.model, system.data, force, torque, system.data.xipos[body], int(body), applied)
    return system, system.checked_state(q, data.qvel, data.ctrl, data.act, applied)
