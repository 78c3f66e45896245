"""OpenAPI's `nullable` allows null beside a type."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield.schema import compile_schema


@pytest.mark.parametrize("engine", ["auto", "pydantic-core", "jsonschema"])
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "nullable": True},
        {"type": "string", "nullable": True, "enum": ["a"]},
        {"type": ["string", "integer"], "nullable": True},
        {"type": "string", "nullable": True, "const": "a"},
    ],
)
def test_null_is_allowed(schema: dict[str, Any], engine: str) -> None:
    """Null is accepted beside a type, a list of types, an enum and a constant."""
    member = compile_schema({"type": "object", "properties": {"x": schema}}, engine=engine)

    assert [member.accepts({"x": v}) for v in (None, "a", 1.5)] == [True, True, False]


def test_null_needs_the_word() -> None:
    """Null fits neither `nullable: false` nor a schema without the word."""
    plain, false = ({"type": "string"}, {"type": "string", "nullable": False})

    assert [compile_schema(s).accepts(None) for s in (plain, false)] == [False, False]
