"""Machine code of users' laws is kept in Knuckle's cache alone, under all that it is made from."""
import os
import subprocess
import sys

import pytest

LAW = """
import ctypes
import math
from knuckle.compiled import callbacks, kernel
from numbers_of_mine import MU
import numbers_of_mine

{law}

kernel._compiled = True         # the law alone, none of the package's kernels

call = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(law.address)
print(call(0.5), law._machine_code._cache_hits)
"""
PLAIN = "law = callbacks.compiled_law(lambda x: MU * math.cosh(0.0) + x)"
THROUGH_MODULE = "law = callbacks.compiled_law(lambda x: numbers_of_mine.MU + x)"


@pytest.mark.parametrize(("law", "kept"), [(PLAIN, True), (THROUGH_MODULE, False)])
def test_a_changed_number_of_another_file_is_noticed(tmp_path, law, kept):
    (tmp_path / "user.py").write_text(LAW.format(law=law))
    environment = os.environ | {"KNUCKLE_INTERPRETED": "1", "KNUCKLE_CACHE_DIR": str(tmp_path / "cache")}

    def value(mu):
        (tmp_path / "numbers_of_mine.py").write_text(f"MU = {mu}\n")
        command = [sys.executable, "-B", "user.py"]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        result, hits = done.stdout.split()
        return float(result), int(hits)

    assert value(0.5) == (1.0, 0)
    assert value(0.5) == (1.0, int(kept))
    assert value(0.25) == (0.75, 0)
    assert value(0.5) == (1.0, int(kept))
    beside = {path.name for path in tmp_path.iterdir()}
    assert beside == {"user.py", "numbers_of_mine.py", "cache"} if kept else beside <= {"user.py", "numbers_of_mine.py", "cache"}
