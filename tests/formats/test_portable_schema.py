"""Schema files, models and dataclasses say the same."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from mnemo_lab import conversation as inside
from mnemo_lab.formats import portable
from mnemo_lab.formats.base import Format
from mnemo_lab.formats.portable import models
from mnemo_lab.formats.portable.schema import SCHEMAS, generated

OLD: dict[str, Any] = json.loads(SCHEMAS["1.0.0"].read_text())
NEW: dict[str, Any] = json.loads(SCHEMAS["1.1.0"].read_text())
MESSAGE = OLD["properties"]["conversation"]["properties"]["messages"]["items"]
CALL = MESSAGE["properties"]["tool_calls"]["items"]
LEVELS_1_0: dict[type[models.Level], dict[str, Any]] = {
    models.ConversationContext: OLD,
    models.Meta: OLD["properties"]["meta"],
    models.Conversation: OLD["properties"]["conversation"],
    models.Message: MESSAGE,
    models.ToolCall: CALL,
    models.Function: CALL["properties"]["function"],
}


def test_the_generated_schema_is_committed() -> None:
    assert SCHEMAS["1.1.0"].read_bytes() == generated().encode(), "run python -m mnemo_lab.formats.portable.schema"


def test_both_schemas_are_valid_schemas() -> None:
    jsonschema.Draft7Validator.check_schema(OLD)
    jsonschema.Draft202012Validator.check_schema(NEW)


def test_1_0_0_is_the_original() -> None:
    assert OLD["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert OLD["properties"]["version"] == {"type": "string", "const": "1.0.0"}
    required = {model.__name__: schema.get("required", []) for model, schema in LEVELS_1_0.items()}
    assert required == {
        "ConversationContext": ["version", "meta", "conversation"],
        "Meta": ["exported_at"],
        "Conversation": ["messages"],
        "Message": ["role", "content"],
        "ToolCall": [],
        "Function": [],
    }
    assert MESSAGE["properties"]["role"]["enum"] == list(inside.ROLES)
    assert MESSAGE["properties"]["content"] == {"type": "string"}
    assert "additionalProperties" not in json.dumps(OLD)


@pytest.mark.parametrize("model", LEVELS_1_0)
def test_1_1_0_is_1_0_0_and_what_was_added_in_this_order(model: type[models.Level]) -> None:
    added = models.ADDED_IN_1_1.get(model, frozenset())
    fields = list(model.model_fields)
    assert [name for name in fields if name not in added] == list(LEVELS_1_0[model]["properties"])
    assert set(fields) - set(LEVELS_1_0[model]["properties"]) == added


@pytest.mark.parametrize(
    ("model", "dataclass"),
    [
        (models.Meta, inside.DocumentMeta),
        (models.Conversation, inside.Conversation),
        (models.Message, inside.Message),
        (models.Attachment, inside.Attachment),
    ],
)
def test_models_and_dataclasses_have_the_same_fields(model: type[models.Level], dataclass: Any) -> None:
    assert set(model.model_fields) == {field.name for field in dataclasses.fields(dataclass)}


def test_a_call_has_the_fields_of_its_two_levels() -> None:
    outer, inner = set(models.ToolCall.model_fields), set(models.Function.model_fields)
    assert outer - {"type", "function"} | inner == {field.name for field in dataclasses.fields(inside.ToolCall)}


def test_every_model_is_in_the_generated_schema() -> None:
    defined = {name: list(schema["properties"]) for name, schema in NEW["$defs"].items()}
    every = {model.__name__: list(model.model_fields) for model in models.Level.__subclasses__()}
    assert defined | {"ConversationContext": list(NEW["properties"])} == every
    assert NEW["properties"]["version"]["const"] == "1.1.0"


def test_the_module_is_a_format() -> None:
    format_: Format = portable
    assert format_.name == "portable"
