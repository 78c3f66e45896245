"""The policy of the demo's agent: six tools of a small shop, one rule, one pair of inverses."""

from __future__ import annotations

from typing import Any

from abs_shield.policy import Tool, configure, inverse, rule


def _object(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


_TEXT = {"type": "string"}

TOOLS = (
    Tool(name="read_database", parameters=_object(table=_TEXT), read_only=True),
    Tool(
        name="refund",
        parameters=_object(transaction_id=_TEXT),
        targets=["transaction_id"],
    ),
    Tool(
        name="book_delivery",
        parameters=_object(order_id=_TEXT, date={"type": "string", "format": "date"}),
    ),
    Tool(name="create_user", parameters=_object(id={"type": "integer"})),
    Tool(name="delete_user", parameters=_object(id={"type": "integer"})),
    Tool(name="transfer", parameters=_object(account=_TEXT, amount={"type": "number"})),
)


@rule(tool="transfer")
def sum_is_positive(amount: float) -> bool:
    """A transfer moves a sum above 0."""
    return amount > 0


POLICY = configure(
    mode="strict",
    threshold=0.8,  # the default, written out because the examples depend on it
    tools=TOOLS,
    rules=[sum_is_positive],
    inverses=[inverse("create_user", "delete_user", same="id")],
)
