"""Rows of joints: stops, dry friction and equality constraints, in the form a = W v' + bias of contacts."""

import math
from typing import NamedTuple

from knuckle.compiled import libmujoco
from knuckle.compiled.kernel import Bodies, Integers, IntegerTable, Matrix, Vector, inner, kernel
from knuckle.model import kernels as rigid
from knuckle.model.kernels import Plant

LIMIT, DRY_FRICTION, BILATERAL = 0, 1, 2  # kinds
DOF, JOINT, BALL, TENDON = 0, 1, 2, 3  # coordinates: a velocity alone, hinge or slide, ball's angle, tendon's length
STOP, FRICTION, COUPLING, CONNECT, WELD = 0, 1, 2, 3, 4  # forms
SITE, PULLEY = 3, 2  # mjtWrap
MOST_ROWS = 6  # of one entry: a weld has six


class JointTable(NamedTuple):
    """Every entry that can become rows, and the scalar coordinates they speak of."""

    kind: Integers
    form: Integers
    first: Integers  # coordinate, or body of connect and weld
    second: Integers  # the same, -1 for none
    number: Matrix  # n x 15: see `JointRowsTable` for each form
    coordinate: IntegerTable  # n x 3: type, address of the dof or number of the tendon, address in qpos
    ten_length: Vector  # views of mjData and mjModel
    ten_J: Vector
    ten_J_rownnz: Bodies
    ten_J_rowadr: Bodies
    ten_J_colind: Bodies
    tendon_adr: Bodies
    tendon_num: Bodies
    wrap_type: Bodies
    wrap_objid: Bodies
    wrap_prm: Vector
    site_bodyid: Bodies
    site_xpos: Matrix
    rows: Matrix  # work: 6 x nv
    points: Matrix  # work: 6 x 3


class JointRowsWork(NamedTuple):
    """What `joint_rows` writes: one row per limit at its stop, dry friction and bilateral constraint."""

    W: Matrix
    bias: Vector
    gap: Vector  # distance to the stop; error of a bilateral row
    bound: Vector  # of dry friction
    rate: Vector  # W v, with prescribed motion
    entry: Integers  # of the table
    part: Integers  # 0..5: which row of the entry


@inner
def tendon_bias(plant: Plant, table: JointTable, v: Vector, tendon: int) -> float:
    """Second rate of a tendon's length at v' = 0: u.(a_2 - a_1) + |across u of (v_2 - v_1)|^2 / length, summed over its straight pieces."""
    total, divisor = 0.0, 1.0
    points, J = table.points, table.rows[:3]
    for k in range(table.tendon_adr[tendon], table.tendon_adr[tendon] + table.tendon_num[tendon] - 1):
        if table.wrap_type[k] == PULLEY:
            divisor = table.wrap_prm[k]
        if table.wrap_type[k] != SITE or table.wrap_type[k + 1] != SITE:
            continue
        a, b = table.wrap_objid[k], table.wrap_objid[k + 1]
        for end in range(2):
            site = table.wrap_objid[k + end]
            body, place = table.site_bodyid[site], table.site_xpos[site]
            rigid.point_terms(plant, v, body, place, J, points[2 * end], points[2 * end + 1])
        square = along = speed = acceleration = 0.0
        for i in range(3):
            step, change = table.site_xpos[b, i] - table.site_xpos[a, i], points[2, i] - points[0, i]
            square += step * step
            along += step * change
            speed += change * change
            acceleration += step * (points[3, i] - points[1, i])
        if square > 1e-20:
            total += (acceleration + speed - along * along / square) / math.sqrt(square) / divisor
    return total


@inner
def ball_angle(plant: Plant, v: Vector, dof: int, address: int, row: Vector) -> tuple[float, float]:
    """Rotation angle of a ball joint and its second rate: with the axis u, angle' = u.w and u' = cot(angle/2)/2 w_across + (u x w)/2."""
    a, x, y, z = plant.qpos[address], plant.qpos[address + 1], plant.qpos[address + 2], plant.qpos[address + 3]
    sine = math.sqrt(x * x + y * y + z * z)
    if sine < 1e-12:
        return 0.0, 0.0
    sign = 1.0 if a >= 0.0 else -1.0
    row[dof], row[dof + 1], row[dof + 2] = sign * x / sine, sign * y / sine, sign * z / sine
    along = row[dof] * v[dof] + row[dof + 1] * v[dof + 1] + row[dof + 2] * v[dof + 2]
    across = v[dof] * v[dof] + v[dof + 1] * v[dof + 1] + v[dof + 2] * v[dof + 2] - along * along
    return 2.0 * math.atan2(sine, sign * a), 0.5 * sign * a / sine * across


@inner
def coordinate_terms(plant: Plant, table: JointTable, v: Vector, which: int, row: Vector) -> tuple[float, float]:
    """Value and second rate (at v' = 0) of a coordinate; its gradient goes to `row`."""
    for j in range(v.size):
        row[j] = 0.0
    form, index, address = table.coordinate[which, 0], table.coordinate[which, 1], table.coordinate[which, 2]
    if form == BALL:
        return ball_angle(plant, v, index, address, row)
    if form == TENDON:
        second = tendon_bias(plant, table, v, index)
        for k in range(table.ten_J_rowadr[index], table.ten_J_rowadr[index] + table.ten_J_rownnz[index]):
            row[table.ten_J_colind[k]] = table.ten_J[k]
        return table.ten_length[index], second
    row[index] = 1.0
    return (plant.qpos[address] if form == JOINT else 0.0), 0.0


@inner
def scalar_row(plant: Plant, table: JointTable, v: Vector, entry: int, k: int, out: JointRowsWork) -> None:
    """A stop, dry friction, or x_1 - ref_1 = p(x_2 - ref_2) with p of degree four, as MuJoCo defines it."""
    c, row, form = table.number[entry], table.rows[5], table.form[entry]
    for side in range(2):
        which = table.first[entry] if side == 0 else table.second[entry]
        if which < 0:
            continue
        value, second = coordinate_terms(plant, table, v, which, row)
        rate = 0.0
        for j in range(v.size):
            rate += row[j] * v[j]
        slope, bend = c[0], 0.0
        if form == STOP:
            out.gap[k] = c[0] * (value - c[1])
        elif form == FRICTION:
            out.bound[k] = c[1]
        elif side == 0:
            slope = 1.0
            out.gap[k] = value - c[0] - c[2]
        else:
            x = value - c[1]
            slope = -(c[3] + x * (2.0 * c[4] + x * (3.0 * c[5] + x * 4.0 * c[6])))
            bend = -(2.0 * c[4] + x * (6.0 * c[5] + x * 12.0 * c[6]))
            out.gap[k] -= x * (c[3] + x * (c[4] + x * (c[5] + x * c[6])))
        out.bias[k] += slope * second + bend * rate * rate
        out.rate[k] += slope * rate
        for j in range(v.size):
            out.W[k, j] += slope * row[j]


@inner
def attachment(plant: Plant, body: int, local: Vector, point: Vector) -> None:
    for i in range(3):
        R = plant.xmat[body, 3 * i : 3 * i + 3]
        point[i] = plant.xpos[body, i] + R[0] * local[0] + R[1] * local[1] + R[2] * local[2]


@inner
def connect_rows(plant: Plant, table: JointTable, v: Vector, entry: int, k: int, out: JointRowsWork) -> None:
    """Three rows: a point of the first body minus a point of the second, world axes."""
    points, J = table.points, table.rows[:3]
    for side in range(2):
        body, sign = (table.first[entry], 1.0) if side == 0 else (table.second[entry], -1.0)
        attachment(plant, body, table.number[entry, 3 * side : 3 * side + 3], points[0])
        rigid.point_terms(plant, v, body, points[0], J, points[1], points[2])
        for i in range(3):
            out.gap[k + i] += sign * points[0, i]
            out.rate[k + i] += sign * points[1, i]
            out.bias[k + i] += sign * points[2, i]
            for j in range(v.size):
                out.W[k + i, j] += sign * J[i, j]


@inner
def weld_rotation_rows(plant: Plant, table: JointTable, v: Vector, entry: int, k: int, out: JointRowsWork) -> None:
    """Three rows: angular velocity of the first body minus that of the second, world axes; gap: their rotation apart."""
    points, J = table.points, table.rows[:3]
    for side in range(2):
        body, sign = (table.first[entry], 1.0) if side == 0 else (table.second[entry], -1.0)
        rigid.angular_velocity(plant, body, points[0])
        libmujoco.jac_dot_rotation(plant.model, plant.data, J, plant.xpos[body], body)
        for i in range(3):
            out.rate[k + i] += sign * points[0, i]
            out.bias[k + i] += sign * plant.moving[body, 9 + i]
            for j in range(v.size):
                out.bias[k + i] += sign * J[i, j] * v[j]
        libmujoco.jac_rotation(plant.model, plant.data, J, plant.xpos[body], body)
        for i in range(3):
            for j in range(v.size):
                out.W[k + i, j] += sign * J[i, j]
    R1, R2, relative = plant.xmat[table.first[entry]], plant.xmat[table.second[entry]], table.number[entry, 6:15]
    for i in range(3):  # E = R_1 R_relative R_2' is the identity when the weld holds
        a, b = (i + 1) % 3, (i + 2) % 3
        for m in range(3):
            for n in range(3):
                out.gap[k + i] += (
                    0.5 * relative[3 * m + n] * (R1[3 * b + m] * R2[3 * a + n] - R1[3 * a + m] * R2[3 * b + n])
                )


@inner
def is_kept(kind: int, tolerance: float, gap: float, bias: float, row: Vector) -> bool:
    """A limit at its stop; another row unless it says 0 = 0, as out-of-plane rows of planar systems do."""
    if kind == LIMIT:
        return gap <= tolerance
    largest = abs(bias)
    for j in range(row.size):
        largest = max(largest, abs(row[j]))
    return largest > 1e-12


@inner
def clear_row(out: JointRowsWork, k: int) -> None:
    out.bias[k] = out.gap[k] = out.bound[k] = out.rate[k] = 0.0
    for j in range(out.W.shape[1]):
        out.W[k, j] = 0.0


@inner
def special_rows(
    plant: Plant, table: JointTable, v: Vector, tolerance: float, entry: int, count: int, out: JointRowsWork
) -> int:
    """Rows of an entry that is no plain joint's, those that say something; returns the new number of rows."""
    form = table.form[entry]
    rows = 6 if form == WELD else (3 if form == CONNECT else 1)
    for k in range(count, count + rows):
        clear_row(out, k)
    if form >= CONNECT:
        connect_rows(plant, table, v, entry, count, out)
        if form == WELD:
            weld_rotation_rows(plant, table, v, entry, count + 3, out)
    else:
        scalar_row(plant, table, v, entry, count, out)
    start = count
    for k in range(start, start + rows):
        if not is_kept(table.kind[entry], tolerance, out.gap[k], out.bias[k], out.W[k]):
            continue
        out.entry[count], out.part[count] = entry, k - start
        out.bias[count], out.gap[count], out.bound[count], out.rate[count] = (
            out.bias[k],
            out.gap[k],
            out.bound[k],
            out.rate[k],
        )
        for j in range(v.size):
            out.W[count, j] = out.W[k, j]
        count += 1
    return count


@kernel
def joint_rows(plant: Plant, table: JointTable, v: Vector, tolerance: float, out: JointRowsWork) -> int:
    """The rows at the state of the last `rigid_body_terms`; returns their number. A limit's row is positive when it leaves the stop."""
    count = 0
    for entry in range(table.kind.size):
        form, which, sign = table.form[entry], table.first[entry], table.number[entry, 0]
        if form > FRICTION or table.coordinate[which, 0] > JOINT:
            count = special_rows(plant, table, v, tolerance, entry, count, out)
            continue
        gap = 0.0
        if form == STOP:
            gap = sign * (plant.qpos[table.coordinate[which, 2]] - table.number[entry, 1])
            if gap > tolerance:
                continue
        dof = table.coordinate[which, 1]
        clear_row(out, count)
        out.W[count, dof], out.rate[count], out.gap[count] = sign, sign * v[dof], gap
        if form == FRICTION:
            out.bound[count] = table.number[entry, 1]
        out.entry[count], out.part[count] = entry, 0
        count += 1
    return count
