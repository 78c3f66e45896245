"""Serve the proxy on standard input and output."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from fastmcp import FastMCP
from fastmcp.utilities.logging import temporary_log_level
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

IsModern = Callable[[str], Awaitable[bool]]
"""Returns whether the upstream server supports a version without a handshake."""


async def serve(server: FastMCP, is_modern: IsModern) -> None:
    """
    Serve until the client leaves.

    Args:
        server: The proxy.
        is_modern: Called with the version that a client proposes.
    """
    inner = server._mcp_server
    # FastMCP announces its start, which clutters the client's log
    with temporary_log_level("WARNING"):
        async with server._lifespan_manager(), stdio_server() as (read, write):
            await inner.run(
                NegotiatingStream(read, write, is_modern),
                write,
                inner.create_initialization_options(),
            )


class NegotiatingStream:
    """
    A client's messages, without a discovery that the upstream server cannot answer.

    The SDK takes the protocol of a connection from its first request, and rejects a handshake
    after a discovery. So a failing discovery is answered here, and the client goes on to the
    handshake.
    """

    def __init__(self, read: Any, write: Any, is_modern: IsModern) -> None:
        self._read = read
        self._write = write
        self._is_modern = is_modern
        self._decided = False

    @property
    def last_context(self) -> Any:
        """The context in which the newest message was sent."""
        return self._read.last_context

    async def _reject_discovery(self, item: Any) -> bool:
        request = item.message if isinstance(item, SessionMessage) else None
        if not isinstance(request, types.JSONRPCRequest):
            return False
        meta = (request.params or {}).get("_meta") or {}
        version = meta.get(types.PROTOCOL_VERSION_META_KEY)
        # any other request decides the protocol of the connection
        if request.method != "server/discover" or not isinstance(version, str):
            self._decided = True
            return False
        if await self._is_modern(version):
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

    def __aiter__(self) -> NegotiatingStream:
        return self

    async def __anext__(self) -> Any:
        while True:
            item = await anext(self._read)
            if self._decided or not await self._reject_discovery(item):
                return item

    async def __aenter__(self) -> NegotiatingStream:
        return self

    async def __aexit__(self, *raised: Any) -> None:
        await self.aclose()
