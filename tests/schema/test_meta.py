"""A schema that the fast check accepts is valid by the meta-schema of its draft."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.schema.dialects import DRAFTS, meta_validator
from abs_shield.schema.prepared_schema import copy_schema, prepare_schema
from abs_shield.schema.quick_validity import _CHECKS, is_surely_valid

VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2.0, 0.5, "", "a", "#a", "string", "null", "dict",
    [], ["a"], ["a", "a"], ["string"], ["string", "string"], ["string", "b"], [1], [True], [{}],
    [{"type": "string"}, False], [{"type": 1}], [None], {}, {"a": {}}, {"a": True}, {"a": None},
    {"a": ["b"]}, {"a": {"type": "dict"}}, {"type": "object"}, {"type": "dict"},
    {"items": {"minimum": "1"}}, {"items": [{}]}, {"unknown": 1},
]  # fmt: skip
KEYWORDS = sorted({*_CHECKS, "$anchor", "dependencies", "$dynamicRef", "minContains", "unknown"})


@pytest.mark.parametrize("dialect", DRAFTS)
def test_surely_valid_schemas_are_valid(dialect: str) -> None:
    """Each keyword with each value, alone and nested, that passes the fast check is valid."""
    unsound, ordinary = [], 0
    for keyword in KEYWORDS:
        for value in VALUES:
            for schema in nested({keyword: value}):
                if is_surely_valid(schema, dialect):
                    ordinary += 1
                    unsound += [] if meta_validator(dialect).is_valid(schema) else [schema]

    assert unsound == []
    assert (ordinary > 800) == ("draft-04" not in dialect and "draft-06" not in dialect)


def nested(schema: dict[str, Any]) -> Iterator[Any]:
    yield schema
    yield {"type": "object", "properties": {"a": {"anyOf": [schema, {"type": "null"}]}}}
    yield {"$defs": {"A": {"type": "array", "items": schema}}, "$ref": "#/$defs/A"}


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.sampled_from(VALUES),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(KEYWORDS), inner),
)


@given(json, st.sampled_from(sorted(DRAFTS)))
def test_any_json_that_is_surely_valid_is_valid(schema: Any, dialect: str) -> None:
    """Nested keywords that pass the fast check are valid."""
    assert not is_surely_valid(schema, dialect) or meta_validator(dialect).is_valid(schema)


def test_the_schema_of_a_function_is_surely_valid() -> None:
    """Schemas of functions, and schemas as providers send them, pass the fast check."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "refund",
        "type": "object",
        "properties": {
            "order_id": {
                "type": "string",
                "pattern": "^A",
                "maxLength": 40,
                "description": "Its id",
            },
            "amount": {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "null"}]},
            "reason": {"enum": ["late", "broken"], "default": "late"},
            "to": {"$ref": "#/$defs/Address", "nullable": True},
        },
        "required": ["order_id"],
        "additionalProperties": False,
        "$defs": {"Address": {"type": "object", "properties": {"lines": {"items": {}}}}},
    }

    assert is_surely_valid(
        schema, prepare_schema(copy_schema(schema, where="refund"), where="refund").dialect
    )
