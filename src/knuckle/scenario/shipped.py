"""The scenarios that come with the package."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def folder() -> Path:
    """Where the shipped scenarios are: inside an installed package, or beside `src` in a working copy."""
    inside = _PACKAGE / "scenarios"
    return inside if inside.is_dir() else _PACKAGE.parent.parent / "scenarios"


def names() -> list[str]:
    """Names of the shipped scenarios, sorted."""
    return sorted(file.stem for file in folder().glob("*.yaml"))


def path_of(name: str) -> Path | None:
    """The file of a shipped scenario, or None."""
    return folder() / f"{name}.yaml" if name in names() else None
