"""Values that are too deep, too large or not finite are rejected before any other check."""

from __future__ import annotations

import math
from time import sleep
from typing import Any

import pytest

from abs_shield.schema import compile_schema, ecma_regex
from abs_shield.schema.value_limits import MAX_DEPTH, exceeded_limits, is_plain_json
from abs_shield.schema.work_budget import begin_judgement


def nested(depth: int, inner: Any = 0) -> Any:
    """Return a value inside this many lists."""
    for _ in range(depth):
        inner = [inner]
    return inner


def shared() -> Any:
    """Build a value that is tiny in memory and 10 ** 20 items when walked."""
    value: Any = 0
    for _ in range(20):
        value = [value] * 10
    return value


@pytest.mark.parametrize("engine", ["auto", "pydantic-core", "jsonschema"])
@pytest.mark.parametrize("schema", [{}, {"type": "array"}, {"items": {"type": "array"}}])
@pytest.mark.parametrize(
    ("value", "code"),
    [
        (nested(5000), "too_deep"),
        (nested(MAX_DEPTH + 1), "too_deep"),
        ([0] * 100_001, "too_large"),
        (["x" * (1 << 20), "x"], "too_large"),
        ([10**3000], "too_large"),
        (shared(), "too_large"),
        ([math.nan], "not_finite"),
        ([-math.inf], "not_finite"),
        ([{1: 2}], "wrong_type"),
    ],
)
def test_an_invalid_value_is_rejected_with_its_reason(
    engine: str, schema: Any, value: Any, code: str
) -> None:
    """Every engine rejects the value with the same code, whatever the schema is."""
    compiled = compile_schema(schema, engine=engine)

    assert (False, code) == (compiled.accepts(value), compiled.problems(value)[0].code)


def test_the_deepest_value_passes() -> None:
    """A value at the cap itself is within it."""
    assert (is_plain_json(nested(MAX_DEPTH)), list(exceeded_limits(nested(MAX_DEPTH)))) == (
        True,
        [],
    )


def test_a_cycle_is_too_deep() -> None:
    """A list that contains itself has the code `too_deep`."""
    cycle: list[Any] = []
    cycle.append(cycle)

    assert [p.code for p in compile_schema({}).problems(cycle)] == ["too_deep"]


def test_recursion_in_schema_and_value_ends() -> None:
    """A recursive schema over a value at the depth cap gives an answer."""
    schema = {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#"}}]}

    assert compile_schema(schema).accepts(nested(MAX_DEPTH)) in (True, False)


def test_problems_are_at_most_a_hundred() -> None:
    """A value wrong in a thousand places is explained by its first hundred."""
    schema = compile_schema({"items": {"type": "string"}})

    assert len(schema.problems(list(range(1000)))) == 100


class Hostile(dict):  # type: ignore[type-arg]
    """A mapping that breaks whenever it is read."""

    def items(self) -> Any:
        raise RuntimeError("no")

    __iter__ = __contains__ = __len__ = items  # type: ignore[assignment]


@pytest.mark.parametrize(
    "value", [object(), {1, 2}, (1,), b"a", "\ud800", 1j, Hostile(a=1), type, [object()], {None: 1}]
)
def test_any_object_gets_an_answer(value: Any) -> None:
    """No Python object raises, and accepting agrees with explaining."""
    schema = {"type": "object", "properties": {"a": {"enum": [1]}}, "patternProperties": {"b": {}}}
    for compiled in (compile_schema(schema, closed=True), compile_schema({"uniqueItems": True})):
        assert compiled.accepts(value) == (compiled.problems(value) == ())


def test_hints_for_misspelt_names_are_limited() -> None:
    """Of 200 unknown names beside 5,000 known ones, only the first have a hint."""
    known = {f"parameter_name_{n}": {"type": "string"} for n in range(5_000)}
    schema = {"properties": known, "additionalProperties": False}
    compiled = compile_schema(schema)
    results = compiled.problems({f"paramter_name_{n}": "x" for n in range(200)})

    assert len(results) == 100
    hinted = [problem for problem in results if problem.hint.startswith("did you mean")]
    assert 5 <= len(hinted) <= 20
    again = compiled.problems({"paramter_name_1": "x"})
    assert [problem.hint[:12] for problem in again] == ["did you mean"]


def test_a_text_that_a_pattern_takes_too_long_on_is_searched_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A long run of blanks before another letter takes a second at one place of it."""
    searched = []

    class Slow:
        pattern = "(a+)+b"

        def search(self, text: str, timeout: float = 0) -> None:
            searched.append(len(text))
            sleep(0.06)
            raise TimeoutError

    monkeypatch.setattr(ecma_regex, "compile_pattern", lambda _: Slow())
    find = ecma_regex.search_of.__wrapped__("(a+)+b")
    for _ in range(3):
        begin_judgement(verdict_only=True)
        with pytest.raises(TimeoutError):
            find("a" * 2_000)
    begin_judgement(verdict_only=True)
    with pytest.raises(TimeoutError):
        find("a" * 3_000)

    assert searched == [2_000, 3_000]
