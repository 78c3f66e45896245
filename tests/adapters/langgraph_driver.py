"""Plays the scenes with LangChain's agents: a real graph, a chat model that reads the script."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from pydantic import PrivateAttr

from abs_shield import Session, Shield
from abs_shield.adapters.langgraph import ShieldMiddleware
from tests.adapters.scenes import ASKED, TOOLS, Call, Desk, Ran, Turn
from tests.adapters.spans import recorded


class Scripted(BaseChatModel):
    """A chat model: it keeps what it was sent, and answers with the next turn."""

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
        message = written(self._asked(messages))
        return ChatResult(generations=[ChatGeneration(message=message)])


class Streamed(Scripted):
    """The same, chunk by chunk."""

    def _stream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in chunks(self._asked(messages)):
            yield ChatGenerationChunk(message=chunk)


def written(turn: Turn) -> AIMessage:
    """A turn as an integration gives it: what is no JSON object is an invalid call."""
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
    """A turn in pieces: every call's arguments come in two."""
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


def tools(desk: Desk) -> list[StructuredTool]:
    """The desk's tools as LangChain's."""
    return [
        StructuredTool.from_function(getattr(desk, name), name=name, description=name)
        for name in TOOLS
    ]


def told(error: Exception, request: Any) -> str:
    """What a host tells the model of a tool that raised."""
    return f"error: {error}"


class Agent:
    """`create_agent`, with the host's own way to tell the model of errors around the Shield."""

    name = "langgraph"
    impossible: Mapping[str, str] = MappingProxyType({})

    def run(self, turns: Sequence[Turn], *, firewall: Shield | None, stream: bool = False) -> Ran:
        desk, ran = Desk(), Ran()
        ran.ran = desk.ran
        model = (Streamed if stream else Scripted)(turns, ran.requests)
        agent = create_agent(model, tools(desk), middleware=middleware(firewall), name="clerk")
        session = Session() if firewall is None else firewall.session("th1")
        with recorded(ran):
            messages = self._streamed(agent) if stream else agent.invoke(ASKING, THREAD)["messages"]
            finish(ran, messages)
        return ended(ran, firewall, session)

    def delegate(self, turns: Sequence[Turn], *, firewall: Shield | None) -> Ran:
        """An agent behind a tool of another one, which says what the first agent then says."""
        desk, ran = Desk(), Ran()
        ran.ran = desk.ran
        below = create_agent(
            Scripted(turns, ran.requests),
            tools(desk),
            middleware=middleware(firewall),
            name="below",
        )

        def ask(task: str) -> str:
            """Ask the sub-agent."""
            finish(ran, below.invoke({"messages": [("user", task)]})["messages"])
            return str(ran.answer)

        above: list[Any] = []
        first = Call("a1", "ask", {"task": "Refund what the user asked for."})
        agent = create_agent(
            Scripted([[first], "Done."], above), [ask], middleware=[], name="above"
        )
        if firewall is not None:
            agent = create_agent(
                Scripted([[first], "Done."], above),
                [ask],
                middleware=middleware(firewall),
                name="above",
            )
        session = Session() if firewall is None else firewall.session("th1")
        with recorded(ran):
            agent.invoke(ASKING, THREAD)
        ended(ran, firewall, session)
        ran.decisions = [decision for decision in ran.decisions if decision.call_id != "a1"]
        return ran

    def _streamed(self, agent: Any) -> list[BaseMessage]:
        last: dict[str, Any] = {}
        for mode, part in agent.stream(ASKING, THREAD, stream_mode=["messages", "values"]):
            last = part if mode == "values" else last
        return list(last["messages"])


ASKING = {"messages": [("user", ASKED)]}
THREAD = {"configurable": {"thread_id": "th1"}}


def middleware(firewall: Shield | None) -> list[Any]:
    """The host's own middleware, and the Shield inside of it."""
    own: list[Any] = [ToolErrorMiddleware(told)]
    return own if firewall is None else [*own, ShieldMiddleware(firewall)]


def finish(ran: Ran, messages: Sequence[BaseMessage]) -> None:
    """Read a run's answer, and what it told of each call."""
    ran.answer = str(messages[-1].content) if isinstance(messages[-1], AIMessage) else None
    ran.heard |= {m.tool_call_id: str(m.content) for m in messages if isinstance(m, ToolMessage)}


def ended(ran: Ran, firewall: Shield | None, session: Session) -> Ran:
    """Add what the Shield knows of a run."""
    found = session.origin("pc_777")
    ran.origin = "" if found is None else found.source
    ran.decisions = [] if firewall is None else firewall.store.decisions()
    return ran


DRIVER = Agent()
