"""The proxy on its standard input and output."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from fastmcp import FastMCP
from fastmcp.utilities.logging import temporary_log_level
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

Modern = Callable[[str], Awaitable[bool]]
"""Returns whether the server behind the proxy speaks a version without a handshake."""


async def serve(server: FastMCP, modern: Modern) -> None:
    """
    Serve until the client leaves.

    Args:
        server: The proxy.
        modern: Asked for the version that a client proposes.
    """
    inner = server._mcp_server
    with temporary_log_level("WARNING"):
        async with server._lifespan_manager(), stdio_server() as (read, write):
            await inner.run(
                Opening(read, write, modern), write, inner.create_initialization_options()
            )


class Opening:
    """
    Messages of a client, without a discovery that the server behind the proxy cannot answer.

    The SDK takes the protocol of a connection from its first request, and refuses the handshake
    after a discovery. So one that fails is answered here: its client goes on to the handshake.
    """

    def __init__(self, read: Any, write: Any, modern: Modern) -> None:
        self._read = read
        self._write = write
        self._modern = modern
        self._decided = False

    @property
    def last_context(self) -> Any:
        """The context in which the newest message was sent."""
        return self._read.last_context

    async def _refused(self, item: Any) -> bool:
        request = item.message if isinstance(item, SessionMessage) else None
        if not isinstance(request, types.JSONRPCRequest):
            return False
        meta = (request.params or {}).get("_meta") or {}
        version = meta.get(types.PROTOCOL_VERSION_META_KEY)
        if request.method != "server/discover" or not isinstance(version, str):
            self._decided = True
            return False
        if await self._modern(version):
            self._decided = True
            return False
        error = types.ErrorData(
            code=types.METHOD_NOT_FOUND, message="Method not found: server/discover"
        )
        answer = types.JSONRPCError(jsonrpc="2.0", id=request.id, error=error)
        await self._write.send(SessionMessage(answer))
        return True

    async def aclose(self) -> None:
        """Close the stream."""
        await self._read.aclose()

    def __aiter__(self) -> Opening:
        return self

    async def __anext__(self) -> Any:
        while True:
            item = await anext(self._read)
            if self._decided or not await self._refused(item):
                return item

    async def __aenter__(self) -> Opening:
        return self

    async def __aexit__(self, *raised: Any) -> None:
        await self.aclose()
