"""The client in front of the proxy, as the server behind it reaches it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, NamedTuple

import mcp_types as types
from mcp.server.connection import Connection, allowed_log_levels
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata

_ROOTS_WITHIN_S = 10.0
_STANDALONE = (
    types.ToolListChangedNotification,
    types.PromptListChangedNotification,
    types.ResourceListChangedNotification,
    types.ResourceUpdatedNotification,
    types.ElicitCompleteNotification,
)


class OpenRequest(NamedTuple):
    """A request of the client that has no answer yet."""

    session: ServerSession
    id: Any
    meta: Any


class Front:
    """
    One client in front of the proxy.

    A question of the server goes out beside the client's newest open request; with none open,
    on the connection itself. Over HTTP a question for roots waits for a request, since nothing
    else is sure to arrive, and requests wait for its answer: before it a server may allow paths
    that the client's roots forbid.
    """

    def __init__(self, session: ServerSession, connection: Connection) -> None:
        self._connection = connection
        self._session = session
        self._open: list[OpenRequest] = []
        self._arrival = asyncio.Event()
        self._unanswered = 0
        self._asked = asyncio.Event()
        self._answered = asyncio.Event()
        self._answered.set()
        self.on_change: Callable[[], None] | None = None
        """Called when the server has changed what it lists."""

    @property
    def has_requests(self) -> bool:
        """Whether a request of the client has no answer yet."""
        return bool(self._open)

    @asynccontextmanager
    async def request(self, opened: OpenRequest) -> AsyncIterator[None]:
        """Record an open request, and wait until no question for roots is open."""
        self._open.append(opened)
        self._arrival.set()
        try:
            await self.answered()
            yield
        finally:
            self._open.remove(opened)
            if not self._open:
                self._arrival.clear()

    async def answered(self) -> None:
        """Wait until no question for roots is open."""
        try:
            await asyncio.wait_for(self._answered.wait(), _ROOTS_WITHIN_S)
        except TimeoutError:  # as without a proxy: the server goes on without roots
            self._answered.set()

    @contextmanager
    def asking(self) -> Iterator[asyncio.Event]:
        """Let requests wait while the server learns that it may ask; the event is its question."""
        self._asked.clear()
        with self._question():
            yield self._asked

    def callbacks(self, capabilities: types.ClientCapabilities) -> dict[str, Any]:
        """Return the callbacks of a session with the server; only what the client can answer."""
        answers: dict[str, Any] = {
            "logging_callback": self._log,
            "message_handler": self._message,
        }
        if capabilities.roots is not None:
            answers["list_roots_callback"] = self._roots
        if capabilities.sampling is not None:
            answers["sampling_callback"] = self._sample
            answers["sampling_capabilities"] = capabilities.sampling
        if capabilities.elicitation is not None:
            answers["elicitation_callback"] = self._elicit
        return answers

    # Questions -----------------------------------------------------------------------------------

    async def _roots(self, context: Any) -> Any:
        with self._question():
            self._asked.set()
            if self._connection.session_id is not None:
                await self._arrival.wait()
            return await self._answer(types.ListRootsRequest(), types.ListRootsResult)

    async def _sample(self, context: Any, params: types.CreateMessageRequestParams) -> Any:
        result = types.CreateMessageResultWithTools if params.tools else types.CreateMessageResult
        return await self._answer(types.CreateMessageRequest(params=params), result)

    async def _elicit(self, context: Any, params: types.ElicitRequestParams) -> Any:
        return await self._answer(types.ElicitRequest(params=params), types.ElicitResult)

    async def _answer(self, question: Any, result: type[Any]) -> Any:
        await self._ready()
        session, related = self._session, None
        if self._open:
            session = self._open[-1].session
            related = ServerMessageMetadata(related_request_id=self._open[-1].id)
        try:
            return await session.send_request(question, result, metadata=related)
        except MCPError as error:
            return error.error

    async def _ready(self) -> None:
        """Wait until the client can be asked: it has said so, or asks something itself."""
        signs = [asyncio.ensure_future(self._arrival.wait())]
        signs.append(asyncio.ensure_future(self._connection.initialized.wait()))
        try:
            await asyncio.wait(signs, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for sign in signs:
                sign.cancel()

    @contextmanager
    def _question(self) -> Iterator[None]:
        self._unanswered += 1
        self._answered.clear()
        try:
            yield
        finally:
            self._unanswered -= 1
            if not self._unanswered:
                self._answered.set()

    # Notifications -------------------------------------------------------------------------------

    async def _message(self, message: Any) -> None:
        if isinstance(message, _STANDALONE):
            if self.on_change is not None:
                self.on_change()
            await self._session.send_notification(message)

    async def _log(self, params: types.LoggingMessageNotificationParams) -> None:
        newest = self._open[-1] if self._open else OpenRequest(self._session, None, None)
        allowed = allowed_log_levels(self._connection.protocol_version, newest.meta)
        if params.level in allowed:
            notification = types.LoggingMessageNotification(params=params)
            await newest.session.send_notification(notification, newest.id)
