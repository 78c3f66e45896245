"""Short ways to write the JSON Schema of a tool's arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]

TEXT: Schema = {"type": "string"}
DAY: Schema = {"type": "string", "format": "date"}
NUMBER: Schema = {"type": "number"}
WHOLE: Schema = {"type": "integer"}
SWITCH: Schema = {"type": "boolean"}
TEXTS: Schema = {"type": "array", "items": TEXT}


def takes(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """
    Return the schema of an object with these members; at the top of a tool there are no others.

    >>> takes({"id": TEXT})["required"]
    ['id']
    """
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
    }


def words(*values: str) -> Schema:
    """Return the schema of one of these words."""
    return {"type": "string", "enum": list(values)}


def many(**members: Schema) -> Schema:
    """Return the schema of a list of objects with these members."""
    return {"type": "array", "items": takes(members)}


def or_null(schema: Schema) -> Schema:
    """Return the schema that admits null as well."""
    return {"anyOf": [schema, {"type": "null"}]}
