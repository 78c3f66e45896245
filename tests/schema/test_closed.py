"""A closed schema rejects undeclared names, unless it explicitly allows them."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield.schema import compile_schema

A = {"properties": {"a": {}}}


@pytest.mark.parametrize("engine", ["auto", "pydantic-core", "jsonschema"])
@pytest.mark.parametrize(
    "schema",
    [
        A,
        {"type": "object", "properties": {}},
        {"$ref": "#/$defs/x", "$defs": {"x": A}},
        {"allOf": [A]},
        {"anyOf": [A, {"type": "object"}]},
        {"oneOf": [A]},
        {"if": A, "then": {}, "else": {}},
        {"dependentSchemas": {"a": A}},
        {**A, "properties": {"a": {}, "b": {"additionalProperties": True}}},
    ],
)
def test_an_undeclared_name_is_rejected(schema: dict[str, Any], engine: str) -> None:
    """A name that no part of the schema declares is an unknown argument."""
    problems = compile_schema(schema, closed=True, engine=engine).problems({"zzz": 1})

    assert [(p.where, p.code) for p in problems] == [("/zzz", "unknown_argument")]
    assert not compile_schema(schema, closed=True, engine=engine).accepts({"zzz": 1})
    assert compile_schema(schema, engine=engine).accepts({"zzz": 1})


@pytest.mark.parametrize(
    "schema",
    [
        {},
        True,
        {"type": "object"},
        {"type": "object", "minProperties": 1},
        {**A, "additionalProperties": True},
        {**A, "additionalProperties": {"type": "integer"}},
        {**A, "patternProperties": {"^z": {}}},
        {**A, "unevaluatedProperties": True},
        {"allOf": [{**A, "additionalProperties": True}]},
        {**A, "$ref": "#/$defs/x", "$defs": {"x": {"additionalProperties": {}}}},
    ],
)
def test_a_schema_that_allows_or_declares_no_names_is_open(schema: Any) -> None:
    """A schema that allows more names, or declares none, is not closed."""
    assert compile_schema(schema, closed=True).accepts({"zzz": 1})


@pytest.mark.parametrize(
    ("schema", "nameless"),
    [
        ({"type": "object"}, True),
        ({"type": "object", "properties": {}}, True),
        ({"type": "object", "properties": {}, "additionalProperties": False}, False),
        ({"allOf": [{"unevaluatedProperties": False}]}, False),
        ({"patternProperties": {"^z": {}}}, False),
        (A, False),
    ],
)
def test_a_schema_without_names_is_nameless(schema: Any, nameless: bool) -> None:
    """A schema is nameless if it neither declares nor explicitly refuses a name."""
    assert nameless is compile_schema(schema, closed=True).nameless


@pytest.mark.parametrize(
    ("schema", "lists"),
    [
        (A, True),
        ({**A, "additionalProperties": False}, True),
        ({**A, "additionalProperties": {}}, False),
        ({**A, "patternProperties": {"^z": {}}}, False),
        ({**A, "allOf": [{"patternProperties": {"^z": {}}}]}, False),
        ({"type": "object"}, False),
    ],
)
def test_a_schema_may_take_names_that_it_does_not_declare(schema: Any, lists: bool) -> None:
    """By a pattern, or as further ones."""
    assert lists is compile_schema(schema, closed=True).lists_every_name


def test_every_declared_name_is_known() -> None:
    """Names of all subschemas are known; only names that are always required are required."""
    schema = compile_schema(
        {
            "$ref": "#/$defs/base",
            "$defs": {"base": {"properties": {"a": {}}, "required": ["a"]}},
            "allOf": [{"properties": {"b": {}}, "required": ["b"]}],
            "anyOf": [{"properties": {"c": {}}, "required": ["c"]}, {}],
            "if": {"properties": {"d": {}}},
            "then": {"properties": {"e": {}}},
        }
    )

    assert (frozenset("abcde"), frozenset("ab")) == (schema.declared_names, schema.required)


def test_an_unknown_name_is_reported_once_with_the_nearest() -> None:
    """An unknown name is one problem, also if the schema itself is closed."""
    schema = {"properties": {"amount": {}, "id": {}}, "additionalProperties": False}
    (problem,) = compile_schema(schema, closed=True).problems({"amont": 1})

    assert (problem.nearest, problem.allowed) == ("amount", ("amount", "id"))
    assert problem.hint == "did you mean `amount`?"


def test_only_the_top_level_is_closed() -> None:
    """A nested object accepts undeclared names unless its own schema refuses them."""
    schema = {"properties": {"a": {"properties": {"b": {}}}}}

    assert compile_schema(schema, closed=True).accepts({"a": {"zzz": 1}})
