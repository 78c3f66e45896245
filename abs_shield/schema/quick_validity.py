"""
A fast check that common schemas are valid; the meta-schema decides the others.

Meta-schemas take milliseconds for a schema of ten parameters and seconds for one of 8,000; this
check visits each keyword once. It supports the common keywords; schemas with other keywords, and
invalid ones, are left to the meta-schema.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from abs_shield.schema.subschemas import children

_DRAFTS = frozenset(
    {
        "http://json-schema.org/draft-07/schema",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
    }
)
"""Drafts in which the keywords below have the same meaning; draft 4 has no boolean schemas."""
TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})


def is_surely_valid(schema: Any, dialect: str) -> bool:
    """Return whether a schema is certainly valid in *dialect*, the address of a meta-schema."""
    if dialect not in _DRAFTS:
        return False
    left = [schema]
    while left:
        each = left.pop()
        if isinstance(each, dict):
            for keyword, value in each.items():
                check = _CHECKS.get(keyword)
                if check is None or not check(value):
                    return False
            left.extend(child for _, child in children(each))
        elif not isinstance(each, bool):
            return False
    return True


def _anything(_: Any) -> bool:
    return True


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _whole_id(value: Any) -> bool:
    # A fragment in `$id` is an anchor, which the drafts treat differently.
    return isinstance(value, str) and "#" not in value


def _boolean(value: Any) -> bool:
    return isinstance(value, bool)


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _step(value: Any) -> bool:
    return _number(value) and value > 0


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _list(value: Any) -> bool:
    return isinstance(value, list)


def _names(value: Any) -> bool:
    return isinstance(value, list) and all(map(_text, value)) and len({*value}) == len(value)


def _types(value: Any) -> bool:
    if isinstance(value, str):
        return value in TYPES
    return _names(value) and value != [] and TYPES.issuperset(value)


def _schema(value: Any) -> bool:
    return isinstance(value, (dict, bool))


def _schemas(value: Any) -> bool:
    return isinstance(value, list) and value != [] and all(map(_schema, value))


def _schema_map(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_schema, value.values()))


_KEYWORDS: dict[Callable[[Any], bool], str] = {
    _anything: "const default discriminator example nullable",
    _text: "$comment $ref $schema contentEncoding contentMediaType description format pattern "
    "title",
    _whole_id: "$id",
    _boolean: "deprecated readOnly uniqueItems writeOnly",
    _number: "exclusiveMaximum exclusiveMinimum maximum minimum",
    _step: "multipleOf",
    _count: "maxItems maxLength maxProperties minItems minLength minProperties",
    _list: "enum examples",
    _names: "required",
    _types: "type",
    _schema: "additionalProperties contains else if items not propertyNames then",
    _schemas: "allOf anyOf oneOf prefixItems",
    _schema_map: "$defs definitions patternProperties properties",
}
_CHECKS = {name: check for check, names in _KEYWORDS.items() for name in names.split()}
