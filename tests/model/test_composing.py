from pathlib import Path

import mujoco
import numpy as np
import pytest

from knuckle.errors import InputError
from knuckle.model import compose, with_joints
from knuckle.scenario.schema import AddedObject, AddedShape

KEYS = '<keyframe><key name="grasp" qpos="1 2 3 4 5 6 7" ctrl="1 2 3 4"/></keyframe></mujoco>'


def thing(name, kind, size=None, **rest):
    return AddedObject(name=name, kind=kind, size=size, **rest)


def test_objects_extend_the_keyframes_of_the_base(planar_hand):
    """Each keeps its coordinates; a free object stands where it is placed, a planar one at its world coordinates."""
    base = planar_hand.replace("</mujoco>", KEYS)
    ball = thing("ball", "sphere", [0.03], mass=0.1, position=(0.3, 0, 0.1), quaternion=(0, 1, 0, 0))
    disk = thing(
        "disk", "ellipsoid", [0.1, 0.2, 0.3], mass=1.0, joint="planar", position=(0.5, 0.6, 0.7), euler=(0, 0, 0.4)
    )
    system, state = compose(base, [ball, disk], keyframe="grasp")
    np.testing.assert_allclose(state.q, [1, 2, 3, 4, 5, 6, 7, 0.3, 0, 0.1, 0, 1, 0, 0, 0.5, 0.6, 0.4], atol=1e-15)
    np.testing.assert_array_equal(state.ctrl, [1, 2, 3, 4])
    assert [system.body_names[body] for body in system.objects] == ["object", "ball", "disk"]
    assert system.dof_names[-3:] == ["disk.x", "disk.y", "disk.angle"]


@pytest.mark.parametrize("axis", [(0, 0, 1), (0, -1, 0), (1, 0, 0), (1, 2, -3)])
def test_planar_coordinates_are_world_coordinates(axis):
    """At q = 0 the origin's in-plane coordinates and its angle vanish; e_y = w x e_x; the hinge turns about w."""
    w = np.array(axis) / np.linalg.norm(axis)
    half = 0.35
    quaternion = np.array([np.cos(half), *(np.sin(half) * w)])
    disk = thing(
        "disk",
        "ellipsoid",
        [0.1, 0.2, 0.3],
        mass=1.0,
        joint="planar",
        axis=axis,
        position=(0.5, 0.6, 0.7),
        quaternion=quaternion,
    )
    system, state = compose(None, [disk])
    np.testing.assert_allclose(system.plane, w, atol=1e-15)
    assert state.q[2] == pytest.approx(2 * half)
    e_x = (system.terms(state.q, state.v), system.point(1, np.zeros(3))[0][:, 0])[1]
    e_y = system.point(1, np.zeros(3))[0][:, 1]
    np.testing.assert_allclose(np.cross(w, e_x), e_y, atol=1e-15)
    np.testing.assert_allclose(state.q[:2], [e_x @ disk.position, e_y @ disk.position], atol=1e-15)
    np.testing.assert_allclose(system.plant.xpos[1], disk.position, atol=1e-15)
    system.terms(np.zeros(3), np.zeros(3))
    np.testing.assert_allclose(system.plant.xpos[1], w * (w @ disk.position), atol=1e-15)
    np.testing.assert_allclose(system.plant.xmat[1], np.eye(3).ravel(), atol=1e-15)


def test_masses_inertias_and_friction():
    things = [
        thing("ball", "sphere", [0.1], mass=2.0, friction=0.3),
        thing("box", "box", [0.1, 0.2, 0.3], density=500.0, position=(1, 0, 0)),
        thing("odd", "sphere", [0.1], mass=2.0, inertia=(1.0, 2.0, 2.5), position=(2, 0, 0)),
        thing("wall", "box", [0.1, 0.1, 0.1], joint="fixed", position=(3, 0, 0)),
    ]
    system, state = compose(None, things, gravity=(0, 0, -3))
    m = system.model
    np.testing.assert_allclose(m.body_mass[1:4], [2, 500 * 8 * 0.006, 2])
    np.testing.assert_allclose(m.body_inertia[1], 0.4 * 2 * 0.01, rtol=1e-12)
    np.testing.assert_allclose(m.body_inertia[3], [1, 2, 2.5])
    assert system.shapes[0].friction == 0.3
    _, h = system.terms(state.q, state.v)
    np.testing.assert_allclose(h[:3], [0, 0, -6])
    assert system.nv == 18


def test_scenario_sections_are_accepted_and_segments_live_in_the_plane():
    disk = AddedObject(
        name="disk", kind="ellipsoid", size=(0.1, 0.2, 0.3), mass=1.0, joint="planar", inertia=(1.0, 1.0, 1.0)
    )
    floor = AddedShape.model_validate(
        {"name": "floor", "kind": "segment", "from": (-1.0, -0.2, 0.0), "to": (1.0, 1.8, 0.0), "friction": 0.4}
    )
    plate = AddedShape.model_validate(
        {"name": "plate", "kind": "capsule", "from": (0.0, 0.0, 0.0), "to": (0.0, 1.0, 0.0), "size": (0.02,)}
    )
    system, _ = compose(None, [disk], [floor, plate])
    segment = system.shapes[-1]
    assert (segment.kind, segment.geom, segment.friction) == ("segment", -1, 0.4)
    np.testing.assert_allclose(segment.position, [0, 0.8, 0], atol=1e-15)
    np.testing.assert_allclose(segment.rotation @ [segment.size[0], 0, 0], [1, 1, 0], atol=1e-15)
    np.testing.assert_allclose(segment.rotation[:, 2], system.plane)
    np.testing.assert_allclose(np.linalg.det(segment.rotation), 1.0)
    capsule = next(shape for shape in system.shapes if shape.name == "plate")
    np.testing.assert_allclose(capsule.size[:2], [0.02, 0.5])
    space = AddedObject(name="ball", kind="sphere", size=(0.1,), mass=1.0)
    with pytest.raises(InputError, match="a segment lives in the plane"):
        compose(None, [space], [floor])


def test_meshes_beside_a_hand_that_has_a_mesh_folder(hand_file):
    mesh = Path(hand_file("wonik_allegro/assets/link_0.0.stl"))
    system, _ = compose(
        hand_file("shadow_hand/right_hand.xml"),
        [thing("thing", "mesh", file=mesh.name, density=1000.0)],
        folder=mesh.parent,
    )
    shape = system.shapes[-1]
    assert shape.kind == "mesh" and len(shape.vertices) > 8
    for face in shape.polygons:  # counter-clockwise from outside, and every vertex behind every face
        a, b, c = shape.vertices[face[:3]]
        normal = np.cross(b - a, c - b)
        assert ((shape.vertices - a) @ normal <= 1e-6 * np.linalg.norm(normal)).all()


def test_coordinates_by_name(planar_hand):
    system, state = compose(planar_hand, [thing("ball", "sphere", [0.03], mass=0.1)])
    state = with_joints(
        system,
        state,
        {"a1": 0.5, "object": [1, 2, 3], "ball": [0, 0, 1, 1, 0, 0, 0]},
        {"ball": [1, 2, 3, 4, 5, 6], "b2": 7},
    )
    np.testing.assert_array_equal(state.q, [1, 2, 3, 0.5, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0])
    np.testing.assert_array_equal(state.v, [0, 0, 0, 0, 0, 0, 7, 1, 2, 3, 4, 5, 6])
    with pytest.raises(InputError) as caught:
        with_joints(system, state, {"nose": 1, "ball": 1})
    assert "joints.nose: no such joint or object" in str(caught.value)
    assert "joints.ball: has the wrong length (got 1); give 7 numbers" in str(caught.value)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (thing("object", "sphere", [0.1], mass=1), "objects.object: the model has a body of this name already"),
        (
            thing("ball", "sphere", [0.1], mass=1).model_copy(update={"joint": "hinge"}),
            "objects.ball.joint: no such joint",
        ),
        (
            thing("ball", "sphere", [0.1], mass=1).model_copy(update={"kind": "tetrahedron"}),
            "ball.kind: no such kind of shape",
        ),
    ],
)
def test_bad_objects_are_named(planar_hand, wrong, message):
    with pytest.raises(InputError, match=message):
        compose(planar_hand, [wrong])


def test_the_file_itself_is_not_changed(tmp_path, planar_hand):
    file = tmp_path / "hand.xml"
    file.write_text(planar_hand)
    compose(file, [thing("ball", "sphere", [0.03], mass=0.1)])
    assert file.read_text() == planar_hand
    assert mujoco.MjModel.from_xml_path(str(file)).nv == 7
