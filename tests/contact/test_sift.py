"""Sifting the features of meshes changes no contact."""
import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import numpy as np
from worlds import random_pair
from knuckle.contact import sift_kernels
from knuckle.errors import GeometryError
rng, met = np.random.default_rng(5), 0
for kinds in [("mesh", "mesh"), ("box", "mesh"), ("capsule", "mesh"), ("cylinder", "mesh"), ("sphere", "mesh"), ("ellipsoid", "mesh")] * 6:
    geometry, q = random_pair(kinds, rng)
    for share in (1.0, 0.8, 0.6):                        # apart, near, overlapping
        state, found = q.copy(), []
        state[7:10] = q[:3] + share * (q[7:10] - q[:3])
        for sift_kernels.MANY in (0, 10**9):
            try:
                count = geometry.update(state, np.zeros(12))
            except GeometryError:
                found.append(None)
                continue
            c = geometry.contacts
            found.append((count, c.gap[:count].tobytes(), c.n[:count].tobytes(), c.point_A[:count].tobytes()))
        assert found[0] == found[1], (kinds, share)
        met += found[0] is not None and found[0][0] > 0
print(met)
"""


def test_the_same_contacts_with_and_without():
    environment = os.environ | {"KNUCKLE_INTERPRETED": "1", "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    assert int(done.stdout) > 50
