"""A problem has a pointer, a code, the received and expected values, and a hint."""

from __future__ import annotations

import json
from typing import Any

import pytest

from abs_shield.schema import SchemaProblem, compile_schema


def only(schema: dict[str, Any], value: Any) -> SchemaProblem:
    """Return the one problem of a value."""
    (problem,) = compile_schema(schema).problems(value)
    return problem


@pytest.mark.parametrize(
    ("schema", "value", "code"),
    [
        ({"type": "number"}, "5", "wrong_type"),
        ({"type": "integer"}, True, "wrong_type"),
        ({"required": ["a"]}, {}, "missing_argument"),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "missing_argument"),
        ({"additionalProperties": False}, {"a": 1}, "unknown_argument"),
        ({"unevaluatedProperties": False}, {"a": 1}, "unknown_argument"),
        ({"enum": ["a"]}, "b", "not_allowed"),
        ({"const": 1}, True, "not_allowed"),
        ({"format": "date"}, "x", "bad_format"),
        ({"pattern": "^a$"}, "x", "bad_pattern"),
        ({"minimum": 5}, 4, "out_of_range"),
        ({"exclusiveMaximum": 5}, 5, "out_of_range"),
        ({"minLength": 2}, "x", "wrong_length"),
        ({"maxItems": 1}, [1, 2], "wrong_length"),
        ({"prefixItems": [{}], "items": False}, [1, 2], "wrong_length"),
        ({"multipleOf": 0.01}, 0.015, "not_multiple"),
        ({"uniqueItems": True}, [{"a": 1}, {"a": 1.0}], "not_unique"),
        ({"not": {}}, 1, "no_alternative"),
        ({"oneOf": [{}, {}]}, 1, "no_alternative"),
        ({"anyOf": [{"minimum": 5}, {"multipleOf": 7}]}, 1, "no_alternative"),
        ({"contains": {"const": 1}}, [2], "invalid"),
        ({"properties": {"a": False}}, {"a": 1}, "invalid"),
    ],
)
def test_each_kind_has_its_code(schema: dict[str, Any], value: Any, code: str) -> None:
    """A value wrong in one way is one problem with the code of that way."""
    assert code == only(schema, value).code


@pytest.mark.parametrize(
    ("schema", "value", "hint"),
    [
        ({"type": "number"}, "5", '"5" is a string: send the number 5, without quotes'),
        ({"type": "boolean"}, "True", '"True" is a string: send true, without quotes'),
        ({"type": "string"}, 5, '5 is a number: send the string "5", in quotes'),
        ({"type": "integer"}, 1.5, "1.5 has a fraction: send a whole number"),
        ({"type": "array"}, "a", 'send a list, even for one item: ["a"]'),
        ({"type": "object"}, '{"a": 1}', "send the object itself, not JSON text in a string"),
        ({"type": "string"}, None, "leave it out, or send a value"),
        ({"format": "date"}, "31/5/2024", "dates look like 2024-05-31"),
        ({"enum": ["EUR", "USD"]}, "eur", "did you mean `EUR`?"),
        ({"enum": [1, 2]}, "1", '"1" is a string: send 1, without quotes'),
    ],
)
def test_a_hint_says_what_to_send(schema: dict[str, Any], value: Any, hint: str) -> None:
    """The hint shows the way out."""
    assert hint == only(schema, value).hint


def test_a_problem_of_an_optional_number_is_that_of_the_number() -> None:
    """The problem of an `anyOf` is that of its alternative with the right type."""
    schema = {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]}

    assert [only(schema, v).code for v in (0, "1")] == ["out_of_range", "wrong_type"]
    assert only(schema, "x").expected == "integer or null"


def test_a_discriminator_picks_the_alternative() -> None:
    """The alternative whose constant fits is the one that was meant."""
    cat = {"type": "object", "properties": {"kind": {"const": "cat"}, "lives": {"maximum": 9}}}
    dog = {"type": "object", "properties": {"kind": {"const": "dog"}}}
    problem = only({"anyOf": [cat, dog]}, {"kind": "cat", "lives": 10})

    assert (problem.where, problem.code) == ("/lives", "out_of_range")


def test_a_pointer_is_escaped() -> None:
    """Slashes and tildes in names follow RFC 6901."""
    schema = {"properties": {"a/b~c": {"items": {"type": "string"}}}}

    assert only(schema, {"a/b~c": ["x", 2]}).where == "/a~1b~0c/1"


@pytest.mark.parametrize(
    "value", ["x\n" * 9999, "\ud800", ["y"] * 9999, {"k\n" * 999: {"z": [1]}}, 10**400, "\u202e"]
)
def test_a_problem_is_short_and_clean(value: Any) -> None:
    """For any value the detail is one short printable line, and `got` is small JSON."""
    problem = only({"const": 1}, value)

    assert problem.detail.isprintable()
    assert len(problem.detail) < 200
    assert len(json.dumps(problem.got).encode()) < 2000


def test_decimals_are_multiples_as_written() -> None:
    """19.99 is a multiple of 0.01, as everybody who writes prices expects."""
    schema = compile_schema({"type": "number", "multipleOf": 0.01})

    assert [schema.accepts(value) for value in (19.99, 19.995)] == [True, False]


def test_a_schema_that_allows_nothing_says_so() -> None:
    """`false` has no keyword to name."""
    problem = only({"properties": {"a": False}}, {"a": 1})

    assert "got 1, expected nothing: no value is allowed here" == problem.detail
