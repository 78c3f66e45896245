"""The mode of a finding: by layer, by tool, or by both."""

from __future__ import annotations

import pytest

from abs_shield import PolicyError, Shield, Tool, ToolCall, rule, shield

SCHEMA = {"type": "object", "properties": {"amount": {"type": "number"}}}
WRONG = ToolCall("refund", {"amount": "five"})
PAIR = ("refund", "parameter_mismatch")


def check(mode, modes, tool_mode=None, call=WRONG):
    tools = [Tool(name="refund", parameters=SCHEMA, mode=tool_mode), Tool(name="transfer")]
    return Shield(shield.configure(mode=mode, modes=modes, tools=tools)).check_call(call)


@pytest.mark.parametrize(
    ("mode", "modes", "tool_mode", "blocked"),
    [
        ("strict", {}, None, True),
        ("audit", {}, None, False),
        ("strict", {"parameter_mismatch": "audit"}, None, False),
        ("audit", {"parameter_mismatch": "strict"}, None, True),
        ("strict", {"phantom_tool": "audit"}, None, True),
        ("strict", {"refund": "audit"}, None, False),
        ("audit", {"refund": "strict"}, None, True),
        ("strict", {}, "audit", False),
        ("audit", {}, "strict", True),
        ("audit", {"refund": "strict"}, "audit", False),
        ("audit", {"refund": "audit"}, "strict", False),
        ("strict", {"refund": "strict", "parameter_mismatch": "audit"}, None, False),
        ("strict", {"refund": "audit", "parameter_mismatch": "strict"}, None, False),
        ("audit", {"parameter_mismatch": "strict"}, "audit", False),
        ("audit", {"refund": "audit", PAIR: "strict"}, "audit", True),
        (
            "strict",
            {"refund": "strict", "parameter_mismatch": "strict", PAIR: "audit"},
            None,
            False,
        ),
        ("audit", {("transfer", "parameter_mismatch"): "strict"}, None, False),
    ],
)
def test_the_mode_that_applies(mode, modes, tool_mode, blocked):
    """A pair takes precedence; then layer and tool, of which audit wins; then the policy."""
    decision = check(mode, modes, tool_mode)

    assert (blocked, True) == (decision.blocked, decision.would_block)
    assert ("strict" if blocked else "audit") == decision.findings[0].mode
    assert decision.findings[0].mode == decision.mode


def test_an_unknown_tool_has_the_policys_modes():
    """A layer's mode applies to unregistered names as well."""
    phantom = ToolCall("refnud", {})

    assert check("strict", {}, call=phantom).blocked
    assert not check("strict", {"phantom_tool": "audit"}, call=phantom).blocked
    assert check("audit", {"phantom_tool": "strict"}, call=phantom).blocked


def test_one_strict_finding_is_enough():
    """If two layers have findings and one is strict, the call is blocked."""
    tools = [Tool(name="refund", parameters=SCHEMA)]

    @rule(tool="refund")
    def never(amount=0):
        """Refunds are closed."""
        return False

    modes = {"impossible_state": "strict", "parameter_mismatch": "audit"}
    policy = shield.configure(mode="audit", modes=modes, tools=tools, rules=[never])
    decision = Shield(policy).check_call(ToolCall("refund", {"amount": 5}))

    assert (True, "strict") == (decision.blocked, decision.mode)


def test_a_clean_call_has_the_tools_mode():
    """Without findings, the Decision has the mode of the tool."""
    clean = ToolCall("refund", {"amount": 5})

    assert "audit" == check("strict", {"refund": "audit"}, call=clean).mode
    assert "strict" == check("audit", {}, "strict", call=clean).mode


def test_the_action_does_not_depend_on_the_mode():
    """The action is the same in audit and in strict mode."""
    strict, audit = check("strict", {}), check("audit", {})

    assert ("block", "HALLUCINATED") == (strict.action, strict.verdict)
    assert (strict.action, strict.verdict) == (audit.action, audit.verdict)


@pytest.mark.parametrize("modes", [{("refund", "phantom_tol"): "audit"}, {"refund": "observe"}])
def test_a_wrong_mode_fails_when_declared(modes):
    """An unknown layer in a pair, and a value that is not a mode."""
    with pytest.raises(PolicyError):
        shield.configure(modes=modes)


def test_everything_can_be_set_to_audit_at_once():
    """`audited()` sets the modes of all tools and pairs."""
    tools = [Tool(name="refund", parameters=SCHEMA, mode="strict")]
    policy = shield.configure(tools=tools, modes={PAIR: "strict", "phantom_tool": "strict"})
    decision = Shield(policy.audited()).check_call(WRONG)

    assert (False, True) == (decision.blocked, decision.would_block)
