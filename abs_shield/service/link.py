"""The session with the server behind the proxy that belongs to one client in front."""

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
from abs_shield.service.front import Front
from abs_shield.service.headers import refused_posts
from abs_shield.service.upstream import Upstream, quiet_client, without_secrets
from abs_shield.text.show import escaped

logger = logging.getLogger("abs_shield")

_KEY = "abs_shield/link"
_ANSWERS_WITHIN_S = 10.0
_SETTLES_WITHIN_S = 5.0
_GOES_ON_WITHIN_S = 60.0
_ASKS_WITHIN_S = 1.0
"""Time that a server has for its first question, where nothing tells that there is none."""
_NOT_ALLOWED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


class _Session(ClientSession):
    """Passes results on as they are: whether they fit their schema is checked by the client."""

    async def validate_tool_result(self, name: str, result: types.CallToolResult) -> None:
        return None


class _Transport(ClientTransport):
    """Opens a session that asks the client in front, with its name and its capabilities."""

    def __init__(self, inner: ClientTransport, front: Front, client: Any) -> None:
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
            transport_options=TransportOptions(session_class=_Session),
            **(session_kwargs | callbacks | {"client_info": info}),
        ) as session:
            yield session

    async def close(self) -> None:
        await self._inner.close()

    @property
    def offers_roots(self) -> bool:
        """Whether the server may ask for the roots as soon as the session is open."""
        return getattr(getattr(self._client, "capabilities", None), "roots", None) is not None

    def refusal(self) -> int | None:
        """Return the status with which an HTTP server refused a request."""
        return getattr(getattr(self._inner, "auth", None), "refused", None)

    @property
    def has_streams_apart(self) -> bool:
        """Whether each request has a stream of its own: where one breaks, the session goes on."""
        return isinstance(self._inner, StreamableHttpTransport)

    def has_ended(self) -> bool:
        """Return whether the process behind it has ended."""
        return isinstance(self._inner, StdioTransport) and bool(self._inner._is_session_dead())


class Link:
    """
    One client's session with the server: opened at its first request, ended when it leaves.

    Args:
        links: The sessions of all clients.
        front: The client.
        client: What the client said of itself: its name and its capabilities.
        mode: The protocol of the client: ``"legacy"`` for the handshake, or a version.
    """

    def __init__(self, links: Links, front: Front, client: Any, mode: Any) -> None:
        self.front = front
        front.on_change = self.forget
        self.mode = mode
        self._links = links
        self._client = client
        self._connecting = asyncio.Lock()
        self._opened: ProxyClient[Any] | None = None
        self._transport: _Transport | None = None
        self.lost = False
        self._is_in_doubt = False
        self._expiry: asyncio.Task[None] | None = None
        self.tools: Sequence[Any] | None = None
        self.provider = ProxyProvider(self.client)

    async def client(self) -> ProxyClient[Any]:
        """
        Return the connected client; where the server has ended, a new session with it.

        Raises:
            MCPError: There is no connection.
        """
        async with self._connecting:
            if self._opened is not None and await self._has_ended(self._opened):
                await self.close()
            if self._opened is None:
                try:
                    self._opened = await self._connect()
                except Exception as error:
                    status = self._transport and self._transport.refusal()
                    raise self._links.unreachable(error, status) from error
            return self._opened

    async def _connect(self) -> ProxyClient[Any]:
        inner = self._links.upstream.transport()
        self._transport = _Transport(inner, self.front, self._client)
        client = quiet_client(self._transport, self.mode)
        with self.front.asking() as question:
            await client.__aenter__()
            if self._transport.offers_roots:
                await self._settled(client, question)
        if self.front.has_requests:  # one of them opens the session anew
            await self.front.answered()
        self.lost = self._is_in_doubt = False
        self._links.has_connected, self._links.failure = True, None
        self._links.opened.add(self)
        return client

    async def roots_changed(self) -> None:
        """Tell the server that the client's roots are others, before any later request."""
        client = await self.client()
        with self.front.asking() as question:
            await client.session.send_notification(types.RootsListChangedNotification())
            await self._settled(client, question)

    async def _settled(self, client: ProxyClient[Any], question: asyncio.Event) -> None:
        """
        Wait until the server could ask for the roots.

        The client in front may call a tool at that very moment, and before the question a server
        may allow paths that the roots forbid. What a server reads first it begins first, so a
        question comes before the answer to a ping; where the one starts a task, before that to a
        second. Where it comes by a stream of its own, it is waited for a little longer.
        """
        with suppress(MCPError, TimeoutError):
            async with asyncio.timeout(_SETTLES_WITHIN_S):
                for _ in range(2):
                    await client.ping()
        apart = self._transport is not None and self._transport.has_streams_apart
        if apart and self.mode == "legacy":
            with suppress(TimeoutError):
                await asyncio.wait_for(question.wait(), _ASKS_WITHIN_S)

    def expect(self, initialized: Any) -> None:
        """End the session again where the client does not go on: it may open one and be gone."""
        self._expiry = asyncio.create_task(self._expire(initialized))

    async def _expire(self, initialized: Any) -> None:
        try:
            await asyncio.wait_for(initialized.wait(), _GOES_ON_WITHIN_S)
        except TimeoutError:
            if not self.front.has_requests:
                self._expiry = None
                await self.close()

    def forget(self) -> None:
        """Forget which tools, resources and prompts there are."""
        self.tools = None
        self.provider = ProxyProvider(self.client)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Open a new session next time, where a request finds that this one has ended."""
        with refused_posts() as statuses:
            try:
                yield
            except MCPError as error:
                self.lost |= HTTPStatus.NOT_FOUND in statuses
                self.broke(error)
                raise

    def broke(self, error: MCPError) -> bool:
        """Return whether a connection broke: the session's, or that of one of its requests."""
        broken = bool(error.error.code == types.CONNECTION_CLOSED)
        apart = self._transport is not None and self._transport.has_streams_apart
        self.lost |= broken and not apart
        self._is_in_doubt |= broken and apart
        return broken

    async def close(self) -> None:
        """End the session, and the process behind it."""
        opened, self._opened = self._opened, None
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
        self._links.opened.discard(self)
        self.forget()
        if opened is not None:
            await opened.close()

    async def _has_ended(self, opened: ProxyClient[Any]) -> bool:
        gone = self._transport is not None and self._transport.has_ended()
        if self.lost or gone or not opened.is_connected():
            return True
        in_doubt, self._is_in_doubt = self._is_in_doubt, False
        return in_doubt and not await _answers(opened)


class Links:
    """
    The sessions of all clients: one for each connection in front.

    Args:
        upstream: The server.
        one_client: Whether one client is all there is: then a server that never starts is
            `failure` at its end, and no line of the log.
    """

    def __init__(self, upstream: Upstream, *, one_client: bool = False) -> None:
        require_parts()
        self.upstream = upstream
        self._one_client = one_client
        self.opened: set[Link] = set()
        self.has_connected = False
        self.failure: ShieldError | None = None

    def of(self, context: Context, client: Any = None) -> Link:
        """
        Return the session of the client that asks.

        Args:
            context: The request.
            client: What it says of itself, where this request opens its connection.

        Raises:
            MCPError: It speaks a protocol that a server behind a command is not asked in.
        """
        connection = context.session._connection
        link = connection.state.get(_KEY)
        if link is None:
            version = connection.protocol_version
            modern = version in MODERN_PROTOCOL_VERSIONS
            if modern and self.upstream.url is None:
                raise _unsupported(version)
            front = Front(context.session, connection)
            link = Link(self, front, client or context.session, version if modern else "legacy")
            connection.state[_KEY] = link
            connection.exit_stack.push_async_callback(link.close)
        return link  # type: ignore[no-any-return]

    def unreachable(self, error: Exception, status: int | None) -> MCPError:
        """Log that the server cannot be reached, and return the error for its client."""
        reason = str(error).removeprefix("Client failed to connect: ") or type(error).__name__
        reason = escaped(without_secrets(reason), limit=300).rstrip(".")
        name = self.upstream.name
        hint = "see that the server runs, and its address"
        if status is not None:
            reason = f"it answers with status {status}"
        if status in _NOT_ALLOWED:
            hint = "let the client send its token, or give one by `--header`"
        message = f"cannot reach `{name}`: {reason}; {hint}"
        if self.upstream.url is None:
            message = f"`{name}` is no MCP server, or ended at once: {reason}; run it by itself"
        if self._one_client and not self.has_connected:
            self.failure = ShieldError(message)
        else:
            logger.warning("abs-shield: %s", message)
        return MCPError(code=types.INTERNAL_ERROR, message=message)

    async def close(self) -> None:
        """End all sessions."""
        for link in [*self.opened]:
            await link.close()


def require_parts() -> None:
    """
    Check that FastMCP still says whether a process has ended; without it calls of a server that
    crashed would fail, one after the other.

    Raises:
        ShieldError: It does not.
    """
    if not callable(getattr(StdioTransport, "_is_session_dead", None)):
        raise ShieldError(
            "this FastMCP cannot be used for the proxy: `StdioTransport._is_session_dead` is gone; "
            "install a version that `abs-shield[fastmcp]` allows"
        )


async def _answers(client: ProxyClient[Any]) -> bool:
    """Return whether the server still knows the session: other requests of it may go on."""
    with refused_posts() as statuses:  # it is no request of the client's that is refused here
        try:
            async with asyncio.timeout(_ANSWERS_WITHIN_S):
                await client.ping()
        except TimeoutError:
            return False
        except MCPError as error:  # one that knows no ping does answer
            return not statuses and error.error.code != types.CONNECTION_CLOSED
    return True


def _unsupported(version: str) -> MCPError:
    supported = list(HANDSHAKE_PROTOCOL_VERSIONS)
    data = types.UnsupportedProtocolVersionErrorData(supported=supported, requested=version)
    return MCPError(
        code=types.UNSUPPORTED_PROTOCOL_VERSION,
        message=f"a command is served in versions with a handshake, not in {version}",
        data=data.model_dump(mode="json"),
    )
