"""Every agent of LangChain and every `ToolNode` of LangGraph is made with a Shield."""

from __future__ import annotations

import functools
from contextvars import ContextVar
from typing import Any

import langchain.agents
from langchain.agents import factory
from langchain.agents.middleware import AgentMiddleware
from langgraph.prebuilt import ToolNode
from suite_shield import firewall

from abs_shield.adapters.langgraph import ShieldMiddleware, ShieldModelMiddleware
from abs_shield.adapters.langgraph.framework_checks import check_framework

_agent = factory.create_agent
_node = ToolNode.__init__
_in_agent: ContextVar[bool] = ContextVar("in_agent", default=False)


@functools.wraps(_agent)
def create_agent(model: Any, tools: Any = None, *, middleware: Any = (), **options: Any) -> Any:
    """List the middleware last, as the docs say; an agent without tools takes the other one."""
    guard = ShieldMiddleware if _has_node(tools or (), middleware) else ShieldModelMiddleware
    token = _in_agent.set(True)
    try:
        guarded = [*middleware, guard(firewall())]
        return _agent(model, tools, middleware=guarded, **options)
    finally:
        _in_agent.reset(token)


def _has_node(tools: Any, middleware: Any) -> bool:
    """Return whether the agent has a node of tools by itself; tools of a provider need none."""
    return any(not isinstance(tool, dict) for tool in tools) or any(
        getattr(each, "tools", ()) or not _wraps_no_call(type(each)) for each in middleware
    )


def _wraps_no_call(kind: Any) -> bool:
    names = ("wrap_tool_call", "awrap_tool_call")
    return all(getattr(kind, name) is getattr(AgentMiddleware, name) for name in names)


@functools.wraps(_node)
def tool_node(self: ToolNode, tools: Any, **options: Any) -> None:
    """Return the node both wrappers, inside those of the host; an agent's node has them already."""
    if not _in_agent.get():
        guard = ShieldMiddleware(firewall(), messages_key=options.get("messages_key", "messages"))
        options |= _inside(options.get("wrap_tool_call"), options.get("awrap_tool_call"), guard)
    _node(self, tools, **options)


def _inside(wrap: Any, awrap: Any, guard: ShieldMiddleware) -> dict[str, Any]:
    def sync(request: Any, run: Any) -> Any:
        return wrap(request, lambda given: guard.wrap_tool_call(given, run))

    async def later(request: Any, run: Any) -> Any:
        return await awrap(request, lambda given: guard.awrap_tool_call(given, run))

    return {
        "wrap_tool_call": sync if wrap else guard.wrap_tool_call,
        # without one, the node runs the host's sync wrapper in async runs, too
        "awrap_tool_call": later if awrap else None if wrap else guard.awrap_tool_call,
    }


check_framework()  # it makes a node, and each node below has a middleware that asks it
factory.create_agent = langchain.agents.create_agent = create_agent
ToolNode.__init__ = tool_node
