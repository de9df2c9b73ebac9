"""The JSON Schemas as files. ``python -m mnemo_lab.formats.portable.schema`` writes the one that is generated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from mnemo_lab.formats.files import write_atomically
from mnemo_lab.formats.portable.models import VERSION_1_1, VERSIONS, ConversationContext

FOLDER: Final = Path(__file__).parent
SCHEMAS: Final = {version: FOLDER / f"conversation-context-{version}.schema.json" for version in VERSIONS}


class _Plain(GenerateJsonSchema):
    """Without titles that repeat the key, and without ``default: null``, which is untrue of content."""

    def field_title_should_be_set(self, schema: object) -> bool:
        return False

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        return (
            self.generate_inner(schema["schema"]) if schema.get("default") is None else super().default_schema(schema)
        )


def generated() -> str:
    """The JSON Schema of version 1.1.0, made from the models."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    schema = dialect | ConversationContext.model_json_schema(schema_generator=_Plain)
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    write_atomically(SCHEMAS[VERSION_1_1], generated().encode())
