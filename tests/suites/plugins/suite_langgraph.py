"""Every agent of LangChain and every `ToolNode` of LangGraph is made with a Shield."""

from __future__ import annotations

import functools
from contextvars import ContextVar
from typing import Any

import langchain.agents
from langchain.agents import factory
from langgraph.prebuilt import ToolNode
from suite_shield import firewall

from abs_shield.adapters.langgraph import ShieldMiddleware

_agent = factory.create_agent
_node = ToolNode.__init__
_in_agent: ContextVar[bool] = ContextVar("in_agent", default=False)


@functools.wraps(_agent)
def create_agent(model: Any, tools: Any = None, *, middleware: Any = (), **options: Any) -> Any:
    """List the middleware last, as the docs say."""
    token = _in_agent.set(True)
    try:
        guarded = [*middleware, ShieldMiddleware(firewall())]
        return _agent(model, tools, middleware=guarded, **options)
    finally:
        _in_agent.reset(token)


@functools.wraps(_node)
def tool_node(self: ToolNode, tools: Any, **options: Any) -> None:
    """Give the node both wrappers, inside those of the host; an agent's node has them already."""
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


factory.create_agent = langchain.agents.create_agent = create_agent
ToolNode.__init__ = tool_node
