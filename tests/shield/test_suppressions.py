"""Known false positives: recorded, marked, not enforced."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from abs_shield import PolicyError, Shield, Suppression, Tool, ToolCall, shield

WRONG = {"amount": "five"}


def quiet(**changes):
    tools = {"check": "parameter_mismatch", "tool": "refund", "reason": "legacy client"}
    return Suppression(**(tools | changes))


def check(make_shield, *suppress, name="refund"):
    return make_shield(suppress=suppress).check_call(ToolCall(name, WRONG))


def test_a_suppressed_finding_is_recorded_and_marked(make_shield):
    """The finding is recorded, and does not count."""
    decision = check(make_shield, quiet())

    assert ("CLEAN", "allow", False) == (decision.verdict, decision.action, decision.blocked)
    assert [(True, True)] == [(f.suppressed, f.counted) for f in decision.findings]
    assert False is decision.would_block


def test_a_suppression_applies_to_its_tool(make_shield):
    """Another tool's finding is enforced."""
    assert check(make_shield, quiet(), name="transfer").blocked


def test_a_suppression_without_a_tool_applies_to_all(make_shield):
    """``tool=None`` means every tool."""
    assert not check(make_shield, quiet(tool=None), name="transfer").blocked


def test_a_suppression_applies_to_its_check(make_shield):
    """Another layer's finding is enforced."""
    assert check(make_shield, quiet(check="phantom_tool")).blocked


def test_an_unknown_tool_can_be_suppressed(make_shield):
    """Findings about a tool name that the model invents can be suppressed."""
    decision = check(make_shield, quiet(check="phantom_tool", tool="refnud"), name="refnud")

    assert ("CLEAN", False) == (decision.verdict, decision.blocked)


@pytest.mark.parametrize(
    ("until", "holds"),
    [
        (None, True),
        (timedelta(), True),
        (timedelta(days=1), True),
        (timedelta(days=-1), False),
        (date(2020, 1, 1), False),
        (datetime.now(UTC) + timedelta(hours=9), True),
        (datetime.now(UTC) - timedelta(hours=9), False),
        (datetime.now(UTC).replace(tzinfo=None) + timedelta(hours=9), True),
    ],
)
def test_a_suppression_ends(make_shield, until, holds):
    """The day of ``until`` is included; naive times are UTC."""
    if isinstance(until, timedelta):
        until = datetime.now(UTC).date() + until
    assert holds is not check(make_shield, quiet(until=until)).blocked


@pytest.mark.parametrize(
    ("more", "holds"),
    [
        ({"code": "wrong_type"}, True),
        ({"code": "unknown_argument"}, False),
        ({"where": "/arguments/amount"}, True),
        ({"where": "/arguments/amount/0"}, False),
        ({"where": "/arguments/*"}, False),
        ({"where": "/arguments"}, False),
        ({"where": "/name"}, False),
        ({"code": "wrong_type", "where": "/arguments/amount"}, True),
        ({"code": "wrong_type", "where": "/arguments/other"}, False),
        ({"code": "other", "where": "/arguments/amount"}, False),
    ],
)
def test_a_suppression_applies_to_its_code_and_place(make_shield, more, holds):
    """Another code, and the same code at another place, are enforced."""
    assert holds is not check(make_shield, quiet(**more)).blocked


@pytest.mark.parametrize(
    ("where", "holds"),
    [
        ("/arguments/lines/*/count", True),
        ("/arguments/lines/1/count", True),
        ("/arguments/lines/0/count", False),
        ("/arguments/*/1/count", False),
        ("/arguments/lines/*", False),
    ],
)
def test_a_star_is_a_position_of_a_list(where, holds):
    """A star matches only numbers, one step each."""
    parameters = {
        "properties": {"lines": {"items": {"properties": {"count": {"type": "integer"}}}}}
    }
    policy = shield.configure(
        tools=[Tool(name="order", parameters=parameters)],
        suppress=[quiet(tool="order", where=where)],
    )
    call = ToolCall("order", {"lines": [{"count": 1}, {"count": "two"}]})

    assert holds is not Shield(policy, hooks=()).check_call(call).blocked


def test_two_faults_of_one_call(make_shield):
    """A suppressed finding does not affect the other one."""
    both = ToolCall("refund", {"amount": "five", "ghost": 1})
    decision = make_shield(suppress=[quiet(code="wrong_type")]).check_call(both)

    assert [("unknown_argument", False), ("wrong_type", True)] == sorted(
        (f.code, f.suppressed) for f in decision.findings
    )
    assert decision.blocked


@pytest.mark.parametrize(
    "wrong", [{"check": "parameter_mismatsch"}, {"reason": ""}, {"tol": "refund"}]
)
def test_a_wrong_suppression_fails_when_declared(make_shield, wrong):
    """An unknown layer, an empty reason and a misspelt field are rejected."""
    with pytest.raises(PolicyError):
        check(make_shield, quiet(**wrong))
