"""Three-vectors for kernels, without allocation."""
import math

from knuckle.compiled.kernel import Vector, inner


@inner
def dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner
def copy(a: Vector, out: Vector) -> None:
    out[0], out[1], out[2] = a[0], a[1], a[2]


@inner
def combine(a: Vector, s: float, b: Vector, out: Vector) -> None:
    """out = a + s b; `out` may be a or b."""
    out[0], out[1], out[2] = a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]


@inner
def cross(a: Vector, b: Vector, out: Vector) -> None:
    x, y, z = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    out[0], out[1], out[2] = x, y, z


@inner
def normalize(a: Vector) -> float:
    """Scales a to length 1 in place and returns the length it had; a vector below 1e-150 is left as it is."""
    length = math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
    if length > 1e-150:
        a[0], a[1], a[2] = a[0] / length, a[1] / length, a[2] / length
    return length


@inner
def bilinear(a: Vector, K: Vector, b: Vector) -> float:
    """a' K b with K 3 x 3, row after row."""
    return (a[0] * (K[0] * b[0] + K[1] * b[1] + K[2] * b[2]) + a[1] * (K[3] * b[0] + K[4] * b[1] + K[5] * b[2])
            + a[2] * (K[6] * b[0] + K[7] * b[1] + K[8] * b[2]))


@inner
def tangents(n: Vector, t: Vector, u: Vector) -> None:
    """PHYSICS 1: t = world x projected on the tangent plane (world y when |n_x| > 0.9), u = n x t."""
    axis = 1 if abs(n[0]) > 0.9 else 0
    for i in range(3):
        t[i] = -n[axis] * n[i]
    t[axis] += 1.0
    normalize(t)
    cross(n, t, u)
