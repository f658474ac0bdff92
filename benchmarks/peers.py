"""The same bodies and problems for the libraries that Knuckle is measured against: MuJoCo, Pinocchio, and Lemke's method in NumPy."""
import copy

import mujoco
import numpy as np

try:
    import pinocchio as pin
except ImportError:
    pin = None


def touching(model):
    """The same bodies for MuJoCo: the last links, capsules there, may touch the object, within a margin."""
    model, leaf = copy.copy(model), [not (model.body_parentid == body).any() for body in range(model.nbody)]
    for body in range(model.nbody):
        model.body_contype[body] = model.geom_contype[model.geom_bodyid == body] = leaf[body] and body < model.nbody - 1
        model.body_conaffinity[body] = model.geom_conaffinity[model.geom_bodyid == body] = body == model.nbody - 1
    model.geom_margin[:] = 1e-3
    return model


def mujoco_calls(model, contacts, q, v, tau):
    """Name -> call, and the number of contacts; every call starts from the same state, which costs `state`."""
    model = touching(model)
    model.opt.disableflags |= 0 if contacts else mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(model)

    def state():
        data.qpos[:], data.qvel[:], data.qfrc_applied[:], data.qacc_warmstart[:] = q, v, tau, 0.0

    def after(function):
        state()
        function(model, data)

    after(mujoco.mj_forward)
    return {"mj_forward": lambda: after(mujoco.mj_forward), "mj_step": lambda: after(mujoco.mj_step), "state": state}, data.ncon


def converted(m):
    """The compiled bodies as a Pinocchio model: hinges, slides and free joints."""
    model, joints, at = pin.Model(), {0: 0}, {0: pin.SE3.Identity()}
    kinds = {mujoco.mjtJoint.mjJNT_HINGE: pin.JointModelRevoluteUnaligned, mujoco.mjtJoint.mjJNT_SLIDE: pin.JointModelPrismaticUnaligned}

    def rotation(quaternion):
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, quaternion)
        return R.reshape(3, 3)

    for body in range(1, m.nbody):
        parent = m.body_parentid[body]
        place, joint = at[parent] * pin.SE3(rotation(m.body_quat[body]), m.body_pos[body]), joints[parent]
        for k in range(m.body_jntadr[body], m.body_jntadr[body] + m.body_jntnum[body]):
            kind = mujoco.mjtJoint(m.jnt_type[k])
            made = kinds[kind](m.jnt_axis[k].copy()) if kind in kinds else pin.JointModelFreeFlyer()
            joint, place = model.addJoint(joint, made, place, f"{body}.{k}"), pin.SE3.Identity()
        joints[body], at[body] = joint, place
        R = rotation(m.body_iquat[body])
        inertia = pin.Inertia(float(m.body_mass[body]), m.body_ipos[body], R @ np.diag(m.body_inertia[body]) @ R.T)
        model.appendBodyToJoint(joint, inertia, place)
    return model


def pinocchio_terms(mujoco_model, contacts):
    """M, bias and the Jacobians of the last bodies, at the neutral posture (the cost does not depend on it)."""
    model = converted(mujoco_model)
    data, q, v = model.createData(), pin.neutral(model), np.zeros(model.nv)
    ends = range(model.njoints - contacts, model.njoints)

    def terms():
        pin.crba(model, data, q)
        pin.nonLinearEffects(model, data, q, v)
        pin.computeJointJacobians(model, data, q)
        for joint in ends:
            pin.getJointJacobian(model, data, joint, pin.LOCAL_WORLD_ALIGNED)

    return terms


def textbook_lemke(A, b):
    """Lemke's method on a dense NumPy tableau, covering vector 1, first of the tied rows: z, or None on a ray."""
    n = len(b)
    T, basis = np.hstack([np.eye(n), -A, -np.ones((n, 1)), b[:, None]]), np.arange(n)
    entering, r = 2 * n, int(b.argmin())
    while b.min() < 0:
        T[r] /= T[r, entering]
        others = np.arange(n) != r
        T[others] -= np.outer(T[others, entering], T[r])
        leaving, basis[r] = basis[r], entering
        if leaving == 2 * n:
            break
        entering = leaving + n if leaving < n else leaving - n
        ratios = np.where(T[:, entering] > 1e-12, T[:, -1], np.inf) / np.maximum(T[:, entering], 1e-12)
        r = int(ratios.argmin())
        if not np.isfinite(ratios[r]):
            return None
    z = np.zeros(2 * n + 1)
    z[basis] = T[:, -1]
    return z[n : 2 * n]
