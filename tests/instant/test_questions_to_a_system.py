"""What a ready system is asked in Python: friction by law, lists and numbers, states that are no states, boundaries, impacts."""
import numpy as np
import pytest

import knuckle as kn
from knuckle.errors import InputError

BOX = """knuckle: 1
name: box
objects: [{name: box, kind: box, size: [0.1, 0.1, 0.1], mass: 1.0, position: [0, 0, 0.1]}]
shapes: [{name: floor, kind: plane}]
state: {rates: {box: [0, 0, 0, 0, 0, 0.5]}}
"""
COUPLED = """<mujoco><worldbody><body name="b" pos="0 0 1"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
<geom name="g" type="sphere" size=".1" mass="1"/></body></worldbody><equality><joint name="e" joint1="x" joint2="z"/></equality></mujoco>"""
BALL = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/><body name="ball" pos="0 0 0.1"><freejoint/>
<geom name="b" type="sphere" size="0.1" mass="1"/></body></worldbody><keyframe>{keys}</keyframe></mujoco>"""


@pytest.fixture
def write(tmp_path):
    def file(name, text):
        path = tmp_path / name
        path.write_text(text)
        return str(path)
    return file


@pytest.fixture
def box(write):
    return kn.load(write("box.yaml", BOX)).compile()


@pytest.fixture(scope="module")
def incline():
    return kn.load("incline").compile()


def in_half(contact, speed, x):
    return 0.1 if x[0] < 0.0 else 0.6


def test_a_law_is_asked_at_every_contact(box):
    """A spinning box on four points, of which two stand on rubber; afterwards the pair's own coefficient holds again."""
    asked = []

    def law(contact, speed, x):
        asked.append((contact, speed, x.copy()))
        return in_half(contact, speed, x)

    answer = box.modes(mu=law)
    points, velocity = answer.moment.contacts.point, answer.moment.contacts.velocity
    assert sorted(answer.moment.problem.mu) == [0.1, 0.1, 0.6, 0.6]
    np.testing.assert_array_equal(answer.moment.problem.mu, [in_half(0, 0, x) for x in points])
    assert [contact for contact, _, _ in asked] == [0, 1, 2, 3]
    np.testing.assert_allclose([speed for _, speed, _ in asked], np.linalg.norm(velocity[:, 1:], axis=1))
    np.testing.assert_allclose([x for _, _, x in asked], points, atol=1e-12)
    for solution, mu in zip(answer.solutions[0].f, answer.moment.problem.mu, strict=True):
        assert np.linalg.norm(solution[1:]) == pytest.approx(mu * solution[0])
    assert len(set(box.modes().moment.problem.mu)) == 1


def test_a_law_sees_only_what_touches_and_no_round_off_slip(box):
    """Tilted, one edge is in the air: two contacts, two questions; at rest every slip is exactly 0."""
    asked = []
    answer = box.modes(v=np.zeros(6), mu=lambda contact, speed, x: asked.append(speed) or 0.5)
    assert asked == [0.0] * len(answer.contact_names)


def test_a_compiled_law_is_a_law(box):
    rubber = kn.compiled_law(lambda contact, slip, x, y, z: 0.1 if x < 0.0 else 0.6)
    one, other = box.modes(mu=rubber), box.modes(mu=in_half)
    np.testing.assert_array_equal(one.moment.problem.mu, other.moment.problem.mu)
    with pytest.raises(InputError, match="takes 5 numbers"):
        box.modes(mu=kn.compiled_law(lambda slip: 0.5))


@pytest.mark.parametrize(("mu", "words"), [
    ("x", "is no friction coefficient"), (None, None), ([0.1, [0.2]], "is no friction coefficient"), (True, "is no friction coefficient"),
    (0.5 + 1j, "is no friction coefficient"), ([0.1, 0.2, 0.3], "one for each of the 1 pairs"), (lambda k, s, x: "a", "must give a number"),
    (lambda k, s, x: None, "must give a number"), (lambda k: 0.5, "takes three arguments"), (lambda k, s, x: -1.0, ">= 0"), (-1.0, ">= 0")])
def test_friction_that_is_none(box, mu, words):
    if words is None:
        assert box.modes(mu=mu).solutions
        return
    with pytest.raises(InputError, match=words):
        box.modes(mu=mu)


@pytest.mark.parametrize("name", ["q", "v", "tau"])
@pytest.mark.parametrize(("value", "words"), [
    ("a", "is not a list of numbers"), ([1j] * 3, "is not a list of numbers"), ([[1.0], [1.0, 2.0]], "is not a list of numbers"),
    ([None] * 3, "is not a list of numbers"), ([1.0], "has the wrong length"), ([np.nan] * 3, "not finite")])
def test_vectors_that_are_none(incline, name, value, words):
    with pytest.raises(InputError, match=words):
        incline.modes(**{name: value})


@pytest.mark.parametrize("factor", [2.0, 0.0, 1.0 + 1e-5])
def test_a_quaternion_has_unit_length(box, factor):
    q = box.state.q.copy()
    q[3:7] *= factor
    for ask in (box.modes, box.velocities):
        with pytest.raises(InputError, match=r"q\.\w+: a quaternion must have unit length"):
            ask(q)


def test_rows_of_a_batch(incline):
    q, v, tau = incline.state.q, incline.state.v, incline.torque
    assert [answer.verdict for answer in incline.modes_batch([q, q], [v, v], iter([tau, tau]))] == [incline.modes().verdict] * 2
    with pytest.raises(InputError, match="as many rows"):
        incline.modes_batch([q, q], [v], [tau, tau])
    with pytest.raises(InputError, match="is no list of rows"):
        incline.modes_batch(None, [v], [tau])


@pytest.mark.parametrize(("q", "v", "words"), [
    ([0.3, 0.0], [0.0, 0.0], "'e' is a constraint that does not hold: it is off by 0.3"),
    ([0.3, 0.3], [1.0, 0.0], "'e' is a constraint that does not stay: its error changes at 1 "), ([0.3, 0.3], [1.0, 1.0], None)])
def test_a_coupling_must_hold(write, q, v, words):
    write("eq.xml", COUPLED)
    scenario = kn.load(write("eq.yaml", f"knuckle: 1\nname: eq\nmodel: eq.xml\nstate: {{q: {q}, v: {v}}}\n"))
    if words is None:
        assert scenario.compile().modes().verdict.value == "determinate"
        return
    for ask in ("modes", "touching"):
        with pytest.raises(InputError, match=words):
            getattr(scenario.compile(), ask)()


def test_a_coupling_that_is_off_is_settled(write):
    path = write("eq.xml", COUPLED.replace("</mujoco>", '<keyframe><key name="a" qpos="0.3 0.3005" qvel="0.01 0"/></keyframe></mujoco>'))
    answer = kn.modes(kn.load(path, {"keyframe": "a"}))
    assert answer.moment.contacts.q[0] > 0.3 and answer.verdict.value == "determinate"
    assert answer.moment.contacts.q[0] == pytest.approx(answer.moment.contacts.q[1], abs=1e-9)


@pytest.mark.parametrize(("lift", "rise", "contacts", "words"), [
    (0.0, 0.0, 1, []), (5e-9, 0.0, 0, ["gap 5.00e-09 m is close", "taken as apart"]), (5e-10, 0.0, 1, ["gap 5.00e-10 m", "taken as rolling"]),
    (0.0, 2e-9, 0, ["normal velocity 2.00e-09 m/s is close", "taken as leaving"]), (1e-5, 0.0, 0, []), (0.0, 1e-3, 0, [])])
def test_a_boundary_is_told_from_both_sides(write, lift, rise, contacts, words):
    """Also where the contact is left out of the problem."""
    path = write("ball.xml", BALL.format(keys=""))
    system = kn.load(path, {"settle": "no"}).compile()
    q, v = system.state.q.copy(), system.state.v.copy()
    q[2], v[2] = 0.1 + lift, rise
    answer = system.modes(q, v)
    assert len(answer.contact_names) == contacts
    notes = "; ".join(note for note in answer.to_dict()["notes"] if "close to its tolerance" in note)
    assert all(word in notes for word in words) and bool(notes) == bool(words)


def test_a_joint_near_its_stop_is_told():
    system = kn.load("two-finger-lift").compile()
    table = system.system.joint_table.kernel_table
    if not (table.kind == 0).any():
        assert not [note for note in system.modes().to_dict()["notes"] if "stop" in note]


@pytest.mark.parametrize(("speed", "words"), [(-1.0, "closes at 1 m/s .*that is an impact"), (0.5, "parts at 0.5 m/s"), (-0.004, None)])
def test_settling_takes_no_impact_out(write, speed, words):
    path = write("ball.xml", BALL.format(keys=f'<key name="a" qvel="0 0 {speed} 0 0 0"/>'))
    if words is None:                                      # as soft contacts creep
        answer = kn.modes(kn.load(path, {"keyframe": "a"}))
        assert answer.solution.modes == ("R",) and "0.004 m/s before" in answer.to_dict()["notes"][0]
        return
    with pytest.raises(InputError, match=words):
        kn.modes(kn.load(path, {"keyframe": "a"}))
