"""Opt-in: the same call again and again."""

from __future__ import annotations

import pytest

from abs_shield import Shield, Tool, ToolCall, shield


def found(*ran, said_between=False):
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


def test_the_third_equal_call_is_a_loop():
    """Twice the same answer, and asked again."""
    assert ["repeated"] == found(({"id": 7}, "busy"), ({"id": 7}, "busy"))


def test_only_equal_answers_are_counted():
    """Calls before a change are not part of the loop."""
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
def test_what_is_no_loop(ran):
    """Waiting for something that changes is not a loop."""
    assert [] == found(*ran)


def test_the_user_asks_again():
    """A new message begins anew."""
    assert [] == found(({"id": 7}, "busy"), ({"id": 7}, "busy"), said_between=True)
