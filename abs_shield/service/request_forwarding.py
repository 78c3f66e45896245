"""Forward requests of the proxy's client to the upstream MCP server."""

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

from abs_shield.service.client_headers import collect_post_errors
from abs_shield.service.front_client import ClientRequest
from abs_shield.service.upstream_server import speaks_modern
from abs_shield.service.upstream_session import UpstreamSession, UpstreamSessions

_NEGOTIATION = ("initialize", "server/discover")  # handled by FastMCP and the methods below
_PASSED_THROUGH: dict[str, tuple[Any, Any]] = {
    "ping": (types.PingRequest, types.EmptyResult),
    "completion/complete": (types.CompleteRequest, types.CompleteResult),
    "logging/setLevel": (types.SetLevelRequest, types.EmptyResult),
    "resources/subscribe": (types.SubscribeRequest, types.EmptyResult),
    "resources/unsubscribe": (types.UnsubscribeRequest, types.EmptyResult),
}
# each connection has its own: the server would read those of the client's
_CONNECTION_KEYS = frozenset(
    {
        types.PROTOCOL_VERSION_META_KEY,
        types.CLIENT_INFO_META_KEY,
        types.CLIENT_CAPABILITIES_META_KEY,
    }
)
# FastMCP lists the tools before each call as well, and does not tell the provider why
_METHOD: ContextVar[str | None] = ContextVar("abs_shield_mcp_method", default=None)
_ROOTS_CHANGED = "notifications/roots/list_changed"


class ForwardedTool(ProxyTool):
    """A tool with the description of its server."""

    _list_server_tools: types.Tool | None = None

    def to_mcp_tool(self, **overrides: Any) -> Any:
        """Return the server's own description."""
        return (
            super().to_mcp_tool(**overrides)
            if self._list_server_tools is None
            else self._list_server_tools
        )


class ForwardedProvider(Provider):
    """Lists the tools, resources and prompts of this client's server session."""

    def __init__(self, sessions: UpstreamSessions) -> None:
        super().__init__()
        self._sessions = sessions

    def _session(self) -> UpstreamSession:
        return self._sessions.for_client(get_context())

    def _provider(self) -> ProxyProvider:
        return self._session().provider

    async def _list_tools(self) -> Any:
        upstream_session = self._session()
        if upstream_session.tools is None or _METHOD.get() != "tools/call":
            upstream_session.tools = await _list_server_tools(upstream_session)
        return upstream_session.tools  # `_get_tool` has listed the tools for this call

    async def _get_tool(self, name: str, version: VersionSpec | None = None) -> Any:
        upstream_session = self._session()
        for tools in (upstream_session.tools or (), None):
            if tools is None:  # not listed yet, or a new tool
                upstream_session.tools = tools = await _list_server_tools(upstream_session)
            for tool in tools:
                if tool.name == name and (version is None or version.matches(tool.version)):
                    return tool
        return None

    async def _get_tool_by_hash(self, tool_hash: str, tool_name: str) -> Any:
        return await self._provider().get_tool_by_hash(tool_hash, tool_name)

    async def _list_resources(self) -> Any:
        return await self._provider().list_resources()

    async def _get_resource(self, uri: str, version: VersionSpec | None = None) -> Any:
        return await self._provider().get_resource(uri, version)

    async def _list_resource_templates(self) -> Any:
        return await self._provider().list_resource_templates()

    async def _get_resource_template(self, uri: str, version: VersionSpec | None = None) -> Any:
        return await self._provider().get_resource_template(uri, version)

    async def _list_prompts(self) -> Any:
        return await self._provider().list_prompts()

    async def _get_prompt(self, name: str, version: VersionSpec | None = None) -> Any:
        return await self._provider().get_prompt(name, version)

    async def get_tasks(self) -> Any:
        """Return an empty list: the proxy runs no tasks."""
        return []


class ForwardRequests(Middleware):
    """First middleware: opens a session for each client, and forwards what FastMCP does not."""

    def __init__(self, sessions: UpstreamSessions) -> None:
        self._sessions = sessions

    async def on_initialize(self, context: Any, call_next: Any) -> Any:
        """Return the server's name, instructions and capabilities."""
        upstream_session = self._sessions.for_client(
            context.fastmcp_context, context.message.params
        )
        client = await upstream_session.client()
        # a client that connects and leaves would keep a server process running
        upstream_session.expire_unless(context.fastmcp_context.session._connection.initialized)
        result = await call_next(context)
        return result and result.model_copy(update=_introduction(result, client))

    async def on_discover(self, context: Any, call_next: Any) -> Any:
        """Negotiate a version without a handshake if the server supports one."""
        if self._sessions.upstream.url is None:
            raise _discovery_unsupported()
        upstream_session = self._sessions.for_client(context.fastmcp_context)
        try:
            client = await upstream_session.client()
            discovered = await client.session.send_discover(upstream_session.mode)
            modern = speaks_modern(discovered)
        except Exception:  # the handshake, which follows, reports the error
            modern = False
        if not modern:
            raise _discovery_unsupported()
        result = await call_next(context)
        server_result = types.DiscoverResult.model_validate(discovered)
        meta = {**(result.meta or {}), **(server_result.meta or {})}
        return result.model_copy(
            update={
                "instructions": server_result.instructions,
                "capabilities": _supported_capabilities(server_result.capabilities),
                "meta": meta,
            }
        )

    async def on_request(self, context: Any, call_next: Any) -> Any:
        """Forward requests that FastMCP does not handle."""
        if context.method in _NEGOTIATION:
            return await call_next(context)
        server_context = context.fastmcp_context
        upstream_session = self._sessions.for_client(server_context)
        request = server_context.request_context
        opened = ClientRequest(server_context.session, request.request_id, request.meta)
        async with upstream_session.front.request(opened):
            token = _METHOD.set(context.method)
            try:
                with upstream_session.watching():
                    if context.method in _PASSED_THROUGH:
                        return await _forward(upstream_session, context.method, context.message)
                    return await call_next(context)
            finally:
                _METHOD.reset(token)

    async def on_notification(self, context: Any, call_next: Any) -> Any:
        """Tell the server that the client's roots have changed."""
        if context.method == _ROOTS_CHANGED:
            await self._sessions.for_client(context.fastmcp_context).roots_changed()
        return await call_next(context)


class ForwardCalls(Middleware):
    """Last middleware: forwards each call unchanged, also for unknown tools."""

    def __init__(self, sessions: UpstreamSessions) -> None:
        self._sessions = sessions

    async def on_call_tool(self, context: Any, call_next: Any) -> Any:
        """Call the tool on the server."""
        server_context, message = context.fastmcp_context, context.message
        upstream_session = self._sessions.for_client(server_context)
        try:
            if upstream_session.mode != "legacy":
                return await _call_without_handshake(upstream_session, message)
            result = await _call_tool(upstream_session, message, server_context)
        except MCPError as error:
            if not upstream_session.record_break(error):
                raise
            raise ToolError(error.error.message) from None  # as a result that the model can read
        return ToolResult(
            content=result.content,
            structured_content=result.structured_content,
            meta=result.meta,
            is_error=result.is_error,
        )


async def _list_server_tools(upstream_session: UpstreamSession) -> list[ForwardedTool]:
    """List the server's tools; an empty list if it does not support the request."""
    client = await upstream_session.client()
    try:
        listed = await client.list_tools()
    except MCPError as error:
        if error.error.code != types.METHOD_NOT_FOUND:
            raise
        listed = []
    tools = []
    for each in listed:
        tool = ForwardedTool.from_mcp_tool(upstream_session.client, each)
        tool._list_server_tools = each
        tools.append(tool)
    return tools


async def _call_tool(upstream_session: UpstreamSession, message: Any, server_context: Any) -> Any:
    async def call(client: Any) -> Any:
        return await client.call_tool_mcp(
            message.name,
            message.arguments or {},
            progress_handler=server_context.session.report_progress,
            meta=_meta(server_context.request_context.meta),
        )

    client = await upstream_session.client()
    with collect_post_errors() as statuses:
        try:
            return await call(client)
        except MCPError:
            # any other error may follow a call that ran, and a repeated call may act twice
            if HTTPStatus.NOT_FOUND not in statuses:
                raise
    upstream_session.is_lost = True  # the server did not know the session, so the call did not run
    return await call(await upstream_session.client())


async def _call_without_handshake(upstream_session: UpstreamSession, message: Any) -> ToolResult:
    tool = next((tool for tool in upstream_session.tools or () if tool.name == message.name), None)
    tool = tool or ProxyTool(upstream_session.client, name=message.name, parameters={})
    return await tool.run(message.arguments or {})


async def _forward(upstream_session: UpstreamSession, method: str, params: Any) -> Any:
    """Send a request to the server, and return its answer or raise its error."""
    kind, result = _PASSED_THROUGH[method]
    if isinstance(params, dict) and "_meta" in params:
        params = params | {"_meta": _meta(params["_meta"]) or {}}
    request = kind.model_validate({"method": method, "params": params}, by_name=False)
    client = await upstream_session.client()
    return await client.session.send_request(request, result)


def _meta(meta: Any) -> dict[str, Any] | None:
    remaining = {key: value for key, value in (meta or {}).items() if key not in _CONNECTION_KEYS}
    return remaining or None


def _introduction(result: Any, client: Any) -> dict[str, Any]:
    server_result = client.initialize_result
    if server_result is None:
        return {}
    return {
        "server_info": server_result.server_info,
        "instructions": server_result.instructions,
        "capabilities": _supported_capabilities(server_result.capabilities),
        "meta": {**(result.meta or {}), **(server_result.meta or {})} or None,
    }


def _supported_capabilities(capabilities: types.ServerCapabilities) -> types.ServerCapabilities:
    """Return the capabilities that are forwarded: without tasks and extensions."""
    return capabilities.model_copy(update={"tasks": None, "extensions": None})


def _discovery_unsupported() -> MCPError:
    return MCPError(code=types.METHOD_NOT_FOUND, message="Method not found: server/discover")
