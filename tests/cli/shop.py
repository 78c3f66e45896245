"""A shop whose agent is audited: a log filled by a real Shield, for the commands that read one."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from abs_shield import Decision, Shield, Suppression, Tool, rule, shield
from abs_shield.stores import Store, open_store

ID = {"type": "string"}
ORDER = {"type": "object", "properties": {"order_id": ID}, "required": ["order_id"]}
REFUND = {
    "type": "object",
    "properties": {"order_id": ID, "amount": {"type": "number"}},
    "required": ["order_id", "amount"],
}
HOSTILE = "<script>\x1b[2J\u202e\"'&x"


@rule(tool="refund")
def refund_is_small(amount: float) -> bool:
    """A refund is at most 500."""
    return amount <= 500


TOOLS = (
    Tool(name="get_order", parameters=ORDER, read_only=True),
    Tool(name="refund", parameters=REFUND, destructive=True),
)


def policy(**changes):
    """Return the shop's policy, in audit."""
    fields = {"mode": "audit", "tools": TOOLS, "rules": [refund_is_small]}
    return shield.configure(**(fields | changes))


def order(number: int) -> dict:
    """Return a call that names the order that the user named."""
    return {"name": "get_order", "arguments": {"order_id": f"W{number}"}}


def refund(number: int, amount: float = 20) -> dict:
    """Return a refund; 900 is above the rule's limit."""
    return {"name": "refund", "arguments": {"order_id": f"W{number}", "amount": amount}}


def judge_calls(store: Store, calls: Iterable[dict], *, declared=None) -> list[Decision]:
    """Judge each call in a session whose user names its order; save the decisions in a store."""
    firewall = Shield(declared or policy(), store=store)
    decisions = []
    for call in calls:
        named = call["arguments"].get("order_id", "W1")
        with firewall.session() as session:
            session.user(f"Please see to my order {named}.")
            decisions.append(firewall.check_call(call))
    return decisions


def fill_log(address: str, *calls: dict, declared=None) -> list[Decision]:
    """Judge calls and save the decisions in the log at an address."""
    store = open_store(address)
    decisions = judge_calls(store, calls, declared=declared)
    assert store.close()
    return decisions


SILENCED = Suppression(check="impossible_state", tool="refund", reason="agreed with sales")


def json_report(command: Any, *argv: str) -> Any:
    """Return the JSON report of a log."""
    done = command("report", *argv, "--format", "json")
    assert (0, "") == (done.code, done.err)
    return json.loads(done.out)
