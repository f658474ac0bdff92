"""Laws of the interior point method's parts, in plain Python: the scaling, the way to the border, the depth of a cone."""
import numpy as np
import pytest

from knuckle.complementarity import interior_kernels
from knuckle.complementarity.cone import cone_work


def plain(kernel):
    """The Python of a kernel that only kernels call."""
    return getattr(kernel, "py_func", kernel)


@pytest.fixture
def cones(monkeypatch):
    """Three units, one of them a half-line; x and y inside their cones, some close to the border."""
    monkeypatch.setattr(interior_kernels, "depth", plain(interior_kernels.depth))
    rng, work = np.random.default_rng(4), cone_work(9, 3)
    work.offset[:] = [0, 3, 4, 7]

    def draw():
        for part in (work.x, work.y):
            for u in range(3):
                o, m = work.offset[u], work.offset[u + 1] - work.offset[u]
                part[o + 1:o + m] = rng.normal(size=m - 1)
                part[o] = np.linalg.norm(part[o + 1:o + m]) * (1.0 + 10.0 ** rng.uniform(-6, 1)) + (m == 1) * rng.uniform(0.1, 1)
        return work
    return draw


def blocks(work):
    return [(slice(work.offset[u], work.offset[u + 1]), work.offset[u + 1] - work.offset[u]) for u in range(3)]


def deepest(work, x):
    return min(x[own][0] - np.linalg.norm(x[own][1:]) for own, _ in blocks(work))


def test_the_scaling_takes_x_to_y_and_is_symmetric_and_positive(cones):
    for _ in range(200):
        work = cones()
        assert plain(interior_kernels.scaling)(work, 3)
        for own, m in blocks(work):
            H = work.Z[own, :m]
            assert H @ work.x[own] == pytest.approx(work.y[own], rel=1e-7)
            assert np.abs(H - H.T).max() <= 1e-12 * np.abs(H).max()
            assert np.linalg.eigvalsh(H).min() > 0.0


def test_outside_of_a_cone_there_is_no_scaling(cones):
    work = cones()
    work.x[1] = 2.0 * work.x[0]
    assert not plain(interior_kernels.scaling)(work, 3)


def test_the_longest_step_ends_on_a_border(cones):
    rng = np.random.default_rng(5)
    for _ in range(200):
        work = cones()
        step = rng.normal(size=9) * 10.0 ** rng.uniform(-1, 1)
        length = plain(interior_kernels.to_border)(work.x, step, work, 3)

        assert deepest(work, work.x + 0.999 * length * step) > 0.0
        assert length > 1.0 or deepest(work, work.x + 1.001 * length * step) < 0.0
