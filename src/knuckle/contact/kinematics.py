"""Face of the contact kinematics of PHYSICS 2."""
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from knuckle.contact import kinematics_kernels as kernels
from knuckle.errors import GeometryError

# A normal or a tangent written with six digits is accepted and corrected; anything coarser is a mistake.
ROUGH = 1e-6


@dataclass(frozen=True)
class ContactAcceleration:
    """What a pair of touching (or nearly touching) surfaces does at one instant, at the given accelerations."""

    gap_acceleration: float            # m/s2, second rate of the gap (F3, F5); positive separates
    relative_acceleration: np.ndarray  # (3,) m/s2, Arel of F4, fixed frame; its normal part is not the gap acceleration
    normal_rate: np.ndarray            # (3,) 1/s, n'
    residual: float                    # m/s or rad/s; above 1e-6 one point is the wrong model of this contact (F7)
    migration_A: np.ndarray            # (3,) m/s, motion of the contact over surface A (s_A)
    migration_B: np.ndarray            # (3,) m/s, s_B


def make_linear() -> kernels.Linear:
    return kernels.Linear(system=np.zeros((6, 6)), factors=np.zeros((6, 6)), rotation=np.zeros((6, 6)), known=np.zeros(6),
                          unknown=np.zeros(6), pivots=np.zeros(6, dtype=np.int64), basis=np.zeros((2, 3)), slip=np.zeros(3),
                          turn=np.zeros((2, 3)))


def contact_acceleration(n: ArrayLike, K_A: ArrayLike, K_B: ArrayLike, V_A: ArrayLike, w_A: ArrayLike, acc_A: ArrayLike,
                         V_B: ArrayLike, w_B: ArrayLike, acc_B: ArrayLike, gap: float = 0.0,
                         E_A: ArrayLike | None = None, E_B: ArrayLike | None = None) -> ContactAcceleration:
    """Gap acceleration, relative acceleration and rate of the normal of one contact (PHYSICS 2, F1-F7).

    n: unit normal from B into A. K_X: 3 x 3 shape operator (convex positive). V_X, w_X, acc_X: velocity of the material point now
    at the contact, angular velocity, acceleration of that point, in one fixed frame. E_X: None on a smooth surface, 3 x 1 along an
    edge, 3 x 0 at a vertex. Raises GeometryError for inputs that describe no contact.
    """
    normal = _vector("n", n)
    length = float(np.linalg.norm(normal))
    if abs(length - 1.0) > ROUGH:
        raise GeometryError(f"n must be a unit vector (its length is {length:.6g})")
    normal = normal / length
    distance = _numbers("gap", gap, "a finite number")
    if distance.shape != () or not np.isfinite(distance):
        raise GeometryError(f"gap must be a finite number (got {gap!r})")
    edges, ranks = zip(_directions("E_A", E_A, normal), _directions("E_B", E_B, normal), strict=True)
    motions = [_vector(name, value) for name, value in zip(("V_A", "w_A", "acc_A", "V_B", "w_B", "acc_B"),
                                                           (V_A, w_A, acc_A, V_B, w_B, acc_B), strict=True)]
    out = np.zeros(kernels.OUT_SIZE)
    if not kernels.contact_kinematics(normal, _operator("K_A", K_A, normal), _operator("K_B", K_B, normal), *edges, *ranks, *motions,
                                      float(distance), make_linear(), out):
        raise GeometryError("a vertex on a vertex without a gap has no contact normal (got gap 0 and two 3 x 0 directions)")
    if not np.isfinite(out).all():
        raise GeometryError("the contact kinematics overflow: give velocities and curvatures of a physical size")
    parts = [out[at: at + 3].copy() for at in (kernels.RELATIVE, kernels.NORMAL_RATE, kernels.MIGRATION_A, kernels.MIGRATION_B)]
    return ContactAcceleration(float(out[kernels.GAP_ACCELERATION]), parts[0], parts[1], float(out[kernels.RESIDUAL]), *parts[2:])


def _numbers(name: str, value: object, wanted: str) -> np.ndarray:
    """An array of real numbers; what numpy takes for something else, or for nothing, is refused by name."""
    try:
        array = np.array(value)
    except (ValueError, TypeError):                          # rows of different lengths
        array = np.array(None)
    if array.dtype.kind not in "biuf":
        raise GeometryError(f"{name} must be {wanted} (got {value!r})")
    return array.astype(float)


def _vector(name: str, value: ArrayLike) -> np.ndarray:
    array = _numbers(name, value, "3 finite numbers")
    if array.shape != (3,) or not np.isfinite(array).all():
        raise GeometryError(f"{name} must be 3 finite numbers (got {value!r})")
    return array


def _operator(name: str, value: ArrayLike, n: np.ndarray) -> np.ndarray:
    K = _numbers(name, value, "a finite 3 x 3 matrix")
    if K.shape != (3, 3) or not np.isfinite(K).all():
        raise GeometryError(f"{name} must be a finite 3 x 3 matrix (got shape {K.shape})")
    scale = np.abs(K).max()
    if np.abs(K @ n).max() > ROUGH * scale or np.abs(K - K.T).max() > ROUGH * scale:
        raise GeometryError(f"{name} must be symmetric with {name} n = 0")
    P = np.eye(3) - np.outer(n, n)
    return np.ascontiguousarray(P @ (0.5 * (K + K.T)) @ P).reshape(9)


def _directions(name: str, value: ArrayLike | None, n: np.ndarray) -> tuple[np.ndarray, int]:
    """An orthonormal basis of the directions the contact may take on a body, column after column, and their number."""
    if value is None:
        _, _, basis = np.linalg.svd(n.reshape(1, 3))
        E = basis[1:].T
    else:
        E = _numbers(name, value, "None, 3 x 1 (edge), 3 x 0 (vertex) or 3 x 2")
        if E.ndim == 1 and E.size == 3:
            E = E.reshape(3, 1)
        if E.ndim != 2 or E.shape[0] != 3 or E.shape[1] > 2 or not np.isfinite(E).all():
            raise GeometryError(f"{name} must be None, 3 x 1 (edge), 3 x 0 (vertex) or 3 x 2, and finite (got shape {E.shape})")
    rank = E.shape[1]
    if rank:
        lengths = np.linalg.norm(E, axis=0)
        if lengths.min() == 0.0 or np.abs(n @ (E / lengths)).max() > ROUGH:
            raise GeometryError(f"{name} must hold directions other than zero in the tangent plane of n")
        E, triangle = np.linalg.qr(E / lengths - np.outer(n, n @ (E / lengths)))
        if np.abs(np.diag(triangle)).min() < ROUGH:
            raise GeometryError(f"{name} must hold two different directions")
    flat = np.zeros(6)
    flat[: 3 * rank] = np.ascontiguousarray(E.T).reshape(-1)
    return flat, rank
