"""One small example for each layer: the user's message, earlier calls, and a wrong call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from abs_shield.core import Decision, ToolCall
from abs_shield.shield import Shield


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerExample:
    """
    An example of a call that one layer catches.

    Attributes:
        user: The user's message.
        before: Earlier calls that ran, each with its result.
        call: The call that the agent proposes.
    """

    user: str
    call: ToolCall
    before: tuple[tuple[ToolCall, Any], ...] = ()

    def judge(self, firewall: Shield) -> Decision:
        """Judge the call in a session of its own."""
        session = firewall.session()
        session.user(self.user)
        for call, value in self.before:
            firewall.check_call(call, session=session)
            firewall.check_result(call, value, elapsed_ms=1.0, session=session)
        return firewall.check_call(self.call, session=session)


LAYER_EXAMPLES: Mapping[str, LayerExample] = MappingProxyType(
    {
        "phantom_tool": LayerExample(
            user="Please empty the table of old orders.",
            call=ToolCall("delete_database", {"table": "old_orders"}),
        ),
        "phantom_target": LayerExample(
            user="Please refund tx_12345, the jacket did not fit.",
            call=ToolCall("refund", {"transaction_id": "tx_99999"}),
        ),
        "parameter_mismatch": LayerExample(
            user="The parcel of order o_17 should have come yesterday; book it again.",
            call=ToolCall("book_delivery", {"order_id": "o_17", "date": "yesterday"}),
        ),
        "self_contradiction": LayerExample(
            user="Set up an account with number 1.",
            before=((ToolCall("create_user", {"id": 1}, "call_1"), {"id": 1}),),
            call=ToolCall("delete_user", {"id": 1}, "call_2"),
        ),
        "impossible_state": LayerExample(
            user="Take 500 back from account a_7.",
            call=ToolCall("transfer", {"account": "a_7", "amount": -500}),
        ),
        "confidence_drop": LayerExample(
            user="Do something about tx_12345.",
            call=ToolCall("refund", {"transaction_id": "tx_12345"}, logprobs=[-0.4, -2.3]),
        ),
    }
)
"""Examples by layer; a test compares the names with the layers."""
