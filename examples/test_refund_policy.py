"""
A team's tests of its refund policy: scripted sessions, claims, and what the agent was told.

    pytest examples/test_refund_policy.py
"""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from abs_shield import Shield, Target, rule, shield, shielded
from abs_shield.testing import (
    Decisions,
    assert_allowed,
    assert_blocked,
    assert_flagged,
    call,
    result,
    scripted,
    user,
)


@rule(tool="refund")
def refund_is_small(amount: float) -> bool:
    """A refund is at most 500."""
    return amount <= 500


firewall = Shield(shield.configure(mode="strict", rules=[refund_is_small]), hooks=None)


@shielded(firewall)
def find_order(email: str) -> dict[str, Any]:
    """Find the last order of a customer."""
    return {"transaction_id": "tx_12345", "total": 20.0}


@shielded(firewall)
def refund(transaction_id: Annotated[str, Target()], amount: float) -> str:
    """Refund a transaction."""
    return f"refunded {amount:.2f} for {transaction_id}"


REQUEST = user("Please refund my last order. ann@example.com")
LOOKUP = [call("find_order", email="ann@example.com"), result({"transaction_id": "tx_12345"})]


def test_a_refund_of_the_order_that_was_found_is_allowed() -> None:
    """An id that a tool returned may be used: the layer ran without a finding."""
    steps = [REQUEST, *LOOKUP, call("refund", transaction_id="tx_12345", amount=20)]

    assert_allowed(scripted(firewall, steps)[-1], layer="phantom_target")


def test_a_refund_of_an_invented_order_is_flagged() -> None:
    """Nobody mentioned tx_99999."""
    steps = [REQUEST, *LOOKUP, call("refund", transaction_id="tx_99999", amount=20)]
    decision = scripted(firewall, steps)[-1]

    assert_flagged(decision, layer="phantom_target", where="/arguments/transaction_id")


@pytest.mark.parametrize("amount", [500.01, 9_000])
def test_a_large_refund_is_blocked(amount: float) -> None:
    """The rule is about every amount above 500."""
    steps = [REQUEST, *LOOKUP, call("refund", transaction_id="tx_12345", amount=amount)]

    assert_blocked(scripted(firewall, steps)[-1], layer="impossible_state")


def test_an_invented_tool_is_blocked(decisions: Decisions) -> None:
    """The call site raises, and the model reads which tool it meant."""
    with assert_blocked(layer="phantom_tool") as blocked:
        firewall.dispatch("issue_refund", {"transaction_id": "tx_12345"})

    assert blocked.decision is decisions.only()
    assert blocked.decision.feedback()["problems"][0]["nearest"] == "refund"


@pytest.mark.no_shield
def test_the_tool_itself_refunds_any_sum() -> None:
    """A tool's own test wants no judge."""
    assert refund("tx_1", 9_000) == "refunded 9000.00 for tx_1"
