"""The opt-in layer call_loop reports a call that repeats with the same result."""

from __future__ import annotations

import pytest

from abs_shield import Shield, Tool, ToolCall, shield


def codes_after(*ran, said_between=False):
    tools = [Tool(name="status", parameters={"type": "object"})]
    firewall = Shield(shield.configure(tools=tools, layers=["call_loop"]), hooks=None)
    with firewall.session() as session:
        session.user("How is job 7?")
        for arguments, value in ran:
            with firewall.guard(ToolCall("status", arguments)) as guard:
                guard.value = value
        if said_between:
            session.user("And now?")
        return [f.code for f in firewall.check_call(ToolCall("status", {"id": 7})).findings]


def test_third_call_after_two_equal_results_is_reported():
    """A third equal call is reported after two calls that returned the same result."""
    assert ["repeated"] == codes_after(({"id": 7}, "busy"), ({"id": 7}, "busy"))


def test_only_calls_with_the_latest_result_are_counted():
    """The finding counts only the latest calls with equal results, not those before a change."""
    tools = [Tool(name="status", parameters={"type": "object"})]
    firewall = Shield(shield.configure(tools=tools, layers=["call_loop"]), hooks=None)
    with firewall.session() as session:
        session.user("How is job 7?")
        for value in ("queued", "busy", "busy"):
            with firewall.guard(ToolCall("status", {"id": 7})) as guard:
                guard.value = value
        (finding,) = firewall.check_call(ToolCall("status", {"id": 7})).findings

    assert "this call ran 2 times with the same result" == finding.detail


@pytest.mark.parametrize(
    "ran",
    [
        [({"id": 7}, "busy")],
        [({"id": 7}, "10 %"), ({"id": 7}, "20 %")],
        [({"id": 8}, "busy"), ({"id": 7}, "busy")],
    ],
    ids=["once", "something new came", "another one"],
)
def test_call_without_two_equal_results_passes(ran):
    """A call passes after one result, after changing results, and after calls of another id."""
    assert [] == codes_after(*ran)


def test_user_message_resets_the_count():
    """A new user message resets the count of equal calls."""
    assert [] == codes_after(({"id": 7}, "busy"), ({"id": 7}, "busy"), said_between=True)
