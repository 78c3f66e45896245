"""Asks an MCP server which tools it has, and lets it go."""

from __future__ import annotations

import asyncio
from typing import Any

from fastmcp import Client

from abs_shield.errors import ShieldError
from abs_shield.service.upstream import Upstream, without_secrets
from abs_shield.text.show import escaped


def listed_tools(upstream: Upstream, *, within_s: float) -> list[dict[str, Any]]:
    """
    Give what the server answers to ``tools/list``, all pages of it.

    Args:
        upstream: The server.
        within_s: Seconds that it has for starting and for answering.

    Raises:
        ShieldError: It does not start, cannot be reached, or does not answer in time.
    """
    return asyncio.run(_asked(upstream, within_s))


async def _asked(upstream: Upstream, within_s: float) -> list[dict[str, Any]]:
    transport = upstream.transport()
    try:
        async with asyncio.timeout(within_s), Client(transport) as client:
            tools = await client.list_tools()
        return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
    except TimeoutError:
        raise ShieldError(
            f"`{upstream.name}` did not list its tools within {within_s:g} seconds;"
            " run it by itself, or give it more with `--timeout`"
        ) from None
    except Exception as error:
        said = str(error).removeprefix("Client failed to connect: ") or type(error).__name__
        told = escaped(without_secrets(said), limit=300).rstrip(".")
        raise ShieldError(
            f"`{upstream.name}` lists no tools: {told}; run it by itself, or see its address"
        ) from None
    finally:
        await transport.close()
