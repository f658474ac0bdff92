"""Rows of the contacts in the generalised coordinates, their velocities and biases (F3, F4, F8)."""
import math
from typing import NamedTuple

from knuckle.compiled.kernel import Matrix, Vector, kernel
from knuckle.contact import kinematics_kernels as kinematics
from knuckle.contact import space_kernels as space
from knuckle.contact.kinematics_kernels import Linear
from knuckle.contact.manifold_kernels import Contacts
from knuckle.model import kernels as model
from knuckle.model.kernels import Plant


class RowSpace(NamedTuple):
    """Workspace of contact_rows."""

    linear: Linear
    J_A: Matrix       # 3 x nv
    J_B: Matrix
    rates: Matrix     # 6 x 3, velocity, acceleration and angular velocity of A and of B


@kernel
def contact_rows(plant: Plant, v: Vector, contacts: Contacts, room: RowSpace, count: int) -> None:
    """W (A minus B; rows N, T, U), velocity and bias of the first `count` contacts, so that a = W v' + bias.

    bias: N the gap acceleration F3/F5, T and U the components of Arel (F4), all at v' = 0.
    """
    V_A, acc_A, w_A = room.rates[0], room.rates[1], room.rates[2]
    V_B, acc_B, w_B = room.rates[3], room.rates[4], room.rates[5]
    for k in range(count):
        A, B, n = contacts.body_A[k], contacts.body_B[k], contacts.n[k]
        model.point_terms(plant, v, A, contacts.point_A[k], room.J_A, V_A, acc_A)
        model.point_terms(plant, v, B, contacts.point_B[k], room.J_B, V_B, acc_B)
        model.angular_velocity(plant, A, w_A)
        model.angular_velocity(plant, B, w_B)
        out = contacts.motion[k]
        regular = kinematics.contact_kinematics(n, contacts.K_A[k], contacts.K_B[k], contacts.E_A[k], contacts.E_B[k], contacts.rank_A[k],
                                                contacts.rank_B[k], V_A, w_A, acc_A, V_B, w_B, acc_B, contacts.gap[k], room.linear, out)
        contacts.residual[k] = out[kinematics.RESIDUAL] if regular else math.inf
        for axis in range(3):
            d = n if axis == 0 else (contacts.t[k] if axis == 1 else contacts.u[k])
            row = contacts.W[3 * k + axis]
            for j in range(v.size):
                row[j] = (d[0] * (room.J_A[0, j] - room.J_B[0, j]) + d[1] * (room.J_A[1, j] - room.J_B[1, j])
                          + d[2] * (room.J_A[2, j] - room.J_B[2, j]))
            contacts.velocity[3 * k + axis] = space.dot(d, V_A) - space.dot(d, V_B)
            contacts.bias[3 * k + axis] = space.dot(d, out[kinematics.RELATIVE: kinematics.RELATIVE + 3])
        contacts.bias[3 * k] = out[kinematics.GAP_ACCELERATION]
