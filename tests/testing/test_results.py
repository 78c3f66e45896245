"""The test helpers with results: a withheld one is not allowed, and off means off."""

from __future__ import annotations

import asyncio
import json

import pytest

from abs_shield import ResultBlocked, Shield, Tool, ToolCall, ToolProfile, shield, shielded
from abs_shield.testing import (
    ascripted,
    assert_allowed,
    assert_blocked,
    assert_flagged,
    call,
    capture_decisions,
    no_shield,
    scripted,
    user,
)

PRICED = ToolProfile(required_fields=["price"], has_network_io=False)
MESSAGE = {
    "role": "assistant",
    "tool_calls": [{"id": "c1", "function": {"name": "quote", "arguments": "{}"}}],
}


@pytest.fixture
def shop():
    """Makes a Shield with an honest tool and one that invents; keywords go to its policy."""

    def make(**declared) -> Shield:
        tools = [Tool(name=n, profile=PRICED, read_only=True) for n in ("honest", "quote")]
        policy = shield.configure(**{"mode": "strict", "tools": tools, **declared})
        firewall = Shield(policy, hooks=None)

        @shielded(firewall)
        def honest() -> dict:
            return {"price": 5}

        @shielded(firewall)
        def quote() -> dict:
            return {"answer": "five"}

        return firewall

    return make


def test_a_withheld_result_in_a_message_is_not_allowed(shop) -> None:
    """The call was allowed, and the model did not get what it returned."""
    with pytest.raises(AssertionError, match="quote: withheld"), assert_allowed():
        shop().run_tool_calls(MESSAGE)


def test_a_withheld_result_that_is_raised_says_why(shop) -> None:
    """The exception remains the cause, and the message has the reason."""
    with pytest.raises(AssertionError) as failed, assert_allowed():
        shop().dispatch("quote", {})

    assert "quote: allowed\n  quote: withheld (schema_mismatch" in str(failed.value)
    assert isinstance(failed.value.__cause__, ResultBlocked)


def test_a_withheld_result_of_another_tool_is_not_meant(shop) -> None:
    """`tool` narrows results as it narrows calls."""
    firewall = shop()
    with assert_allowed(tool="honest"):
        firewall.dispatch("honest", {})
        firewall.run_tool_calls(MESSAGE)
    with pytest.raises(AssertionError, match="quote: withheld"), assert_allowed(tool="quote"):
        firewall.run_tool_calls(MESSAGE)


@pytest.mark.parametrize("words", [{}, {"layer": "parameter_mismatch"}, {"tool": "quote"}])
def test_a_flagged_result_is_given(shop, words) -> None:
    """In audit the call is allowed, and its result is returned."""
    firewall = shop(mode="audit")
    with assert_allowed(**words) as allowed:
        firewall.dispatch("quote", {})

    assert [True] == [decision.would_block for decision in allowed.decisions.results]


def test_a_flagged_result_is_claimed(shop) -> None:
    """By the signal that fired."""
    with assert_flagged(layer="schema_mismatch", tool="quote") as flagged:
        shop(mode="audit").dispatch("quote", {})

    assert "result" == flagged.decision.subject


def test_a_withheld_result_is_blocked_by_its_signal(shop) -> None:
    """Raised or told, it is claimed by the signal's name."""
    firewall = shop()
    with assert_blocked(layer="schema_mismatch", where="/price") as raised:
        firewall.dispatch("quote", {})
    with assert_blocked(layer="schema_mismatch", where="/price") as message:
        firewall.run_tool_calls(MESSAGE)

    assert ["result", "result"] == [raised.decision.subject, message.decision.subject]


def test_a_script_goes_on_behind_a_withheld_result(shop) -> None:
    """The next call happens, and the withheld one ran without a value."""
    firewall = shop()
    session = firewall.session()
    result = scripted(firewall, [user("hi"), call("quote"), call("honest")], session=session)

    assert [False, False] == [decision.blocked for decision in result]
    assert [None, {"price": 5}] == [ran.value for ran in session.executed]


def test_an_awaited_script_goes_on_too(shop) -> None:
    """As the other."""
    firewall = shop()
    session = firewall.session()
    asyncio.run(ascripted(firewall, [user("hi"), call("quote")], session=session))

    assert [None] == [ran.value for ran in session.executed]


def test_with_the_shield_off_no_result_is_judged(shop) -> None:
    """It is given, the session has it, and nothing is recorded of it or learnt from it."""
    firewall = shop()
    with no_shield(), capture_decisions() as decisions, firewall.session() as session:
        value = firewall.dispatch("quote", {})
        [message] = firewall.run_tool_calls(MESSAGE)
        checked = firewall.check_result(ToolCall("quote", {}, "c7"), {"answer": 7}, elapsed_ms=1.0)

    assert {"answer": "five"} == value == json.loads(message["content"])
    assert [] == decisions.results
    assert [{"answer": "five"}, {"answer": "five"}, {"answer": 7}] == [
        ran.value for ran in session.executed
    ]
    assert (False, "the shield is off") == (
        checked.blocked, checked.coverage["verification"].reason
    )  # fmt: skip
    assert {} == firewall.verification.snapshot()["results"]
