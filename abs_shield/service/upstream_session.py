"""Sessions with the upstream server, one for each client in front of the proxy."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from http import HTTPStatus
from typing import Any

import mcp_types as types
from fastmcp.client.transports import ClientTransport, StdioTransport, StreamableHttpTransport
from fastmcp.client.transports.base import TransportOptions
from fastmcp.server import Context
from fastmcp.server.providers.proxy import ProxyClient, ProxyProvider
from mcp import ClientSession
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from abs_shield.errors import ShieldError
from abs_shield.service.client_headers import collect_post_errors
from abs_shield.service.front_client import FrontClient
from abs_shield.service.upstream_server import Upstream, quiet_client, without_secrets
from abs_shield.text.safe_display import escaped

logger = logging.getLogger("abs_shield")

_KEY = "abs_shield/link"  # with a prefix, because others may store in the connection's state, too
# a live server answers immediately; a dead one must not delay the next call long
_PING_TIMEOUT_S = 10.0
_SETTLE_TIMEOUT_S = 5.0  # a slow server delays the first call by no more than this
_INITIALIZED_TIMEOUT_S = 60.0  # clients confirm within milliseconds; 60 s allow a person to approve
_QUESTION_TIMEOUT_S = 1.0  # delays the first call of every client by as much
"""Seconds to wait for a server's first question if no other signal shows that it has none."""
_NOT_ALLOWED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


class _ForwardingSession(ClientSession):
    """Does not validate results: the client checks them against their schema."""

    async def validate_tool_result(self, name: str, result: types.CallToolResult) -> None:
        return None


class _ForwardingTransport(ClientTransport):
    """Opens a session with the name, capabilities and callbacks of the client in front."""

    def __init__(self, inner: ClientTransport, front: FrontClient, client: Any) -> None:
        self._inner = inner
        self._front = front
        self._client = client

    @asynccontextmanager
    async def connect_session(
        self, *, transport_options: TransportOptions | None = None, **session_kwargs: Any
    ) -> AsyncIterator[ClientSession]:
        capabilities = getattr(self._client, "capabilities", None) or types.ClientCapabilities()
        callbacks = self._front.callbacks(capabilities)
        info = getattr(self._client, "client_info", None)
        async with self._inner.connect_session(
            transport_options=TransportOptions(session_class=_ForwardingSession),
            **(session_kwargs | callbacks | {"client_info": info}),
        ) as session:
            yield session

    async def close(self) -> None:
        await self._inner.close()

    @property
    def offers_roots(self) -> bool:
        """True if the server may ask for roots when the session opens."""
        return getattr(getattr(self._client, "capabilities", None), "roots", None) is not None

    def refusal(self) -> int | None:
        """Return the last error status of an HTTP server."""
        return getattr(getattr(self._inner, "auth", None), "last_error_status", None)

    @property
    def has_separate_streams(self) -> bool:
        """True if each request has its own stream: if one breaks, the session continues."""
        return isinstance(self._inner, StreamableHttpTransport)

    def has_ended(self) -> bool:
        """Return whether the server's process has ended."""
        return isinstance(self._inner, StdioTransport) and bool(self._inner._is_session_dead())


class UpstreamSession:
    """
    One client's session with the server: opened at its first request, closed when it leaves.

    Args:
        sessions: The sessions of all clients.
        front: The client in front of the proxy.
        client: The client's own description: its name and its capabilities.
        mode: The client's protocol: ``"legacy"`` for the handshake, or a version.
    """

    def __init__(
        self, sessions: UpstreamSessions, front: FrontClient, client: Any, mode: Any
    ) -> None:
        self.front = front
        front.on_listing_change = self.clear_listings
        self.mode = mode
        self._sessions = sessions
        self._client = client
        self._connecting = asyncio.Lock()
        self._opened: ProxyClient[Any] | None = None
        self._transport: _ForwardingTransport | None = None
        self.is_lost = False
        self._needs_ping = False
        self._expiry: asyncio.Task[None] | None = None
        self.tools: Sequence[Any] | None = None
        self.provider = ProxyProvider(self.client)

    async def client(self) -> ProxyClient[Any]:
        """
        Return the connected client; if the server has ended, open a new session first.

        Raises:
            MCPError: The server cannot be reached.
        """
        # concurrent first requests must not start two servers
        async with self._connecting:
            if self._opened is not None and await self._has_ended(self._opened):
                await self.close()
            if self._opened is None:
                try:
                    self._opened = await self._connect()
                except Exception as error:
                    status = self._transport and self._transport.refusal()
                    raise self._sessions.unreachable(error, status) from error
            return self._opened

    async def _connect(self) -> ProxyClient[Any]:
        inner = self._sessions.upstream.transport()
        self._transport = _ForwardingTransport(inner, self.front, self._client)
        client = quiet_client(self._transport, self.mode)
        with self.front.await_question() as question:
            await client.__aenter__()
            if self._transport.offers_roots:
                await self._wait_for_roots_question(client, question)
        if self.front.has_open_requests:  # an open request reopens the session
            await self.front.wait_for_roots()
        self.is_lost = self._needs_ping = False
        self._sessions.has_connected, self._sessions.failure = True, None
        self._sessions.opened.add(self)
        return client

    async def roots_changed(self) -> None:
        """Tell the server that the client's roots have changed, before any later request."""
        client = await self.client()
        with self.front.await_question() as question:
            await client.session.send_notification(types.RootsListChangedNotification())
            await self._wait_for_roots_question(client, question)

    async def _wait_for_roots_question(
        self, client: ProxyClient[Any], question: asyncio.Event
    ) -> None:
        """
        Wait until the server had the opportunity to ask for the roots.

        The client may already be calling a tool, and before the question a server may allow paths
        outside the roots. Servers start requests in the order in which they read them, so a
        question precedes the answer to a ping, or to a second ping if the server starts a task
        for it. If questions have their own stream, wait a little longer.
        """
        with suppress(MCPError, TimeoutError):
            async with asyncio.timeout(_SETTLE_TIMEOUT_S):
                for _ in range(2):
                    await client.ping()
        separate = self._transport is not None and self._transport.has_separate_streams
        if separate and self.mode == "legacy":
            with suppress(TimeoutError):
                await asyncio.wait_for(question.wait(), _QUESTION_TIMEOUT_S)

    def expire_unless(self, initialized: Any) -> None:
        """Close the session if the client does not complete its initialization."""
        self._expiry = asyncio.create_task(self._expire(initialized))

    async def _expire(self, initialized: Any) -> None:
        try:
            await asyncio.wait_for(initialized.wait(), _INITIALIZED_TIMEOUT_S)
        except TimeoutError:
            if not self.front.has_open_requests:
                self._expiry = None
                await self.close()

    def clear_listings(self) -> None:
        """Clear the cached tools, resources and prompts."""
        self.tools = None
        self.provider = ProxyProvider(self.client)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """
        Note if a request fails because this session has ended; the next request opens a new one.
        """
        with collect_post_errors() as statuses:
            try:
                yield
            except MCPError as error:
                # the status by which MCP says that a session has expired
                self.is_lost |= HTTPStatus.NOT_FOUND in statuses
                self.record_break(error)
                raise

    def record_break(self, error: MCPError) -> bool:
        """Return whether a connection broke: that of the session, or of one of its requests."""
        broken = bool(error.error.code == types.CONNECTION_CLOSED)
        separate = self._transport is not None and self._transport.has_separate_streams
        self.is_lost |= broken and not separate
        self._needs_ping |= broken and separate
        return broken

    async def close(self) -> None:
        """Close the session, and end the server's process."""
        # taken first, so that a second `close` meanwhile finds nothing to close
        opened, self._opened = self._opened, None
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
        self._sessions.opened.discard(self)
        self.clear_listings()
        if opened is not None:
            await opened.close()

    async def _has_ended(self, opened: ProxyClient[Any]) -> bool:
        gone = self._transport is not None and self._transport.has_ended()
        if self.is_lost or gone or not opened.is_connected():
            return True
        in_doubt, self._needs_ping = self._needs_ping, False
        return in_doubt and not await _is_alive(opened)


class UpstreamSessions:
    """
    The sessions of all clients: one for each connection in front.

    Args:
        upstream: The server.
        one_client: Whether there is only one client: then a server that never starts sets `failure`
            instead of logging a line.
    """

    def __init__(self, upstream: Upstream, *, one_client: bool = False) -> None:
        check_transport()
        self.upstream = upstream
        self._one_client = one_client
        self.opened: set[UpstreamSession] = set()
        self.has_connected = False
        self.failure: ShieldError | None = None

    def for_client(self, context: Context, client: Any = None) -> UpstreamSession:
        """
        Return the session of the client that sends this request.

        Args:
            context: The request.
            client: The client's own description, if this request opens its connection.

        Raises:
            MCPError: The client's protocol is not supported for a server started by a command.
        """
        connection = context.session._connection
        session = connection.state.get(_KEY)
        if session is None:
            version = connection.protocol_version
            modern = version in MODERN_PROTOCOL_VERSIONS
            if modern and self.upstream.url is None:
                raise _unsupported_version(version)
            front = FrontClient(context.session, connection)
            session = UpstreamSession(
                self, front, client or context.session, version if modern else "legacy"
            )
            connection.state[_KEY] = session
            connection.exit_stack.push_async_callback(session.close)
        return session  # type: ignore[no-any-return]

    def unreachable(self, error: Exception, status: int | None) -> MCPError:
        """Log that the server cannot be reached, and return the error for its client."""
        reason = str(error).removeprefix("Client failed to connect: ") or type(error).__name__
        reason = escaped(without_secrets(reason), limit=300).rstrip(".")
        name = self.upstream.name
        hint = "check that the server runs, and its address"
        if status is not None:
            reason = f"it answers with status {status}"
        if status in _NOT_ALLOWED:
            hint = "let the client send its token, or give one by `--header`"
        message = f"cannot reach `{name}`: {reason}; {hint}"
        if self.upstream.url is None:
            message = (
                f"`{name}` is not an MCP server, or ended immediately: {reason}; run it by itself"
            )
        # with a single client that never connected, the proxy ends with the reason; otherwise it
        # goes on
        if self._one_client and not self.has_connected:
            self.failure = ShieldError(message)
        else:
            logger.warning("abs-shield: %s", message)
        return MCPError(code=types.INTERNAL_ERROR, message=message)

    async def close(self) -> None:
        """Close all sessions."""
        for session in [*self.opened]:  # a copy: closing removes it
            await session.close()


def check_transport() -> None:
    """
    Raise if FastMCP cannot report that a process ended: all calls would fail after a crash.

    Raises:
        ShieldError: The part that reports it is missing.
    """
    if not callable(getattr(StdioTransport, "_is_session_dead", None)):
        raise ShieldError(
            "this FastMCP cannot be used for the proxy: "
            "`StdioTransport._is_session_dead` is missing; "
            "install a version that `abs-shield[fastmcp]` allows"
        )


async def _is_alive(client: ProxyClient[Any]) -> bool:
    """Return whether the server still has the session; other requests of it may be running."""
    with (
        collect_post_errors() as statuses
    ):  # an error of this ping is not one of the client's requests
        try:
            async with asyncio.timeout(_PING_TIMEOUT_S):
                await client.ping()
        except TimeoutError:
            return False
        except MCPError as error:  # a server without ping support does answer
            return not statuses and error.error.code != types.CONNECTION_CLOSED
    return True


def _unsupported_version(version: str) -> MCPError:
    supported = list(HANDSHAKE_PROTOCOL_VERSIONS)
    data = types.UnsupportedProtocolVersionErrorData(supported=supported, requested=version)
    return MCPError(
        code=types.UNSUPPORTED_PROTOCOL_VERSION,
        message=f"a command is served in versions with a handshake, not in {version}",
        data=data.model_dump(mode="json"),
    )
