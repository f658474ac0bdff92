"""Readers of Siconos' friction problems in space: text files, and HDF5 files where h5py is there. Returns W, q, mu with rows N, T1, T2."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "external" / "siconos"


def numbers(words: Iterator[str], count: int) -> np.ndarray:
    return np.array([float(next(words)) for _ in range(count)])


def integers(words: Iterator[str], count: int) -> list[int]:
    return [int(next(words)) for _ in range(count)]


def matrix(words: Iterator[str], storage: int) -> np.ndarray:
    """Dense by columns, or sparse blocks, each stored by columns."""
    if storage == 0:
        rows, columns = integers(words, 2)
        return numbers(words, rows * columns).reshape(columns, rows).T
    _, down, across = integers(words, 3)
    high, wide = [0, *integers(words, down)], [0, *integers(words, across)]
    whole = np.zeros((high[-1], wide[-1]))
    filled, blocks = integers(words, 2)
    starts, columns = integers(words, filled), integers(words, blocks)
    for row in range(filled - 1):
        for column in columns[starts[row]:starts[row + 1]]:
            integers(words, 1)
            part = whole[high[row]:high[row + 1], wide[column]:wide[column + 1]]
            part[:] = numbers(words, part.size).reshape(part.shape[::-1]).T
    return whole


def text(file: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    words = iter(file.read_text().split())
    dimension, k, storage = integers(words, 3)
    integers(words, 2)
    W = matrix(words, storage)
    return W, numbers(words, dimension * k), numbers(words, k)


def global_text(file: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """M v = f + H r, u = H'v + w."""
    words = iter(file.read_text().split())
    dimension, k, storage = integers(words, 3)
    integers(words, 2)
    M = matrix(words, storage)
    kind = integers(words, 3)[0]
    H = matrix(words, kind)
    f, w = numbers(words, len(M)), numbers(words, dimension * k)
    return *reduced(M, H, f, w), numbers(words, k)


def reduced(M: np.ndarray, H: np.ndarray, f: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """W = H'M^-1 H, q = H'M^-1 f + w."""
    through = np.linalg.solve(M, np.column_stack([H, f]))
    return H.T @ through[:, :-1], H.T @ through[:, -1] + w


def stored(part: Any) -> np.ndarray:
    """A matrix of an HDF5 file: triplets (nz >= 0), by columns (-1) or by rows (-2)."""
    m, n, kind = (int(part[name][0]) for name in ("m", "n", "nz"))
    x, p, i = (part[name][:] for name in ("x", "p", "i"))
    whole = np.zeros((m, n))
    if kind >= 0:
        np.add.at(whole, (i[:kind], p[:kind]), x[:kind])
    elif kind == -1:
        whole[i, np.repeat(np.arange(n), np.diff(p))] = x
    else:
        whole[np.repeat(np.arange(m), np.diff(p)), i] = x
    return whole


def hdf5(file: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    import h5py  # a test dependency that only these files need

    with h5py.File(file) as opened:
        if "fclib_local" in opened:
            part = opened["fclib_local"]
            return stored(part["W"]), part["vectors"]["q"][:], part["vectors"]["mu"][:]
        part = opened["fclib_global"]
        vectors = {name: part["vectors"][name][:] for name in ("f", "w", "mu")}
        return *reduced(stored(part["M"]), stored(part["H"]), vectors["f"], vectors["w"]), vectors["mu"]


def head(file: Path) -> list[int]:
    """Space dimension and number of contacts of a text file."""
    with file.open() as opened:
        return [int(word) for word in opened.read(60).split()[:2]]


def local_texts() -> list[Path]:
    """The 35 files of fc/ in space."""
    return [file for file in sorted((FOLDER / "fc").glob("*.dat")) if head(file)[0] == 3]


def small_texts() -> list[Path]:
    """Those 27 with at most 60 contacts."""
    return [file for file in local_texts() if head(file)[1] <= 60]


def global_texts() -> list[Path]:
    """The 7 files of gfc/ in space, masses and Jacobians apart."""
    return [file for file in sorted((FOLDER / "gfc").glob("*.dat")) if head(file)[0] == 3]


LOCAL_HDF5 = ("Capsules-i125-1213", "LMGC_100_PR_PerioBox-i00361-60-03000", "fclib_local_problem_test")
GLOBAL_HDF5 = ("Box_Stacks-i0122-82-5", "CubeH8", "LMGC_GlobalFrictionContactProblem00046", "spheres-in-a-box-98-i10000-256-10")


def read(file: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if file.suffix == ".hdf5":
        return hdf5(file)
    return (global_text if file.parent.name == "gfc" else text)(file)
