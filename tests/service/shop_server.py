"""A shop's MCP server in a process of its own: over stdio, or over HTTP on a given port."""

from __future__ import annotations

import asyncio
import os
import sys

from fastmcp import Context, FastMCP
from fastmcp.utilities.types import Image

shop: FastMCP = FastMCP("shop")


@shop.tool(annotations={"readOnlyHint": True})
def get_order(order_id: str) -> dict[str, str]:
    """Look up an order."""
    return {"order_id": order_id, "parcel_id": "pc_777"}


@shop.tool(annotations={"destructiveHint": True})
def refund(transaction_id: str, amount: float) -> str:
    """Refund a transaction."""
    return f"refunded {transaction_id}"


@shop.tool
def create_user(user_id: str) -> str:
    """Create a user."""
    return f"created {user_id}"


@shop.tool
def delete_user(user_id: str) -> str:
    """Delete a user."""
    return f"deleted {user_id}"


@shop.tool
async def wait(seconds: float) -> str:
    """Wait for a while."""
    await asyncio.sleep(seconds)
    return "waited"


@shop.tool
def photo() -> Image:
    """Show a photo."""
    return Image(data=b"\x89PNG", format="png")


@shop.tool
def show_meta(context: Context) -> list[str]:
    """Show what was sent along for us."""
    request = context.request_context
    keys = request.meta if request is not None and request.meta else {}
    return sorted(k.rpartition("/")[2] for k in keys if k.startswith("abs_shield/"))


@shop.tool
def explode() -> str:
    """Fail."""
    raise RuntimeError("the warehouse is on fire")


@shop.tool
def crash() -> str:
    """End this process immediately."""
    os._exit(3)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        shop.run("http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
    else:
        shop.run(show_banner=False)
