"""Painleve's rod without any model: M, h and the rows of one sliding contact. Four regions, four kinds of answer."""

import math

import knuckle as kn

M, HALF, GRAVITY = 1.0, 1.0, 9.81  # kg, m, m/s^2
ANGLE = math.atan(2.0)  # of the rod from the ground
INERTIA = M * (2 * HALF) ** 2 / 12


def rod(mu, spin):
    """Coordinates x, z, angle of the mass centre; the tip slides to the left at 1 m/s and neither rises nor falls."""
    c, s = HALF * math.cos(ANGLE), HALF * math.sin(ANGLE)
    # tip = (x - c, z - s): its velocity is (vx + s w, vz - c w), its acceleration at v' = 0 is w^2 (c, s).
    return {
        "M": [[M, 0, 0], [0, M, 0], [0, 0, INERTIA]],
        "h": [0, -M * GRAVITY, 0],
        "contacts": [{
            "name": "tip", "label": "sliding", "mu": mu, "W_N": [0, 1, -c], "W_T": [1, 0, s],
            "bias": [spin**2 * s, spin**2 * c], "slip": [-1.0],
        }],
    }  # fmt: skip


def regions():
    """Verdict and normal forces where A and b (PHYSICS of the rod: f_N A + b = a_N) have either sign."""
    found = {}
    for mu in (0.5, 2.0):
        for spin in (2.0, 8.0):
            A = 1 / M + HALF**2 / INERTIA * (math.cos(ANGLE) ** 2 - mu * math.sin(ANGLE) * math.cos(ANGLE))
            b = spin**2 * HALF * math.sin(ANGLE) - GRAVITY
            answer = kn.solve(rod(mu, spin))
            found[A > 0, b > 0] = (answer, -b / A)
            forces = [round(float(one.f[0, 0]), 4) for one in answer.solutions]
            print(f"mu {mu:3}, spin {spin:g}: A {A:+.2f}, b {b:+.2f}: {answer.verdict.value:13} f_N {forces}")
    return found


found = regions()
two, held = found[False, True]
error = max(abs(one.f[0, 0] - held) for one in two.solutions if one.f[0, 0] > 0)
print(f"held answer against -b/A: {error:.1e} N")
print("why none:", found[False, False][0].certificate)
