"""The client in front of the proxy, as the upstream server reaches it."""

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

_ROOTS_TIMEOUT_S = 10.0  # a client answers from memory; one that never does must not stop all calls
_STANDALONE = (
    types.ToolListChangedNotification,
    types.PromptListChangedNotification,
    types.ResourceListChangedNotification,
    types.ResourceUpdatedNotification,
    types.ElicitCompleteNotification,
)


class ClientRequest(NamedTuple):
    """A request of the client that has no answer yet."""

    session: ServerSession
    id: Any
    meta: Any


class FrontClient:
    """
    One client in front of the proxy.

    A question of the server is sent with the client's newest open request, or on the connection
    itself if none is open. Over HTTP a question for roots waits for a request, the only channel
    that is sure to deliver it, and requests wait for its answer: before it a server may allow
    paths outside the client's roots.
    """

    def __init__(self, session: ServerSession, connection: Connection) -> None:
        self._connection = connection
        self._session = session
        self._open: list[ClientRequest] = []
        self._arrival = asyncio.Event()
        self._open_questions = 0
        self._roots_requested = asyncio.Event()
        self._roots_answered = asyncio.Event()
        self._roots_answered.set()
        self.on_listing_change: Callable[[], None] | None = None
        """Called when a listing of the server has changed."""

    @property
    def has_open_requests(self) -> bool:
        """True if a request of the client has no answer yet."""
        return bool(self._open)

    @asynccontextmanager
    async def request(self, opened: ClientRequest) -> AsyncIterator[None]:
        """Register an open request, after waiting until no question for roots is open."""
        self._open.append(opened)
        self._arrival.set()
        try:
            await self.wait_for_roots()
            yield
        finally:
            self._open.remove(opened)
            if not self._open:
                self._arrival.clear()

    async def wait_for_roots(self) -> None:
        """Wait until no question for roots is open."""
        try:
            await asyncio.wait_for(self._roots_answered.wait(), _ROOTS_TIMEOUT_S)
        except TimeoutError:  # as without a proxy, the server continues without roots
            self._roots_answered.set()

    @contextmanager
    def await_question(self) -> Iterator[asyncio.Event]:
        """
        Let requests wait for a question that the server may ask; yield the event of the question.
        """
        self._roots_requested.clear()
        with self._question():
            yield self._roots_requested

    def callbacks(self, capabilities: types.ClientCapabilities) -> dict[str, Any]:
        """
        Return the callbacks of a session with the server; only those that the client supports.
        """
        answers: dict[str, Any] = {
            "logging_callback": self._forward_log,
            "message_handler": self._forward_notification,
        }
        # a server asks only what the client supports, so nothing else may be offered
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
            self._roots_requested.set()
            if self._connection.session_id is not None:  # over HTTP; see the class
                await self._arrival.wait()
            return await self._ask_client(types.ListRootsRequest(), types.ListRootsResult)

    async def _sample(self, context: Any, params: types.CreateMessageRequestParams) -> Any:
        result = types.CreateMessageResultWithTools if params.tools else types.CreateMessageResult
        return await self._ask_client(types.CreateMessageRequest(params=params), result)

    async def _elicit(self, context: Any, params: types.ElicitRequestParams) -> Any:
        return await self._ask_client(types.ElicitRequest(params=params), types.ElicitResult)

    async def _ask_client(self, question: Any, result: type[Any]) -> Any:
        await self._wait_until_reachable()
        session, related = self._session, None
        if self._open:
            session = self._open[-1].session
            # over HTTP the question travels in the response stream of that request
            related = ServerMessageMetadata(related_request_id=self._open[-1].id)
        try:
            return await session.send_request(question, result, metadata=related)
        except MCPError as error:
            return error.error

    async def _wait_until_reachable(self) -> None:
        """Wait until the client can be asked: it is initialized, or has an open request."""
        signals = [asyncio.ensure_future(self._arrival.wait())]
        signals.append(asyncio.ensure_future(self._connection.initialized.wait()))
        try:
            await asyncio.wait(signals, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for sign in signals:
                sign.cancel()

    @contextmanager
    def _question(self) -> Iterator[None]:
        self._open_questions += 1
        self._roots_answered.clear()
        try:
            yield
        finally:
            self._open_questions -= 1
            if not self._open_questions:  # the last of several that run at the same time
                self._roots_answered.set()

    # Notifications -------------------------------------------------------------------------------

    async def _forward_notification(self, message: Any) -> None:
        if isinstance(message, _STANDALONE):
            if self.on_listing_change is not None:
                self.on_listing_change()
            await self._session.send_notification(message)

    async def _forward_log(self, params: types.LoggingMessageNotificationParams) -> None:
        newest = self._open[-1] if self._open else ClientRequest(self._session, None, None)
        allowed = allowed_log_levels(self._connection.protocol_version, newest.meta)
        if params.level in allowed:
            notification = types.LoggingMessageNotification(params=params)
            await newest.session.send_notification(notification, newest.id)
