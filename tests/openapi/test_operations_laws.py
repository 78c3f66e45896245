"""Property tests: any description is read or refused with a one-line message."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from abs_shield import PolicyError
from abs_shield.mining import ToolSource, mine
from abs_shield.openapi import Operations, operations

POINTERS = st.sampled_from(
    ["#/components/schemas/A", "#/components/schemas/B", "#", "#/paths/~1a", "x.json", "#/no", 7]
)
LEAF = st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=5)
SCHEMA = st.recursive(
    LEAF
    | st.fixed_dictionaries({"$ref": POINTERS}, optional={"nullable": st.booleans()})
    | st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["string", "object", "integer", ["null"], 5]),
            "nullable": st.booleans() | st.text(max_size=2),
            "minimum": st.integers(-3, 3),
            "exclusiveMinimum": st.booleans() | st.integers(-3, 3),
            "enum": st.lists(LEAF, max_size=2),
            "required": st.lists(LEAF, max_size=2) | LEAF,
            "readOnly": st.booleans(),
        },
    ),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=3) | LEAF,
            "items": inner,
            "allOf": st.lists(inner, max_size=2) | LEAF,
            "oneOf": st.lists(inner, max_size=2),
            "additionalProperties": inner,
        },
    ),
    max_leaves=8,
)
PARAMETER = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["a", "id", "", 5]),
        "in": st.sampled_from(["path", "query", "header", "cookie", 1]),
        "required": LEAF,
        "schema": SCHEMA,
        "description": LEAF,
        "$ref": POINTERS,
    },
)
CONTENT = st.dictionaries(
    st.sampled_from(["application/json", "text/plain"]),
    st.fixed_dictionaries({"schema": SCHEMA}) | LEAF,
    max_size=2,
)
OPERATION = st.fixed_dictionaries(
    {},
    optional={
        "operationId": LEAF,
        "summary": LEAF,
        "parameters": st.lists(PARAMETER | LEAF, max_size=3) | LEAF,
        "requestBody": st.fixed_dictionaries({"content": CONTENT | LEAF}) | LEAF,
    },
)
ITEM = st.dictionaries(
    st.sampled_from(["get", "post", "delete", "parameters", "$ref"]), OPERATION | LEAF, max_size=3
)
WHOLE = st.fixed_dictionaries(
    {
        "openapi": st.sampled_from(["3.0.3", "3.1.0"]),
        "paths": st.dictionaries(st.sampled_from(["/a", "/b/{id}"]), ITEM | LEAF, max_size=2),
        "components": st.fixed_dictionaries(
            {"schemas": st.fixed_dictionaries({"A": SCHEMA, "B": SCHEMA})}
        ),
    }
)


def read(whole: dict[str, Any]) -> Operations | str:
    """Return the tools of a description, or the message of its refusal."""
    try:
        return operations(whole)
    except PolicyError as error:
        return str(error)


@given(WHOLE)
def test_any_description_gives_a_proved_policy(whole: dict[str, Any]) -> None:
    """A policy of the tools of any description is proved without errors."""
    value = read(whole)
    if isinstance(value, str):
        assert "\n" not in value
        return
    source = ToolSource(
        name="api.json", tools=value.tools, reasons=value.reasons, remarks=value.remarks
    )

    assert () == mine(source).proof.errors
