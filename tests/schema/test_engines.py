"""A fast engine is fast and never accepts a value that the reference engine rejects."""

from __future__ import annotations

import copy
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abs_shield.schema import compile_schema
from abs_shield.schema.offset_patterns import WITH_OFFSET, WITHOUT_OFFSET

DEFS = {"n": {"type": "integer", "minimum": 0}, "t": {"type": "string", "pattern": "^[ab]"}}
SCHEMAS: list[Any] = [
    True,
    {},
    {"type": "string"},
    {"type": "string", "minLength": 1, "maxLength": 2},
    {"type": "string", "pattern": r"^\w*$"},
    {"type": "string", "format": "date"},
    {"type": "string", "format": "date-time"},
    {"type": "string", "format": "date-time", "pattern": WITH_OFFSET},
    {"type": "string", "format": "date-time", "pattern": WITHOUT_OFFSET},
    {"type": "string", "format": "time"},
    {"type": "integer"},
    {"type": "integer", "minimum": -3, "exclusiveMaximum": 2**40},
    {"type": "integer", "multipleOf": 3},
    {"type": "number", "maximum": 10},
    {"type": "number", "maximum": 2**53},
    {"type": "number", "multipleOf": 0.1},
    {"type": ["integer", "null", "boolean"]},
    {"enum": ["a", "b", ""]},
    {"enum": [1, True, None, [1], {"a": 0}]},
    {"const": 0},
    {"const": [False]},
    {"type": "array", "items": {"type": "integer"}, "maxItems": 2},
    {"type": "array", "uniqueItems": True},
    {"type": "array", "enum": ["a", "b"]},
    {"type": ["array", "null"], "items": {"type": "string"}, "enum": ["a", None]},
    {"type": "object", "minProperties": 1, "maxProperties": 2},
    {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
    {"type": "object", "properties": {"a": {}, "b": {}}, "additionalProperties": False},
    {"type": "object", "additionalProperties": {"type": "integer"}},
    {"type": "object", "required": ["a", "b"]},
    {"type": "object", "properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": DEFS},
    {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/t"}], "$defs": DEFS},
    {"allOf": [{"type": "number"}, {"type": "number", "minimum": 1}, {"enum": [1, 2.0]}]},
    {"type": "string", "nullable": True, "enum": ["a"]},
    {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 0}]},
    {"type": "object", "not": {"required": ["a"]}},
]
NUMBERS = st.one_of(
    st.integers(),
    st.integers(-5, 5),
    st.floats(),
    st.sampled_from([0, -0.0, 1.0, 0.3, 2**53, 2**53 + 1, 2**64, 10**30, 1e300, math.nan]),
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    NUMBERS,
    st.text(max_size=4),
    st.sampled_from(["a", "b", "2024-05-31", "2024-05-31T12:00", "2024-05-31 12:00:00Z", "12:00"]),
)
NAMES = st.one_of(st.sampled_from(["a", "b", "c"]), st.text(max_size=3))
VALUES = st.recursive(
    SCALARS | st.just("\ud800") | st.just((1,)) | st.just({1: 2}),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=8,
)
ENGINES = ("pydantic-core",)
COMPILED = [
    (compile_schema(schema, engine="jsonschema", closed=closed), schema, closed)
    for schema in SCHEMAS
    for closed in (False, True)
]
FAST = [
    (compile_schema(schema, engine=engine, closed=closed), reference)
    for engine in ENGINES
    for reference, schema, closed in COMPILED
]


@pytest.mark.slow
@pytest.mark.release
@settings(max_examples=5 * settings.default.max_examples)
@given(VALUES)
def test_engines_agree(value: Any) -> None:
    """For any value every engine has the same result as the reference engine."""
    differing = [f for f, reference in FAST if f.accepts(value) != reference.accepts(value)]

    assert differing == []


@settings(max_examples=2 * settings.default.max_examples)
@given(VALUES)
def test_judging_changes_nothing(value: Any) -> None:
    """A value is the same after it was judged and explained."""
    before = repr(copy.deepcopy(value))
    for schema, _ in FAST[::7]:
        schema.accepts(value)
        schema.problems(value)

    assert before == repr(value)


@settings(max_examples=2 * settings.default.max_examples)
@given(VALUES)
def test_accepting_and_explaining_agree(value: Any) -> None:
    """A value has no problems exactly when it is accepted."""
    split = [s for s, _ in FAST if s.accepts(value) != (s.problems(value) == ())]

    assert split == []


@pytest.mark.parametrize("engine", ENGINES)
def test_most_schemas_get_the_engine_asked_for(engine: str) -> None:
    """The law above is not empty: nearly all of its schemas have a fast yes."""
    named = [compile_schema(schema, engine=engine).engine for schema in SCHEMAS]

    assert named.count(engine) >= len(SCHEMAS) - 3


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"type": "integer"}, True, False),
        ({"type": "integer"}, 1.0, True),
        ({"type": "integer"}, "1", False),
        ({"type": "number"}, math.inf, False),
        ({"type": "number", "maximum": 2**53}, 2**53 + 1, False),
        ({"type": "boolean"}, 1, False),
        ({"type": "string"}, b"a", False),
        ({"type": "string", "maxLength": 1}, "é", True),
        ({"type": "string", "maxLength": 1}, "e\u0301", False),
        ({"type": "array"}, (1,), False),
        ({"type": "array", "uniqueItems": True}, [1, True], True),
        ({"type": "array", "uniqueItems": True}, [{"a": 1}, {"a": 1}], False),
        ({"type": "object"}, {1: 2}, False),
        ({"type": "object", "maxProperties": 1}, {"a": 1, "b": 2}, False),
        ({"enum": [1]}, True, False),
        ({"enum": [1]}, 1.0, True),
        ({"type": "number", "format": "date"}, 5, True),
    ],
)
@pytest.mark.parametrize("engine", [*ENGINES, "jsonschema"])
def test_known_traps(engine: str, schema: dict[str, Any], value: Any, expected: bool) -> None:
    """If JSON Schema and Python disagree about a value, every engine follows JSON Schema."""
    assert expected == compile_schema(schema, engine=engine).accepts(value)
