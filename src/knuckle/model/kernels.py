"""Rigid-body terms, as kernels see them."""

from typing import NamedTuple

from knuckle.compiled import libmujoco
from knuckle.compiled.kernel import Matrix, Vector, kernel


class Plant(NamedTuple):
    """Addresses and views into ONE MjData. They keep nothing alive: whoever holds a Plant holds its System."""

    model: int
    data: int
    qpos: Vector
    qvel: Vector
    xpos: Matrix  # nbody x 3, origin of the body frame, world
    xmat: Matrix  # nbody x 9, row-major rotation body -> world
    geom_xpos: Matrix  # ngeom x 3
    geom_xmat: Matrix  # ngeom x 9
    cvel: Matrix  # nbody x 6, angular velocity first, world axes
    moving: Matrix  # nbody x 12, prescribed: velocity of the origin, angular velocity, their rates, world axes
    passive: Vector  # springs, damping, gravity compensation, fluid
    bias: Vector  # Coriolis, centrifugal and gravity terms


@kernel
def rigid_body_terms(plant: Plant, q: Vector, v: Vector, M: Matrix, h: Vector) -> None:
    """Moves the plant to (q, v), as every other kernel needs. M v' = h + actuator forces + W f."""
    for i in range(q.size):
        plant.qpos[i] = q[i]
    for i in range(v.size):
        plant.qvel[i] = v[i]
    libmujoco.kinematics(plant.model, plant.data)
    libmujoco.com_pos(plant.model, plant.data)
    libmujoco.tendon(plant.model, plant.data)
    libmujoco.make_m(plant.model, plant.data)
    libmujoco.full_m(plant.model, plant.data, M)
    libmujoco.forward_velocity(plant.model, plant.data)
    for i in range(v.size):
        h[i] = plant.passive[i] - plant.bias[i]


@kernel
def point_terms(
    plant: Plant, v: Vector, body: int, point: Vector, J: Matrix, velocity: Vector, acceleration: Vector
) -> None:
    """The material point of `body` now at `point` (world): J 3 x nv, velocity, acceleration at v' = 0 (PHYSICS 2)."""
    libmujoco.jac_dot(plant.model, plant.data, J, point, body)
    for i in range(3):
        total = 0.0
        for j in range(v.size):
            total += J[i, j] * v[j]
        acceleration[i] = total
    libmujoco.jac(plant.model, plant.data, J, point, body)
    for i in range(3):
        total = 0.0
        for j in range(v.size):
            total += J[i, j] * v[j]
        velocity[i] = total
    m = plant.moving[body]
    rx, ry, rz = point[0] - plant.xpos[body, 0], point[1] - plant.xpos[body, 1], point[2] - plant.xpos[body, 2]
    sx, sy, sz = m[4] * rz - m[5] * ry, m[5] * rx - m[3] * rz, m[3] * ry - m[4] * rx  # w x r
    velocity[0] += m[0] + sx
    velocity[1] += m[1] + sy
    velocity[2] += m[2] + sz
    # a + w' x r + w x (w x r)
    acceleration[0] += m[6] + m[10] * rz - m[11] * ry + m[4] * sz - m[5] * sy
    acceleration[1] += m[7] + m[11] * rx - m[9] * rz + m[5] * sx - m[3] * sz
    acceleration[2] += m[8] + m[9] * ry - m[10] * rx + m[3] * sy - m[4] * sx


@kernel
def angular_velocity(plant: Plant, body: int, out: Vector) -> None:
    """World axes, with the prescribed part."""
    for i in range(3):
        out[i] = plant.cvel[body, i] + plant.moving[body, 3 + i]
