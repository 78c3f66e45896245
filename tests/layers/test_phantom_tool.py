"""The layer phantom_tool reports a tool that does not exist or is not available in the session."""

from __future__ import annotations

import pytest

from abs_shield import Shield, Tool, ToolCall, Verdict, shield

TOOLS = [Tool(name="refund"), Tool(name="transfer"), Tool(name="read_database")]


def firewall(tools=TOOLS):
    return Shield(shield.configure(layers=["phantom_tool"], tools=tools))


def finding(name, **kwargs):
    (finding,) = firewall().check_call(ToolCall(name, {}), **kwargs).findings
    return finding


def test_a_tool_that_is_registered_is_clean():
    """A call of a registered tool has no finding."""
    decision = firewall().check_call(ToolCall("refund", {}))

    assert (Verdict.CLEAN, ()) == (decision.verdict, decision.findings)


def test_an_unknown_tool_is_blocked():
    """A call of `delete_database` is blocked if only `read_database` is registered."""
    decision = firewall().check_call(ToolCall("delete_database", {}))

    assert (Verdict.HALLUCINATED, True) == (decision.verdict, decision.blocked)
    assert ("unknown_tool", 1.0) == (decision.findings[0].code, decision.findings[0].strength)


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("refnud", "refund"),
        ("Refund", "refund"),
        ("databaseRead", "read_database"),
        ("functions.refund", "refund"),
    ],
)
def test_the_nearest_name_is_given(wrong, meant):
    """The hint names the nearest tool by spelling, case, word order or prefix."""
    item = finding(wrong)

    assert (meant, f"did you mean `{meant}`?") == (item.nearest, item.hint)


def test_hint_lists_tools_if_no_name_is_near():
    """The hint lists the registered tools if no name is near."""
    item = finding("xyzzy")

    assert ("", ("read_database", "refund", "transfer")) == (item.nearest, item.allowed)


def test_other_layers_are_unavailable_for_an_unknown_tool():
    """The other layers are unavailable for an unknown tool."""
    firewall = Shield(shield.configure(tools=TOOLS))
    coverage = firewall.check_call(ToolCall("xyzzy", {})).coverage

    assert {"unknown tool"} == {c.reason for n, c in coverage.items() if n != "phantom_tool"}


def test_session_restricts_available_tools():
    """A registered tool outside the session's list is reported as not available."""
    guard = firewall()
    session = guard.session(tools=["refund"])
    (finding,) = guard.check_call(ToolCall("transfer", {}), session=session).findings

    assert "unavailable_tool" == finding.code
    assert "`transfer` exists, but is not available here" == finding.detail


def test_hint_names_only_tools_of_the_session():
    """Neither the hint nor the list contains a tool outside the session."""
    guard = firewall()
    session = guard.session(tools=["refund"])
    (finding,) = guard.check_call(ToolCall("transfre", {}), session=session).findings

    assert ("unknown_tool", ("refund",), "") == (finding.code, finding.allowed, finding.nearest)


def test_a_session_may_expose_no_tool_at_all():
    """In a session with an empty list of tools every registered tool is not available."""
    guard = firewall()
    session = guard.session(tools=[])
    (finding,) = guard.check_call(ToolCall("refund", {}), session=session).findings

    assert "unavailable_tool" == finding.code


@pytest.mark.parametrize("tools", [[], ["unregistered"]])
def test_an_unknown_tool_is_blocked_in_a_session_without_tools(tools):
    """An unknown tool is blocked in a session without tools and in its child session."""
    guard = firewall()
    session = guard.session(tools=tools)
    for caller in (session, guard.session(parent=session)):
        (finding,) = guard.check_call(ToolCall("delete_database", {}), session=caller).findings

        assert ("unknown_tool", "0 tools are available") == (finding.code, finding.hint)


def test_a_session_without_tools_of_a_shield_without_tools_stays_unavailable():
    """The layer is unavailable for a Shield without tools, even if a session lists none."""
    guard = firewall(tools=[])
    decision = guard.check_call(ToolCall("refund", {}), session=guard.session(tools=[]))

    assert ("unavailable", "no tools registered") == decision.coverage["phantom_tool"]


def test_resumed_session_can_be_restricted():
    """A resumed session may list fewer tools than before."""
    guard = firewall()
    guard.session("s1")
    session = guard.session("s1", tools=["refund"])

    assert guard.check_call(ToolCall("transfer", {}), session=session).blocked


def test_layer_is_unavailable_without_tools():
    """The layer is unavailable for a Shield without tools, and nothing is blocked."""
    decision = firewall(tools=[]).check_call(ToolCall("refund", {}))

    assert ("unavailable", "no tools registered") == decision.coverage["phantom_tool"]
    assert not decision.blocked


def test_the_name_is_escaped():
    """Control characters in the tool's name are escaped in the finding."""
    item = finding("\x1b[31mrefund\n")

    assert "\x1b" not in item.detail
    assert "\n" not in item.detail


@pytest.mark.parametrize("name", [" ", "refund "])
def test_a_name_is_never_trimmed(name):
    """A blank name, and a name with surrounding spaces, is an unknown tool."""
    assert "unknown_tool" == finding(name).code
