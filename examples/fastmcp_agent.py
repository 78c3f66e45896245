"""
An agent asks an MCP server to refund an unmentioned transaction, and corrects itself.

The model is scripted, so that this runs with no key and no network; it needs FastMCP:

    pip install "abs-shield[fastmcp]"
    python examples/fastmcp_agent.py
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from typing import Any

from fastmcp import Client, FastMCP

from abs_shield import Shield, shield
from abs_shield.adapters.fastmcp import ShieldMiddleware

logging.getLogger("abs_shield").addHandler(logging.NullHandler())
firewall = Shield(shield.configure(mode="strict"))
server: FastMCP = FastMCP("shop")
server.add_middleware(ShieldMiddleware(firewall))


@server.tool(annotations={"destructiveHint": True})
def refund(transaction_id: str, amount: float) -> str:
    """Refund a transaction."""
    return f"refunded {amount:.2f} for {transaction_id}"


def model() -> Iterator[dict[str, Any]]:
    """Yield a language model's scripted calls, one a turn."""
    yield {"transaction_id": "tx_12354", "amount": 20.0}
    yield {"transaction_id": "tx_12345", "amount": 20.0}


def result_line(result: Any) -> str:
    """The tool's answer, or what is wrong with the call."""
    text = str(result.content[0].text)
    if not result.is_error:
        return f"ran: {text}"
    problem = json.loads(text)["problems"][0]
    return f"blocked: {problem['code']}, did you mean {problem['nearest']}?"


async def main() -> None:
    session = firewall.session("conversation-7")
    session.user("Please refund tx_12345, 20 dollars.")
    async with Client(server) as client:
        for arguments in model():
            meta = {"abs_shield/session": session.id}
            result = await client.call_tool("refund", arguments, meta=meta, raise_on_error=False)
            print(f"refund {arguments['transaction_id']}  {result_line(result)}")
    stopped = sum(decision.blocked for decision in session.decisions)
    print(f"{len(session.executed)} call ran, {stopped} was stopped")


if __name__ == "__main__":
    asyncio.run(main())
