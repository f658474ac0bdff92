"""One contact alone: every sliding answer at zero slip, and the exact local answer that block Gauss-Seidel needs."""
import math

import numpy as np

from knuckle.compiled.kernel import Matrix, Vector, inner, kernel

CONTINUUM = -1
ROOT_SPAN = 6.0         # Bernstein: no root lies within 0.35 rad of the largest of eight samples, and cot(0.35 / 2) < 6
DOUBLE_ROOT = 1e-13     # a tangent zero counts when the polynomial is that small: an answer to the same residual
SLACK = 1e-12           # for the signs of f_N and of the slip, over |b|: an answer on a border belongs to both sides


@inner
def slide_polynomial(B: Matrix, b: Vector, mu: float, p: Vector) -> float:
    """docs/derivations/slide-quartic (3): p0 + p1 cos + p2 sin + p3 cos 2phi + p4 sin 2phi; returns its terms' size."""
    n, m = -b[0], 0.5 * mu
    p[0] = n * m * (B[1, 2] - B[2, 1]) + m * (B[0, 2] * b[1] - B[0, 1] * b[2])
    p[1] = n * B[2, 0] + B[0, 0] * b[2]
    p[2] = -n * B[1, 0] - B[0, 0] * b[1]
    p[3] = -n * m * (B[2, 1] + B[1, 2]) - m * (B[0, 1] * b[2] + B[0, 2] * b[1])
    p[4] = n * m * (B[1, 1] - B[2, 2]) + m * (B[0, 1] * b[1] - B[0, 2] * b[2])
    large = 0.0
    for i in range(3):
        for j in range(3):
            large = max(large, abs(B[i, j]))
    return large * (1.0 + mu) * max(abs(b[0]), max(abs(b[1]), abs(b[2])))


@inner
def bracketed_root(c: Vector, degree: int, low: float, high: float, rising: bool) -> float:
    """The zero of a polynomial that changes sign in [low, high]: Newton, with bisection where it leaves the bracket."""
    t, close = 0.5 * (low + high), 1e-15 if degree == 4 else 1e-8     # derivatives' roots only part the intervals
    for _ in range(80):
        value, slope = c[degree], 0.0
        for i in range(degree - 1, -1, -1):
            slope = slope * t + value
            value = value * t + c[i]
        if (value < 0.0) == rising:
            low = t
        else:
            high = t
        following = t - value / slope if slope != 0.0 else low
        if not low <= following <= high:
            following = 0.5 * (low + high)
        change, t = abs(following - t), following
        if change <= close * (1.0 + abs(t)):
            break
    return t


@inner
def quartic_roots(chain: Matrix) -> int:
    """Real roots in [-ROOT_SPAN, ROOT_SPAN] of the quartic chain[4, :], into chain[0, :].

    The roots of each derivative part those of the next. Tangent zeros are found at the derivative's roots, where a
    companion matrix would lose half the digits.
    """
    for degree in range(3, 0, -1):
        for i in range(degree + 1):
            chain[degree, i] = (i + 1) * chain[degree + 1, i + 1]
    ends = 0
    for degree in range(1, 5):
        c = chain[degree]
        found, low, low_value = 0, -ROOT_SPAN, 0.0
        for e in range(-1, ends + 1):
            high = -ROOT_SPAN if e < 0 else (ROOT_SPAN if e == ends else chain[0, e])
            value, size = c[degree], abs(c[degree])
            for i in range(degree - 1, -1, -1):
                value, size = value * high + c[i], size * abs(high) + abs(c[i])
            tangent = 0 <= e < ends and abs(value) <= DOUBLE_ROOT * size
            if tangent or (e >= 0 and low_value * value < 0.0):
                chain[0, found] = high if tangent else bracketed_root(c, degree, low, high, value > 0.0)
                found += 1                    # never passes e + 1: what is still to be read is intact
            low, low_value = high, 0.0 if tangent else math.copysign(1.0, value)
        ends = found
    return ends


@inner
def directions(B: Matrix, b: Vector, mu: float, p: Vector, chain: Matrix) -> int:
    """Candidate slips, cosines from chain[1, 0] on, sines from chain[3, 0]; -8: the polynomial vanishes, samples."""
    size, largest = slide_polynomial(B, b, mu, p), 0.0
    for i in range(5):
        largest = max(largest, abs(p[i]))
    everywhere, top, ahead, aside = largest <= 1e-14 * size, -1.0, 1.0, 0.0
    turn_c, turn_s = 1.0, 0.0
    long = math.sqrt(B[0, 1] * B[0, 1] + B[0, 2] * B[0, 2])
    if everywhere and long > 0.0:             # the samples then include the extremes of the normal row
        turn_c, turn_s = B[0, 1] / long, B[0, 2] / long
    for i in range(8):
        if everywhere:
            chain[1 + i // 4, i % 4] = turn_c
            chain[3 + i // 4, i % 4] = turn_s
        value = p[0] + p[1] * turn_c + p[2] * turn_s
        value += p[3] * (2.0 * turn_c * turn_c - 1.0) + 2.0 * p[4] * turn_c * turn_s
        if abs(value) > top:
            top, ahead, aside = abs(value), -turn_c, -turn_s
        turn_c, turn_s = (turn_c - turn_s) * math.sqrt(0.5), (turn_c + turn_s) * math.sqrt(0.5)
    if everywhere:
        return -8
    # psi = phi - phi0, t = tan(psi / 2), (1 + t^2)^2 P = quartic with leading coefficient P(phi0 + pi)
    c1, s1 = p[1] * ahead + p[2] * aside, p[2] * ahead - p[1] * aside
    double_c, double_s = ahead * ahead - aside * aside, 2.0 * ahead * aside
    c2, s2 = p[3] * double_c + p[4] * double_s, p[4] * double_c - p[3] * double_s
    chain[4, 0], chain[4, 1], chain[4, 2] = p[0] + c1 + c2, 2.0 * s1 + 4.0 * s2, 2.0 * p[0] - 6.0 * c2
    chain[4, 3], chain[4, 4] = 2.0 * s1 - 4.0 * s2, p[0] - c1 + c2
    count = quartic_roots(chain)
    for r in range(count):
        t = chain[0, r]
        psi_c, psi_s = (1.0 - t * t) / (1.0 + t * t), 2.0 * t / (1.0 + t * t)
        chain[1, r], chain[3, r] = ahead * psi_c - aside * psi_s, aside * psi_c + ahead * psi_s
    return count


@inner
def slide_answers(B: Matrix, b: Vector, mu: float, p: Vector, chain: Matrix, out: Matrix) -> int:
    """`slide_roots` with its workspace (p: 5, chain: 5 x 5) given."""
    count, found = directions(B, b, mu, p, chain), 0
    b_size, B_size = max(abs(b[0]), max(abs(b[1]), abs(b[2]))), 0.0
    for i in range(3):
        for j in range(3):
            B_size = max(B_size, abs(B[i, j]))
    for r in range(abs(count)):
        cosine, sine = chain[1 + r // 4, r % 4], chain[3 + r // 4, r % 4]
        f_T, f_U = -mu * cosine, -mu * sine
        normal = B[0, 0] + B[0, 1] * f_T + B[0, 2] * f_U
        a_T, a_U = B[1, 0] + B[1, 1] * f_T + B[1, 2] * f_U, B[2, 0] + B[2, 1] * f_T + B[2, 2] * f_U
        cross, b_cross = cosine * a_U - sine * a_T, cosine * b[2] - sine * b[1]
        square = normal * normal + cross * cross
        if square <= (1e-14 * (1.0 + mu) * B_size) ** 2:
            if abs(b[0]) <= SLACK * b_size and abs(b_cross) <= SLACK * b_size:
                return CONTINUUM              # every f_N keeps a_N = 0 and the slip's direction
            continue
        f_N = -(normal * b[0] + cross * b_cross) / square
        speed = (a_T * f_N + b[1]) * cosine + (a_U * f_N + b[2]) * sine
        if f_N * math.sqrt(square) < -SLACK * b_size or speed < -SLACK * b_size:
            continue
        if count < 0:
            return CONTINUUM
        out[found, 0], out[found, 1], out[found, 2], out[found, 3] = max(f_N, 0.0), cosine, sine, max(speed, 0.0)
        found += 1
    return found


@kernel(allocates=True)
def slide_roots(B: Matrix, b: Vector, mu: float, out: Matrix) -> int:
    """All sliding answers of one contact at zero slip.

    a = B f + b, f = f_N (1, -mu cos, -mu sin), a = speed (0, cos, sin).
    Rows of out (4 x 4): f_N, cos, sin, speed, with f_N and speed >= 0. CONTINUUM when a whole arc answers.
    """
    return slide_answers(B, b, mu, np.empty(5), np.empty((5, 5)), out)


@inner
def local_contact(B: Matrix, b: Vector, mu: float, exact: bool, p: Vector, chain: Matrix, out: Matrix,
                  f: Vector) -> None:
    """One contact alone: break, stick or slide, the slide nearest to the last force f; none of them: f stays.

    Not `exact`: a slide keeps the direction of the force that would stick, which is enough to start Newton.
    """
    if b[0] >= 0.0:
        f[0], f[1], f[2] = 0.0, 0.0, 0.0
        return
    determinant = 0.0
    for i in range(3):                        # Cramer: rows of the adjugate times -b
        j, k = (i + 1) % 3, (i + 2) % 3
        cofactor = B[1, j] * B[2, k] - B[1, k] * B[2, j]
        determinant += B[0, i] * cofactor
        chain[0, i] = -cofactor * b[0] - (B[2, j] * B[0, k] - B[2, k] * B[0, j]) * b[1]
        chain[0, i] -= (B[0, j] * B[1, k] - B[0, k] * B[1, j]) * b[2]
    if abs(determinant) > 1e-12:              # blocks come scaled to a mean diagonal of 1
        N, T, U = chain[0, 0] / determinant, chain[0, 1] / determinant, chain[0, 2] / determinant
        long = math.sqrt(T * T + U * U)
        if N >= 0.0 and long <= mu * N:
            f[0], f[1], f[2] = N, T, U
            return
        normal = B[0, 0] + mu * (B[0, 1] * T + B[0, 2] * U) / long if long > 0.0 else 0.0
        if not exact and normal > 0.1 * B[0, 0]:
            N = -b[0] / normal
            f[0], f[1], f[2] = N, mu * N * T / long, mu * N * U / long
            return
    nearest, choice = math.inf, -1
    for r in range(slide_answers(B, b, mu, p, chain, out)):
        N, T, U = out[r, 0], -mu * out[r, 0] * out[r, 1], -mu * out[r, 0] * out[r, 2]
        distance = (N - f[0]) ** 2 + (T - f[1]) ** 2 + (U - f[2]) ** 2
        if distance < nearest:
            nearest, choice = distance, r
    if choice >= 0:
        f[0], f[1], f[2] = out[choice, 0], -mu * out[choice, 0] * out[choice, 1], -mu * out[choice, 0] * out[choice, 2]
