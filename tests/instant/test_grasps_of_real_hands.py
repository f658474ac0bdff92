"""The Allegro and the Shadow hand hold a sphere and a box: simulated by MuJoCo until they rest, settled, answered."""
import sys
from pathlib import Path

import numpy as np
import pytest

import knuckle as kn
from knuckle.instant.answer import Verdict

sys.path.insert(0, str(Path(__file__).parents[1]))
from oracles.real_grasps import GRASPS, HANDS, MASS, simulated


@pytest.fixture(scope="module", params=GRASPS)
def grasp(request):
    hand, *rest = GRASPS[request.param]
    if not (HANDS / hand).exists():
        pytest.skip("the hands are not beside the project (../shared/data/hands)")
    return simulated(hand, *rest), GRASPS[request.param]


# Eight points, two faces among them: the search finds an answer, but its budget ends before it has proved that there is no other.
UNPROVED = ("shadow-box",)


def check(answer, dofs, unproved=False):
    """At least three links hold the object; every answer obeys the laws and the object's own balance of forces."""
    moment = answer.moment
    assert answer.solutions
    held = [k for k, pair in enumerate(moment.contacts.pairs) if pair[0] == "thing"]      # fingers may touch one another as well
    assert len({moment.contacts.pairs[k][1] for k in held}) >= 3
    assert np.abs(moment.contacts.gap).max() < 1e-9
    assert np.abs(moment.contacts.velocity[:, 0]).max() < 1e-9
    for solution in answer.solutions:
        assert solution.residual < 1e-9
        pushes = np.einsum("ca,cai->i", solution.f[held], moment.contacts.frame[held])
        np.testing.assert_allclose(pushes, MASS * (solution.vdot[dofs[:3]] - [0, 0, -9.81]), atol=1e-9)
        assert set(solution.modes) <= {"R", "S", "B"}
    if unproved and answer.verdict == Verdict.UNDECIDED:
        pytest.xfail("the search ends before it has proved that there is no other motion")
    assert answer.complete and answer.verdict in (Verdict.DETERMINATE, Verdict.FORCE_INDETERMINATE)


def test_a_living_simulation(grasp):
    (model, data), _ = grasp
    before = data.qpos.copy()
    ready, state = kn.from_mujoco(model, data)
    answer = ready.modes(state.q, state.v)
    v = model.joint("thing").dofadr[0]
    check(answer, np.arange(v, v + 6))
    np.testing.assert_array_equal(data.qpos, before)
    assert any("moved by at most" in note for note in ready.notes)


def test_the_same_from_a_scenario_file(grasp, tmp_path):
    """A state with five digits, as a user would write it down."""
    (model, data), (hand, kind, size, _, angles) = grasp
    used = [float(x) for x in size if x]
    q = [round(float(x), 5) for x in data.qpos]
    q[-4:] = (np.array(q[-4:]) / np.linalg.norm(q[-4:])).tolist()
    controls = {model.actuator(i).name: float(data.ctrl[i]) for i in range(model.nu)}
    file = tmp_path / "grasp.yaml"
    file.write_text(f"knuckle: 1\nmodel: {HANDS / hand}\nsettle: 1.0\nobjects:\n  - {{name: thing, kind: {kind}, size: {used}, mass: {MASS}}}\n"
                    f"state:\n  q: {q}\nctrl: {controls}\nfriction: 1.0\n", encoding="utf-8")
    answer = kn.modes(file)
    check(answer, np.arange(model.nv - 6, model.nv), unproved=angles in [GRASPS[name][-1] for name in UNPROVED])
