"""Samples of a schema: few, deterministic, and all of them accepted."""

from __future__ import annotations

import json
import re
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.errors import PolicyError
from abs_shield.schema import compile_schema
from abs_shield.schema.formats import checker
from abs_shield.schema.samples import Pool, Samples
from abs_shield.schema.samples.argument_samples import MOST
from abs_shield.schema.samples.pattern_samples import matching_texts
from abs_shield.schema.samples.text_samples import FORMATS
from abs_shield.schema.satisfiability import find_contradiction


def samples_of(parameters: Any, *constants: Any, focus: Any = None) -> list[dict[str, Any]]:
    compiled = compile_schema(parameters, closed=True)
    return [*Samples(parameters, compiled, pool=Pool.of(constants), focus=focus)]


def values(schema: Any, *constants: Any, **root: Any) -> list[Any]:
    """Sampled values of one required parameter."""
    parameters = {"type": "object", "properties": {"x": schema}, "required": ["x"], **root}
    return [arguments["x"] for arguments in samples_of(parameters, *constants)]


BOUNDARIES: list[tuple[Any, list[Any]]] = [
    ({"type": "integer", "minimum": 3, "maximum": 9}, [3, 4, 8, 9]),
    ({"type": "integer", "exclusiveMinimum": 3, "exclusiveMaximum": 9}, [4, 8]),
    ({"type": "number", "exclusiveMinimum": 0}, [0.01, 1]),
    ({"type": "number", "multipleOf": 0.25, "minimum": 1, "maximum": 2}, [1, 1.25, 1.75, 2]),
    ({"type": "string", "minLength": 2, "maxLength": 4}, ["aa", "aaaa"]),
    ({"type": "string", "enum": ["EUR", "USD"]}, ["EUR", "USD"]),
    ({"const": 7}, [7]),
    ({"type": "string", "format": "date"}, ["2024-02-29", "1970-01-01", "9999-12-31"]),
    ({"type": "string", "pattern": "^tx_[0-9]{3}$"}, ["tx_000", "tx_999"]),
    ({"type": ["integer", "null"]}, [0, None]),
    ({"anyOf": [{"type": "string"}, {"type": "boolean"}]}, ["", True, False]),
    ({"type": "array", "items": {"type": "integer"}, "maxItems": 3}, [[], [1], [1, 0, 2]]),
    ({"type": "array", "uniqueItems": True, "minItems": 2, "items": {"enum": [1, 2]}}, [[1, 2]]),
    ({"$ref": "#/$defs/day"}, ["Mon", "Sun"]),
    ({"type": "string", "default": "zebra"}, ["zebra"]),
    (
        {"type": "object", "properties": {"a": {"enum": [1]}, "b": {"type": "null"}}},
        [{"a": 1, "b": None}, {}, {"a": 1}, {"b": None}],
    ),
    ({"type": "object", "additionalProperties": {"const": 1}}, [{}, {"a": 1, "b": 1}]),
    ({"allOf": [{"type": "integer"}, {"minimum": 3}, {"maximum": 4}]}, [3, 4]),
]


@pytest.mark.parametrize(("schema", "expected"), BOUNDARIES, ids=lambda each: str(each)[:40])
def test_boundaries_are_sampled(schema: Any, expected: list[Any]) -> None:
    """The bounds of a schema are among the samples."""
    results = values(schema, **{"$defs": {"day": {"enum": ["Mon", "Sun"]}}})

    assert [] == [each for each in expected if each not in results]


NEAR: list[tuple[Any, Any, list[Any]]] = [
    ({"type": "integer"}, 500, [499, 500, 501]),
    ({"type": "number"}, 500, [499.99, 500, 500.01]),
    ({"type": "string"}, "https://", ["https://", "https://a"]),
    ({"type": "string"}, 500, ["500", "500.01"]),
    ({"type": "string", "format": "date"}, "2026-03-01", ["2026-02-28", "2026-03-02"]),
    ({"type": "string", "format": "date"}, 30, ["2024-07-03", "2024-07-04"]),
]


@pytest.mark.parametrize(("schema", "constant", "expected"), NEAR)
def test_samples_include_a_constant_and_its_neighbours(
    schema: Any, constant: Any, expected: list[Any]
) -> None:
    """A number or word that a rule compares with, and values next to it, are samples."""
    results = values(schema, constant)

    assert [] == [each for each in expected if each not in results]


@pytest.mark.parametrize(("most", "lengths"), [(280, {279, 280, 281})])
def test_lengths_near_a_number(most: int, lengths: set[int]) -> None:
    """A rule may compare a text's length."""
    assert lengths <= {len(text) for text in values({"type": "string"}, most)}


def test_optional_arguments_come_and_go() -> None:
    """Each optional argument is left out of some sample, and all are in another."""
    properties = {name: {"type": "boolean"} for name in "abc"}
    samples = samples_of({"type": "object", "properties": properties, "required": ["a"]})

    assert {frozenset("a"), frozenset("ab"), frozenset("ac"), frozenset("abc")} == {
        frozenset(arguments) for arguments in samples
    }


def test_pairs() -> None:
    """Two parameters are varied together, so that rules over both are reached."""
    day = {"type": "string", "format": "date"}
    samples = samples_of({"type": "object", "properties": {"start": day, "end": day}})
    orders = {
        (each["start"] > each["end"]) - (each["start"] < each["end"])
        for each in samples
        if len(each) == 2
    }

    assert {-1, 0, 1} == orders


def test_arguments_that_depend_on_each_other() -> None:
    """An argument that requires another one is sampled together with it."""
    samples = samples_of(
        {
            "type": "object",
            "properties": {"card": {"type": "string"}, "cvc": {"type": "integer"}},
            "dependentRequired": {"card": ["cvc"]},
        }
    )

    assert any(arguments.keys() == {"card", "cvc"} for arguments in samples)


def test_a_focus() -> None:
    """Only the names in focus vary; what is not declared is tried where the schema lets it be."""
    parameters = {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "additionalProperties": True,
    }
    samples = samples_of(parameters, focus=["a", "c"])

    assert ({1}, True) == (
        {arguments["b"] for arguments in samples if "b" in arguments},
        any("c" in arguments for arguments in samples),
    )


def test_samples_are_always_the_same() -> None:
    """Sampling is deterministic."""
    parameters = {"type": "object", "properties": {name: {"type": "number"} for name in "abcd"}}

    assert samples_of(parameters, 3, "x") == samples_of(parameters, 3, "x")


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_valid_samples(name: str) -> None:
    """The samples of a format are in it."""
    check = checker(name)

    assert check is not None
    assert [] == [text for text in FORMATS[name] if not check(text)]


PATTERNS = [
    "^[a-z]+$", "^(?:a|b){2,3}x?$", r"^\d{4}-\d{2}$", r"[^a-z]", r"^\w+@\w+\.(com|org)$", "^$",
    r"^[+-]?[0-9]*\.?[0-9]+$", r"^\u0041\x42$", "^(?<year>[0-9]{4})$", "^[\\]\\-]{2}$", "^.{3}$",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_texts_of_a_pattern(pattern: str) -> None:
    """Every text that is made from a pattern matches it."""
    texts = matching_texts(pattern)
    python = pattern.replace("(?<", "(?P<")

    assert (True, []) == (bool(texts), [text for text in texts if not re.search(python, text)])


@pytest.mark.parametrize("pattern", ["(?=a)b", r"\bx", r"(a)\1", "a{1,99999999}b{9999}", "[", "("])
def test_a_pattern_that_is_not_read(pattern: str) -> None:
    """An unsupported pattern has no samples, or short ones."""
    assert all(len(text) <= 4_096 for text in matching_texts(pattern))


@pytest.mark.slow
def test_a_pattern_that_takes_for_ever() -> None:
    """A schema that answers slowly is given up: each answer is bounded, and so is their number."""
    evil = {"type": "string", "pattern": "^(a|aa|aaa)+$"}
    texts = [f"{'a' * 60}!{n}" for n in range(100)]
    parameters = {
        "type": "object",
        "properties": {name: evil for name in "xyz"},
        "required": ["x"],
    }
    compiled = compile_schema(parameters, closed=True)
    requests = []

    class Counting:
        def accepts(self, value: Any) -> bool:
            requests.append(str(value))
            return compiled.accepts(value)

        problems = compiled.problems

    results = [*Samples(parameters, cast("Any", Counting()), pool=Pool.of(texts))]

    assert {"x": "a", "y": "a", "z": "a"} == results[0]
    assert len([text for text in requests if "!" in text]) < 30


SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.text("ab_1", max_size=3))
BOUND = st.one_of(st.integers(-3, 6), st.floats(-2, 4, allow_nan=False).map(lambda f: round(f, 2)))
COUNT = st.integers(0, 4)
NAME = st.sampled_from(["a", "b", "id", "~/"])
TYPE = st.sampled_from("string integer number boolean array object null".split())


def nested_schemas(inner: Any) -> Any:
    """Return a strategy of schemas with any keywords, most of which contain other schemas."""
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.one_of(TYPE, st.lists(TYPE, min_size=1, max_size=3, unique=True)),
            "minimum": BOUND, "exclusiveMaximum": BOUND, "maximum": BOUND,
            "multipleOf": st.sampled_from([1, 2, 0.5, 0.1]),
            "minLength": COUNT, "maxLength": COUNT, "minItems": COUNT, "maxItems": COUNT,
            "minProperties": COUNT, "uniqueItems": st.booleans(), "nullable": st.booleans(),
            "enum": st.lists(SCALARS, max_size=3), "const": SCALARS, "default": SCALARS,
            "pattern": st.sampled_from(["^a+$", "[0-9]", "^(?!x)", "^b?$"]),
            "format": st.sampled_from(["date", "email", "nothing"]),
            "properties": st.dictionaries(NAME, inner, max_size=3),
            "patternProperties": st.dictionaries(st.just("^x"), inner, max_size=1),
            "required": st.lists(NAME, max_size=3, unique=True),
            "additionalProperties": inner, "items": inner, "contains": inner, "not": inner,
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "oneOf": st.lists(inner, min_size=1, max_size=2),
            "if": inner, "then": inner, "else": inner,
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
        },
    )  # fmt: skip


REF = st.just({"$ref": "#/$defs/d"})
SCHEMAS = st.recursive(st.one_of(st.booleans(), REF), nested_schemas, max_leaves=8)
ODD = st.builds(
    lambda schema, d: {**schema, "$defs": {"d": d}}, nested_schemas(SCHEMAS), nested_schemas(REF)
)


@pytest.mark.slow
@pytest.mark.release
@given(ODD)
def test_every_sample_is_valid(schema: dict[str, Any]) -> None:
    """For any schema each sample is accepted, and the number of samples is limited."""
    try:
        compiled = compile_schema(schema, closed=True)
    except PolicyError:
        return
    results = [*Samples(schema, compiled, pool=Pool.of([3, "a"]))]

    assert len(results) <= MOST
    assert [] == [each for each in results if compiled.problems(each)]


@pytest.mark.slow
@pytest.mark.release
@given(ODD, st.one_of(SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(NAME, SCALARS)))
def test_an_impossible_schema_accepts_nothing(schema: dict[str, Any], value: Any) -> None:
    """If a contradiction is found in a schema, no sample of it is accepted."""
    try:
        compiled = compile_schema(schema)
    except PolicyError:
        return
    tried = [value, *Samples(schema, compiled)] if find_contradiction(schema) else []

    assert [] == [json.dumps(each) for each in tried if compiled.accepts(each)]


IMPOSSIBLE: list[tuple[Any, str]] = [
    ({"type": "integer", "minimum": 5, "maximum": 3}, "`minimum` 5 is above `maximum` 3"),
    ({"type": "integer", "exclusiveMinimum": 5, "exclusiveMaximum": 6}, "no integer lies between"),
    ({"type": "number", "minimum": 1, "maximum": 2, "multipleOf": 5}, "no multiple of 5 lies"),
    ({"type": "string", "minLength": 5, "maxLength": 3}, "`minLength` 5 is above `maxLength` 3"),
    ({"enum": []}, "`enum` is empty"),
    ({"type": "string", "enum": [1, 2]}, "no member of `enum`, such as 1, fits"),
    ({"type": "object", "properties": {"x": False}, "required": ["x"]}, "at /properties/x: it is"),
    ({"type": "object", "additionalProperties": False, "required": ["z"]}, '"z" is required, and'),
    ({"anyOf": [False, {"enum": []}]}, "at /anyOf/0: it is `false`"),
    ({"allOf": [{"type": "integer", "minimum": 9}, {"maximum": 3}]}, "`minimum` 9 is above"),
    ({"type": "object", "required": ["a", "b"], "maxProperties": 1}, "2 names are required"),
    ({"not": {}}, "at /not: it forbids everything"),
    ({"oneOf": [{"type": "string"}, {"type": "string"}]}, "at /oneOf: its branches are equal"),
    (
        {
            "type": "object",
            "properties": {"a": {}},
            "additionalProperties": False,
            "minProperties": 2,
        },
        "`minProperties` 2 asks for more than the 1 there may be",
    ),
    ({"type": "string", "pattern": "^a$", "minLength": 3}, "`minLength` 3 asks for 3 characters"),
    ({"type": "string", "pattern": "[0-9]{8}", "maxLength": 5}, "`pattern` asks for 8 characters"),
    ({"type": "string", "format": "date", "maxLength": 4}, "`format` asks for 10 characters"),
    (
        {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 3, "uniqueItems": True},
        "`minItems` 3 asks for more different items than the 2 there are",
    ),
]


@pytest.mark.parametrize(("schema", "message"), IMPOSSIBLE)
def test_a_contradiction_names_its_keywords(schema: Any, message: str) -> None:
    """The reason names the contradicting keywords and their place."""
    assert message in find_contradiction(schema)


@pytest.mark.parametrize(
    "schema",
    [
        True, {}, {"minimum": 5, "maximum": 3}, {"type": ["string", "integer"], "minimum": 5,
        "maximum": 3}, {"type": "object", "properties": {"x": False}},
        {"type": "string", "minLength": 5, "maxLength": 3, "nullable": True},
        {"type": "string", "const": True, "nullable": True},
        {"type": "array", "items": False}, {"anyOf": [False, {}]}, {"nullable": True, "not": {}},
        {"type": "string", "pattern": "^ab*$", "minLength": 9},
        {"oneOf": [{"type": "null"}, {"type": "null"}, {"const": 1}]},
        {"type": "string", "pattern": "^(ab)+$", "minLength": 9},
        {"pattern": "^a$", "minLength": 3}, {"type": "string", "pattern": "^a\\$", "minLength": 9},
    ],
)  # fmt: skip
def test_what_fits_something(schema: Any) -> None:
    """Bounds of another type, and parts that may stay away, contradict nothing."""
    assert "" == find_contradiction(schema)
