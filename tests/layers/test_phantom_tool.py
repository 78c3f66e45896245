"""The tool does not exist, or not here."""

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
    """A registered name has no finding."""
    decision = firewall().check_call(ToolCall("refund", {}))

    assert (Verdict.CLEAN, ()) == (decision.verdict, decision.findings)


def test_an_unknown_tool_is_blocked():
    """``delete_database`` is called where only ``read_database`` is exposed."""
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
    """Spelling, case, order and a prefix are forgiven in the hint, not in the verdict."""
    item = finding(wrong)

    assert (meant, f"did you mean `{meant}`?") == (item.nearest, item.hint)


def test_a_name_like_no_other_gets_the_list():
    """With nothing near, the tools that exist are listed."""
    item = finding("xyzzy")

    assert ("", ("read_database", "refund", "transfer")) == (item.nearest, item.allowed)


def test_one_layer_says_that_the_others_had_nothing_to_judge():
    """Of an unknown tool the other layers say so."""
    firewall = Shield(shield.configure(tools=TOOLS))
    coverage = firewall.check_call(ToolCall("xyzzy", {})).coverage

    assert {"unknown tool"} == {c.reason for n, c in coverage.items() if n != "phantom_tool"}


def test_a_session_narrows_what_may_be_called():
    """A tool outside the session's list exists, but is not available here."""
    guard = firewall()
    session = guard.session(tools=["refund"])
    (finding,) = guard.check_call(ToolCall("transfer", {}), session=session).findings

    assert "unavailable_tool" == finding.code
    assert "`transfer` exists, but is not available here" == finding.detail


def test_a_narrowed_session_hides_the_other_names():
    """Neither the hint nor the list names a tool of another session."""
    guard = firewall()
    session = guard.session(tools=["refund"])
    (finding,) = guard.check_call(ToolCall("transfre", {}), session=session).findings

    assert ("unknown_tool", ("refund",), "") == (finding.code, finding.allowed, finding.nearest)


def test_a_session_may_expose_no_tool_at_all():
    """An empty list is a choice: everything is unavailable."""
    guard = firewall()
    session = guard.session(tools=[])
    (finding,) = guard.check_call(ToolCall("refund", {}), session=session).findings

    assert "unavailable_tool" == finding.code


@pytest.mark.parametrize("tools", [[], ["unregistered"]])
def test_an_unknown_tool_is_blocked_in_a_session_without_tools(tools):
    """Where nothing may be called, an invented name is as wrong as elsewhere, in a child too."""
    guard = firewall()
    session = guard.session(tools=tools)
    for caller in (session, guard.session(parent=session)):
        (finding,) = guard.check_call(ToolCall("delete_database", {}), session=caller).findings

        assert ("unknown_tool", "0 tools are available") == (finding.code, finding.hint)


def test_a_session_without_tools_of_a_shield_without_tools_stays_unavailable():
    """A list of names says nothing where no tool is registered at all."""
    guard = firewall(tools=[])
    decision = guard.check_call(ToolCall("refund", {}), session=guard.session(tools=[]))

    assert ("unavailable", "no tools registered") == decision.coverage["phantom_tool"]


def test_a_session_that_goes_on_can_be_narrowed():
    """The second request of one session may expose fewer tools."""
    guard = firewall()
    guard.session("s1")
    session = guard.session("s1", tools=["refund"])

    assert guard.check_call(ToolCall("transfer", {}), session=session).blocked


def test_without_tools_nothing_can_be_said():
    """A Shield that knows no tool reports unavailable, and blocks nothing."""
    decision = firewall(tools=[]).check_call(ToolCall("refund", {}))

    assert ("unavailable", "no tools registered") == decision.coverage["phantom_tool"]
    assert not decision.blocked


def test_the_name_is_escaped():
    """Text of the model cannot control a terminal."""
    item = finding("\x1b[31mrefund\n")

    assert "\x1b" not in item.detail
    assert "\n" not in item.detail


@pytest.mark.parametrize("name", [" ", "refund "])
def test_a_name_is_never_trimmed(name):
    """Blank and padded names are names of no tool."""
    assert "unknown_tool" == finding(name).code
