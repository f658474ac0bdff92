"""The scenario file as data: schema, loading, faults with file, line and column. Opens no model and runs nothing."""

from knuckle.errors import close_to, suggestion
from knuckle.scenario.loading import Scenario, find, load, loads
from knuckle.scenario.overrides import split_setting
from knuckle.scenario.schema import (
    SIZE_MEANING,
    AddedObject,
    AddedShape,
    MovingBody,
    NamedContact,
    ScenarioFile,
    State,
    Tolerances,
    json_schema,
)
from knuckle.scenario.shipped import folder as shipped_folder
from knuckle.scenario.shipped import names as shipped_names

__all__ = [
    "SIZE_MEANING",
    "AddedObject",
    "AddedShape",
    "MovingBody",
    "NamedContact",
    "Scenario",
    "ScenarioFile",
    "State",
    "Tolerances",
    "close_to",
    "find",
    "json_schema",
    "load",
    "loads",
    "shipped_folder",
    "shipped_names",
    "split_setting",
    "suggestion",
]
