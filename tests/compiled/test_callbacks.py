import json
import math
import os
import subprocess
import sys

import pytest

from knuckle.compiled import callbacks
from knuckle.compiled.kernel import Vector, kernel
from knuckle.errors import InputError, UnsupportedError


@callbacks.compiled_law
def worn_rubber(contact, slip, x, y, z):
    return 0.8 - 0.1 * slip / (0.01 + slip) + 0.01 * math.sin(x) * contact


@callbacks.compiled_law
def doubled(x):
    return 2.0 * x


@kernel
def friction(law: int, contact: int, slip: float, point: Vector) -> float:
    return callbacks.call(law, contact, slip, point[0], point[1], point[2])


@kernel
def applied_twice(law: int, x: float) -> float:
    return callbacks.call(law, callbacks.call(law, x))


def test_kernels_call_a_law_by_its_address():
    import numpy as np

    assert friction(worn_rubber.address, 2, 0.3, np.array([0.5, 1.0, 2.0])) == worn_rubber(2, 0.3, 0.5, 1.0, 2.0)
    assert applied_twice(doubled.address, 3.0) == 12.0
    assert (worn_rubber.arity, doubled.arity) == (5, 1)


def test_addresses_survive_the_promotion_of_a_process():
    """An address handed out while interpreted stays good; interpreted, old and new compiled answers are the same."""
    code = """
import json, sys
import numpy as np
from test_callbacks import friction, worn_rubber
import test_callbacks
from knuckle.compiled import kernel
point = np.array([.5, 1., 2.])
old = worn_rubber.address
answers = [friction(old, 2, .3, point)]
interpreted = 'numba' not in sys.modules
kernel.promote()
answers += [test_callbacks.friction(old, 2, .3, point), test_callbacks.friction(worn_rubber.address, 2, .3, point)]
print(json.dumps([interpreted, worn_rubber.address != old, answers]))
"""
    environment = os.environ | {"KNUCKLE_INTERPRETED": "1", "PYTHONPATH": os.path.dirname(__file__)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    interpreted, changed, answers = json.loads(done.stdout)
    assert interpreted and changed
    assert answers[0] == answers[1] == answers[2] == worn_rubber(2, 0.3, 0.5, 1.0, 2.0)


def test_a_law_that_cannot_be_compiled_is_refused_by_name():
    @callbacks.compiled_law
    def reads_a_file(x):
        return open(x)

    with pytest.raises(
        UnsupportedError, match=r"reads_a_file: this law cannot be compiled: .*; use arithmetic and math only"
    ):
        _ = reads_a_file.address


def test_a_law_takes_plain_arguments():
    with pytest.raises(InputError, match="plain positional arguments"):
        callbacks.compiled_law(lambda *values: 0.0)
