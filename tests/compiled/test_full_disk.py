"""A cache that cannot be written costs time, never an answer."""

import os
import subprocess
import sys

import pytest

resource = pytest.importorskip("resource")

WORK = """
import resource, warnings
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))       # every write to a file fails from here on
from knuckle.compiled import kernel
from knuckle.complementarity import tableau_kernels
kernel.kernel_modules = lambda: ["knuckle.complementarity.tableau_kernels"]
kernel.warm_up()
print(kernel.is_compiled(), kernel.is_warm(), type(tableau_kernels.exchange).__name__)
"""


def test_kernels_are_compiled_in_memory_and_the_cache_is_named_once(tmp_path):
    environment = {**os.environ, "KNUCKLE_CACHE_DIR": str(tmp_path), "KNUCKLE_INTERPRETED": "0", "NUMBA_DISABLE_JIT": "0"}
    done = subprocess.run([sys.executable, "-c", WORK], capture_output=True, text=True, timeout=60, check=False, env=environment)
    assert done.stdout.split() == ["True", "False", "CPUDispatcher"], done.stderr
    assert done.stderr.count("compiled kernels cannot be kept (File too large)") == 1 and str(tmp_path) in done.stderr
    assert not [file for _, _, files in os.walk(tmp_path) for file in files]
