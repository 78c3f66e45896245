"""Judging by a schema ends for any schema and any value."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield.schema import Undecided, compile_schema, work_budget

ENGINES = ["jsonschema", "pydantic-core"]


@pytest.fixture(autouse=True)
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the limit of steps, so that tests reach it with small values."""
    monkeypatch.setattr(work_budget, "MAX_STEPS", 5_000)


every_engine = pytest.mark.parametrize("engine", ENGINES)


def tree(*branches: dict[str, Any], keyword: str = "anyOf") -> dict[str, Any]:
    return {"$ref": "#/$defs/node", "$defs": {"node": {keyword: [*branches]}}}


def nested(levels: int, leaf: Any) -> Any:
    for _ in range(levels):
        leaf = {"a": leaf}
    return leaf


BRANCH = {"type": "object", "properties": {"a": {"$ref": "#/$defs/node"}}}
DOUBLED = tree({"type": "string"}, {**BRANCH, "required": ["b"]}, {**BRANCH, "required": ["c"]})


MANY = {"items": {"anyOf": [{"const": n} for n in range(1_100)]}}


@every_engine
def test_what_takes_too_many_steps_is_undecided(engine: str) -> None:
    """A thousand items, each compared with a thousand branches, end in an error."""
    schema = compile_schema(MANY, engine=engine)

    with pytest.raises(Undecided, match="more than 5,000 steps"):
        schema.accepts([1_099] * 1_000)
    with pytest.raises(Undecided, match="more than 5,000 steps"):
        schema.problems([1_099] * 1_000)


@every_engine
def test_a_fast_engine_is_undecided_about_expensive_values(engine: str) -> None:
    """A union of 300 branches is not tried for each of 49,000 items."""
    branches = [{"type": "object", "properties": {"k": {"const": n}}} for n in range(300)]
    schema = compile_schema({"items": {"anyOf": branches}}, engine=engine)

    assert schema.accepts([{"k": 299}] * 2)
    with pytest.raises(Undecided):
        schema.accepts([{"k": 299}] * 49_000)


@every_engine
def test_recursive_branches_are_decided(engine: str) -> None:
    """Two branches that refer to the same schema are evaluated once per level."""
    schema = compile_schema(DOUBLED, engine=engine)

    assert not schema.accepts(nested(60, 7))
    assert schema.accepts("x")
    assert ["no_alternative"] == [problem.code for problem in schema.problems(nested(3, 7))]
    assert "no_alternative" in {problem.code for problem in schema.problems(nested(60, 7))}


@every_engine
@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "if", "unevaluatedProperties", "not"])
def test_references_that_double_are_decided(engine: str, keyword: str) -> None:
    """Sixty levels of two references each are looked at as sixty schemas."""
    around = {
        "if": lambda ref: {"if": ref, "then": ref, "else": ref},
        "not": lambda ref: {"allOf": [{"not": {"not": ref}}, ref]},
    }.get(keyword, lambda ref: {"anyOf" if keyword == "anyOf" else "allOf": [ref, ref]})
    defs = {f"d{n}": around({"$ref": f"#/$defs/d{n + 1}"}) for n in range(60)}
    leaf = {"properties": {"a": {"type": "string"}}, "required": ["a"]}
    closed = {"unevaluatedProperties": False} if keyword == "unevaluatedProperties" else {}
    schema = compile_schema(
        {"$ref": "#/$defs/d0", **closed, "$defs": defs | {"d60": leaf}}, engine=engine
    )

    assert [True, False] == [schema.accepts({"a": "x"}), schema.accepts({"a": 1})]
    assert schema.problems({"a": 1})


@every_engine
def test_one_value_in_two_places_is_reported_twice(engine: str) -> None:
    """A problem of a shared object is reported at each of its places."""
    schema = compile_schema(
        {"items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "object", "required": ["a"]}}},
        engine=engine,
    )
    one: dict[str, Any] = {}

    assert ["/0/a", "/1/a"] == [problem.where for problem in schema.problems([one, one])]


@every_engine
def test_nothing_is_remembered_of_another_value(engine: str) -> None:
    """A judgement ends with what it found out: the next value may have the same address."""
    schema = compile_schema(
        {"items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"enum": [["a"], ["b"]]}}}, engine=engine
    )
    results = [schema.accepts([[letter]]) for letter in "abcd" * 50]

    assert [True, True, False, False] * 50 == results
    assert work_budget.memo() is None


QUOTED = {
    "nothing": {"anyOf": [False] * 2_000},
    "a length": {"anyOf": [{"minLength": 2_000_000}] * 2_000},
    "items": {"anyOf": [{"items": False}] * 2_000},
    "contained": {"anyOf": [{"contains": {"type": "null"}}] * 2_000},
    "a constant": {"anyOf": [{"const": n} for n in range(1_000)]},
    "a choice": {"anyOf": [{"enum": [[n], [n, n]]} for n in range(1_000)]},
    "unique": {"anyOf": [{"uniqueItems": True, "maxItems": 1}] * 300},
}


@every_engine
@pytest.mark.parametrize("name", QUOTED)
@pytest.mark.parametrize("value", [["é" * 500_000, 1, 1], "é" * 500_000], ids=["list", "text"])
def test_no_message_quotes_a_whole_value(
    engine: str, name: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A message for each branch that quoted a megabyte took 15 seconds; each is short."""
    monkeypatch.setattr(work_budget, "MAX_STEPS", 100_000)
    schema = compile_schema({"properties": {"x": QUOTED[name]}}, engine=engine)
    longest = 0
    work_budget.begin_judgement(verdict_only=False)
    for error in schema._reference.validator.iter_errors({"x": value}):  # type: ignore[attr-defined]
        inner = [error, *(error.context or ())]
        longest = max(longest, *(len(each.message) for each in inner))

    assert longest < 1_000
    assert all(len(problem.detail) < 1_000 for problem in schema.problems({"x": value}))


@every_engine
def test_unevaluated_items_are_sought_in_a_set(engine: str) -> None:
    """Every place was looked for in a list of all places: 20,000 items took 1.5 seconds."""
    items = {"prefixItems": [{"type": "integer"}] * 4, "unevaluatedItems": False}
    schema = compile_schema({"allOf": [items, {"$ref": "#/$defs/n"}], "$defs": {"n": items}},
                            engine=engine)  # fmt: skip

    assert [True, False] == [schema.accepts([1] * size) for size in (4, 5)]
    assert ["invalid"] == [problem.code for problem in schema.problems([1] * 5)]


@every_engine
def test_a_discriminated_union_is_decided_at_any_depth(engine: str) -> None:
    """If the first member decides the branch, the work is proportional to the depth."""
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


def test_what_is_wrong_for_certain_is_reported_before_the_bound() -> None:
    """A problem that was found before the bound was reached is a problem, and no error."""
    schema = compile_schema(
        {
            "type": "object",
            "required": ["b"],
            "properties": {"a": MANY},
        }
    )

    assert ["missing_argument"] == [p.code for p in schema.problems({"a": [1_099] * 1_000})]


def test_a_long_list_that_fits_no_branch_is_one_problem() -> None:
    """The problem of a long list is derived from its first items."""
    schema = compile_schema(
        {"anyOf": [{"type": "array", "items": {"type": kind}} for kind in ("integer", "object")]}
    )
    (problem,) = schema.problems(["y"] * 99_000)

    assert ("", "no_alternative") == (problem.where, problem.code)


@every_engine
def test_patterns_share_a_time_limit(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If earlier patterns of a judgement used the time limit, the next is `too_complex`."""
    monkeypatch.setattr(work_budget, "MAX_SECONDS", 0.0)
    schema = compile_schema({"type": "string", "pattern": "^(a|b)+c*$"}, engine=engine)

    assert not schema.accepts("ab")
    assert ["too_complex"] == [problem.code for problem in schema.problems("ab")]


def test_a_long_regular_expression_is_in_no_format() -> None:
    """A text that costs more to check the longer it is has a longest length."""
    schema = compile_schema({"type": "string", "format": "regex"})

    assert (True, False) == (schema.accepts("[a-z]" * 800), schema.accepts("[a-z]" * 900))
