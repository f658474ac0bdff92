"""What exists: MJCF and URDF through MuJoCo's compiler -> System (bodies, joints, shapes, limits) and State."""

from knuckle.model.building import Built, actuator_forces, build
from knuckle.model.composing import compose
from knuckle.model.joint_rows import JointRows
from knuckle.model.loading import load
from knuckle.model.reaching import Reached, Target, reach
from knuckle.model.states import with_joints
from knuckle.model.structure import Shape, pair_friction, pair_notes, pairs_that_may_touch
from knuckle.model.system import State, System, from_mujoco

__all__ = [
    "Built",
    "JointRows",
    "Reached",
    "Shape",
    "State",
    "System",
    "Target",
    "actuator_forces",
    "build",
    "compose",
    "from_mujoco",
    "load",
    "pair_friction",
    "pair_notes",
    "pairs_that_may_touch",
    "reach",
    "with_joints",
]
