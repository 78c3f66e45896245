"""An MCP server that sends requests and notifications, and reads files below the client's roots."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Mount

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}
NAMES = (
    "read", "roots", "sample", "elicit", "open_page", "log", "grow", "touch", "count", "who",
    "fail", "late", "long_job", "patient", "given_up",
)  # fmt: skip
state: dict[str, Any] = {"roots": None, "extra": False, "subscribed": [], "level": None}


def tool(name: str) -> types.Tool:
    """Describe a tool."""
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    return types.Tool(name=name, input_schema=schema)


async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
    """List the tools; one more once `grow` was called."""
    state["lists"] = state.get("lists", 0) + 1
    names = (*NAMES, "grown") if state["extra"] else NAMES
    return types.ListToolsResult(tools=[tool(name) for name in names])


async def learn_roots(session: Any) -> None:
    """Ask for the roots, as the reference server of the file system does."""
    result = await session.list_roots()
    state["roots"] = [unquote(urlsplit(str(root.uri)).path) for root in result.roots]


def allowed(path: str) -> bool:
    """Return whether a file may be read: below the roots, or anywhere if the client named none."""
    roots = state["roots"]
    return roots is None or any(Path(path).is_relative_to(root) for root in roots)


async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Run a tool."""
    text = (params.arguments or {}).get("text", "")
    if params.name == "fail":
        raise types_error()
    answer = await TOOLS[params.name](ctx, text)
    return types.CallToolResult(content=[types.TextContent(type="text", text=str(answer))])


def types_error() -> Exception:
    """Return a protocol error with a custom code and data."""
    from mcp.shared.exceptions import MCPError

    return MCPError(code=-32050, message="the shop is closed", data={"opens": "tomorrow"})


async def read(ctx: Any, text: str) -> str:
    """Read a file, where the roots allow it."""
    return Path(text).read_text() if allowed(text) else "Access denied"


async def roots(ctx: Any, text: str) -> str:
    """Ask for the roots in the call."""
    result = await ctx.session.list_roots()
    return " ".join(str(root.uri) for root in result.roots)


async def sample(ctx: Any, text: str) -> str:
    """Ask the client's model."""
    message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text=text))
    result = await ctx.session.create_message([message], max_tokens=10)
    return f"{result.model}: {result.content.text}"


async def elicit(ctx: Any, text: str) -> str:
    """Ask the user to fill in a form."""
    await asyncio.sleep(0.2)
    result = await ctx.session.elicit_form(text, TEXT, related_request_id=ctx.request_id)
    return f"{result.action} {result.content}"


async def open_page(ctx: Any, text: str) -> str:
    """Ask the user to open a page."""
    result = await ctx.session.elicit_url(text, "https://example.com/pay", "e1")
    return str(result.action)


async def log(ctx: Any, text: str) -> str:
    """Log a message other than FastMCP's."""
    await ctx.session.send_log_message("warning", {"said": text}, "shop")
    return "logged"


async def grow(ctx: Any, text: str) -> str:
    """Get one tool more; with a text, without telling anybody."""
    state["extra"] = True
    if not text:
        await ctx.session.send_tool_list_changed()
    return "grown"


async def touch(ctx: Any, text: str) -> str:
    """Say that a resource has changed."""
    await ctx.session.send_resource_updated(text)
    return "touched"


async def who(ctx: Any, text: str) -> str:
    """Say what the client said of itself."""
    params = ctx.session.client_params
    offers = params.capabilities.model_dump(exclude_none=True)
    return f"{params.client_info.name} {sorted(offers)} {os.getpid()}"


async def count(ctx: Any, text: str) -> str:
    """Say how often the tools were listed, and what was asked for."""
    return f"{state.get('lists', 0)} {state['subscribed']} {state['level']}"


async def late(ctx: Any, text: str) -> str:
    """Answer after a while."""
    await asyncio.sleep(0.4)
    return text


async def long_job(ctx: Any, text: str) -> str:
    """Report progress under the caller's own token."""
    for n in (1, 2):
        await asyncio.sleep(0.1)
        await ctx.session.report_progress(n, 2, text)
    return text


async def patient(ctx: Any, text: str) -> str:
    """Wait until the client gives up."""
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        state["given_up"] = text
        raise
    return text


async def given_up(ctx: Any, text: str) -> str:
    """Say which call was given up."""
    return str(state.get("given_up"))


async def grown(ctx: Any, text: str) -> str:
    """A tool that came later."""
    return "new"


TOOLS = {name: globals()[name] for name in (*NAMES, "grown") if name != "fail"}


async def complete(ctx: Any, params: types.CompleteRequestParams) -> types.CompleteResult:
    """Complete an argument."""
    return types.CompleteResult(completion=types.Completion(values=[params.argument.value + "!"]))


async def subscribe(ctx: Any, params: Any) -> types.EmptyResult:
    """Take a subscription."""
    state["subscribed"].append(str(params.uri))
    return types.EmptyResult()


async def unsubscribe(ctx: Any, params: Any) -> types.EmptyResult:
    """End a subscription."""
    state["subscribed"].remove(str(params.uri))
    return types.EmptyResult()


async def set_level(ctx: Any, params: Any) -> types.EmptyResult:
    """Take the level of the log."""
    state["level"] = params.level
    return types.EmptyResult()


async def initialized(ctx: Any, params: Any) -> None:
    """Ask for the roots as soon as a client is there, where it has any."""
    time.sleep(float(os.environ.get("PAUSE_S", "0")))  # a busy machine: the process waits
    capabilities = ctx.session.client_params.capabilities
    if capabilities.roots is not None:
        state["task"] = asyncio.create_task(learn_roots(ctx.session))


async def roots_changed(ctx: Any, params: Any) -> None:
    """Ask for the roots anew."""
    time.sleep(float(os.environ.get("PAUSE_S", "0")))
    state["task"] = asyncio.create_task(learn_roots(ctx.session))


async def list_resources(ctx: Any, params: Any) -> types.ListResourcesResult:
    """List two resources on two pages."""
    second = getattr(params, "cursor", None) == "second"
    name = "two" if second else "one"
    return types.ListResourcesResult(
        resources=[types.Resource(uri=f"shop://{name}", name=name)],
        next_cursor=None if second else "second",
    )


def server() -> Server[Any]:
    """Return the server."""
    mcp: Server[Any] = Server("asking", instructions="Ask first.")
    mcp.add_request_handler("tools/list", types.PaginatedRequestParams, list_tools)
    mcp.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)
    mcp.add_request_handler("completion/complete", types.CompleteRequestParams, complete)
    mcp.add_request_handler("resources/list", types.PaginatedRequestParams, list_resources)
    mcp.add_request_handler("resources/subscribe", types.SubscribeRequestParams, subscribe)
    mcp.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, unsubscribe)
    mcp.add_request_handler("logging/setLevel", types.SetLevelRequestParams, set_level)
    mcp.add_notification_handler("notifications/initialized", types.NotificationParams, initialized)
    mcp.add_notification_handler(
        "notifications/roots/list_changed", types.NotificationParams, roots_changed
    )
    return mcp


async def main() -> None:
    """Serve over stdio."""
    mcp = server()
    async with stdio_server() as (incoming, outgoing):
        await mcp.run(incoming, outgoing, mcp.create_initialization_options())


def serve(port: int) -> None:
    """Serve over HTTP until the process ends."""
    manager = StreamableHTTPSessionManager(app=server())

    @asynccontextmanager
    async def running(app: Starlette) -> AsyncIterator[None]:
        async with manager.run():
            yield

    app = Starlette(routes=[Mount("/mcp", manager.handle_request)], lifespan=running)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error")


if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1].isdigit():
        serve(int(sys.argv[1]))
        sys.exit()
    if len(sys.argv) > 1:  # who starts a process of it can be seen from outside
        with Path(sys.argv[1]).open("a") as starts:
            starts.write(f"{os.getpid()}\n")
    asyncio.run(main())
