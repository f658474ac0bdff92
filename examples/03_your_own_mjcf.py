"""A MuJoCo model of one's own, asked while it is simulated: Knuckle looks at the state and leaves the simulation alone."""

import mujoco
import numpy as np

import knuckle as kn

# Two sliding fingers with round tips hold a box above the ground.
GRIPPER = """
<mujoco model="gripper">
  <option gravity="0 0 -9.81"/>
  <default><geom friction="0.6 0 0"/></default>
  <worldbody>
    <body name="left" pos="-0.05 0 0.2"><joint name="left" type="slide" axis="1 0 0"/>
      <geom name="left tip" type="sphere" size="0.02" mass="0.1"/></body>
    <body name="right" pos="0.05 0 0.2"><joint name="right" type="slide" axis="-1 0 0"/>
      <geom name="right tip" type="sphere" size="0.02" mass="0.1"/></body>
    <body name="box" pos="0 0 0.2"><freejoint name="box"/>
      <geom name="box" type="box" size="0.03 0.03 0.03" mass="0.2"/></body>
  </worldbody>
  <actuator><motor name="squeeze left" joint="left"/><motor name="squeeze right" joint="right"/></actuator>
</mujoco>
"""

model = mujoco.MjModel.from_xml_string(GRIPPER)
data = mujoco.MjData(model)


def ask(squeeze):
    """The answer when both fingers push with `squeeze` newtons."""
    data.ctrl[:] = squeeze
    mujoco.mj_forward(model, data)
    system, state = kn.from_mujoco(model, data)
    return system.modes(state.q, state.v)


weight = 0.2 * 9.81
needed = weight / (2 * 0.6)  # two contacts carry the weight with friction
for squeeze in (1.5 * needed, 0.5 * needed):
    answer = ask(squeeze)
    solution = answer.solution
    up = solution.vdot[[k for k, name in enumerate(answer.moment.system.dof_names) if name.startswith("box")][2]]
    print(f"squeeze {squeeze:.3f} N: {answer.verdict.value}, modes {' '.join(solution.modes)}, box up {up:+.3f} m/s^2, "
          f"friction on the box {np.linalg.norm(solution.f[:, 1:], axis=1).sum():.3f} N of weight {weight:.3f} N")

dropped = float(up)
