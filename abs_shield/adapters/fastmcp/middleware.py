"""The middleware of a server: every tool call that it is asked for is judged."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from fastmcp.server.dependencies import get_access_token, get_http_headers
from fastmcp.server.middleware import Middleware, MiddlewareContext
from fastmcp.telemetry import suppress_fastmcp_telemetry
from fastmcp.tools.base import InputRequiredToolResult, ToolResult
from opentelemetry import trace

from abs_shield.adapters.fastmcp.listings import Listing, Listings, found_tool, listing_of
from abs_shield.core import Mode, ToolCall
from abs_shield.core.digest import digest, digest_of
from abs_shield.core.forked import renewed
from abs_shield.core.ids import new_id
from abs_shield.core.messages import decoded
from abs_shield.errors import CallBlocked, ResultBlocked
from abs_shield.session import Session, current_session
from abs_shield.session.session_context import RUNNING
from abs_shield.session.session_record import record_of
from abs_shield.shield import Shield
from abs_shield.shield.content import content_of
from abs_shield.shield.guard import Guard
from abs_shield.shield.seam import Seam
from abs_shield.shield.turns import feedback_text
from abs_shield.telemetry import semconv
from abs_shield.text.show import escaped

logger = logging.getLogger("abs_shield")

SESSION = "abs_shield/session"
"""Key of a request's ``_meta``: the conversation that its calls belong to."""
CALL = "abs_shield/call"
"""Key of a request's ``_meta``: the id under which the model proposed the call."""
AGENT = "abs_shield/agent"
"""Key of a request's ``_meta``: the agent that speaks."""
MESSAGES = "abs_shield/messages"
"""Key of a request's ``_meta``: the conversation itself, where the middleware hears it."""
HEADER = "x-abs-shield-session"
"""HTTP header: as `SESSION`."""

_LONGEST_KEY = 256
_MOST_MESSAGES = 1_000
_MOST_ASKS = 1_000
_LISTS_WITHIN_S = 30.0
_UNLISTED = "abs_shield: `%s` is called, and judged without a schema: its server lists no tools: %s"
_CONNECTION = "mcp-session-id"
_CREDENTIALS = ("authorization", "cookie", "x-api-key")
_METHOD, _TOOLS_CALL = "mcp.method.name", "tools/call"

Key = Callable[[MiddlewareContext[Any]], str | None]
"""Gives the id of the session that a request belongs to; None for none."""


def session_key(context: MiddlewareContext[Any]) -> str | None:
    """
    Give the id of a request's session: what it names itself, else its authenticated user.

    Behind authentication an id begins with a hash of the principal, so that nobody joins the
    session of somebody else by naming it.

    Args:
        context: The request.
    """
    named = _text(_meta(context).get(SESSION)) or _text(get_http_headers().get(HEADER))
    principal, is_user = _principal()
    if not named:
        return principal if is_user else None
    return f"{principal}:{named}" if principal else named


class ShieldMiddleware(Middleware):
    """
    Judges the tool calls of one server, or of several: ``server.add_middleware(...)``, first.

    Args:
        firewall: The Shield.
        session: The session of calls that name none; where None, the current one, or one of its
            own for each call, in which nothing is remembered and the layers say so.
        key: Gives the id of a request's session; `session_key` where None.
        hears: Whether the conversation is taken in that a client sends along under `MESSAGES`.
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
        self._seam = Seam(firewall)
        self._session = session
        self._key = session_key if key is None else key
        self._hears = hears
        self._shown: WeakKeyDictionary[Any, Listings] = WeakKeyDictionary()
        self._asks = _Asks()
        self._under_way: WeakKeyDictionary[Session, list[ToolCall]] = WeakKeyDictionary()

    # What the model reads ------------------------------------------------------------------------

    async def on_list_tools(self, context: Any, call_next: Any) -> Any:
        """Take in which tools there are."""
        listed = await call_next(context)
        server = _server(context)
        if server is not None:
            self._listings(server).keep(_client(), listing_of(listed))
        return listed

    async def on_read_resource(self, context: Any, call_next: Any) -> Any:
        """Take in what was read: the model may know a value from there."""
        result = await call_next(context)
        parts = [part.content for part in getattr(result, "contents", ())]
        self._take(context, "resources/read", parts)
        return result

    async def on_get_prompt(self, context: Any, call_next: Any) -> Any:
        """Take in the prompt, as words of the server's: who wrote it is not known here."""
        result = await call_next(context)
        parts = [_read(message.content) for message in getattr(result, "messages", ())]
        self._take(context, "prompts/get", parts)
        return result

    def _take(self, context: Any, name: str, parts: Iterable[Any]) -> None:
        session = self._joined(context, _meta(context))
        if record_of(session).ephemeral:
            return
        texts = [part for part in parts if isinstance(part, str)]
        if texts:
            session.tool_result(name, decoded("\n".join(texts)))
        if len(texts) < len([*parts]):
            session.opaque(f"{name} gave what is no text")

    # What the model does -------------------------------------------------------------------------

    async def on_call_tool(self, context: Any, call_next: Any) -> Any:
        """Judge a call; where it is blocked, or its result withheld, answer with feedback."""
        message, meta = context.message, _meta(context)
        listing = await self._callable(context)
        session = self._joined(context, meta)
        granted = record_of(session).grant
        if listing is None:
            session.tools = granted
        else:
            self.firewall.registry.offer(session, listing.values())
            session.tools = frozenset(listing) if granted is None else granted & listing.keys()
        call_id = self._call_id(session, context, meta)
        call = ToolCall(message.name, message.arguments or {}, call_id)
        _claim_span()
        nested = RUNNING.get() is session
        siblings = () if nested else tuple(self._under_way.get(session, ()))
        guard = self.firewall.guard(call, session=session, siblings=siblings)
        try:
            await guard.__aenter__()
        except CallBlocked as blocked:
            return ToolResult(content=feedback_text(blocked.decision), is_error=True)
        try:
            with self._runs(call, session), guard.failing():
                result = await call_next(context)
            self._end(guard, result, session, call)
            guard.__exit__(None, None, None)
        except CallBlocked as blocked:
            if guard.stopped is None:
                raise
            return ToolResult(content=feedback_text(blocked.decision), is_error=True)
        except ResultBlocked as withheld:
            return ToolResult(content=feedback_text(withheld.decision), is_error=True)
        return result

    @contextmanager
    def _runs(self, call: ToolCall, session: Session) -> Iterator[None]:
        """A batch arrives call by call: those that run count for one that comes beside them."""
        running = self._under_way.setdefault(session, [])
        running.append(call)
        try:
            yield
        finally:
            running.remove(call)

    def _call_id(self, session: Session, context: Any, meta: dict[str, Any]) -> str | None:
        """The model's id of this call; without one, a call can be told from its transcript."""
        if RUNNING.get() is session:  # a tool calls a tool: that is another call
            return new_id()
        ask = _ask(session, context)
        resumed = None if ask is None else self._asks.resumed(ask)
        named = resumed or _text(meta.get(CALL))
        return named or (None if self._hears else new_id())

    def _joined(self, context: Any, meta: dict[str, Any]) -> Session:
        """The session of a request, with all that its client says about it."""
        heard = meta.pop(MESSAGES, None) if self._hears else None
        heard = heard if isinstance(heard, list) and heard else None
        key = self._key(context)
        session = self.firewall.session(key) if key else self._unnamed(ephemeral=not heard)
        session.agent = _text(meta.get(AGENT)) or session.agent
        if heard:
            if len(heard) > _MOST_MESSAGES:
                session.opaque("only the newest messages were taken in")
            self._seam.hear(session, heard[-_MOST_MESSAGES:])
        return session

    def _unnamed(self, *, ephemeral: bool) -> Session:
        session = current_session() if self._session is None else self._session
        if session is not None:
            return session
        session = Session(limits=self.firewall.policy.limits, owner=self.firewall)
        record_of(session).ephemeral = ephemeral
        return session

    async def _callable(self, context: Any) -> Listing | None:
        """The tools that this caller may call; None in audit mode where nobody can say."""
        server, name = _server(context), context.message.name
        listings, client = self._listings(server), _client()
        known, audits = listings.of(client), self.firewall.policy.mode is Mode.AUDIT
        if audits and name not in known and listings.is_paused(client):
            return None
        try:
            async with asyncio.timeout(_LISTS_WITHIN_S):
                tool = await found_tool(server, context.message)
        except Exception as error:  # a tool of old is judged as it was known
            if name in known:
                return known
            if not audits:
                raise
            listings.pause(client)
            logger.error(_UNLISTED, escaped(name), type(error).__name__)
            return None
        if tool is not None:
            return (known or await self._listed(server)) | listing_of([tool], name)
        left = {name: known[name]} if name in known else {}
        return await self._listed(server) | left

    async def _listed(self, server: Any) -> Listing:
        """Tools as the server lists them to this caller now."""
        tools: Iterable[Any] = ()
        with suppress(Exception), suppress_fastmcp_telemetry():  # it renames the call's span
            tools = await server.list_tools(run_middleware=False)
        listing, client, listings = listing_of(tools), _client(), self._listings(server)
        if not listings.of(client):
            listings.keep(client, listing)
        return listing

    def _listings(self, server: Any) -> Listings:
        return self._shown.setdefault(server, Listings())

    def _end(self, guard: Guard, result: Any, session: Session, call: ToolCall) -> None:
        """Take in what came of a call that ran."""
        if isinstance(result, InputRequiredToolResult):  # the client has to answer first
            if not record_of(session).ephemeral:
                state = result.input_required.request_state
                self._asks.keep(_asked(session, call, state), call.id)
            guard.suspend()
        elif not isinstance(result, ToolResult):
            session.opaque("the result of a background task is not seen")
        else:
            guard.value, guard.failed = _value(result), result.is_error
            guard.judges = _structure(result)
            if any(_read(block) is None for block in result.content):
                session.opaque("a tool result holds what is no text")


class _Asks:
    """Calls that wait for an answer of the client's: their next round is the same call."""

    def __init__(self) -> None:
        self._open: OrderedDict[bytes, str] = OrderedDict()
        self._lock = renewed(Lock())

    def keep(self, asked: bytes, call_id: str | None) -> None:
        with self._lock:
            if call_id:
                self._open[asked] = call_id
            if len(self._open) > _MOST_ASKS:
                self._open.popitem(last=False)

    def resumed(self, asked: bytes) -> str | None:
        with self._lock:
            return self._open.pop(asked, None)


def _ask(session: Session, context: Any) -> bytes | None:
    """What identifies the call that this request goes on with; None where it is a new one."""
    message = context.message
    if message.input_responses is None and message.request_state is None:
        return None
    call = ToolCall(message.name, message.arguments or {})
    return _asked(session, call, message.request_state)


def _asked(session: Session, call: ToolCall, state: str | None) -> bytes:
    return digest_of(session.id, [call.name, call.arguments, state])


def _meta(context: Any) -> dict[str, Any]:
    request = getattr(context.fastmcp_context, "request_context", None)
    return getattr(request, "meta", None) or {}


def _server(context: Any) -> Any:
    return getattr(context.fastmcp_context, "fastmcp", None)


def _client() -> bytes:
    """A hash of the client's connection; where each request has its own, of its credentials."""
    headers = get_http_headers(include={_CONNECTION, *_CREDENTIALS})
    credentials = [headers.get(name) for name in _CREDENTIALS]
    return digest_of(_principal()[0], headers.get(_CONNECTION) or credentials)


def _text(given: Any) -> str:
    """A short text of the client's; a long one as its hash, what is none as nothing."""
    if not isinstance(given, str):
        return ""
    return given if len(given) <= _LONGEST_KEY else digest(given, size=16).hex()


def _principal() -> tuple[str, bool]:
    """A hash of who is authenticated, and whether that is one user; an application is not."""
    token = get_access_token()
    if token is None:
        return "", False
    claims = token.claims or {}
    subject = token.subject or claims.get("sub")
    who = [token.client_id, str(claims.get("iss")), str(subject)]
    return digest_of("principal", who).hex(), subject is not None


def _read(block: Any) -> str | None:
    """The text of one block of content; None where the model sees what is none."""
    if block.type == "text":
        return str(block.text)
    if block.type == "resource_link":
        return "\n".join(filter(None, (str(block.uri), block.name, block.description)))
    return getattr(getattr(block, "resource", None), "text", None)


def _value(result: ToolResult) -> Any:
    """What the model reads: the text; beside it the structure, where that says something else."""
    text = "\n".join(filter(None, map(_read, result.content)))
    said = result.structured_content
    if said is None or not text:
        return text if said is None else said
    inner = said["result"] if said.keys() == {"result"} else said
    read = decoded(text)
    return text if read in (inner, said) or text == content_of(inner) else [text, said]


def _structure(result: ToolResult) -> Any:
    """What the tool returned as data; None where there is only text."""
    told = (result.meta or {}).get("fastmcp")
    wrapped = isinstance(told, Mapping) and told.get("wrap_result") is True
    said = result.structured_content
    return said.get("result", said) if wrapped and said else said


def _claim_span() -> None:
    """The server's own span of this request is the one that executes the tool."""
    span = trace.get_current_span()
    attributes = getattr(span, "attributes", None) or {}
    if span.is_recording() and attributes.get(_METHOD) == _TOOLS_CALL:
        span.set_attribute(semconv.ATTRIBUTE_OPERATION, semconv.VALUE_EXECUTE_TOOL)
