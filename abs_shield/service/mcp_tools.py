"""List the tools of an MCP server, and disconnect."""

from __future__ import annotations

import asyncio
from typing import Any

from fastmcp import Client

from abs_shield.errors import ShieldError
from abs_shield.service.upstream import Upstream, without_secrets
from abs_shield.text.safe_display import escaped


def listed_tools(upstream: Upstream, *, within_s: float) -> list[dict[str, Any]]:
    """
    Return the server's answer to ``tools/list``, with all pages.

    Args:
        upstream: The server.
        within_s: Seconds for starting and answering.

    Raises:
        ShieldError: The server does not start, cannot be reached, or does not answer in time.
    """
    return asyncio.run(_list_tools(upstream, within_s))


async def _list_tools(upstream: Upstream, within_s: float) -> list[dict[str, Any]]:
    transport = upstream.transport()
    try:
        async with asyncio.timeout(within_s), Client(transport) as client:
            tools = await client.list_tools()
        return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
    except TimeoutError:
        raise ShieldError(
            f"`{upstream.name}` did not list its tools within {within_s:g} seconds;"
            " run it by itself, or allow more time with `--timeout`"
        ) from None
    except Exception as error:
        error_text = str(error).removeprefix("Client failed to connect: ") or type(error).__name__
        reason = escaped(without_secrets(error_text), limit=300).rstrip(".")
        raise ShieldError(
            f"`{upstream.name}` lists no tools: {reason}; run it by itself, or check its address"
        ) from None
    finally:
        await transport.close()
