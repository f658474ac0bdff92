import copy
import json
import os
import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

from knuckle.compiled import libmujoco
from knuckle.compiled.kernel import Matrix, Vector, is_compiled, kernel
from knuckle.errors import KnuckleError, UnsupportedError
from knuckle.model import load

HANDS = Path(__file__).resolve().parents[3] / "shared" / "data" / "hands"
BALL_AND_ARM = """<mujoco><worldbody>
  <body name="ball" pos="0 0 1"><freejoint/><geom type="ellipsoid" size=".1 .2 .3" pos=".01 .02 0"/></body>
  <body name="upper"><joint type="ball"/><geom type="capsule" fromto="0 0 0 0 0 .5" size=".05"/>
    <body name="lower" pos="0 0 .5"><joint name="j" axis="0 1 0" armature=".01" damping=".3" stiffness="2"/>
      <geom type="box" size=".1 .2 .1" pos=".1 0 .2"/>
  </body></body></worldbody><tendon><fixed damping=".2" armature=".1"><joint joint="j" coef="2"/></fixed></tendon></mujoco>"""
SOURCES = {
    "ball_and_arm": BALL_AND_ARM,
    "allegro": str(HANDS / "wonik_allegro/right_hand.xml"),
    "shadow": str(HANDS / "shadow_hand/right_hand.xml"),
}


@kernel
def everything(
    model: int, data: int, point: Vector, body: int, M: Matrix, rows: Matrix, moved: Vector, v: Vector
) -> None:
    libmujoco.kinematics(model, data)
    libmujoco.com_pos(model, data)
    libmujoco.tendon(model, data)
    libmujoco.make_m(model, data)
    libmujoco.full_m(model, data, M)
    libmujoco.forward_velocity(model, data)
    libmujoco.jac(model, data, rows[0:3], point, body)
    libmujoco.jac_rotation(model, data, rows[3:6], point, body)
    libmujoco.jac_dot(model, data, rows[6:9], point, body)
    libmujoco.jac_dot_rotation(model, data, rows[9:12], point, body)
    libmujoco.integrate_pos(model, moved, v, 0.1)


def evaluate(source, states=50):
    """Every wrapped function on random states: a list of arrays."""
    system, _ = load(source)
    m, d, random, results = system.model, system.data, np.random.default_rng(7), []
    for _ in range(states):
        q, v = m.qpos0.copy(), random.normal(size=m.nv)
        mujoco.mj_integratePos(m, q, 0.4 * random.normal(size=m.nv), 1.0)
        d.qpos[:], d.qvel[:] = q, v
        M, rows, moved, point = (
            np.zeros((m.nv, m.nv)),
            np.zeros((12, m.nv)),
            q.copy(),
            random.normal(size=3),
        )
        body = int(random.integers(1, m.nbody))
        everything(system.plant.model, system.plant.data, point, body, M, rows, moved, v)
        _, h = system.terms(q, v)
        J, velocity, acceleration = system.point(body, point)
        joint_rows = system.joint_rows(q, v, tolerance=10.0)
        results.append(
            [
                M,
                rows,
                moved,
                h,
                J,
                velocity,
                acceleration,
                joint_rows.W,
                joint_rows.bias,
                joint_rows.gap,
                d.qfrc_passive.copy(),
                d.qfrc_bias.copy(),
                q,
                v,
                point,
                np.array([body]),
            ]
        )
    return system, results


def source_of(name):
    if name != "ball_and_arm" and not Path(SOURCES[name]).is_file():
        pytest.skip(f"the hand {name} is not beside the project (../shared/data/hands)")
    return SOURCES[name]


@pytest.mark.parametrize("name", SOURCES)
def test_bit_equal_to_the_bindings(name):
    system, results = evaluate(source_of(name))
    m, d = system.model, mujoco.MjData(system.model)
    for M, rows, moved, *_, passive, bias, q, v, point, body in results:
        d.qpos[:], d.qvel[:] = q, v
        mujoco.mj_forward(m, d)
        theirs = np.zeros_like(M)
        mujoco.mj_fullM(m, d, theirs)
        np.testing.assert_array_equal(M, theirs)
        J = np.zeros_like(rows)
        mujoco.mj_jac(m, d, J[0:3], J[3:6], point, body[0])
        mujoco.mj_jacDot(m, d, J[6:9], J[9:12], point, body[0])
        np.testing.assert_array_equal(rows, J)
        np.testing.assert_array_equal(passive, d.qfrc_passive)
        np.testing.assert_array_equal(bias, d.qfrc_bias)
        there = q.copy()
        mujoco.mj_integratePos(m, there, v, 0.1)
        np.testing.assert_array_equal(moved, there)


def digest_in_a_new_process(source, interpreted):
    code = (
        "import json, sys, hashlib; from test_libmujoco import evaluate; from knuckle.compiled import kernel\n"
        "_, results = evaluate(sys.argv[1], 10)\n"
        "numbers = [hashlib.sha256(array.tobytes()).hexdigest() for state in results for array in state]\n"
        "print(json.dumps([kernel.is_compiled(), 'numba' in sys.modules or 'llvmlite' in sys.modules, numbers]))"
    )
    environment = os.environ | {"KNUCKLE_INTERPRETED": interpreted, "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run(
        [sys.executable, "-c", code, source], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", SOURCES)
def test_interpreted_equals_compiled_bit_for_bit(name):
    compiled, loaded, machine = digest_in_a_new_process(source_of(name), "0")
    interpreted, numba_loaded, plain = digest_in_a_new_process(source_of(name), "1")
    assert compiled and loaded
    assert not interpreted and not numba_loaded
    assert machine == plain


def test_one_copy_of_the_library():
    if not Path("/proc/self/maps").exists():
        pytest.skip("no /proc here")
    assert is_compiled()
    mapped = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "libmujoco" in line}
    assert len(mapped) == 1


@pytest.mark.parametrize(("version", "number_bytes"), [("3.9.1", 8), ("4.1.0", 8), ("5.0", 8), ("4.0.1", 4)])
def test_other_versions_are_refused(version, number_bytes):
    with pytest.raises(KnuckleError, match=r"Knuckle needs mujoco-core>=4.0,<4.1 in double precision"):
        libmujoco.check_version(version, number_bytes)


def test_addresses_are_checked():
    model, other = (
        mujoco.MjModel.from_xml_string(source) for source in (BALL_AND_ARM, BALL_AND_ARM.replace("freejoint", "joint"))
    )
    with pytest.raises(KnuckleError, match="does not belong"):
        libmujoco.checked_addresses(model, mujoco.MjData(other))
    sleeping = copy.copy(model)
    sleeping.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_SLEEP
    with pytest.raises(UnsupportedError, match="sleeping"):
        libmujoco.checked_addresses(sleeping, mujoco.MjData(sleeping))


FUZZ = """
import sys
import numpy as np
from knuckle.errors import KnuckleError
from knuckle.model import load
random = np.random.default_rng(int(sys.argv[1]))
def tree(depth, name):
    joints = "".join(f'<joint type="{random.choice(["hinge", "slide"])}" axis="{a} {b} 1" damping="{random.random():.3f}"/>'
                     for a, b in random.integers(-2, 3, (random.integers(0, 3), 2)))
    joints = joints or ('<joint type="ball"/>' if random.random() < .5 else "")
    kids = "".join(tree(depth - 1, f"{name}{k}") for k in range(random.integers(0, 3))) if depth else ""
    return f'<body name="{name}" pos="{random.random():.2f} 0 .1">{joints}<geom size=".1"/>{kids}</body>'
done = 0
for case in range(60):
    world = "".join(tree(4, f"t{k}_") for k in range(random.integers(0, 4)))
    memory = random.choice(["", '<size memory="200K"/>', '<size memory="3K"/>', '<size memory="1K"/>'])
    try:
        system, state = load(f"<mujoco>{memory}<worldbody>{world}</worldbody></mujoco>")
    except KnuckleError:
        continue
    for scale in (0.0, 1.0, 1e8):
        v = scale * random.normal(size=system.nv)
        q = system.integrate(state.q, random.normal(size=system.nv))
        system.terms(q, v)
        for body in range(system.model.nbody):
            system.point(body, random.normal(size=3) * scale)
        system.joint_rows(q, v, 10.0)
        done += 1
print(done)
"""


@pytest.mark.parametrize("seed", [0, 1])
def test_fuzz_never_ends_the_process_in_c(seed, tmp_path):
    """Random trees, starved of stack memory at times: an exception of ours or an answer; an error of C would end the child."""
    environment = os.environ | {"KNUCKLE_INTERPRETED": "0"}
    done = subprocess.run(
        [sys.executable, "-c", FUZZ, str(seed)],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) > 60
    assert list(tmp_path.iterdir()) == []  # no log of MuJoCo's
