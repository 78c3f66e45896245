"""The upstream MCP server: how to connect to it, whether it answers, and its tools."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx2
import mcp_types as types
from fastmcp import Client
from fastmcp.client.transports import ClientTransport, StdioTransport, StreamableHttpTransport
from fastmcp.client.transports.sse import SSETransport
from fastmcp.mcp_config import infer_transport_type_from_url
from fastmcp.server.providers.proxy import ProxyClient
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from abs_shield.errors import ShieldError
from abs_shield.service.client_headers import ClientHeaders
from abs_shield.text.safe_display import escaped

_ANSWER_TIMEOUT_S = 10.0  # for the first answer of a server that runs already
_START_TIMEOUT_S = 60.0  # a command such as `npx` may have to download its package first
_URL = re.compile(r"([a-z][a-z0-9+.-]*://)(?:[^/?#\s]*@)?([^?#\s'\"]*)(?:[?#][^\s'\"]*)?", re.I)
_LONG_PART = re.compile(r"/[^/]{20,}")  # some servers give each user a path of its own


class Upstream(NamedTuple):
    """
    The server behind the proxy.

    Attributes:
        name: Its name in messages; a URL without parts that may be secret.
        transport: Returns a new transport: a separate process or connection.
        url: Its URL; None for a command.
    """

    name: str
    transport: Callable[[], ClientTransport]
    url: str | None = None


def command(words: Sequence[str]) -> Upstream:
    """
    Return the server that a command starts, with this process's environment and standard error.

    Args:
        words: The command and its arguments.

    Raises:
        ShieldError: The command does not exist.
    """
    program = shutil.which(words[0])
    name = escaped(words[0])
    if program is None:
        raise ShieldError(f"command `{name}` not found; give its path, or install it")

    def transport() -> ClientTransport:
        # not kept alive: each client has its own process, which must end with it
        return StdioTransport(program, [*words[1:]], env=dict(os.environ), keep_alive=False)

    return Upstream(name, transport)


def address(url: str, headers: Mapping[str, str] | None = None) -> Upstream:
    """
    Return the server at a URL.

    Args:
        url: The URL.
        headers: HTTP headers for every request, unless the client in front sets them itself.

    Raises:
        ShieldError: *url* is not a valid HTTP URL.
    """
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_valid = False
    if not is_valid:
        raise ShieldError(
            f"`{escaped(without_secrets(url))}` is not a valid URL; use e.g. `http://host:port/mcp`"
        )

    def transport() -> ClientTransport:
        auth = ClientHeaders(headers or {})
        if infer_transport_type_from_url(url) == "sse":
            return SSETransport(url, auth=auth)
        return StreamableHttpTransport(url, auth=auth)

    return Upstream(escaped(without_secrets(url)), transport, url)


def without_secrets(text: str) -> str:
    """
    Return a text whose URLs contain no user, no query and no long path segment.

    >>> without_secrets("no answer from https://ann:pw@example.com:8/mcp?key=s3cret")
    'no answer from https://example.com:8/mcp'
    """
    return _URL.sub(lambda match: match[1] + _LONG_PART.sub("/...", match[2]), text)


async def check_reachable(url: str, name: str) -> None:
    """
    Raise if nothing answers at a URL; any answer counts, 401 and 404 included.

    No MCP session is opened, because a server may ask questions in it that a client must answer.

    Raises:
        ShieldError: Nothing answers.
    """
    try:
        async with httpx2.AsyncClient(timeout=_ANSWER_TIMEOUT_S) as client:
            await client.head(url)
    except (httpx2.ReadTimeout, httpx2.RemoteProtocolError):
        return  # connected; a client's session will show whether it speaks MCP
    except httpx2.HTTPError as error:
        message = without_secrets(str(error) or type(error).__name__)
        message = escaped(message, limit=300).rstrip(".")
        raise ShieldError(
            f"cannot reach `{name}`: {message}; check that the server runs, and its address"
        ) from None


def quiet_client(transport: ClientTransport, mode: Any) -> ProxyClient[Any]:
    """Return a client that answers no question of the server itself."""
    return ProxyClient(
        transport, mode=mode, init_timeout=_START_TIMEOUT_S, forward_incoming_headers=False,
        roots=None, sampling_handler=None, elicitation_handler=None,
    )  # fmt: skip


async def is_modern(upstream: Upstream, version: str) -> bool:
    """Return whether the server supports a version without a handshake; False for a command."""
    if upstream.url is None or version not in MODERN_PROTOCOL_VERSIONS:
        return False
    try:
        async with quiet_client(upstream.transport(), version) as client:
            return speaks_modern(await client.session.send_discover(version))
    except Exception:  # the handshake, which follows, reports the error
        return False


def speaks_modern(discovered: Any) -> bool:
    """Return whether the answer to a discovery has a version without a handshake."""
    result = types.DiscoverResult.model_validate(discovered)
    return not set(MODERN_PROTOCOL_VERSIONS).isdisjoint(result.supported_versions)


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
