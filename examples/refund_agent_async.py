"""
The same agent with async tools: the calls of one message run side by side.

    python examples/refund_agent_async.py
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from abs_shield import Shield, shield, shielded

firewall = Shield(shield.configure(mode="strict"), hooks=None)


@shielded(firewall)
async def refund(transaction_id: str, amount: float) -> str:
    """Refund a transaction."""
    await asyncio.sleep(0.01)
    return f"refunded {amount:.2f} for {transaction_id}"


@shielded(firewall)
async def notify(email: str, text: str) -> str:
    """Write to a customer."""
    await asyncio.sleep(0.01)
    return f"wrote to {email}"


def call(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    """One block of an assistant message in Anthropic's shape."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


async def model(tools: list[dict[str, Any]]) -> AsyncIterator[dict[str, Any]]:
    """Yield the scripted answers of a language model that is offered *tools*."""
    print(f"offered: {', '.join(tool['name'] for tool in tools)}")
    wrong = call("t2", "send_email", email="ann@example.com", text="Done.")
    both = [call("t1", "refund", transaction_id="tx_12345", amount=20.0), wrong]
    yield {"role": "assistant", "content": both}
    right = call("t3", "notify", email="ann@example.com", text="Done.")
    yield {"role": "assistant", "content": [right]}


async def main() -> None:
    async with firewall.session() as session:
        session.user("Please refund tx_12345 and write to ann@example.com.")
        async for message in model(firewall.tool_schemas("anthropic")):
            for answer in await firewall.arun_tool_calls(message):
                for block in answer["content"]:
                    print(f"{block['tool_use_id']} {result_line(block)}")
    print(", ".join(f"{ran.tool} ran" for ran in session.executed))


def result_line(block: dict[str, Any]) -> str:
    """The tool's answer, or what the block says."""
    if not block.get("is_error"):
        return f"ran: {block['content']}"
    feedback = json.loads(block["content"])
    problem = feedback["problems"][0]
    return f"{feedback['status']}: {problem['code']}, there is {', '.join(problem['allowed'])}"


if __name__ == "__main__":
    asyncio.run(main())
