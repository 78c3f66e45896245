"""An `enum` beside `type: array` lists the items, in every engine."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield.plan.schema_lookup import schema_at
from abs_shield.schema import compile_schema
from abs_shield.schema.samples import Samples
from abs_shield.schema.satisfiability import find_contradiction

METRICS = {"type": "array", "items": {"type": "string"}, "enum": ["noise", "co2"]}


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        (METRICS, ["noise"], True),
        (METRICS, ["noise", "co2", "noise"], True),
        (METRICS, [], True),
        (METRICS, ["heat"], False),
        (METRICS, "noise", False),
        (METRICS | {"nullable": True}, None, True),
        (
            METRICS | {"items": {"$ref": "#/$defs/t"}, "$defs": {"t": {"type": "string"}}},
            [1],
            False,
        ),
        ({"type": "array", "enum": ["a"]}, ["a"], True),
        ({"type": ["array", "null"], "enum": ["a", None]}, ["a"], True),
        ({"type": ["array", "null"], "enum": ["a", None]}, [None], False),
        ({"type": "array", "enum": [["a"], ["b"]]}, ["a"], True),
        ({"type": "array", "enum": [["a"], ["b"]]}, ["a", "b"], False),
        ({"type": "array", "enum": ["a", ["b"]]}, ["a"], False),
        ({"type": ["array", "string"], "enum": ["a"]}, ["a"], False),
        ({"enum": ["a"]}, ["a"], False),
    ],
)
@pytest.mark.parametrize("engine", ["auto", "pydantic-core", "jsonschema"])
def test_the_items_are_members(engine: str, schema: Any, value: Any, expected: bool) -> None:
    """A list whose items are members fits, unless a member is itself a list."""
    assert expected == compile_schema(schema, engine=engine).accepts(value)


def test_a_wrong_item_is_named() -> None:
    """The fault is at the item, with the member that is nearest."""
    [problem] = compile_schema(METRICS).problems(["noise", "noize"])

    assert ("/1", "not_allowed", "noise") == (problem.where, problem.code, problem.nearest)


def test_a_proof_samples_such_a_schema() -> None:
    """The schema is not contradictory, and its samples are lists of the enum's items."""
    schema = {"type": "object", "properties": {"metrics": METRICS}, "required": ["metrics"]}
    results = [sample["metrics"] for sample in Samples(schema, compile_schema(schema))]

    assert ("", True) == (find_contradiction(schema), ["noise"] in results)


def test_such_an_item_is_an_enumerated_one() -> None:
    """The schema of an item has the members as its own `enum`."""
    parameters = {"type": "object", "properties": {"metrics": METRICS}}

    assert ["noise", "co2"] == schema_at(parameters, ("metrics", 0)).get("enum")
