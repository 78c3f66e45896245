"""Patterns mean what ECMA-262 says and cannot run for long."""

from __future__ import annotations

import pytest

from abs_shield.errors import PolicyError
from abs_shield.schema import compile_schema

ENGINES = ("pydantic-core", "jsonschema")


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """Each engine in turn."""
    return str(request.param)


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        (r"^\d+$", "12", True),
        (r"^\d+$", "12\n", False),
        (r"^\d+$", "١٢", False),
        (r"^[\d]$", "\u0661", False),
        (r"^\w+$", "é", False),
        (r"^\D$", "\u0661", True),
        (r"^[^\D]$", "1", True),
        (r"^\s$", "\ufeff", True),
        (r"^\S$", "\u2003", False),
        (r"^[$]$", "$", True),
        (r"^\$$", "$", True),
        (r"^.$", "\r", False),
        (r"^[\w-.]+$", "a-.b", True),
        (r"^[^]$", "x", True),
        (r"^[]$", "", False),
        (r"^[[]$", "[", True),
        (r"^a{,2}$", "a{,2}", True),
        (r"^\cA$", "\x01", True),
        (r"^\u{1F600}$", "😀", True),
        (r"^\ud83d\ude00$", "😀", True),
        (r"^(?<a>x)\k<a>$", "xx", True),
        (r"\bcat\b", "a cat.", True),
        (r"\bcat\b", "cats", False),
        (r"^\p{Lu}$", "É", True),
        (r"\A[a-z]+\Z", "abc", True),
        (r"^[\b]$", "\b", True),
        (r"^\/x$", "/x", True),
    ],
)
def test_a_pattern_has_its_ecma_meaning(
    engine: str, pattern: str, text: str, expected: bool
) -> None:
    """Each engine reads a pattern the way JSON Schema means it."""
    schema = compile_schema({"type": "string", "pattern": pattern}, engine=engine)

    assert expected == schema.accepts(text)


@pytest.mark.parametrize("where", ["plain", "not", "names"])
def test_a_slow_pattern_is_invalid(engine: str, where: str) -> None:
    """A pattern that runs out of time is too_complex, even under `not`."""
    slow = {"pattern": r"^(a|aa|aaa)+$"}
    schema = {"plain": slow, "not": {"not": slow}, "names": {"propertyNames": slow}}[where]
    text = "a" * 60 + "!"
    value = {text: 1} if where == "names" else text
    compiled = compile_schema({"type": ["object", "string"], **schema}, engine=engine)

    assert not compiled.accepts(value)
    assert [problem.code for problem in compiled.problems(value)] == ["too_complex"]


def test_a_slow_pattern_is_found_where_it_ran() -> None:
    """The problem points at the text that took too long."""
    schema = {"properties": {"a": {"items": {"pattern": r"^(a|aa|aaa)+$"}}}}
    problems = compile_schema(schema).problems({"a": ["a", "a" * 60 + "!"]})

    assert [problem.where for problem in problems] == ["/a/1"]


def test_pattern_properties_use_the_same_patterns() -> None:
    """A name with a newline at its end does not slip past `$`."""
    schema = compile_schema({"patternProperties": {"^x$": {}}, "additionalProperties": False})

    assert (schema.accepts({"x": 1}), schema.accepts({"x\n": 1})) == (True, False)


def test_unevaluated_properties_use_the_same_patterns() -> None:
    """Names that a pattern in a branch matches are evaluated, and no others."""
    schema = compile_schema(
        {"allOf": [{"patternProperties": {"^x$": {}}}], "unevaluatedProperties": False}
    )

    assert (schema.accepts({"x": 1}), schema.accepts({"x\n": 1})) == (True, False)


@pytest.mark.parametrize("pattern", ["(", "[a", r"\q", r"\u{FFFFFF}", "a**", "\\"])
def test_a_bad_pattern_is_refused_at_once(pattern: str) -> None:
    """An invalid pattern fails while the schema is compiled, on one line."""
    with pytest.raises(PolicyError, match="regular expression") as caught:
        compile_schema({"properties": {"a": {"pattern": pattern}}}, where="tool")

    assert "\n" not in str(caught.value)
    assert "`tool` at /properties/a/pattern" in str(caught.value)
