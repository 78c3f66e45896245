"""The scenes with pydantic-ai: a real agent and the framework's function model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pydantic_ai import Agent, ModelMessage, ModelResponse, RunContext, TextPart, ToolCallPart
from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelRequest, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from abs_shield import Session, Shield
from abs_shield.adapters.pydantic_ai import ShieldCapability
from tests.adapters.scenes import ASKED, TOOLS, Ran, Shop, Turn
from tests.adapters.spans import record_spans

_OWN = {"timestamp", "run_id", "conversation_id"}
"""What differs from run to run by itself."""


def same_each_time(value: Any) -> Any:
    """Remove what differs from run to run."""
    if isinstance(value, dict):
        return {key: same_each_time(item) for key, item in value.items() if key not in _OWN}
    return [same_each_time(item) for item in value] if isinstance(value, list) else value


class Scripted:
    """The model: it records each request and replies with the next turn."""

    def __init__(self, turns: Sequence[Turn], requests: list[Any], replies: dict[str, str]) -> None:
        self.model = FunctionModel(self.answer, stream_function=self.stream, model_name="scripted")
        self._turns = iter(turns)
        self._requests = requests
        self._heard = replies

    def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        turn = self._next(messages, info)
        if isinstance(turn, str):
            return ModelResponse([TextPart(turn)])
        return ModelResponse([ToolCallPart(call.name, call.raw, call.id) for call in turn])

    async def stream(
        self, messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
        turn = self._next(messages, info)
        if isinstance(turn, str):
            for word in turn.split(" "):
                yield word if word == turn.split(" ")[0] else f" {word}"
            return
        for place, call in enumerate(turn):
            half = len(call.raw) // 2
            yield {place: DeltaToolCall(call.name, call.raw[:half], tool_call_id=call.id)}
            yield {place: DeltaToolCall(json_args=call.raw[half:])}

    def _next(self, messages: list[ModelMessage], info: AgentInfo) -> Turn:
        tools = [[tool.name, tool.parameters_json_schema] for tool in info.function_tools]
        sent = ModelMessagesTypeAdapter.dump_python(messages, mode="json")
        self._requests.append([same_each_time(sent), tools, info.instructions])
        for message in messages:
            for part in message.parts if isinstance(message, ModelRequest) else ():
                if isinstance(part, ToolReturnPart):
                    self._heard[part.tool_call_id] = part.model_response_str()
        return next(self._turns)


def agent_of(shop: Shop, model: Any, firewall: Shield | None, **given: Any) -> Agent[Any, Any]:
    """Return an agent with the host's tools, behind the adapter if there is a Shield."""
    capabilities = [] if firewall is None else [ShieldCapability(firewall)]
    tools = [getattr(shop, name) for name in TOOLS]
    return Agent(model, name="clerk", tools=tools, capabilities=capabilities, **given)


async def run_streamed(agent: Agent[Any, Any], asked: str) -> str:
    """Run the agent with streaming and return its output."""
    async with agent.run_stream(asked) as result:
        texts = [text async for text in result.stream_text(delta=True)]
    return "".join(texts)


class PydanticAI:
    """An agent's own loop."""

    name = "pydantic_ai"
    impossible: Mapping[str, str] = MappingProxyType({})

    def run(self, turns: Sequence[Turn], *, firewall: Shield | None, stream: bool = False) -> Ran:
        shop = Shop()
        ran = Ran(ran=shop.ran)
        agent = agent_of(shop, Scripted(turns, ran.requests, ran.replies).model, firewall)
        with record_spans(ran), Session() if firewall is None else firewall.session() as session:
            if stream:
                ran.answer = asyncio.run(run_streamed(agent, ASKED))
            else:
                ran.answer = asyncio.run(agent.run(ASKED)).output
        origin = session.origin("pc_777")
        ran.origin = "" if origin is None else origin.source
        return self._seen(ran, firewall)

    def delegate(self, turns: Sequence[Turn], *, firewall: Shield | None) -> Ran:
        shop = Shop()
        ran = Ran(ran=shop.ran)
        clerk = agent_of(shop, Scripted(turns, ran.requests, ran.replies).model, firewall)

        def front(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            if len(messages) == 1:
                return ModelResponse([ToolCallPart("ask_clerk", {}, "front1")])
            return ModelResponse([TextPart(messages[-1].parts[0].content)])

        chief = Agent(FunctionModel(front), name="chief")

        @chief.tool
        async def ask_clerk(ctx: RunContext[Any]) -> str:
            return (await clerk.run(ctx.prompt, usage=ctx.usage)).output

        with record_spans(ran):
            ran.answer = asyncio.run(chief.run(ASKED)).output
        return self._seen(ran, firewall)

    def _seen(self, ran: Ran, firewall: Shield | None) -> Ran:
        ran.decisions = [] if firewall is None else firewall.store.decisions()
        ran.agents = [decision.agent for decision in ran.decisions]
        return ran


DRIVER = PydanticAI()
DRIVERS = (DRIVER,)
