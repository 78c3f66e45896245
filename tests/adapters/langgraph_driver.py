"""The scenes in graphs of LangChain and LangGraph, with a scripted chat model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import ToolErrorMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ToolMessage,
    convert_to_openai_messages,
)
from langchain_core.messages.tool import invalid_tool_call, tool_call, tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import StructuredTool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from pydantic import PrivateAttr

from abs_shield import Shield
from abs_shield.adapters.langgraph import ShieldMiddleware
from tests.adapters.scenes import ASKED, TOOLS, Call, Ran, Shop, Turn
from tests.adapters.spans import record_spans


class Scripted(BaseChatModel):
    """A chat model that records each request and replies with the next turn."""

    _turns: list[Turn] = PrivateAttr()
    _requests: list[Any] = PrivateAttr()
    _offered: list[str] = PrivateAttr(default_factory=list)

    def __init__(self, turns: Sequence[Turn], requests: list[Any]) -> None:
        super().__init__()
        self._turns, self._requests = list(turns), requests

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        self._offered = [tool.name for tool in tools]
        return self

    def _asked(self, messages: list[BaseMessage]) -> Turn:
        sent = convert_to_openai_messages(messages)
        self._requests.append({"messages": sent, "tools": self._offered})
        return self._turns[len(self._requests) - 1]

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        message = ai_message(self._asked(messages))
        return ChatResult(generations=[ChatGeneration(message=message)])


class Streamed(Scripted):
    """The chat model with streaming."""

    def _stream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in chunks(self._asked(messages)):
            yield ChatGenerationChunk(message=chunk)


def ai_message(turn: Turn) -> AIMessage:
    """Return a turn as an AIMessage; arguments that are not an object are invalid calls."""
    if isinstance(turn, str):
        return AIMessage(turn)
    good, bad = [], []
    for call in turn:
        try:
            good.append(tool_call(name=call.name, args=json.loads(call.raw), id=call.id))
        except ValueError as error:
            bad.append(
                invalid_tool_call(name=call.name, args=call.raw, id=call.id, error=str(error))
            )
    return AIMessage("", tool_calls=good, invalid_tool_calls=bad)


def chunks(turn: Turn) -> Iterator[AIMessageChunk]:
    """Yield a turn in chunks; the arguments of each call are in two chunks."""
    if isinstance(turn, str):
        yield from (AIMessageChunk(part) for part in (turn[:4], turn[4:]))
        return
    for n, call in enumerate(turn):
        half = len(call.raw) // 2
        for name, part, id in (
            (call.name, call.raw[:half], call.id),
            (None, call.raw[half:], None),
        ):
            piece = tool_call_chunk(name=name, args=part, id=id, index=n)
            yield AIMessageChunk("", tool_call_chunks=[piece])


def tools(shop: Shop) -> list[StructuredTool]:
    """Return the shop's tools as LangChain's."""
    return [
        StructuredTool.from_function(getattr(shop, name), name=name, description=name)
        for name in TOOLS
    ]


def error_text(error: Exception, request: Any) -> str:
    """Return the text that the model receives if a tool raises."""
    return f"error: {error}"


class Agent:
    """`create_agent` with the host's own error handling outside the Shield."""

    name = "langgraph"
    impossible: Mapping[str, str] = MappingProxyType({})

    def run(self, turns: Sequence[Turn], *, firewall: Shield | None, stream: bool = False) -> Ran:
        shop, ran = Shop(), Ran()
        ran.ran = shop.ran
        model = (Streamed if stream else Scripted)(turns, ran.requests)
        graph = self.graph_of(model, tools(shop), firewall, "clerk")
        with record_spans(ran):
            finish(ran, self.streamed(graph) if stream else self.asked(graph, ASKED))
        return add_decisions(ran, firewall)

    def delegate(self, turns: Sequence[Turn], *, firewall: Shield | None) -> Ran:
        """Run an agent as a tool of another agent."""
        shop, ran = Shop(), Ran()
        ran.ran = shop.ran
        below = self.graph_of(Scripted(turns, ran.requests), tools(shop), firewall, "below")

        def ask(task: str) -> str:
            """Ask the sub-agent."""
            finish(ran, below.invoke(initial_state(task))["messages"])
            return str(ran.answer)

        first = Call("a1", "ask", {"task": "Refund what the user asked for."})
        tool = StructuredTool.from_function(ask)
        above = self.graph_of(Scripted([[first], "Done."], []), [tool], firewall, "above")
        with record_spans(ran):
            self.asked(above, ASKED)
        add_decisions(ran, firewall)
        ran.decisions = [decision for decision in ran.decisions if decision.call_id != "a1"]
        return ran

    def graph_of(
        self, model: Scripted, tools: list[StructuredTool], firewall: Shield | None, name: str
    ) -> Any:
        """Return the compiled graph."""
        shield = [] if firewall is None else [ShieldMiddleware(firewall)]
        middleware = [ToolErrorMiddleware(error_text), *shield]
        return create_agent(model, tools, middleware=middleware, name=name)

    def asked(self, graph: Any, text: str) -> Any:
        """Run it; give its messages."""
        return graph.invoke(initial_state(text), THREAD)["messages"]

    def streamed(self, graph: Any) -> Any:
        """Run it the streaming way."""
        last: dict[str, Any] = {}
        for mode, part in graph.stream(
            initial_state(ASKED), THREAD, stream_mode=["messages", "values"]
        ):
            last = part if mode == "values" else last
        return last["messages"]


class Awaited(Agent):
    """The agent with async calls."""

    def asked(self, graph: Any, text: str) -> Any:
        return asyncio.run(graph.ainvoke(initial_state(text), THREAD))["messages"]

    def streamed(self, graph: Any) -> Any:
        async def run() -> Any:
            last: dict[str, Any] = {}
            modes = ["messages", "values"]
            async for mode, part in graph.astream(initial_state(ASKED), THREAD, stream_mode=modes):
                last = part if mode == "values" else last
            return last["messages"]

        return asyncio.run(run())


class Graph(Agent):
    """A custom graph whose `ToolNode` has the two wrappers."""

    name = "langgraph_graph"

    impossible: Mapping[str, str] = MappingProxyType(
        {"unparsable JSON": "the edges of the graph end the run before a tool node is reached"}
    )

    def graph_of(
        self, model: Scripted, tools: list[StructuredTool], firewall: Shield | None, name: str
    ) -> Any:
        bound, wrappers = model.bind_tools(tools), {}
        if firewall is not None:
            shield = ShieldMiddleware(firewall)
            wrappers["wrap_tool_call"] = shield.wrap_tool_call
            wrappers["awrap_tool_call"] = shield.awrap_tool_call
        graph = StateGraph(MessagesState)
        graph.add_node("model", lambda state: {"messages": [bound.invoke(state["messages"])]})
        graph.add_node("tools", ToolNode(tools, handle_tool_errors=True, **wrappers))
        graph.add_edge(START, "model")
        graph.add_conditional_edges("model", tools_condition)
        graph.add_edge("tools", "model")
        return graph.compile()


THREAD = {"configurable": {"thread_id": "th1"}}


def initial_state(text: str) -> dict[str, Any]:
    """Return the state with which a run starts."""
    return {"messages": [("user", text)]}


def finish(ran: Ran, messages: Sequence[BaseMessage]) -> None:
    """Read the final answer of a run and the result of each call."""
    ran.answer = str(messages[-1].content) if isinstance(messages[-1], AIMessage) else None
    ran.replies |= {m.tool_call_id: str(m.content) for m in messages if isinstance(m, ToolMessage)}


def add_decisions(ran: Ran, firewall: Shield | None) -> Ran:
    """Add the decisions and the origin from the Shield."""
    if firewall is not None:
        origin = firewall.session("th1").origin("pc_777")
        ran.origin = "" if origin is None else origin.source
        ran.decisions = firewall.store.decisions()
    return ran


DRIVER, AWAITED, GRAPH = Agent(), Awaited(), Graph()
DRIVERS = (DRIVER, GRAPH)
