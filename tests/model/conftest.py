"""Models that the tests of this room share."""

from pathlib import Path

import mujoco
import pytest

HANDS = Path(__file__).resolve().parents[3] / "shared" / "data" / "hands"

FREE_AND_ARM = """<mujoco><compiler autolimits="true" angle="radian"/><worldbody>
  <body name="ball" pos="0 0 1"><freejoint name="ball"/><geom type="ellipsoid" size=".1 .2 .3" pos=".01 .02 0"/></body>
  <body name="upper" gravcomp=".3"><joint name="shoulder" type="ball" damping=".1" range="0 .4"/>
    <geom type="capsule" fromto="0 0 0 0 0 .5" size=".05"/>
    <body name="lower" pos="0 0 .5" gravcomp="1">
      <joint name="elbow" axis="0 1 0" armature=".01" stiffness="3" damping=".2" frictionloss=".4" range="-.5 .5"/>
      <geom type="box" size=".1 .2 .1" pos=".1 0 .2"/>
      <body name="tip" pos="0 0 .3"><joint name="wrist" axis="1 0 0" stiffness="1" springref=".2"/>
        <geom size=".1"/><site name="b" pos=".2 0 0"/></body>
    </body><site name="a" pos="0 .1 0"/></body>
  <site name="ground" pos=".3 -.2 0"/></worldbody>
  <tendon><fixed name="coupled" stiffness="2" damping=".3" armature=".1" frictionloss=".1" range="-.3 .3">
      <joint joint="elbow" coef="1"/><joint joint="wrist" coef=".7"/></fixed>
    <spatial name="cable" stiffness="4" damping=".7" armature=".2" frictionloss=".2"><site site="ground"/><site site="b"/>
      <pulley divisor="2"/><site site="b"/><site site="a"/></spatial></tendon>
  <actuator><motor name="m" joint="elbow" armature=".3" damping=".9"/><position name="p" tendon="coupled" kp="3" armature=".2"/></actuator>
</mujoco>"""

ROD = '<inertial pos=".15 0 0" mass=".5" diaginertia="1e-6 3.75e-3 3.75e-3"/>'
FINGER = (
    '<body name="upper{i}" pos="{x} 0 0"><joint name="a{i}" axis="0 0 1"/>{rod}'
    '<body name="lower{i}" pos=".3 0 0"><joint name="b{i}" axis="0 0 1"/>{rod}</body></body>'
)
PLANAR_HAND = f"""<mujoco><option gravity="0 9.81 0"/><worldbody>
  <body name="object"><joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/><joint name="angle" axis="0 0 -1"/>
    <inertial pos="0 0 0" mass="3" diaginertia=".03 .03 .0425"/></body>
  {FINGER.format(i=1, x=-0.1, rod=ROD)}{FINGER.format(i=2, x=0.1, rod=ROD)}</worldbody>
  <actuator><motor joint="a1"/><motor joint="b1"/><motor joint="a2"/><motor joint="b2"/></actuator></mujoco>"""


def _hand_file(name: str) -> str:
    path = HANDS / name
    if not path.is_file():
        pytest.skip(f"the hand {name} is not beside the project (../shared/data/hands)")
    return str(path)


MODELS = {
    "free_and_arm": lambda: FREE_AND_ARM,
    "allegro": lambda: _hand_file("wonik_allegro/scene_right.xml"),
    "shadow": lambda: _hand_file("shadow_hand/scene_right.xml"),
}


@pytest.fixture(params=MODELS)
def model_source(request):
    return MODELS[request.param]()


@pytest.fixture
def free_and_arm():
    return FREE_AND_ARM


@pytest.fixture
def planar_hand():
    return PLANAR_HAND


def _random_state(model, random):
    """Moved along the tangent space, so that quaternions stay unit."""
    q = model.qpos0.copy()
    mujoco.mj_integratePos(model, q, 0.4 * random.normal(size=model.nv), 1.0)
    return q, random.normal(size=model.nv)


@pytest.fixture
def random_state():
    return _random_state


@pytest.fixture
def hand_file():
    return _hand_file
