"""Interpreted and compiled kernels give the same bits."""
import os
import subprocess
import sys

SAMPLE = """
import hashlib
import numpy as np
from knuckle.complementarity.lcp import enumerate_lcp, solve_lcp
from knuckle.complementarity.lp import solve_lp
from knuckle.complementarity.p_matrix import p_matrix
digest = hashlib.sha256()
generator = np.random.default_rng(9)
def add(*parts):
    for part in parts:
        digest.update(b"-" if part is None else np.asarray(part, dtype=float).tobytes())
for k in range(40):
    n = int(generator.integers(1, 6))
    A, b = generator.normal(size=(n, n)), generator.normal(size=n)
    if k % 2:
        A, b = np.round(A), np.round(b)
    one, all_ = solve_lcp(A, b), enumerate_lcp(A, b)
    add(one.z, one.residual, *all_.solutions, *[c.vertices for c in all_.continua], *[c.rays for c in all_.continua])
    add(p_matrix(A + 2 * np.eye(n)).margin)
    program = solve_lp(np.abs(generator.normal(size=2 * n)), np.hstack([A, -A]), b)
    add(program.x, program.y, program.value)
print(digest.hexdigest())
"""


def test_same_bits():
    digests = []
    for mode in ("0", "1"):
        run = subprocess.run(
            [sys.executable, "-c", SAMPLE], capture_output=True, text=True, check=False,
            env=os.environ | {"KNUCKLE_INTERPRETED": mode, "PYTHONPATH": os.pathsep.join(sys.path)})
        assert run.returncode == 0, run.stderr
        digests.append(run.stdout)
    assert digests[0] == digests[1]
