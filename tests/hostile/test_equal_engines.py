"""The fast engine, the reference engine and its explanations agree about every value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from abs_shield.schema import compile_schema

LEAVES: list[dict[str, Any]] = [
    {}, {"type": "integer"}, {"type": "number", "multipleOf": 0.1}, {"enum": ["a", 1, None]},
    {"type": "string", "minLength": 2}, {"const": True}, {"type": ["null", "string"]},
    {"minimum": 0, "maximum": 5}, {"pattern": "^a+$"}, {"type": "string", "format": "date"},
    {"type": "string", "format": "email"}, {"not": {"type": "string"}}, {"type": "boolean"},
]  # fmt: skip
VALUES: list[Any] = [
    None, True, False, 0, 1, 1.0, -1, 0.3, 5, 6, "", "a", "aa", "ab", "aaa\n", "2024-01-01",
    "x@y.org", [], [1], [True], ["aa"], {}, {"a": 1}, {"a": None}, {"a": "aa"}, {"b": 1}, [[]],
    1e300, float("nan"), float("inf"), 10**400, "é", "\u0660", [None], {"a": {"a": 1}},
    [None, None, "aa", "aa", 1, True, 1.0], [{}, {}, [], [], {"a": 1}],
]  # fmt: skip


def schemas_with(leaf: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the schema, and schemas that contain it."""
    yield leaf
    yield {"type": "array", "items": leaf}
    yield {"type": "array", "items": {"anyOf": [leaf, {"type": "null"}]}}
    yield {"type": "array", "items": {"oneOf": [leaf, {"type": "integer"}]}}
    yield {"type": "object", "properties": {"a": leaf}, "required": ["a"]}
    yield {"anyOf": [leaf, {"type": "null"}]}
    yield {"oneOf": [leaf, {"type": "integer"}]}
    yield {"allOf": [leaf, {"type": "string"}]}
    yield {"type": "object", "additionalProperties": leaf}


@pytest.mark.parametrize("leaf", LEAVES, ids=str)
def test_both_engines_and_the_explanations_agree(leaf: dict[str, Any]) -> None:
    """For every schema and value, both engines accept the value or both reject it."""
    different = []
    for schema in schemas_with(leaf):
        fast, reference = compile_schema(schema), compile_schema(schema, engine="jsonschema")
        for value in VALUES:
            answers = {fast.accepts(value), reference.accepts(value), not fast.problems(value)}
            if len(answers) > 1:
                different.append((schema, value))

    assert [] == different
