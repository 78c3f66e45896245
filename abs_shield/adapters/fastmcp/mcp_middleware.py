"""Server middleware that judges every tool call."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from weakref import WeakKeyDictionary

from fastmcp.server.dependencies import get_access_token, get_http_headers
from fastmcp.server.middleware import Middleware, MiddlewareContext
from fastmcp.telemetry import suppress_fastmcp_telemetry
from fastmcp.tools.base import InputRequiredToolResult, ToolResult
from opentelemetry import trace

from abs_shield.adapters.fastmcp.pending_inputs import PendingInputs, input_key, pending_key
from abs_shield.adapters.fastmcp.tool_listings import Listing, Listings, find_tool, listing_of
from abs_shield.adapters.fastmcp.tool_values import block_text, structured_value, visible_value
from abs_shield.core import Mode, ToolCall
from abs_shield.core.digest import digest, digest_of
from abs_shield.core.fork_safety import new_id
from abs_shield.core.messages import decode_json
from abs_shield.errors import CallBlocked, ResultBlocked
from abs_shield.session import Session, current_session
from abs_shield.session.session_context import RUNNING
from abs_shield.session.session_record import record_of
from abs_shield.shield import Shield
from abs_shield.shield.adapter_session import AdapterSession
from abs_shield.shield.guard import Guard
from abs_shield.shield.tool_call_loop import feedback_text
from abs_shield.telemetry import semconv
from abs_shield.text.safe_display import escaped

logger = logging.getLogger("abs_shield")

SESSION = "abs_shield/session"
"""Key of a request's ``_meta``: the id of the conversation that its calls belong to."""
CALL = "abs_shield/call"
"""Key of a request's ``_meta``: the model's id of the call."""
AGENT = "abs_shield/agent"
"""Key of a request's ``_meta``: the name of the current agent."""
MESSAGES = "abs_shield/messages"
"""Key of a request's ``_meta``: the conversation itself, recorded with ``hears=True``."""
HEADER = "x-abs-shield-session"
"""HTTP header with the same meaning as `SESSION`."""

_LONGEST_KEY = 256  # longer than usual ids; without a limit, a client could fill the memory
# a client may send any number with each call; the newest ones matter most for the call
_MAX_MESSAGES = 1_000
_LISTING_TIMEOUT_S = 30.0  # long enough for a server behind a proxy to start
_NO_LISTING = (
    "abs_shield: the call of `%s` is judged without a schema, because its server cannot list "
    "its tools: %s"
)
_CONNECTION = "mcp-session-id"
_CREDENTIALS = ("authorization", "cookie", "x-api-key")
_METHOD, _TOOLS_CALL = "mcp.method.name", "tools/call"

Key = Callable[[MiddlewareContext[Any]], str | None]
"""Returns the id of the session of a request; None for none."""


def session_key(context: MiddlewareContext[Any]) -> str | None:
    """
    Return the id of a request's session: the id in the request, else its authenticated user.

    With authentication, the id begins with a hash of the principal, so that a client cannot join
    another client's session by its id.

    Returns:
        The id; None if the request has neither.

    Args:
        context: The request.
    """
    session_id = _short_text(_meta(context).get(SESSION)) or _short_text(
        get_http_headers().get(HEADER)
    )
    principal, is_user = _principal()
    if not session_id:
        return principal if is_user else None
    return f"{principal}:{session_id}" if principal else session_id


class ShieldMiddleware(Middleware):
    """
    Judges the tool calls of one or several servers.

    Add it as the first middleware: ``server.add_middleware(ShieldMiddleware(firewall))``.

    Args:
        firewall: The Shield.
        session: The session of calls without a session id; None for the current one, or a new one
            for each call, in which some layers are unavailable.
        key: Returns the id of a request's session; None for `session_key`.
        hears: Whether the conversation that a client sends under `MESSAGES` is recorded.
    """

    def __init__(
        self,
        firewall: Shield,
        *,
        session: Session | None = None,
        key: Key | None = None,
        hears: bool = False,
    ) -> None:
        self.firewall = firewall
        self._adapter = AdapterSession(firewall)
        self._session = session
        self._key = session_key if key is None else key
        self._hears = hears
        self._listings_by_server: WeakKeyDictionary[Any, Listings] = WeakKeyDictionary()
        self._pending_inputs = PendingInputs()
        # weak, so that the sessions of disconnected clients can be freed
        self._running_calls: WeakKeyDictionary[Session, list[ToolCall]] = WeakKeyDictionary()

    # Content that the model reads ---------------------------------------------------------------

    async def on_list_tools(self, context: Any, call_next: Any) -> Any:
        """Record the tools that the server lists."""
        listed = await call_next(context)
        server = _server(context)
        if server is not None:
            self._listings(server).store(_client(), listing_of(listed))
        return listed

    async def on_read_resource(self, context: Any, call_next: Any) -> Any:
        """Record a resource that was read, because the model may use its values."""
        result = await call_next(context)
        parts = [part.content for part in getattr(result, "contents", ())]
        self._record(context, "resources/read", parts)
        return result

    async def on_get_prompt(self, context: Any, call_next: Any) -> Any:
        """Record a prompt as a text of the server, because its author is unknown."""
        result = await call_next(context)
        parts = [block_text(message.content) for message in getattr(result, "messages", ())]
        self._record(context, "prompts/get", parts)
        return result

    def _record(self, context: Any, name: str, parts: Iterable[Any]) -> None:
        session = self._session_of(context, _meta(context))
        if record_of(session).ephemeral:  # no later call uses this session
            return
        texts = [part for part in parts if isinstance(part, str)]
        if texts:
            session.tool_result(name, decode_json("\n".join(texts)))
        if len(texts) < len([*parts]):
            session.opaque(f"{name} returned content that is not text")

    # Tool calls ---------------------------------------------------------------------------------

    async def on_call_tool(self, context: Any, call_next: Any) -> Any:
        """Judge a call; answer with feedback if it is blocked or its result is withheld."""
        message, meta = context.message, _meta(context)
        listing = await self._callable_tools(context)
        session = self._session_of(context, meta)
        granted = record_of(session).grant
        if listing is None:
            # without a listing, not every tool must be reported as unknown
            session.tools = granted
        else:
            self.firewall.registry.offer(session, listing.values())
            session.tools = frozenset(listing) if granted is None else granted & listing.keys()
        call_id = self._call_id(session, context, meta)
        call = ToolCall(message.name, message.arguments or {}, call_id)
        _mark_span()
        nested = RUNNING.get() is session
        # a nested call is part of its tool, not a concurrent proposal of the model
        siblings = () if nested else tuple(self._running_calls.get(session, ()))
        guard = self.firewall.guard(call, session=session, siblings=siblings)
        try:
            await guard.__aenter__()
        except CallBlocked as blocked:
            return ToolResult(content=feedback_text(blocked.decision), is_error=True)
        try:
            with self._register_running(call, session), guard.close_on_error():
                result = await call_next(context)
            self._record_result(guard, result, session, call)
            guard.__exit__(None, None, None)
        except CallBlocked as blocked:
            # a block that is not due to this call's values is an ordinary error of the tool
            if guard.nested_block is None:
                raise
            return ToolResult(content=feedback_text(blocked.decision), is_error=True)
        except ResultBlocked as withheld:
            return ToolResult(content=feedback_text(withheld.decision), is_error=True)
        return result

    @contextmanager
    def _register_running(self, call: ToolCall, session: Session) -> Iterator[None]:
        """
        Register a running call, because the calls of a batch arrive one by one, and are siblings.
        """
        running = self._running_calls.setdefault(session, [])
        running.append(call)
        try:
            yield
        finally:
            running.remove(call)

    def _call_id(self, session: Session, context: Any, meta: dict[str, Any]) -> str | None:
        """Return the model's id of this call; None if the transcript may contain it."""
        if RUNNING.get() is session:  # a nested call has no id from the model
            return new_id()
        pending = pending_key(session, context)
        pop = None if pending is None else self._pending_inputs.pop(pending)
        proposed_id = pop or _short_text(meta.get(CALL))
        return proposed_id or (None if self._hears else new_id())

    def _session_of(self, context: Any, meta: dict[str, Any]) -> Session:
        """Return the session of a request, after recording the client's metadata and messages."""
        messages = meta.pop(MESSAGES, None) if self._hears else None
        messages = messages if isinstance(messages, list) and messages else None
        key = self._key(context)
        session = (
            self.firewall.session(key) if key else self._default_session(ephemeral=not messages)
        )
        session.agent = _short_text(meta.get(AGENT)) or session.agent
        if messages:
            if len(messages) > _MAX_MESSAGES:
                session.opaque("only the newest messages were read")
            self._adapter.add_messages(session, messages[-_MAX_MESSAGES:])
        return session

    def _default_session(self, *, ephemeral: bool) -> Session:
        session = current_session() if self._session is None else self._session
        if session is not None:
            return session
        session = Session(limits=self.firewall.policy.limits, owner=self.firewall)
        record_of(session).ephemeral = ephemeral
        return session

    async def _callable_tools(self, context: Any) -> Listing | None:
        """Return the tools that this caller may call; None if they are unknown in audit mode."""
        server, name = _server(context), context.message.name
        listings, client = self._listings(server), _client()
        listed, is_audit = listings.newest(client), self.firewall.policy.mode is Mode.AUDIT
        if is_audit and name not in listed and listings.is_paused(client):
            return None
        try:
            async with asyncio.timeout(_LISTING_TIMEOUT_S):
                # only the called tool: a listing of all tools may be slow or incomplete
                tool = await find_tool(server, context.message)
        except Exception as error:  # fall back to the last listing
            if name in listed:
                return listed
            if not is_audit:
                raise
            listings.pause(client)
            logger.error(_NO_LISTING, escaped(name), type(error).__name__)
            return None
        if tool is not None:
            return (listed or await self._list_tools(server)) | listing_of([tool], name)
        # a tool that was listed earlier was offered to the model, even if it is gone now
        remaining = {name: listed[name]} if name in listed else {}
        return await self._list_tools(server) | remaining

    async def _list_tools(self, server: Any) -> Listing:
        """Return the tools that the server lists to this caller now."""
        tools: Iterable[Any] = ()
        with (
            suppress(Exception),
            suppress_fastmcp_telemetry(),
        ):  # FastMCP's telemetry would rename the call's span
            tools = await server.list_tools(run_middleware=False)
        listing, client, listings = listing_of(tools), _client(), self._listings(server)
        if not listings.newest(client):
            listings.store(client, listing)
        return listing

    def _listings(self, server: Any) -> Listings:
        return self._listings_by_server.setdefault(server, Listings())

    def _record_result(self, guard: Guard, result: Any, session: Session, call: ToolCall) -> None:
        """Record the result of a call that ran."""
        if isinstance(result, InputRequiredToolResult):  # the client must provide input first
            if not record_of(session).ephemeral:
                state = result.input_required.request_state
                self._pending_inputs.store(input_key(session, call, state), call.id)
            guard.suspend()
        elif not isinstance(result, ToolResult):
            session.opaque("the result of a background task is not available")
        else:
            guard.value, guard.failed = visible_value(result), result.is_error
            guard.judges = structured_value(result)
            if any(block_text(block) is None for block in result.content):
                session.opaque("a tool result has content that is not text")


def _meta(context: Any) -> dict[str, Any]:
    request = getattr(context.fastmcp_context, "request_context", None)
    return getattr(request, "meta", None) or {}


def _server(context: Any) -> Any:
    return getattr(context.fastmcp_context, "fastmcp", None)


def _client() -> bytes:
    """Return a hash of the client's connection; without one, of its credentials."""
    headers = get_http_headers(include={_CONNECTION, *_CREDENTIALS})
    credentials = [headers.get(name) for name in _CREDENTIALS]
    return digest_of(_principal()[0], headers.get(_CONNECTION) or credentials)


def _short_text(value: Any) -> str:
    """Return a client's text, or the hash of a long one; empty for other values."""
    if not isinstance(value, str):
        return ""
    # hashed, not truncated, so that ids with the same beginning differ
    return value if len(value) <= _LONGEST_KEY else digest(value, size=16).hex()


def _principal() -> tuple[str, bool]:
    """
    Return a hash of the authenticated principal, and whether it is a user, not an application.
    """
    token = get_access_token()
    if token is None:
        return "", False
    claims = token.claims or {}
    subject = token.subject or claims.get("sub")
    # a subject is unique only within its issuer
    who = [token.client_id, str(claims.get("iss")), str(subject)]
    return digest_of("principal", who).hex(), subject is not None


def _mark_span() -> None:
    """Mark the server's own span of this request as the one that executes the tool."""
    span = trace.get_current_span()
    attributes = getattr(span, "attributes", None) or {}
    if span.is_recording() and attributes.get(_METHOD) == _TOOLS_CALL:
        span.set_attribute(semconv.ATTRIBUTE_OPERATION, semconv.VALUE_EXECUTE_TOOL)
