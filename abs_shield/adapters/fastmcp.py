"""FastMCP: a middleware that judges every tool call a server is asked for."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from fastmcp.server.dependencies import get_access_token, get_http_headers
from fastmcp.server.middleware import Middleware, MiddlewareContext
from fastmcp.server.providers.addressing import parse_hashed_backend_name
from fastmcp.telemetry import suppress_fastmcp_telemetry
from fastmcp.tools.base import InputRequiredToolResult, ToolResult
from fastmcp.utilities.versions import VersionSpec
from opentelemetry import trace

from abs_shield.core import ToolCall
from abs_shield.core.digest import digest, digest_of
from abs_shield.core.forked import renewed
from abs_shield.core.ids import new_id
from abs_shield.core.messages import decoded
from abs_shield.errors import CallBlocked, ResultBlocked
from abs_shield.policy.tool import LONGEST_NAME
from abs_shield.session import Session, current_session
from abs_shield.session.scope import RUNNING
from abs_shield.shield import Shield
from abs_shield.shield.content import content_of
from abs_shield.shield.guard import Guard
from abs_shield.shield.offers import Description
from abs_shield.shield.seam import Seam
from abs_shield.shield.turns import feedback_text
from abs_shield.telemetry import semconv

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
_MOST_CLIENTS = 256
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
        self._shown: WeakKeyDictionary[Any, _Listings] = WeakKeyDictionary()
        self._asks = _Asks()
        self._under_way: WeakKeyDictionary[Session, list[ToolCall]] = WeakKeyDictionary()

    # What the model reads ------------------------------------------------------------------------

    async def on_list_tools(self, context: Any, call_next: Any) -> Any:
        """Take in which tools there are."""
        listed = await call_next(context)
        server = _server(context)
        if server is not None:
            self._listings(server).keep(_client(), _listing(listed))
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
        if session.ephemeral:
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
        self.firewall.registry.offer(session, listing.values())
        granted = session.granted
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
        session.ephemeral = ephemeral
        return session

    async def _callable(self, context: Any) -> _Listing:
        """The tools that this caller may call."""
        server, name = _server(context), context.message.name
        known = self._listings(server).of(_client())
        try:
            tool = await _found(server, context.message)
        except Exception:  # as the call itself will; a tool of old is judged as it was known
            if name not in known:
                raise
            return known
        if tool is not None:
            return (known or await self._listed(server)) | _listing([tool], name)
        left = {name: known[name]} if name in known else {}
        return await self._listed(server) | left

    async def _listed(self, server: Any) -> _Listing:
        """Tools as the server lists them to this caller now."""
        tools: Iterable[Any] = ()
        with suppress(Exception), suppress_fastmcp_telemetry():  # it renames the call's span
            tools = await server.list_tools(run_middleware=False)
        listing, client, listings = _listing(tools), _client(), self._listings(server)
        if not listings.of(client):
            listings.keep(client, listing)
        return listing

    def _listings(self, server: Any) -> _Listings:
        return self._shown.setdefault(server, _Listings())

    def _end(self, guard: Guard, result: Any, session: Session, call: ToolCall) -> None:
        """Take in what came of a call that ran."""
        if isinstance(result, InputRequiredToolResult):  # the client has to answer first
            if not session.ephemeral:
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


class _Listings:
    """The tools that each client was shown: a server may list other tools to another client."""

    def __init__(self) -> None:
        self._newest: OrderedDict[bytes, _Listing] = OrderedDict()
        self._lock = renewed(Lock())

    def of(self, client: bytes) -> _Listing:
        return self._newest.get(client, {})

    def keep(self, client: bytes, listing: _Listing) -> None:
        with self._lock:
            self._newest[client] = listing
            self._newest.move_to_end(client)
            if len(self._newest) > _MOST_CLIENTS:
                self._newest.popitem(last=False)


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


async def _found(server: Any, message: Any) -> Any:
    """The tool that a call reaches, as the server itself looks it up."""
    told = (message.meta or {}).get("fastmcp")
    version = told.get("version") if isinstance(told, Mapping) else None
    wanted = VersionSpec(eq=version) if isinstance(version, str) else None
    tool = await server.get_tool(message.name, wanted)
    if tool is None and (hashed := parse_hashed_backend_name(message.name)):
        tool = await server.get_tool_by_hash(*hashed)  # what an app's page calls
    return tool


_Listing = dict[str, Description]
"""What a server lists, by name."""


def _listing(tools: Iterable[Any], called: str = "") -> _Listing:
    """Return tools under the name they are called by; a name without end is none."""
    told = (_described(tool) | ({"name": called} if called else {}) for tool in tools)
    read = (Description.of(each) for each in told if len(each["name"]) <= LONGEST_NAME)
    return {tool.shape.name: tool for tool in read if tool is not None}


def _described(tool: Any) -> dict[str, Any]:
    hints = tool.annotations
    told = None if hints is None else hints.model_dump(by_alias=True, exclude_none=True)
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "annotations": told,
    }


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
