"""Shared by all tests: compiled kernels by default, one thread, and where the external data is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# Before any module of the package is imported: pytest runs compiled, as `make test` has warmed the cache.
os.environ.setdefault("KNUCKLE_INTERPRETED", "0")
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """Data that lies beside a working copy; tests that need it are skipped where it is not."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("no folder `shared` beside this working copy")
    return folder
