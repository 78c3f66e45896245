"""The scenes with the OpenAI Agents SDK: real agents and tools, and a scripted `Model`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from agents import (
    Agent,
    FunctionTool,
    Model,
    ModelResponse,
    RunConfig,
    Runner,
    Usage,
    function_tool,
    set_trace_processors,
)
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from abs_shield import Session, Shield
from abs_shield.adapters.openai_agents import ShieldedRunner
from tests.adapters.scenes import ASKED, GOOD, TOOLS, Call, Ran, Shop, Turn
from tests.adapters.spans import record_spans
from tests.subjects import about_calls

set_trace_processors([])  # traces are made, and sent nowhere
TRANSFER = Call("h1", "transfer_to_billing", {})
BAD = GOOD._replace(arguments={"transaction_id": "tx_99999", "amount": 20.0})
UNKNOWN = GOOD._replace(name="refnud")


class Scripted(Model):
    """The model: it records each request and replies with the next turn."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self.requests: list[Any] = []
        self._turns = list(turns)

    async def get_response(self, *given: Any, **named: Any) -> ModelResponse:
        return ModelResponse(output=self._next(given, named), usage=Usage(), response_id=None)

    async def stream_response(self, *given: Any, **named: Any) -> AsyncIterator[Any]:
        response = Response(
            id="r1",
            created_at=0,
            model="scripted",
            object="response",
            output=self._next(given, named),
            parallel_tool_calls=True,
            tool_choice="auto",
            tools=[],
        )
        yield ResponseCompletedEvent(
            response=response, type="response.completed", sequence_number=0
        )

    def _next(self, given: tuple[Any, ...], named: Mapping[str, Any]) -> list[Any]:
        names = ("system_instructions", "input", "model_settings", "tools", "schema", "handoffs")
        sent = {**dict(zip(names, given, strict=False)), **named}
        shown = ("name", "description", "params_json_schema")
        tools = [[getattr(tool, name, None) for name in shown] for tool in sent["tools"]]
        handoffs = [[h.tool_name, h.tool_description] for h in sent["handoffs"]]
        requests = [sent["system_instructions"], sent["input"], tools, handoffs]
        turn = self._turns[len(self.requests)]
        self.requests.append(json.loads(json.dumps(requests)))
        return output_items(turn)


def output_items(turn: Turn) -> list[Any]:
    """Return a turn as the SDK's output items."""
    if isinstance(turn, str):
        text = ResponseOutputText(text=turn, type="output_text", annotations=[])
        return [
            ResponseOutputMessage(
                id="m1", content=[text], role="assistant", status="completed", type="message"
            )
        ]
    return [
        ResponseFunctionToolCall(
            call_id=call.id, name=call.name, arguments=call.raw, type="function_call"
        )
        for call in turn
    ]


def tools_of(shop: Shop) -> list[FunctionTool]:
    """Return the host's tools, built by the SDK from functions."""
    return [function_tool(getattr(shop, name)) for name in TOOLS]


def outputs(requests: Sequence[Any]) -> dict[str, str]:
    """Return the text of each call's result that the model received, by call id."""
    return {
        item["call_id"]: item["output"]
        for request in requests
        for item in request[1]
        if isinstance(item, dict) and item.get("type") == "function_call_output"
    }


def agent_of(turns: Any, shop: Shop | None = None, **more: Any) -> Agent[Any]:
    """Return an agent with the host's tools and a scripted model."""
    tools = more.pop("tools", None) or [*tools_of(shop or Shop())]
    return Agent(**{"name": "billing", "model": Scripted(turns), "tools": tools, **more})


def play(runner: Any, agent: Agent[Any], asked: Any = ASKED, **options: Any) -> Any:
    """Run an agent to its end."""
    return asyncio.run(runner.run(agent, asked, **options))


def reply_of(agent: Agent[Any], call_id: str = "c1") -> str:
    """Return the text of a call's result that the agent's model received."""
    return outputs(agent.model.requests)[call_id]


def by_id(firewall: Shield) -> dict[str | None, Any]:
    return {decision.call_id: decision for decision in about_calls(firewall.store)}


class Driver:
    """`Runner.run` without a Shield, `ShieldedRunner.run` with one."""

    name = "openai_agents"
    impossible: Mapping[str, str] = {}

    def run(self, turns: Sequence[Turn], *, firewall: Shield | None, stream: bool = False) -> Ran:
        return self._play(turns, firewall, lambda agent: agent, stream=stream)

    def delegate(self, turns: Sequence[Turn], *, firewall: Shield | None) -> Ran:
        def behind(agent: Agent[Any]) -> Agent[Any]:
            return Agent(name="front", handoffs=[agent], model=agent.model)

        return self._play([[TRANSFER], *turns], firewall, behind)

    def _play(
        self,
        turns: Sequence[Turn],
        firewall: Shield | None,
        front: Callable[[Agent[Any]], Agent[Any]],
        *,
        stream: bool = False,
    ) -> Ran:
        shop, model = Shop(), Scripted(turns)
        ran = Ran(ran=shop.ran, requests=model.requests)
        agent = Agent(name="billing", instructions="Help.", model=model, tools=[*tools_of(shop)])
        session = firewall.session() if firewall is not None else Session()
        with record_spans(ran), session:
            ran.answer = asyncio.run(_answer(front(agent), firewall, stream=stream))
        ran.replies = outputs(model.requests)
        origin = session.origin("pc_777")
        ran.origin = "" if origin is None else origin.source
        ran.decisions = [] if firewall is None else firewall.store.decisions()
        return ran


async def _answer(agent: Agent[Any], firewall: Shield | None, *, stream: bool) -> str:
    runner: Any = Runner if firewall is None else ShieldedRunner(firewall)
    if not stream:
        result = await runner.run(agent, ASKED, run_config=RunConfig())
        return str(result.final_output)
    streamed = runner.run_streamed(agent, ASKED, run_config=RunConfig())
    async for _ in streamed.stream_events():
        pass
    return str(streamed.final_output)


DRIVER = Driver()
"""The OpenAI Agents SDK."""
DRIVERS = (DRIVER,)
