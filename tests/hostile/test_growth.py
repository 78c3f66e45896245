"""Twice the input takes about twice the steps (lines of Python) in every public function."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield import Session, ToolCall
from tests.hostile.entrances import Action, firewall
from tests.hostile.growing import GROWING, Growing
from tests.hostile.steps import steps


def test_a_nested_loop_takes_quadratic_steps() -> None:
    """Twice the input takes about four times the steps."""

    def square(size: int) -> int:
        return sum(1 for _ in range(size) for _ in range(size))

    once, twice = (steps(lambda size=size: square(size)) for size in (50, 100))  # type: ignore[misc]

    assert 3.5 < twice / once < 4.5


@pytest.mark.parametrize("spelt", ["{}", "a{}", "tx_{}", "{}.5"])
def test_looking_up_an_unmentioned_value_takes_few_steps(spelt: str) -> None:
    """A number has over a hundred other forms, which are not looked up one by one."""
    session = Session()
    session.user("Please act on tx_12345 for Ann.")
    session.origin("tx_1")  # what is compiled once
    values = [spelt.format(n) for n in range(710_000, 710_100)]

    assert steps(lambda: [*map(session.origin, values)]) < 100 * 1_500


@pytest.mark.parametrize(("spelt", "most"), [("한tx_9{}", 5_600), ("2①" * 200 + "{}", 13_000)])
def test_judging_a_call_of_a_turn_takes_few_steps(spelt: str, most: int) -> None:
    """Earlier calls of the turn and long values are read only once."""

    def turn(calls: int) -> Action:
        guard = firewall()
        session = guard.session()
        session.user("Please act on tx_12345 for Ann.")
        turn = [ToolCall("act", {"order_id": [spelt.format(n)]}, f"c{n}") for n in range(calls)]
        return lambda: guard.inspect_turn(turn, session=session)

    turn(3)()  # what is compiled once
    few, many = steps(turn(20)), steps(turn(40))

    assert (many - few) / 20 < most


@pytest.mark.parametrize(("parameter", "most"), [("a", 2_500), ("a{}", 3_600)])
def test_registering_a_tool_takes_few_steps(parameter: str, most: int) -> None:
    """Tools whose schemas are equal except for names are compiled once."""

    def registered(tools: int) -> Action:
        guard = firewall()
        listed = []
        for n in range(tools):
            names = (f"{parameter.format(n)}_{m}" for m in range(5))
            schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
            listed.append({"name": f"tool_{n}", "inputSchema": schema})
        return lambda: [guard.register(tool) for tool in listed]

    registered(3)()  # what is imported once

    assert steps(registered(40)) < 40 * most


def test_a_text_of_placeholders_takes_few_steps() -> None:
    """The text around each of many placeholders in one word is not read again."""
    Session().user("<a>")  # what is compiled once

    assert steps(lambda: Session().user("<a>" * 4_000)) < 4_000 * 40


@pytest.mark.slow
def test_a_value_with_many_shared_parts_is_too_large() -> None:
    """Shared parts count each time they occur, so 50 nested levels exceed the limit."""
    value: Any = {"a": 1}
    for _ in range(50):
        value = {"a": value, "b": value}
    guard = firewall()
    with guard.session() as session:
        decision = guard.check_call(ToolCall("act", {"value": value}), session=session)

    assert ["too_large"] == [finding.code for finding in decision.findings if finding.weighs]


LONGEST = {"Hangul and accents", "claims of numbered holes", "values that must be seen"}
"""Cases that take four seconds or more; they run before a release."""


def _growing(case: Growing) -> Any:
    marks = [pytest.mark.release] if case.name in LONGEST else []
    return pytest.param(case, id=f"{case.entrance}: {case.name}", marks=marks)


@pytest.mark.slow
@pytest.mark.parametrize("case", [*map(_growing, GROWING)])
def test_twice_the_input_takes_about_twice_the_steps(case: Growing) -> None:
    """With quadratic growth, an input of a megabyte would take hours."""
    case.build(case.small // 2)()  # what is imported and compiled once
    once, twice = (steps(case.build(size)) for size in (case.small, 2 * case.small))

    assert twice <= case.factor * once + 20_000
