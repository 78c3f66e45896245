"""A proxy in front of any MCP server: what is asked of its tools is judged first."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import socket
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from fastmcp import FastMCP
from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy
from fastmcp.server.providers.proxy import ProxyClient

from abs_shield.adapters.fastmcp import ShieldMiddleware
from abs_shield.errors import ShieldError
from abs_shield.shield import Shield
from abs_shield.text.show import escaped

logger = logging.getLogger("abs_shield")

_STARTS_WITHIN_S = 60.0
_PATH = "/mcp"
_PORTS = 65_535


class Upstream(NamedTuple):
    """
    The server behind the proxy.

    Attributes:
        name: What it is called in messages.
        target: What a client connects to.
        process: The process behind it; None where it is reached by a URL.
    """

    name: str
    target: Any
    process: StdioTransport | None = None


def command(words: Sequence[str]) -> Upstream:
    """
    Give the server that a command starts; it has this process's environment and errors.

    Args:
        words: The command and its arguments.

    Raises:
        ShieldError: There is no such command.
    """
    program = shutil.which(words[0])
    name = escaped(words[0])
    if program is None:
        raise ShieldError(f"there is no command `{name}`; give its path, or install it")
    process = StdioTransport(program, [*words[1:]], env=dict(os.environ), keep_alive=True)
    return Upstream(name, process, process)


def address(url: str) -> Upstream:
    """
    Give the server at a URL.

    Raises:
        ShieldError: It is no URL of HTTP.
    """
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        known = False
    if not known:
        raise ShieldError(f"`{escaped(url)}` is no URL; write `http://host:port/mcp`")
    return Upstream(escaped(url), url)


def proxy(upstream: Upstream, middleware: ShieldMiddleware | None) -> FastMCP:
    """
    Give the proxy, not yet served; it bears the name of the server behind it.

    Args:
        upstream: The server behind it.
        middleware: Judges the calls; None to judge none.
    """
    # "auto": old servers speak the handshake alone, whatever the client in front negotiated
    client = ProxyClient(upstream.target, mode="auto", init_timeout=_STARTS_WITHIN_S)
    server = create_proxy(
        client, name="abs-shield", provider_error_strategy="raise", identity="upstream"
    )
    if middleware is not None:
        server.add_middleware(middleware)
    return server


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
    asyncio.run(_served(proxy(upstream, middleware), upstream, http))


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


async def _served(server: Any, upstream: Upstream, http: socket.socket | None) -> None:
    try:
        await _reached(server.client_factory, upstream)
        if http is None:
            await server.run_stdio_async(show_banner=False, log_level="WARNING")
        else:
            host, port = http.getsockname()[:2]
            await server.run_http_async(
                host=host, port=port, path=_PATH, sockets=[http],
                show_banner=False, log_level="WARNING",
            )  # fmt: skip
    finally:
        if upstream.process is not None:
            await upstream.process.close()


async def _reached(connect: Callable[[], Any], upstream: Upstream) -> None:
    """Connect once, so that what is wrong is said before a client waits for it."""
    try:
        async with connect():
            return
    except Exception as error:
        said = str(error).removeprefix("Client failed to connect: ") or type(error).__name__
        told = escaped(said, limit=300).rstrip(".")
        if upstream.process is not None:
            asyncio.get_running_loop().set_exception_handler(_left_behind)
            raise ShieldError(
                f"`{upstream.name}` is no MCP server, or ended at once: {told}; run it by itself"
            ) from None
        raise ShieldError(
            f"cannot reach `{upstream.name}`: {told}; see that the server runs, and its path"
        ) from None


def _left_behind(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """A write to a server that has ended fails unheard; that it ended is said already."""
    logger.debug("abs_shield: %s", context.get("message"))
