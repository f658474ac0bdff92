"""The Allegro and the Shadow hand close round a sphere and a box, simulated by MuJoCo until they rest."""

from pathlib import Path

import mujoco
import numpy as np

HANDS = Path(__file__).resolve().parents[3] / "shared" / "data" / "hands"
MASS = 0.05
ALLEGRO, SHADOW = "wonik_allegro/right_hand.xml", "shadow_hand/right_hand.xml"
# Finger joints from the palm outwards, then the thumb's four; rad.
GRASPS = {
    "allegro-sphere": (ALLEGRO, "sphere", (0.0359, 0, 0), (-0.0285, -0.0254, 0.0742), (0, 1.214, 1.164, 1.103, 1.312, 0.295, 0.445, 0.947)),
    "allegro-box": (ALLEGRO, "box", (0.0219, 0.0251, 0.0204), (-0.0116, -0.0202, 0.0838), (0, 1.188, 1.195, 0.99, 1.716, 0.274, 0.295, 1.069)),
    "shadow-sphere": (SHADOW, "sphere", (0.034, 0, 0), (0.3376, -0.0065, 0.0451), (0, 0.806, 1.5, 0, 0.243, 1.2, 0, 0.232, 0.608)),
    "shadow-box": (SHADOW, "box", (0.0259, 0.029, 0.0188), (0.3534, -0.0147, 0.053), (0, 1.122, 1.872, 0, -0.003, 1.2, 0, 0.178, 1.002)),
}


def control(name, angles):
    """The position that an actuator is asked for, from its name."""
    if not name.startswith("rh_"):                             # ffa0 .. tha3
        return angles[int(name[3]) + (4 if name.startswith("th") else 0)]
    finger, joint = name[5:7], name[7:]
    if finger == "TH":
        return angles[{"J5": 4, "J4": 5, "J3": 6, "J2": 7, "J1": 8}[joint]]
    return {"J4": angles[0], "J3": angles[1], "J0": angles[2], "J5": 0.1}.get(joint, 0.0) if finger != "WR" else 0.0


def simulated(hand, kind, size, place, angles):
    """The fingers close round an object that is held in place, then let it hang in the hand until it rests."""
    spec = mujoco.MjSpec.from_file(str(HANDS / hand))
    body = spec.worldbody.add_body(name="thing", pos=place)
    body.add_freejoint(name="thing")
    body.add_geom(name="thing", type=getattr(mujoco.mjtGeom, f"mjGEOM_{kind.upper()}"), size=size, mass=MASS)
    for geom in spec.geoms:
        geom.solref = [0.004, 1.0]
    spec.option.timestep = 0.001
    model = spec.compile()
    data = mujoco.MjData(model)
    goal = np.array([control(model.actuator(i).name, angles) for i in range(model.nu)])
    q, v = model.joint("thing").qposadr[0], model.joint("thing").dofadr[0]
    for step in range(1600):
        data.ctrl[:] = goal * min(1.0, step / 400)
        if step < 600:
            data.qpos[q:q + 7], data.qvel[v:v + 6] = (*place, 1, 0, 0, 0), 0.0
        mujoco.mj_step(model, data)
    return model, data
