"""A schema that could fail later is refused when it is compiled."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abs_shield.errors import PolicyError
from abs_shield.schema import compile_schema
from tests.processes import run_python

TREE = {
    "type": "object",
    "properties": {"value": {"type": "integer"}, "next": {"$ref": "#"}},
    "additionalProperties": False,
}


KEYWORDS = [
    *("$ref", "$id", "$anchor", "$dynamicRef", "$defs", "$schema", "type", "enum", "const", "not"),
    *("properties", "patternProperties", "additionalProperties", "unevaluatedProperties"),
    *("required", "dependencies", "dependentSchemas", "dependentRequired", "propertyNames"),
    *("items", "prefixItems", "contains", "minContains", "uniqueItems", "unevaluatedItems"),
    *("allOf", "anyOf", "oneOf", "if", "then", "else", "pattern", "format", "nullable"),
    *("minLength", "maxItems", "minProperties", "multipleOf", "minimum", "a", "b"),
]


def refusal(schema: Any, **options: Any) -> str:
    """Compile a schema that is to be refused and give the reason."""
    with pytest.raises(PolicyError) as caught:
        compile_schema(schema, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "str"}, "did you mean `string`?"),
        ({"type": "nubmer"}, "did you mean `number`?"),
        ({"exclusiveMinimum": True, "minimum": 0}, "draft 4"),
        ({"required": True}, "list of names"),
        ({"minLength": -1}, "minLength"),
        ({"$schema": "http://json-schema.org/draft-99/schema#"}, "unknown draft"),
        ({"$schema": 5}, "unknown draft"),
        ({"const": float("nan")}, "not JSON"),
        ({"default": object()}, "not JSON"),
        ({1: 2}, "not a string"),
        (5, "a schema is an object"),
        ({"$ref": "#/$defs/missing"}, "cannot resolve"),
        ({"$ref": "#nowhere"}, "cannot resolve"),
        ({"$ref": "#/minimum", "minimum": 5}, "not a schema"),
        ({"$ref": "#/x/y", "x": {"y": {"type": "str"}}}, "not a valid schema"),
    ],
)
def test_a_wrong_schema_is_refused(schema: Any, message: str) -> None:
    """The reason names the fault or the way out, on one line."""
    assert message in refusal(schema)


JUNK = st.recursive(
    st.sampled_from([None, True, 0, -1, 2**70, 0.5, "", "string", "#", "#/a", "(", "^a$"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYWORDS), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=5 * settings.default.max_examples)
@given(JUNK, st.booleans())
def test_junk_is_refused_or_compiles(schema: Any, closed: bool) -> None:
    """Compiling any JSON raises a PolicyError or returns a schema that judges any value."""
    try:
        compiled = compile_schema(schema, closed=closed)
    except PolicyError:
        return
    for value in (None, 5, "a", [1], {"a": 1}):
        assert compiled.accepts(value) == (compiled.problems(value) == ())


def test_a_deep_schema_is_refused() -> None:
    """A schema nested 5000 deep is refused without a RecursionError."""
    schema: dict[str, Any] = {}
    for _ in range(5000):
        schema = {"not": schema}

    assert "nested" in refusal(schema)


def test_a_large_schema_is_refused() -> None:
    """A schema of more values than the cap is refused."""
    assert "larger" in refusal({"enum": list(range(100_001))})


def test_a_remote_reference_is_refused_without_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reference elsewhere is refused before any socket opens."""

    def no_network(*_: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", no_network)
    monkeypatch.setattr(socket, "getaddrinfo", no_network)

    assert "never fetched" in refusal({"items": {"$ref": "http://127.0.0.1:9/x.json"}})


@pytest.mark.parametrize("engine", ["auto", "pydantic-core", "jsonschema"])
@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/a", "$defs": {"a": {"type": "integer"}}},
        {"$ref": "#a", "$defs": {"x": {"$anchor": "a", "type": "integer"}}},
        {"$ref": "#/components/schemas/a", "components": {"schemas": {"a": {"type": "integer"}}}},
        {"allOf": [{"$ref": "#/$defs/a~1b"}], "$defs": {"a/b": {"type": "integer"}}},
    ],
)
def test_a_local_reference_works(schema: dict[str, Any], engine: str) -> None:
    """A pointer, an anchor and an OpenAPI component are followed."""
    compiled = compile_schema(schema, engine=engine)

    assert (compiled.accepts(5), compiled.accepts("5")) == (True, False)


def test_a_recursive_reference_works() -> None:
    """A problem deep in a recursive schema is found where it is."""
    problems = compile_schema(TREE).problems({"next": {"next": {"value": "x"}}})

    assert [(p.where, p.code) for p in problems] == [("/next/next/value", "wrong_type")]


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"anyOf": [{"type": "null"}, {"not": {"$ref": "#"}}]},
        {"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}]}}},
    ],
)
def test_an_endless_reference_is_refused(schema: dict[str, Any]) -> None:
    """A reference that goes round without going deeper into the value is refused."""
    assert "leads back to itself" in refusal(schema)


def test_an_endless_dynamic_reference_is_too_deep() -> None:
    """A ring that only running finds is a problem, not a RecursionError."""
    schema = compile_schema({"$dynamicAnchor": "a", "$dynamicRef": "#a"})

    assert (schema.accepts(5), [p.code for p in schema.problems(5)]) == (False, ["too_deep"])


def test_a_draft_inside_does_not_leave_our_engine() -> None:
    """A nested `$schema` does not switch to an engine that takes NaN for a number."""
    inner = {"$schema": "https://json-schema.org/draft/2020-12/schema", "pattern": r"^\d$"}

    assert not compile_schema({"items": inner}).accepts(["1\n"])


def test_an_older_draft_keeps_its_meaning() -> None:
    """Draft 4 reads `exclusiveMinimum: true` as it did."""
    schema = compile_schema(
        {
            "$schema": "http://json-schema.org/draft-04/schema#",
            "minimum": 0,
            "exclusiveMinimum": True,
        }
    )

    assert (schema.accepts(0), schema.accepts(1)) == (False, True)


def test_a_schema_is_copied() -> None:
    """Changing a schema after it was compiled changes nothing."""
    schema: dict[str, Any] = {"type": "string", "nullable": True}
    compiled = compile_schema(schema)
    schema["type"] = "integer"

    assert (schema, compiled.accepts("x")) == ({"type": "integer", "nullable": True}, True)


def test_equal_schemas_share_one_compiled_schema() -> None:
    """The second call returns the same object; an invalid schema is refused under each name."""
    schema = {"type": "object", "properties": {"a": {"type": "string", "nullable": True}}}
    first = compile_schema(schema, where="first")

    assert first is compile_schema({**schema}, where="second")
    for name in ("first", "second"):
        with pytest.raises(PolicyError, match=name):
            compile_schema({"type": "str"}, where=name)


OTHER: list[dict[str, Any]] = [
    {"properties": {"a": {"const": True}, "b": {}}},
    {"properties": {"a": {"const": 1.5}, "b": {}}},
    {"properties": {"b": {}, "a": {"const": 1}}},
    {"properties": {"a": {"const": "1"}, "b": {}}},
]


@pytest.mark.parametrize("other", OTHER)
def test_a_schema_that_differs_is_compiled_by_itself(other: dict[str, Any]) -> None:
    """By a type, by the order of names, or by how it was asked for."""
    schema = {"properties": {"a": {"const": 1}, "b": {}}}
    first = compile_schema(schema)

    assert first is not compile_schema(other)
    assert first is not compile_schema(schema, closed=True)
    assert first is not compile_schema(schema, engine="jsonschema")


def test_an_unknown_engine_is_refused() -> None:
    """The refusal names the nearest engine."""
    assert "did you mean `jsonschema`?" in refusal({}, engine="json-schema")


def test_importing_the_room_does_not_import_jsonschema() -> None:
    """Only the first schema pays for jsonschema."""
    code = "import abs_shield.schema, sys; print('jsonschema' in sys.modules)"
    done = run_python("-c", code)

    assert done.stdout.strip() == "False"
