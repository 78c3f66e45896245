"""Two rules of one tool are reported if they reject every call, or if one covers the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abs_shield import Session, Tool, rule
from abs_shield.plan import rule_call
from abs_shield.plan.proof import prove
from abs_shield.policy import configure
from tests.plan.proof.honest_pairs import COVERED, EXCLUDING, HONEST

CODES = ("rules_exclude_each_other", "rule_is_covered")
NUMBER = {"type": "number"}
WHOLE = {"type": "integer"}
TEXT = {"type": "string"}
FLAG = {"type": "boolean"}
DAY = {"type": "string", "format": "date"}
ENDS = st.integers(-50, 1_200)


def within(low: float, high: float) -> Callable[[float], bool]:
    """Return a rule's function: x is between two numbers, both included."""

    def is_within(x: float) -> bool:
        """It lies where it should."""
        return low <= x <= high

    return is_within


def find_codes(*functions: Callable[..., Any], tools: tuple[str, ...] = ("t",), **properties: Any):
    """Return the codes of the problems of several rules, for tools with these parameters."""
    parameters = {"type": "object", "properties": properties, "required": [*properties]}
    rules = [
        rule(tool=tools, sentence="It is as it should be.")(function) for function in functions
    ]
    policy = configure(
        tools=[Tool(name=name, parameters=parameters) for name in tools],
        rules=rules,
        layers=["impossible_state"],
    )
    return [each.code for each in prove(policy).problems if each.code in CODES]


@settings(max_examples=min(60, settings.default.max_examples))
@given(st.tuples(ENDS, ENDS), st.tuples(ENDS, ENDS), st.sampled_from([NUMBER, WHOLE]))
def test_two_intervals(one: tuple[int, int], other: tuple[int, int], schema: Any) -> None:
    """Disjoint intervals exclude each other, and a nested one covers the wider one."""
    (low, high), (bottom, top) = sorted(one), sorted(other)
    disjoint = high < bottom or top < low
    nested = (low <= bottom and top <= high) or (bottom <= low and high <= top)
    wanted = [CODES[0]] * disjoint + [CODES[1]] * (nested and not disjoint)

    assert wanted == find_codes(within(low, high), within(bottom, top), x=schema)


IN_ORDER: dict[str, tuple[list[Callable[..., Any]], dict[str, Any]]] = {
    "steps and a bound": ([lambda x: x % 7 == 0, lambda x: 100 <= x <= 104.5], {"x": NUMBER}),
    "steps within steps": ([lambda x: x % 2 == 0, lambda x: x % 4 == 0], {"x": WHOLE}),
    "two words of a text": ([lambda x: "a" in x, lambda x: "b" in x], {"x": TEXT}),
    "a pattern and a length": (
        [lambda x: len(x) <= 8, lambda x: x.isupper() and "7" in x and "-" in x], {"x": TEXT},
    ),
    "a start and an end of a text": (
        [lambda x: x.startswith("http://"), lambda x: x.endswith(".example")], {"x": TEXT},
    ),
    "two lists with a common word": (
        [lambda x: x in {"EUR", "USD"}, lambda x: x in {"USD", "CAD"}], {"x": TEXT},
    ),
    "days in order and a day of the week": (
        [lambda x, y: x <= y, lambda x: x[-2:] != "13"], {"x": DAY, "y": DAY},
    ),
    "parts of one sum": (
        [lambda x, y: x + y == 100, lambda x: 0 <= x <= 60, lambda y: y >= 40],
        {"x": WHOLE, "y": WHOLE},
    ),
    "far days": ([lambda x, y: x <= y, lambda x: x >= "2080-01-01"], {"x": DAY, "y": DAY}),
    "flags": ([lambda x, y: x or y, lambda x, y: not (x and y)], {"x": FLAG, "y": FLAG}),
}  # fmt: skip


@pytest.mark.parametrize("kind", IN_ORDER)
def test_compatible_rules(kind: str) -> None:
    """Pairs that samples cannot decide, or that share a few values, are not reported."""
    functions, properties = IN_ORDER[kind]

    assert [] == find_codes(*functions, **properties)


WRONG: dict[str, tuple[list[Callable[..., Any]], dict[str, Any], str]] = {
    "lists of words": (
        [lambda x: x in {"EUR"}, lambda x: x in {"USD", "CAD"}], {"x": TEXT}, CODES[0],
    ),
    "a list within a list": (
        [lambda x: x in {"EUR"}, lambda x: x in {"EUR", "USD"}], {"x": TEXT}, CODES[1],
    ),
    "listed values": (
        [lambda x: x == "a", lambda x: x in "bc"], {"x": {"enum": ["a", "b", "c"]}}, CODES[0],
    ),
    "orders": ([lambda x, y: x < y, lambda x, y: y < x], {"x": DAY, "y": DAY}, CODES[0]),
    "an order within an order": (
        [lambda x, y: x < y, lambda x, y: x <= y], {"x": NUMBER, "y": NUMBER}, CODES[1],
    ),
    "days": ([lambda x: x < "2026-01-01", lambda x: x >= "2027-01-01"], {"x": DAY}, CODES[0]),
    "far numbers": ([lambda x: x <= 1e9, lambda x: x >= 2e9], {"x": NUMBER}, CODES[0]),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRONG)
def test_incompatible_rules(kind: str) -> None:
    """Rules about numbers, days, listed values, and texts in their code are compared."""
    functions, properties, code = WRONG[kind]

    assert [code] == find_codes(*functions, **properties)


def test_a_rule_that_is_covered_for_one_of_its_tools() -> None:
    """It is not reported, as it rejects other calls of the other tool."""

    @rule(tool="a")
    def tight(x: float) -> bool:
        """It is tight."""
        return x <= 50

    @rule(tool=["a", "b"])
    def wide(x: float) -> bool:
        """It is wide."""
        return x <= 500

    tools = [Tool(name=name, parameters={"properties": {"x": NUMBER}}) for name in "ab"]
    policy = configure(tools=tools, rules=[tight, wide], layers=["impossible_state"])
    whole = configure(tools=tools[:1], rules=[tight, wide], layers=["impossible_state"])

    assert () == prove(policy).problems
    assert "rule_is_covered" in {each.code for each in prove(whole).problems}


def test_rules_about_arguments_are_compared_without_a_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A session for each of thousands of calls would take most of the time."""
    monkeypatch.setattr(rule_call, "Session", None)

    assert [CODES[0]] == find_codes(within(0, 1), within(2, 3), x=NUMBER)


def test_rules_about_a_session_or_that_raise() -> None:
    """Rules about a run are not compared; rules that raise are ignored."""

    def after_three(x: float, session: Session) -> bool:
        return len(session.executed) > 3

    def raises(x: float) -> bool:
        return bool(1 / 0)

    assert [] == find_codes(after_three, within(0, 5), raises, x=NUMBER)


@pytest.mark.parametrize(
    ("one", "other", "rules", "schema"),
    [
        # each rule is in a pair that is proved in the quick run
        pytest.param(*pair, marks=[pytest.mark.slow, pytest.mark.release] if n % 2 else [])
        for n, pair in enumerate(HONEST)
    ],
    ids=lambda part: part if type(part) is str else "",
)
def test_an_honest_pair(one: str, other: str, rules: Any, schema: Any) -> None:
    """Rules about dates, times, multiples and texts that neither exclude nor cover each other."""
    assert [] == find_codes(rules[one], rules[other], x=schema)


def test_there_are_enough_honest_pairs() -> None:
    """Half of the pairs are about days."""
    assert 80 <= len(HONEST)
    assert 39 <= sum(schema == DAY for *_, schema in HONEST)


@pytest.mark.parametrize("kind", EXCLUDING)
def test_an_excluding_pair(kind: str) -> None:
    """Rules about dates, times, numbers with computed bounds, and words are reported."""
    one, other, schema = EXCLUDING[kind]

    assert [CODES[0]] == find_codes(one, other, x=schema)


@pytest.mark.parametrize("kind", COVERED)
def test_a_covered_pair(kind: str) -> None:
    """A rule that another one covers is reported for the same kinds of values."""
    one, other, schema = COVERED[kind]

    assert [CODES[1]] == find_codes(one, other, x=schema)


def test_three_rules_that_leave_no_number() -> None:
    """Three rules are reported together if any two of them accept a common number."""

    def outside(x: float) -> bool:
        return x <= 100 or x >= 200

    assert [CODES[0]] == find_codes(outside, lambda x: x > 100, lambda x: x < 200, x=NUMBER)
    assert [] == find_codes(outside, lambda x: x > 100, lambda x: x < 201, x=NUMBER)


def test_a_rule_that_takes_too_long_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that exceed the time limit are not compared, as half of the answers prove nothing."""
    monkeypatch.setattr("abs_shield.plan.rule_answers.perf_counter", iter(range(10**6)).__next__)

    assert [] == find_codes(lambda x: x < "2026-01-01", lambda x: x >= "2027-01-01", x=DAY)
