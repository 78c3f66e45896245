"""Requests of the client in front, passed on to the server behind the proxy."""

from __future__ import annotations

from contextvars import ContextVar
from http import HTTPStatus
from typing import Any

import mcp_types as types
from fastmcp.exceptions import ToolError
from fastmcp.server.dependencies import get_context
from fastmcp.server.middleware import Middleware
from fastmcp.server.providers.base import Provider
from fastmcp.server.providers.proxy import ProxyProvider, ProxyTool
from fastmcp.tools.base import ToolResult
from fastmcp.utilities.versions import VersionSpec
from mcp.shared.exceptions import MCPError

from abs_shield.service.front import OpenRequest
from abs_shield.service.headers import refused_posts
from abs_shield.service.link import Link, Links
from abs_shield.service.upstream import speaks_modern

_NEGOTIATION = ("initialize", "server/discover")
_AS_THEY_ARE: dict[str, tuple[Any, Any]] = {
    "ping": (types.PingRequest, types.EmptyResult),
    "completion/complete": (types.CompleteRequest, types.CompleteResult),
    "logging/setLevel": (types.SetLevelRequest, types.EmptyResult),
    "resources/subscribe": (types.SubscribeRequest, types.EmptyResult),
    "resources/unsubscribe": (types.UnsubscribeRequest, types.EmptyResult),
}
_OF_ONE_CONNECTION = frozenset(
    {
        types.PROTOCOL_VERSION_META_KEY,
        types.CLIENT_INFO_META_KEY,
        types.CLIENT_CAPABILITIES_META_KEY,
    }
)
_METHOD: ContextVar[str | None] = ContextVar("abs_shield_mcp_method", default=None)
_ROOTS_CHANGED = "notifications/roots/list_changed"


class ForwardedTool(ProxyTool):
    """A tool that is listed as its server lists it."""

    _listed: types.Tool | None = None

    def to_mcp_tool(self, **overrides: Any) -> Any:
        """Return the server's own description."""
        return super().to_mcp_tool(**overrides) if self._listed is None else self._listed


class ForwardedProvider(Provider):
    """Lists what the server of this client has; one client's lists are not another's."""

    def __init__(self, links: Links) -> None:
        super().__init__()
        self._links = links

    def _link(self) -> Link:
        return self._links.of(get_context())

    def _of_client(self) -> ProxyProvider:
        return self._link().provider

    async def _list_tools(self) -> Any:
        link = self._link()
        if link.tools is None or _METHOD.get() != "tools/call":
            link.tools = await _listed(link)
        return link.tools  # a call needs no list of its own: `_get_tool` has read it

    async def _get_tool(self, name: str, version: VersionSpec | None = None) -> Any:
        link = self._link()
        for tools in (link.tools or (), None):
            if tools is None:  # never read, or the tool is new since
                link.tools = tools = await _listed(link)
            for tool in tools:
                if tool.name == name and (version is None or version.matches(tool.version)):
                    return tool
        return None

    async def _get_tool_by_hash(self, tool_hash: str, tool_name: str) -> Any:
        return await self._of_client().get_tool_by_hash(tool_hash, tool_name)

    async def _list_resources(self) -> Any:
        return await self._of_client().list_resources()

    async def _get_resource(self, uri: str, version: VersionSpec | None = None) -> Any:
        return await self._of_client().get_resource(uri, version)

    async def _list_resource_templates(self) -> Any:
        return await self._of_client().list_resource_templates()

    async def _get_resource_template(self, uri: str, version: VersionSpec | None = None) -> Any:
        return await self._of_client().get_resource_template(uri, version)

    async def _list_prompts(self) -> Any:
        return await self._of_client().list_prompts()

    async def _get_prompt(self, name: str, version: VersionSpec | None = None) -> Any:
        return await self._of_client().get_prompt(name, version)

    async def get_tasks(self) -> Any:
        """Return nothing: no task runs here, and no client is there to list for."""
        return []


class Forward(Middleware):
    """Opens a session for each client, and passes on what FastMCP does not; the first one."""

    def __init__(self, links: Links) -> None:
        self._links = links

    async def on_initialize(self, context: Any, call_next: Any) -> Any:
        """Introduce the server: its name, its instructions and its capabilities."""
        link = self._links.of(context.fastmcp_context, context.message.params)
        client = await link.client()
        link.expect(context.fastmcp_context.session._connection.initialized)
        result = await call_next(context)
        return result and result.model_copy(update=_introduction(result, client))

    async def on_discover(self, context: Any, call_next: Any) -> Any:
        """Offer a version without a handshake where the server has one, else the handshake."""
        if self._links.upstream.url is None:
            raise _no_discovery()
        link = self._links.of(context.fastmcp_context)
        try:
            client = await link.client()
            found = await client.session.send_discover(link.mode)
            modern = speaks_modern(found)
        except Exception:  # what is wrong is said at the handshake, which comes next
            modern = False
        if not modern:
            raise _no_discovery()
        result = await call_next(context)
        theirs = types.DiscoverResult.model_validate(found)
        meta = {**(result.meta or {}), **(theirs.meta or {})}
        return result.model_copy(
            update={
                "instructions": theirs.instructions,
                "capabilities": _passed_on(theirs.capabilities),
                "meta": meta,
            }
        )

    async def on_request(self, context: Any, call_next: Any) -> Any:
        """Pass on what FastMCP has no handler for."""
        if context.method in _NEGOTIATION:
            return await call_next(context)
        asked = context.fastmcp_context
        link = self._links.of(asked)
        request = asked.request_context
        opened = OpenRequest(asked.session, request.request_id, request.meta)
        async with link.front.request(opened):
            token = _METHOD.set(context.method)
            try:
                with link.watched():
                    if context.method in _AS_THEY_ARE:
                        return await _passed(link, context.method, context.message)
                    return await call_next(context)
            finally:
                _METHOD.reset(token)

    async def on_notification(self, context: Any, call_next: Any) -> Any:
        """Tell the server that the client's roots have changed."""
        if context.method == _ROOTS_CHANGED:
            await self._links.of(context.fastmcp_context).roots_changed()
        return await call_next(context)


class ForwardCalls(Middleware):
    """Passes each call on as it came, for an unknown tool too: the last one."""

    def __init__(self, links: Links) -> None:
        self._links = links

    async def on_call_tool(self, context: Any, call_next: Any) -> Any:
        """Call the tool of the server."""
        asked, message = context.fastmcp_context, context.message
        link = self._links.of(asked)
        try:
            if link.mode != "legacy":
                return await _modern(link, message)
            result = await _called(link, message, asked)
        except MCPError as error:
            if not link.broke(error):
                raise
            raise ToolError(error.error.message) from None  # an answer that the model can read
        return ToolResult(
            content=result.content,
            structured_content=result.structured_content,
            meta=result.meta,
            is_error=result.is_error,
        )


async def _listed(link: Link) -> list[ForwardedTool]:
    """Ask the server for its tools; none where it knows no such request."""
    client = await link.client()
    try:
        listed = await client.list_tools()
    except MCPError as error:
        if error.error.code != types.METHOD_NOT_FOUND:
            raise
        listed = []
    tools = []
    for each in listed:
        tool = ForwardedTool.from_mcp_tool(link.client, each)
        tool._listed = each
        tools.append(tool)
    return tools


async def _called(link: Link, message: Any, asked: Any) -> Any:
    async def call(client: Any) -> Any:
        return await client.call_tool_mcp(
            message.name,
            message.arguments or {},
            progress_handler=asked.session.report_progress,
            meta=_meta(asked.request_context.meta),
        )

    client = await link.client()
    with refused_posts() as statuses:
        try:
            return await call(client)
        except MCPError:
            if HTTPStatus.NOT_FOUND not in statuses:
                raise
    link.lost = True  # the server has not read the call: it did not know the session
    return await call(await link.client())


async def _modern(link: Link, message: Any) -> ToolResult:
    tool = next((tool for tool in link.tools or () if tool.name == message.name), None)
    tool = tool or ProxyTool(link.client, name=message.name, parameters={})
    return await tool.run(message.arguments or {})


async def _passed(link: Link, method: str, params: Any) -> Any:
    """Ask the server, and return its answer or its error as it is."""
    kind, result = _AS_THEY_ARE[method]
    if isinstance(params, dict) and "_meta" in params:
        params = params | {"_meta": _meta(params["_meta"]) or {}}
    request = kind.model_validate({"method": method, "params": params}, by_name=False)
    client = await link.client()
    return await client.session.send_request(request, result)


def _meta(meta: Any) -> dict[str, Any] | None:
    kept = {key: value for key, value in (meta or {}).items() if key not in _OF_ONE_CONNECTION}
    return kept or None


def _introduction(result: Any, client: Any) -> dict[str, Any]:
    theirs = client.initialize_result
    if theirs is None:
        return {}
    return {
        "server_info": theirs.server_info,
        "instructions": theirs.instructions,
        "capabilities": _passed_on(theirs.capabilities),
        "meta": {**(result.meta or {}), **(theirs.meta or {})} or None,
    }


def _passed_on(capabilities: types.ServerCapabilities) -> types.ServerCapabilities:
    """Return what passes: tasks and extensions do not, so they are not offered."""
    return capabilities.model_copy(update={"tasks": None, "extensions": None})


def _no_discovery() -> MCPError:
    return MCPError(code=types.METHOD_NOT_FOUND, message="Method not found: server/discover")
