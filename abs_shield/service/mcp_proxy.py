"""A proxy in front of any MCP server that judges the calls of its tools."""

from __future__ import annotations

import asyncio
import logging
import socket
from functools import partial
from typing import Any

from fastmcp import FastMCP

from abs_shield.adapters.fastmcp import ShieldMiddleware
from abs_shield.errors import ShieldError
from abs_shield.service import stdio_server
from abs_shield.service.request_forwarding import ForwardCalls, ForwardedProvider, ForwardRequests
from abs_shield.service.upstream_server import Upstream, check_reachable, is_modern
from abs_shield.service.upstream_session import UpstreamSessions
from abs_shield.shield import Shield
from abs_shield.text.safe_display import escaped

logger = logging.getLogger("abs_shield")

_PATH = "/mcp"
_MAX_PORT = 65_535  # ports have 16 bits; `getaddrinfo` would take a larger one modulo 65,536


def proxy(upstream: Upstream, middleware: ShieldMiddleware | None) -> FastMCP:
    """
    Return the proxy, not yet served; it has the name of the upstream server.

    Args:
        upstream: The upstream server.
        middleware: Judges the calls; None to judge none.
    """
    return _proxy(UpstreamSessions(upstream), middleware)


def serve(
    upstream: Upstream,
    firewall: Shield,
    *,
    http: socket.socket | None = None,
    session: str | None = None,
    hears: bool = False,
) -> None:
    """
    Serve the proxy until its client leaves.

    Args:
        upstream: The upstream server.
        firewall: The Shield.
        http: A bound socket to serve HTTP on; standard input and output if None.
        session: Id of the session of calls without a session id.
        hears: Whether a conversation that the client sends is recorded.

    Raises:
        ShieldError: The upstream server does not start, or cannot be reached.
    """
    shared_session = None if session is None else firewall.session(session)
    middleware = ShieldMiddleware(firewall, session=shared_session, hears=hears)
    asyncio.run(_serve(UpstreamSessions(upstream, one_client=http is None), middleware, http))


def bind_address(address: str) -> socket.socket:
    """
    Return a socket that is bound to ``HOST:PORT``; port 0 takes a free one.

    Raises:
        ShieldError: *address* is invalid, or already in use.
    """
    host, colon, port = address.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > _MAX_PORT:
        raise ShieldError(f"`{escaped(address)}` is not a valid address; use e.g. `127.0.0.1:8000`")
    host = host.removeprefix("[").removesuffix("]")
    try:
        family, _, _, _, socket_address = socket.getaddrinfo(
            host, int(port), type=socket.SOCK_STREAM
        )[0]
        return _bound_socket(family, socket_address)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ShieldError(
            f"cannot listen on `{escaped(address)}`: {reason}; choose another"
        ) from None


def url_of(http: socket.socket) -> str:
    """Return the URL at which the proxy is served."""
    host, port = http.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{_PATH}"


def _bound_socket(family: int, socket_address: Any) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        # or a restart fails for a minute, while old connections end
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(socket_address)
    except OSError:
        listener.close()
        raise
    return listener


def _proxy(sessions: UpstreamSessions, middleware: ShieldMiddleware | None) -> FastMCP:
    server: FastMCP = FastMCP("abs-shield")
    # the default lists what it can: an unreachable server would look like one without tools
    server.provider_error_strategy = "raise"
    server.add_provider(ForwardedProvider(sessions))
    # order: open the session, judge the call, forward it
    server.add_middleware(ForwardRequests(sessions))
    if middleware is not None:
        server.add_middleware(middleware)
    server.add_middleware(ForwardCalls(sessions))
    return server


async def _serve(
    sessions: UpstreamSessions, middleware: ShieldMiddleware, http: socket.socket | None
) -> None:
    upstream = sessions.upstream
    asyncio.get_running_loop().set_exception_handler(_log_late_failure)
    if upstream.url is not None:
        await check_reachable(upstream.url, upstream.name)
    server: Any = _proxy(sessions, middleware)
    try:
        if http is None:
            await stdio_server.serve(server, partial(is_modern, upstream))
        else:
            host, port = http.getsockname()[:2]
            await server.run_http_async(
                host=host, port=port, path=_PATH, sockets=[http], stateless_http=False,
                show_banner=False, log_level="WARNING",
            )  # fmt: skip
    finally:
        await sessions.close()
    if sessions.failure is not None:
        raise sessions.failure


def _log_late_failure(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log at debug level a failed write to a server that has ended: its call reports the error."""
    logger.debug("abs_shield: %s", context.get("message"))
