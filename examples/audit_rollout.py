"""
From audit to strict: what strict would have blocked, by layer and tool; then one layer is strict.

    python examples/audit_rollout.py

Every decision also goes out over OTLP, to where the OTEL_* variables say; without a collector the
program does the same, and ends two seconds later.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from abs_shield import CallBlocked, Decision, Shield, ShieldError, rule, shield
from abs_shield.telemetry import setup
from abs_shield.text.safe_display import escaped

Call = tuple[str, dict[str, Any]]

SESSIONS: tuple[tuple[str, list[Call]], ...] = (
    ("Where is ord_12345?", [("find_order", {"order_id": "ord_12345"})]),
    (
        "Please refund ord_12345, 20 EUR.",
        [
            ("issue_refund", {"order_id": "ord_12345", "amount": 20.0}),
            ("refund", {"order_id": "ord_12345", "amount": "twenty"}),
            ("refund", {"order_id": "ord_12345", "amount": 20.0}),
        ],
    ),
    ("Refund ord_777 in full.", [("refund", {"order_id": "ord_777", "amount": 9_000.0})]),
    ("What did ord_888 cost?", [("lookup_price", {"order_id": "ord_888"})]),
)
"""What a scripted agent is asked, and what it then calls."""


@rule(tool="refund")
def refund_is_small(amount: float) -> bool:
    """A refund is at most 500."""
    return amount <= 500


def find_order(order_id: str) -> str:
    """Look an order up."""
    return f"{order_id} is under way"


def refund(order_id: str, amount: float) -> str:
    """Refund an order."""
    return f"refunded {amount} for {order_id}"


def week(modes: Mapping[str, str]) -> list[Decision]:
    """Run every session under these modes, and give all decisions about calls."""
    firewall = Shield(shield.configure(mode="audit", modes=modes, rules=[refund_is_small]))
    for tool in (find_order, refund):
        firewall.register(tool)
    for question, calls in SESSIONS:
        with firewall.session() as session:
            session.user(question)
            for name, arguments in calls:
                ran(firewall, name, arguments)
    return [decision for decision in firewall.store.decisions() if decision.subject == "call"]


def ran(firewall: Shield, name: str, arguments: dict[str, Any]) -> None:
    """Call a tool as the agent's loop would: whatever goes wrong, it goes on."""
    try:
        firewall.dispatch(name, arguments)
    except CallBlocked as error:
        print(f"  stopped: {error}")
    except ShieldError as error:
        print(f"  failed: {error}")


def by_layer_and_tool(decisions: Iterable[Decision]) -> Counter[tuple[str, str]]:
    """Count the calls that strict mode would have blocked, once for each layer that objects."""
    stopped = (decision for decision in decisions if decision.would_block)
    return Counter(
        (layer, d.tool) for d in stopped for layer in {f.check for f in d.findings if f.weighs}
    )


def main() -> None:
    logging.basicConfig(level=logging.CRITICAL)  # this program prints its own report
    telemetry = setup()
    print("In audit mode:")
    decisions = week({})
    print(
        f"{len(decisions)} calls, {sum(d.blocked for d in decisions)} stopped; strict would stop:"
    )
    for (layer, tool), times in sorted(by_layer_and_tool(decisions).items()):
        print(f"  {layer:20} {escaped(tool):14} {times}")
    print("With phantom_tool strict:")
    decisions = week({"phantom_tool": "strict"})
    print(f"{len(decisions)} calls, {sum(d.blocked for d in decisions)} stopped")
    if not telemetry.shutdown(timeout_s=2.0):
        print("no collector took everything in")


if __name__ == "__main__":
    main()
