"""The decorator and its cache, in small packages of their own: an edited callee is noticed, promotion rebinds, bits agree."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import knuckle

SOURCE = Path(knuckle.__file__).parent
CALLEE = """
from knuckle.compiled.kernel import Vector, inner, kernel

@inner
def callee(x: float) -> float:
    return x + {shift}
"""
CALLER = """
from knuckle.compiled.kernel import kernel
from knuckle.complementarity import callee_kernels

@kernel
def caller(x: float) -> float:
    return 2.0 * callee_kernels.callee(x)
"""
RUN = """
import time
start = time.process_time()
from knuckle.compiled import kernel
{before}
from knuckle.complementarity import caller_kernels
print(caller_kernels.caller(1.0), kernel.is_compiled(), kernel.is_warm(), type(caller_kernels.caller).__name__)
"""


def make_package(folder, shift):
    package = folder / "knuckle"
    for room in ("compiled", "complementarity"):
        (package / room).mkdir(parents=True, exist_ok=True)
        (package / room / "__init__.py").touch()
    (package / "__init__.py").touch()
    shutil.copy(SOURCE / "compiled" / "kernel.py", package / "compiled" / "kernel.py")
    for name in ("dense", "libmujoco"):
        (package / "compiled" / f"{name}.py").touch()
    (package / "complementarity" / "callee_kernels.py").write_text(CALLEE.format(shift=shift))
    (package / "complementarity" / "caller_kernels.py").write_text(CALLER)


def run(folder, before="", **environment):
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("KNUCKLE", "NUMBA", "PYTHONPATH"))}
    environment = clean | {"PYTHONPATH": str(folder), "KNUCKLE_CACHE_DIR": str(folder / "cache")} | environment
    done = subprocess.run([sys.executable, "-c", RUN.format(before=before)], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_an_edited_callee_in_another_file_changes_its_caller(tmp_path):
    make_package(tmp_path, 1.0)
    warm = "kernel.warm_up()"
    assert run(tmp_path, warm, KNUCKLE_INTERPRETED="0") == ["4.0", "True", "True", "CPUDispatcher"]
    assert run(tmp_path, KNUCKLE_INTERPRETED="0") == ["4.0", "True", "True", "CPUDispatcher"]
    make_package(tmp_path, 2.0)
    assert run(tmp_path, KNUCKLE_INTERPRETED="0") == ["6.0", "True", "False", "CPUDispatcher"]


def test_a_new_time_stamp_alone_recompiles_nothing(tmp_path):
    make_package(tmp_path, 1.0)
    run(tmp_path, "kernel.warm_up()", KNUCKLE_INTERPRETED="0")
    files = sorted((tmp_path / "cache").rglob("*.nbc"))
    for source in tmp_path.rglob("*_kernels.py"):
        os.utime(source, (1, 1))
    assert run(tmp_path, KNUCKLE_INTERPRETED="0") == ["4.0", "True", "True", "CPUDispatcher"]
    assert sorted((tmp_path / "cache").rglob("*.nbc")) == files


def test_a_process_starts_interpreted_and_is_promoted(tmp_path):
    make_package(tmp_path, 1.0)
    assert run(tmp_path) == ["4.0", "False", "False", "function"]
    late = "from knuckle.complementarity import caller_kernels\nassert caller_kernels.caller(1.0) == 4.0\nkernel.promote()"
    assert run(tmp_path, late) == ["4.0", "True", "False", "CPUDispatcher"]


def test_much_work_promotes_once_the_cache_is_warm(tmp_path):
    make_package(tmp_path, 1.0)
    spent = "from knuckle.complementarity import caller_kernels\nkernel.spend(1e6)"
    assert run(tmp_path, spent) == ["4.0", "False", "False", "function"]
    run(tmp_path, "kernel.warm_up()", KNUCKLE_INTERPRETED="0")
    assert run(tmp_path, spent) == ["4.0", "True", "True", "CPUDispatcher"]
    assert run(tmp_path, spent, KNUCKLE_INTERPRETED="1")[3] == "function"


def test_a_cache_folder_that_cannot_be_written_is_no_error(tmp_path):
    make_package(tmp_path, 1.0)
    (tmp_path / "file").write_text("")
    assert run(tmp_path, KNUCKLE_INTERPRETED="0", KNUCKLE_CACHE_DIR=str(tmp_path / "file" / "below"))[:2] == ["4.0", "True"]


def test_interpreted_never_imports_numba(tmp_path):
    make_package(tmp_path, 1.0)
    check = "import sys\nfrom knuckle.complementarity import caller_kernels\nassert 'numba' not in sys.modules and 'llvmlite' not in sys.modules"
    assert run(tmp_path, check)[1] == "False"
