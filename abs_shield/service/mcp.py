"""A proxy in front of any MCP server: what is asked of its tools is judged first."""

from __future__ import annotations

import asyncio
import logging
import socket
from functools import partial
from typing import Any

from fastmcp import FastMCP

from abs_shield.adapters.fastmcp import ShieldMiddleware
from abs_shield.errors import ShieldError
from abs_shield.service import stdio
from abs_shield.service.forward import Forward, ForwardCalls, ForwardedProvider
from abs_shield.service.link import Links
from abs_shield.service.upstream import Upstream, is_modern, reach
from abs_shield.shield import Shield
from abs_shield.text.show import escaped

logger = logging.getLogger("abs_shield")

_PATH = "/mcp"
_PORTS = 65_535


def proxy(upstream: Upstream, middleware: ShieldMiddleware | None) -> FastMCP:
    """
    Give the proxy, not yet served; it bears the name of the server behind it.

    Args:
        upstream: The server behind it.
        middleware: Judges the calls; None to judge none.
    """
    return _proxy(Links(upstream), middleware)


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
        upstream: The server behind it.
        firewall: The Shield.
        http: A bound socket to serve HTTP on; the standard input and output where None.
        session: Id of the session of calls that name none.
        hears: Whether a conversation that the client sends along is taken in.

    Raises:
        ShieldError: The server behind it does not start, or cannot be reached.
    """
    given = None if session is None else firewall.session(session)
    middleware = ShieldMiddleware(firewall, session=given, hears=hears)
    asyncio.run(_serve(Links(upstream, one_client=http is None), middleware, http))


def bound(place: str) -> socket.socket:
    """
    Give a socket that is bound to ``HOST:PORT``; port 0 takes a free one.

    Raises:
        ShieldError: It is no such place, or it is taken.
    """
    host, colon, port = place.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > _PORTS:
        raise ShieldError(f"`{escaped(place)}` is no place to listen; write `127.0.0.1:8000`")
    host = host.removeprefix("[").removesuffix("]")
    try:
        family, _, _, _, where = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)[0]
        return _listening(family, where)
    except OSError as error:
        told = error.strerror or str(error)
        raise ShieldError(f"cannot listen on `{escaped(place)}`: {told}; take another") from None


def url_of(http: socket.socket) -> str:
    """Give the URL at which the proxy is served."""
    host, port = http.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{_PATH}"


def _listening(family: int, where: Any) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(where)
    except OSError:
        made.close()
        raise
    return made


def _proxy(links: Links, middleware: ShieldMiddleware | None) -> FastMCP:
    server: FastMCP = FastMCP("abs-shield")
    server.provider_error_strategy = "raise"
    server.add_provider(ForwardedProvider(links))
    server.add_middleware(Forward(links))
    if middleware is not None:
        server.add_middleware(middleware)
    server.add_middleware(ForwardCalls(links))
    return server


async def _serve(links: Links, middleware: ShieldMiddleware, http: socket.socket | None) -> None:
    upstream = links.upstream
    asyncio.get_running_loop().set_exception_handler(_left_behind)
    if upstream.url is not None:
        await reach(upstream.url, upstream.name)
    server: Any = _proxy(links, middleware)
    try:
        if http is None:
            await stdio.serve(server, partial(is_modern, upstream))
        else:
            host, port = http.getsockname()[:2]
            await server.run_http_async(
                host=host, port=port, path=_PATH, sockets=[http], stateless_http=False,
                show_banner=False, log_level="WARNING",
            )  # fmt: skip
    finally:
        await links.close()
    if links.failure is not None:
        raise links.failure


def _left_behind(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log at debug level that a write to a server failed that has ended: its call tells."""
    logger.debug("abs_shield: %s", context.get("message"))
