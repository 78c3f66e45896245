"""
A pydantic-ai agent invents a transaction, reads why it was blocked, and corrects itself.

The model is scripted, so that this runs with no key and no network:

    python examples/pydantic_ai_agent.py
"""

from __future__ import annotations

import asyncio

from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from abs_shield import Shield, Tool, shield
from abs_shield.adapters.pydantic_ai import ShieldCapability

policy = shield.configure(mode="strict", tools=[Tool(name="refund", destructive=True)])
firewall = Shield(policy, hooks=None)
ran: list[tuple[str, float]] = []


def refund(transaction_id: str, amount: float) -> str:
    """Refund a transaction."""
    ran.append((transaction_id, amount))
    return f"refunded {amount:.2f} for {transaction_id}"


def scripted(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Return a language model's scripted answer: an invented id first, then the right one."""
    answers = [
        ToolCallPart("refund", {"transaction_id": "tx_99999", "amount": 20.0}, "call_1"),
        ToolCallPart("refund", {"transaction_id": "tx_12345", "amount": 20.0}, "call_2"),
        TextPart("Your 20.00 are on their way."),
    ]
    turn = sum(isinstance(message, ModelResponse) for message in messages)
    return ModelResponse([answers[turn]])


agent = Agent(
    FunctionModel(scripted),
    name="clerk",
    tools=[refund],
    capabilities=[ShieldCapability(firewall)],
)


async def main() -> None:
    result = await agent.run("Please refund tx_12345, that is 20 dollars.")
    for message in result.all_messages():
        for part in message.parts:
            if isinstance(part, ToolReturnPart) and part.outcome != "success":
                print("the model reads:", part.model_response_str())
    for decision in firewall.store.decisions():
        if decision.blocked:
            print("blocked: tx_99999,", decision.explain())
    print("ran:", ran)
    print("agent:", result.output)


if __name__ == "__main__":
    asyncio.run(main())
