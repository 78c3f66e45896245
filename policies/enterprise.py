"""The seed document's own example, in Python, with tools and rules of a bank."""

from __future__ import annotations

from abs_shield import Tool, rule, shield


@rule(tool="transfer")
def transfer_moves_a_positive_sum(amount: float) -> bool:
    """A transfer moves a sum above 0."""
    return amount > 0


policy = shield.configure(
    mode="strict",
    threshold=0.8,
    layers=["phantom_tool", "impossible_state"],
    tools=[
        Tool(name="read_database", read_only=True),
        Tool(
            name="transfer",
            parameters={
                "type": "object",
                "properties": {"amount": {"type": "number"}, "to": {"type": "string"}},
                "required": ["amount"],
            },
        ),
    ],
    rules=[transfer_moves_a_positive_sum],
)
