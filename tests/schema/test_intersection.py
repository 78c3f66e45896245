"""The intersection of two schemas: it accepts what both accept, in every engine."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield.schema import compile_schema, intersect_schemas

CLOSED = {"properties": {"a": {"type": "integer"}, "b": {}}}
OPEN = {"properties": {"a": {"maximum": 9}, "c": {}}, "additionalProperties": True}


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("engine", ["auto", "jsonschema"])
@pytest.mark.parametrize(
    ("one", "other"), [(CLOSED, OPEN), (CLOSED, {"properties": {"a": {}}}), (OPEN, OPEN)]
)
@pytest.mark.parametrize("value", [{"a": 1}, {"a": 10}, {"a": 1, "b": 2}, {"c": 3}, {"d": 4}])
def test_a_value_must_fit_both(
    one: Any, other: Any, value: dict[str, int], engine: str, swapped: bool
) -> None:
    """A value is accepted if both schemas accept it, also if one or both are closed."""
    schemas = [compile_schema(each, closed=True, engine=engine) for each in (one, other)]
    both = intersect_schemas(*(schemas[::-1] if swapped else schemas))

    expected = all(schema.accepts(value) for schema in schemas)
    assert (expected, expected) == (both.accepts(value), not both.problems(value))
