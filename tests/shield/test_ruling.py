"""From findings to the action and its enforcement."""

from __future__ import annotations

import pytest

from abs_shield import ToolCall

ODD = ToolCall("refund", {"amount": -5})


@pytest.mark.parametrize(
    ("mode", "on_suspicious", "expected"),
    [
        ("strict", "approve", (True, True, "required")),
        ("strict", "block", (True, True, "")),
        ("strict", "flag", (False, False, "")),
        ("audit", "approve", (False, True, "")),
        ("audit", "block", (False, True, "")),
        ("audit", "flag", (False, False, "")),
    ],
)
def test_the_action_on_a_suspicious_call(make_shield, suspect, mode, on_suspicious, expected):
    """Only a call that is blocked waits for an approval."""
    firewall = make_shield(layers=[suspect], mode=mode, on_suspicious=on_suspicious)
    decision = firewall.check_call(ODD)

    assert expected == (decision.blocked, decision.would_block, decision.approval)


def test_audit_requires_no_approval(make_shield, suspect):
    """In audit mode, no approval is mentioned to the operator or the model."""
    firewall = make_shield(layers=[suspect], mode="audit", on_suspicious="approve")
    decision = firewall.check_call(ODD)

    assert "approval" not in decision.explain()
    assert ["odd"] == [problem["code"] for problem in decision.feedback()["problems"]]


def test_a_layer_in_audit_requires_no_approval(make_shield, suspect):
    """The mode of the layer takes precedence over the policy's."""
    firewall = make_shield(layers=[suspect], modes={"suspect": "audit"}, on_suspicious="approve")

    assert "" == firewall.check_call(ODD).approval


def test_the_kill_switch_requires_no_approval(make_shield, suspect, monkeypatch):
    """Without enforcement nothing is blocked, so nothing waits."""
    monkeypatch.setenv("ABS_SHIELD_MODE", "audit")
    firewall = make_shield(layers=[suspect], on_suspicious="approve")

    assert "" == firewall.check_call(ODD).approval
