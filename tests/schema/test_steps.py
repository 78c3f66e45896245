"""Judging by a schema ends, whatever the schema and the value are."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield.schema import Undecided, compile_schema, steps
from abs_shield.schema.rust import installed

ENGINES = ["jsonschema", "pydantic-core", *(["jsonschema-rs"] if installed() else [])]


@pytest.fixture(autouse=True)
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound is what is tested, not how far away it is."""
    monkeypatch.setattr(steps, "MAX_STEPS", 5_000)


every_engine = pytest.mark.parametrize("engine", ENGINES)


def tree(*branches: dict[str, Any], keyword: str = "anyOf") -> dict[str, Any]:
    return {"$ref": "#/$defs/node", "$defs": {"node": {keyword: [*branches]}}}


def nested(levels: int, leaf: Any) -> Any:
    for _ in range(levels):
        leaf = {"a": leaf}
    return leaf


BRANCH = {"type": "object", "properties": {"a": {"$ref": "#/$defs/node"}}}
DOUBLED = tree({"type": "string"}, {**BRANCH, "required": ["b"]}, {**BRANCH, "required": ["c"]})


@every_engine
def test_what_grows_without_end_is_undecided(engine: str) -> None:
    """Two branches that lead back to one place double the work a level: it ends in an error."""
    schema = compile_schema(DOUBLED, engine=engine)

    with pytest.raises(Undecided, match="more than 5,000 steps"):
        schema.accepts(nested(60, 7))
    with pytest.raises(Undecided, match="more than 5,000 steps"):
        schema.problems(nested(60, 7))


@every_engine
def test_a_shallow_value_is_decided(engine: str) -> None:
    """The same schema judges what is not nested so deeply."""
    schema = compile_schema(DOUBLED, engine=engine)

    assert (True, False) == (schema.accepts("x"), schema.accepts(nested(3, 7)))
    assert ["no_alternative"] == [problem.code for problem in schema.problems(nested(3, 7))]


@every_engine
@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
def test_references_that_double_end(engine: str, keyword: str) -> None:
    """Sixty levels of two references each are never looked at one by one."""
    defs: dict[str, Any] = {
        f"d{n}": {keyword: [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(60)
    }
    schema = compile_schema(
        {"$ref": "#/$defs/d0", "$defs": defs | {"d60": {"type": "string"}}}, engine=engine
    )

    with pytest.raises(Undecided):
        schema.accepts(7 if keyword == "anyOf" else "x")


@every_engine
def test_a_union_of_two_kinds_is_decided_at_any_depth(engine: str) -> None:
    """Where the first member tells the branches apart, depth costs no more than it is deep."""
    schema = compile_schema(
        tree(
            {"type": "string"},
            *(
                {"type": "object", "properties": {
                    "op": {"const": op}, "of": {"items": {"$ref": "#/$defs/node"}}}}
                for op in ("and", "or")
            ),
            keyword="oneOf",
        ),
        engine=engine,
    )  # fmt: skip
    value: Any = "x"
    for n in range(30):
        value = {"op": ("and", "or")[n % 2], "of": [value]}

    assert schema.accepts(value)
    assert not schema.accepts({"op": "xor", "of": [value]})


def test_what_is_wrong_for_certain_is_told_before_the_bound() -> None:
    """A problem that was found before the bound was reached is a problem, and no error."""
    schema = compile_schema(
        {
            "type": "object",
            "required": ["b"],
            "properties": {"a": DOUBLED},
            "$defs": DOUBLED["$defs"],
        }
    )

    assert ["missing_argument"] == [p.code for p in schema.problems({"a": nested(60, 7)})]


def test_one_item_of_many_that_fits_no_branch_is_told() -> None:
    """Why a long list fits no branch is told by its first items."""
    schema = compile_schema(
        {"anyOf": [{"type": "array", "items": {"type": kind}} for kind in ("integer", "object")]}
    )
    (problem,) = schema.problems(["y"] * 99_000)

    assert ("", "no_alternative") == (problem.where, problem.code)


@every_engine
def test_patterns_share_their_time(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the patterns of one judgement took all the time there is, the next one is too late."""
    monkeypatch.setattr(steps, "MAX_SECONDS", 0.0)
    schema = compile_schema({"type": "string", "pattern": "^(a|b)+c*$"}, engine=engine)

    assert not schema.accepts("ab")
    assert ["too_complex"] == [problem.code for problem in schema.problems("ab")]


def test_a_long_regular_expression_is_in_no_format() -> None:
    """A text that costs more to check the longer it is has a longest length."""
    schema = compile_schema({"type": "string", "format": "regex"})

    assert (True, False) == (schema.accepts("[a-z]" * 800), schema.accepts("[a-z]" * 900))
