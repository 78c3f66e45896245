"""
An agent of LangChain invents a transaction, reads why it was blocked, and corrects itself.

The model is scripted, so that this runs with no key and no network:

    python examples/langgraph_agent.py
"""

from __future__ import annotations

import json
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool

from abs_shield import Shield, Tool, shield
from abs_shield.adapters.langgraph import ShieldMiddleware

firewall = Shield(
    shield.configure(mode="strict", tools=[Tool(name="refund", destructive=True)]), hooks=None
)


@tool
def find_order(email: str) -> dict[str, Any]:
    """Find the last order of a customer."""
    return {"transaction_id": "tx_12345", "total": 20.0}


@tool
def refund(transaction_id: str, amount: float) -> str:
    """Refund a transaction."""
    return f"refunded {amount:.2f} for {transaction_id}"


class Scripted(GenericFakeChatModel):
    """Return a language model's scripted answer for this turn."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self


def calls(call_id: str, name: str, **arguments: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": call_id}])


def main() -> None:
    script = [
        calls("c1", "find_order", email="ann@example.com"),
        calls("c2", "refund", transaction_id="tx_99999", amount=20.0),
        calls("c3", "refund", transaction_id="tx_12345", amount=20.0),
        AIMessage("Your 20.00 are on their way."),
    ]
    model = Scripted(messages=iter(script))
    agent = create_agent(model, [find_order, refund], middleware=[ShieldMiddleware(firewall)])
    question = "Please refund my last order, 20 dollars. I am ann@example.com"
    for message in agent.invoke({"messages": [("user", question)]})["messages"]:
        if isinstance(message, ToolMessage) and message.status == "error":
            problem = json.loads(str(message.content))["problems"][0]
            print(f"{message.name:<11}blocked: {problem['code']} {problem['got']}")
        elif isinstance(message, ToolMessage):
            print(f"{message.name:<11}ran: {message.content}")
    print(f"{'agent':<11}{message.content}")


if __name__ == "__main__":
    main()
