import json

from knuckle.scenario import ScenarioFile, json_schema
from knuckle.scenario.faults import keys_at


def test_the_schema_is_json_and_names_every_key():
    schema = json.loads(json.dumps(json_schema(), allow_nan=False))
    assert schema["additionalProperties"] is False
    assert set(schema["properties"]) == {field.alias or name for name, field in ScenarioFile.model_fields.items()}
    assert schema["required"] == ["knuckle"]


def test_keys_of_sections_are_known_by_path():
    assert "mu" in keys_at(("contacts", 0))
    assert {"from", "to"} <= set(keys_at(("shapes", 3)))
    assert "angular_velocity" in keys_at(("moving", "belt"))
    assert "rates" in keys_at(("state",))
