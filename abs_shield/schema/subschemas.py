"""The places of subschemas in a schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
FURTHER_MEMBERS = ("additionalProperties", "unevaluatedProperties")
"""Keywords for the members that a schema does not name."""
ONE = frozenset(
    {
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
MANY = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
BY_NAME = frozenset(
    {
        "$defs",
        "definitions",
        "dependencies",
        "dependentSchemas",
        "patternProperties",
        "properties",
    }
)
IN_PLACE = frozenset(
    {
        "allOf",
        "anyOf",
        "dependencies",
        "dependentSchemas",
        "else",
        "if",
        "not",
        "oneOf",
        "then",
    }
)
"""Keywords whose schema is applied to the same value as the surrounding one."""
DEFINITIONS = frozenset({"$defs", "contentSchema", "definitions"})
"""Keywords whose schemas are applied only through references."""


def children(schema: dict[str, Any]) -> Iterator[tuple[tuple[object, ...], Any]]:
    """Yield each direct subschema with its path."""
    for keyword, value in schema.items():
        if keyword in ONE and _schema(value):
            yield (keyword,), value
        elif keyword in MANY and isinstance(value, list):
            yield from (((keyword, at), item) for at, item in enumerate(value) if _schema(item))
        elif keyword in BY_NAME and isinstance(value, dict):
            yield from (((keyword, at), item) for at, item in value.items() if _schema(item))


def _schema(value: object) -> bool:
    return isinstance(value, (dict, bool))
