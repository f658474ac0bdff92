"""Interpreted kernels equal compiled ones, bit for bit, on every pair of shapes."""
import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import numpy as np
from worlds import PAIRS, random_pair
from knuckle.errors import GeometryError
rng = np.random.default_rng(2)
for kinds in PAIRS:
    for _ in range(2):
        geometry, q = random_pair(kinds, rng)
        v = rng.normal(size=12)
        try:
            count = geometry.update(q, v)
        except GeometryError:
            count = 0
        c = geometry.contacts
        rows = [c.n, c.gap, c.K_A, c.K_B, c.E_A, c.E_B, c.motion]
        print(kinds, count, *(x[:count].tobytes().hex() for x in rows), c.W[:3 * count].tobytes().hex(), c.bias[:3 * count].tobytes().hex())
"""


def run(interpreted: str) -> str:
    environment = os.environ | {"KNUCKLE_INTERPRETED": interpreted, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    return subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True).stdout


def test_interpreted_equals_compiled():
    compiled, interpreted = (run(flag).splitlines() for flag in ("0", "1"))
    assert len(compiled) == len(interpreted) == 54
    assert [a.split()[:3] for a, b in zip(compiled, interpreted, strict=True) if a != b] == []
