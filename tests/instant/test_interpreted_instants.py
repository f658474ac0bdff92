"""Every shipped scenario answered by compiled and by interpreted kernels: the same bytes."""
import json
import os
import subprocess
import sys

import knuckle as kn
from knuckle.compiled import kernel
from knuckle.scenario import shipped_names

CODE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from test_interpreted_instants import told
from knuckle.compiled import kernel
assert not kernel.is_compiled()
print(json.dumps(told()))
"""


def told():
    """What each scenario is answered with, numbers by their bits."""
    found = {}
    for name in shipped_names():
        answer = kn.load(name).compile().modes()
        numbers = [getattr(solution, key).tobytes().hex() for solution in answer.solutions for key in ("vdot", "f", "a", "joint_f", "joint_a")]
        ranges = None if answer.force_range is None else answer.force_range.tobytes().hex()
        found[name] = [answer.verdict.value, answer.complete, [list(s.modes) for s in answer.solutions], [s.residual.hex() for s in answer.solutions],
                       numbers, ranges, None if answer.p_matrix is None else [answer.p_matrix.margin.hex(), answer.p_matrix.witness]]
    return found


def test_compiled_equals_interpreted():
    assert kernel.is_compiled()
    environment = os.environ | {"KNUCKLE_INTERPRETED": "1"}
    command = [sys.executable, "-c", CODE, os.path.dirname(__file__)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(json.dumps(told()))
