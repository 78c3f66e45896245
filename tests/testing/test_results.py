"""The test helpers for results: withheld, flagged and unjudged ones."""

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
    """A function that builds a Shield with a correct tool and one that breaks its profile."""

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


def test_assert_allowed_fails_on_a_withheld_result(shop) -> None:
    """The call was allowed, but the model did not receive its result."""
    with pytest.raises(AssertionError, match="quote: withheld"), assert_allowed():
        shop().run_tool_calls(MESSAGE)


def test_assert_allowed_explains_a_raised_result(shop) -> None:
    """The message has the reason, and the exception is the cause."""
    with pytest.raises(AssertionError) as failed, assert_allowed():
        shop().dispatch("quote", {})

    assert "quote: allowed\n  quote: withheld (schema_mismatch" in str(failed.value)
    assert isinstance(failed.value.__cause__, ResultBlocked)


def test_assert_allowed_ignores_results_of_other_tools(shop) -> None:
    """`tool=` selects results as it selects calls."""
    firewall = shop()
    with assert_allowed(tool="honest"):
        firewall.dispatch("honest", {})
        firewall.run_tool_calls(MESSAGE)
    with pytest.raises(AssertionError, match="quote: withheld"), assert_allowed(tool="quote"):
        firewall.run_tool_calls(MESSAGE)


@pytest.mark.parametrize("words", [{}, {"layer": "parameter_mismatch"}, {"tool": "quote"}])
def test_assert_allowed_passes_on_a_flagged_result(shop, words) -> None:
    """In audit mode the call is allowed, and its result is returned."""
    firewall = shop(mode="audit")
    with assert_allowed(**words) as allowed:
        firewall.dispatch("quote", {})

    assert [True] == [decision.would_block for decision in allowed.decisions.results]


def test_assert_flagged_finds_a_result(shop) -> None:
    """`layer=` is the name of the signal that fired."""
    with assert_flagged(layer="schema_mismatch", tool="quote") as flagged:
        shop(mode="audit").dispatch("quote", {})

    assert "result" == flagged.decision.subject


def test_assert_blocked_finds_a_withheld_result(shop) -> None:
    """It finds one that raises `ResultBlocked`, and one that feedback replaces."""
    firewall = shop()
    with assert_blocked(layer="schema_mismatch", where="/price") as raised:
        firewall.dispatch("quote", {})
    with assert_blocked(layer="schema_mismatch", where="/price") as message:
        firewall.run_tool_calls(MESSAGE)

    assert ["result", "result"] == [raised.decision.subject, message.decision.subject]


def test_a_script_continues_after_a_withheld_result(shop) -> None:
    """The next call runs, and the executed call has no value."""
    firewall = shop()
    session = firewall.session()
    result = scripted(firewall, [user("hi"), call("quote"), call("honest")], session=session)

    assert [False, False] == [decision.blocked for decision in result]
    assert [None, {"price": 5}] == [ran.value for ran in session.executed]


def test_an_async_script_continues_after_a_withheld_result(shop) -> None:
    """`ascripted` behaves as `scripted` does."""
    firewall = shop()
    session = firewall.session()
    asyncio.run(ascripted(firewall, [user("hi"), call("quote")], session=session))

    assert [None] == [ran.value for ran in session.executed]


def test_no_shield_judges_no_result(shop) -> None:
    """Results are returned and added to the session, but neither recorded nor learnt from."""
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
