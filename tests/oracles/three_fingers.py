"""A ball between three fingers, the kind of problem that paper 002 solves (section 5), with data of our own: the paper prints none."""

import numpy as np

RADIUS, MASS, SIGMA, G = 0.1, 1.0, np.pi / 3, 9.81
TIP_INERTIA = (2.0, 1.5, 1.2)  # kg, of a fingertip along its joints' axes
PUSH = 12.0  # N, of each fingertip towards the ball's centre


def three_fingers(mu, slides):
    """Ball (six velocities) and three tips that move freely in space by three joints each; gravity along the palm's axis.

    `slides`: the ball sinks between the tips at 0.1 m/s and turns, so that every contact slides; otherwise all is at rest."""
    M, h, contacts = np.zeros((15, 15)), np.zeros(15), []
    M[:3, :3], M[3:6, 3:6] = MASS * np.eye(3), 0.4 * MASS * RADIUS**2 * np.eye(3)
    h[2] = -MASS * G
    v = np.array([0.02, -0.01, -0.1, 0.2, -0.3, 0.1]) * slides
    for k, angle in enumerate((-SIGMA, SIGMA, np.pi)):
        outward = np.array([np.cos(angle), np.sin(angle), 0.0])
        n, T = -outward, np.array([0.0, 0.0, 1.0])
        tip, point = slice(6 + 3 * k, 9 + 3 * k), RADIUS * outward
        turn = np.linalg.qr(np.array([[1.0, 0.3 * k, 0.2], [0.1, 1.0, 0.4], [0.2 * k, 0.1, 1.0]]))[0]
        M[tip, tip] = turn @ np.diag(TIP_INERTIA) @ turn.T
        h[tip] = (1.0 + 0.1 * k) * PUSH * n
        rows = {}
        for key, d in (("W_N", n), ("W_T", T), ("W_U", np.cross(n, T))):
            row = np.zeros(15)
            row[:3], row[3:6], row[tip] = d, np.cross(point, d), -d
            rows[key] = row
        # the tips follow the ball along the normals
        slip = [float(rows[key][:6] @ v) for key in ("W_T", "W_U")]
        contacts.append({"label": "sliding" if slides else "rolling", "mu": mu, "slip": slip} | {key: row.tolist() for key, row in rows.items()})
    return {"name": "three-fingers", "M": M.tolist(), "h": h.tolist(), "contacts": contacts}
