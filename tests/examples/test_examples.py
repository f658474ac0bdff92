"""Every example runs as written, and a number that it prints is right."""

import runpy

import pytest

NAMES = ["01_predict_contact_modes", "02_bare_contact_problem", "03_your_own_mjcf", "04_solvers_and_sensitivities"]


def run(root, name):
    return runpy.run_path(str(root / "examples" / f"{name}.py"))


def test_every_example_is_tested(root):
    assert sorted(path.stem for path in (root / "examples").glob("*.py")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_a_page(root, name):
    assert len((root / "examples" / f"{name}.py").read_text().splitlines()) <= 60


def test_predict_contact_modes(root):
    """Paper 000, figure 8: mirror symmetry, and the object rises where both torques are large."""
    names = run(root, NAMES[0])
    assert names["mirror_difference"] < 1e-12
    assert names["rises"][2.0, 2.0] < 0.0 < names["rises"][5.0, 5.0]


def test_bare_contact_problem(root):
    """The rod of Painleve: A > 0 has one answer, A < 0 two or none; the held one is -b/A."""
    names = run(root, NAMES[1])
    assert {key: len(answer.solutions) for key, (answer, _) in names["found"].items()} == {
        (True, False): 1, (True, True): 1, (False, False): 0, (False, True): 2}  # fmt: skip
    assert names["error"] < 1e-10


def test_your_own_mjcf(root):
    """Half of the squeeze that is needed carries half of the weight."""
    assert run(root, NAMES[2])["dropped"] == pytest.approx(-9.81 / 2, rel=1e-12)


def test_solvers_and_sensitivities(root):
    """Inside its modes the answer is linear in the torque; beyond the reach a mode changes; the ground carries both balls."""
    names = run(root, NAMES[3])
    assert names["apart"] < 1e-10 and names["error"] < 1e-11
    assert names["answer"].solution.modes == ("R", "R", "R") != names["beyond"].solution.modes
    assert names["stack"].outcome == "solved" and names["weight"] < 1e-9
