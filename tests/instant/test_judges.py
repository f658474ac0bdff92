"""Two judges of one law, the compiled one and the independent one, agree on answers and on what is none."""
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from knuckle.instant import judge_kernels
from knuckle.instant.problem import read_problem
from knuckle.instant.residuals import residual
from knuckle.instant.stage import lay_out

FOLDER = Path(__file__).parents[1] / "data" / "spatial" / "problems"
CODE = "import sys; sys.path.insert(0, sys.argv[1]); import test_judges; print(test_judges.compare(sys.argv[2]))"


def compare(law):
    """How many pairs of residuals were compared; interpreted, because the kernel's judge is for kernels alone."""
    rng, compared = np.random.default_rng(3), 0
    for path in sorted(FOLDER.glob("*.json")):
        if path.stem.startswith("bad"):
            continue
        problem = read_problem(json.loads(path.read_text()))
        stage = lay_out(problem, law)
        rows, work, nv = stage.free_rows, stage.work, len(problem.h)
        if len(problem.bias) > rows:
            continue
        for k in range(int(work.counts[0])):
            for size in (0.0, 1e-6, 1e-2):                   # the answer, and what is near it
                forces = work.forces[k, :rows] * (1.0 + size * rng.normal(size=rows)) + size * rng.normal(size=rows)
                vdot = np.linalg.solve(problem.M, problem.h + problem.W.T @ forces)
                ours, _ = judge_kernels.residual(stage.units, work, vdot, forces, problem.W @ vdot + problem.bias, stage.count, rows, rows, nv)
                theirs = residual(problem, law, vdot, forces)
                assert ours == pytest.approx(theirs, rel=1.0, abs=1e-13), (path.stem, size)
                compared += 1
    return compared


@pytest.mark.parametrize("law", ["cone", "pyramid"])
def test_the_judges_agree(law):
    environment, command = os.environ | {"KNUCKLE_INTERPRETED": "1"}, [sys.executable, "-c", CODE, os.path.dirname(__file__), law]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 100
