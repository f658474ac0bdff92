"""Knuckle: which contacts of a hand roll, slide or break, with what forces, and is that the only answer?

Public names load their module when they are first used, so that `import knuckle` is quick.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "load": "knuckle.tasks",
    "modes": "knuckle.tasks",
    "solve": "knuckle.tasks",
    "Scenario": "knuckle.scenario",
    "from_mujoco": "knuckle.tasks",
    "solve_lcp": "knuckle.complementarity.lcp",
    "solve_lcp_batch": "knuckle.complementarity.lcp_batch",
    "enumerate_lcp": "knuckle.complementarity.lcp",
    "p_matrix": "knuckle.complementarity.p_matrix",
    "solve_cone": "knuckle.complementarity.cone",
    "solve_cone_batch": "knuckle.complementarity.cone_batch",
    "solve_mncp": "knuckle.complementarity.mncp",
    "System": "knuckle.model",
    "contact_acceleration": "knuckle.contact.kinematics",
    "compiled_law": "knuckle.compiled.callbacks",
    "solve_as_mncp": "knuckle.instant.solve_mncp",
    "ContactProblem": "knuckle.instant.problem",
    "Answer": "knuckle.instant.answer",
    "sensitivities": "knuckle.instant.sensitivities",
    "Sensitivities": "knuckle.instant.sensitivities",
    "DataRates": "knuckle.instant.data_rates",
    "KnuckleError": "knuckle.errors",
    "InputError": "knuckle.errors",
    "UnsupportedError": "knuckle.errors",
    "GeometryError": "knuckle.errors",
    "StoreError": "knuckle.errors",
    "Fault": "knuckle.errors",
}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
