"""
An agent invents a tool, reads why it was blocked, and corrects itself.

The model is scripted, so that this runs with no key and no network:

    python examples/refund_agent.py
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field

from abs_shield import Shield, Target, shield, shielded

firewall = Shield(shield.configure(mode="strict", threshold=0.8), hooks=None)


@shielded(firewall)
def find_order(email: str) -> dict[str, Any]:
    """Find the last order of a customer."""
    return {"transaction_id": "tx_12345", "total": 20.0}


@shielded(firewall)
def refund(
    transaction_id: Annotated[str, Target()], amount: Annotated[float, Field(gt=0, le=500)]
) -> str:
    """Refund a transaction."""
    return f"refunded {amount:.2f} for {transaction_id}"


def calls(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    """One assistant message in OpenAI's shape."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": call_id, "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def model(tools: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the scripted answers of a language model that is offered *tools*."""
    print(f"offered: {', '.join(tool['function']['name'] for tool in tools)}")
    yield calls("c1", "find_order", email="ann@example.com")
    yield calls("c2", "issue_refund", transaction_id="tx_12345", amount=20)
    yield calls("c3", "refund", transaction_id="tx_12345", amount="twenty")
    yield calls("c4", "refund", transaction_id="tx_12345", amount=20)
    yield {"role": "assistant", "content": "Your 20.00 are on their way."}


def result_line(answer: dict[str, Any]) -> str:
    """The tool's answer, or the hint of a block."""
    if not answer.get("error"):
        return f"ran: {answer['content']}"
    feedback = json.loads(answer["content"])
    return f"{feedback['status']}: {feedback['problems'][0]['hint']}"


def main() -> None:
    messages = [{"role": "user", "content": "Please refund my last order. ann@example.com"}]
    with firewall.session(messages=messages) as session:
        for message in model(firewall.tool_schemas("openai")):
            messages.append(message)
            for answer in firewall.run_tool_calls(message):
                messages.append(answer)
                print(f"{answer['name']:<13}{result_line(answer)}")
        print(f"{'agent':<13}{messages[-1]['content']}")
    stopped = sum(decision.blocked for decision in session.decisions)
    print(f"{len(session.executed)} calls ran, {stopped} were stopped")


if __name__ == "__main__":
    main()
