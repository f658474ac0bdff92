"""What every result is besides its fields: a JSON-ready document, and a table in a notebook."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from knuckle.errors import shown


def plain(value: Any) -> Any:
    """JSON-ready data: arrays become lists, unbounded or undefined numbers become null."""
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value


class Result:
    """Base of frozen dataclasses of arrays."""

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON-ready data; numbers without bound are None."""
        return {field.name: plain(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type] # of a dataclass

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{name}</th><td>{html.escape(shown(value))}</td></tr>"
            for name, value in self.to_dict().items()
            if value is not None and value != []
        )
        return f"<table>{rows}</table>"
