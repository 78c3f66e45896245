"""The scenes with the OpenAI SDK's tool runner for Responses and a scripted transport."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import httpx2
from openai import AsyncOpenAI, OpenAI
from openai.lib.responses_tool_runner import (
    AsyncRegisteredFunction,
    AsyncResponsesToolRunner,
    RegisteredFunction,
    ResponsesToolRunner,
)

from abs_shield import Session, Shield
from abs_shield.adapters.openai import shielded_runner
from tests.adapters.openai_driver import write_response
from tests.adapters.scenes import ASKED, SCHEMAS, TOOLS, Ran, Shop, Turn
from tests.adapters.spans import record_spans

REQUEST: dict[str, Any] = {"model": "scripted", "input": ASKED}
NO_AGENTS = "the SDK's runner has no agents; give a tool that runs another runner `session.child()`"


class Provider:
    """The provider: it records each request and replies with the next turn or output."""

    def __init__(self, turns: Sequence[Any]) -> None:
        self.requests: list[Any] = []
        self._turns = list(turns)

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        written = write(self._turns[len(self.requests)], len(self.requests))
        self.requests.append(body)
        if not body.get("stream"):
            return httpx2.Response(200, json=written)
        lines = "".join(f"data: {json.dumps(event)}\n\n" for event in events(written))
        return httpx2.Response(200, text=lines, headers={"content-type": "text/event-stream"})

    async def answer(self, request: httpx2.Request) -> httpx2.Response:
        return self(request)

    def client(self) -> OpenAI:
        """Return the SDK's own client with this transport."""
        http = httpx2.Client(transport=httpx2.MockTransport(self))
        return OpenAI(api_key="none", base_url="http://model.invalid/v1", http_client=http)

    def async_client(self) -> AsyncOpenAI:
        """Return the SDK's own async client with this transport."""
        http = httpx2.AsyncClient(transport=httpx2.MockTransport(self.answer))
        return AsyncOpenAI(api_key="none", base_url="http://model.invalid/v1", http_client=http)

    def replies(self) -> dict[str, str]:
        """Return the results that the model received, by call id."""
        items = self.requests[-1]["input"] if self.requests else []
        return {i["call_id"]: i["output"] for i in items if i.get("type") == "function_call_output"}


def write(turn: Any, number: int) -> dict[str, Any]:
    """Return a response in the provider's format; the output may be given as a list of dicts."""
    if isinstance(turn, str) or not isinstance(turn[0], dict):
        written: dict[str, Any] = write_response(turn, False)
    else:
        written = {**write_response("", False), "output": turn}
    return {**written, "id": f"r{number}"}


def events(response: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the response as server-sent events."""
    empty = {**response, "output": []}
    messages: list[dict[str, Any]] = [{"type": "response.created", "response": empty}]
    for index, item in enumerate(response["output"]):
        begun = {**item, "status": "in_progress"}
        if "arguments" in item:
            begun["arguments"] = ""
        messages.append(
            {"type": "response.output_item.added", "output_index": index, "item": begun}
        )
        messages.append({"type": "response.output_item.done", "output_index": index, "item": item})
    messages.append({"type": "response.completed", "response": response})
    yield from ({**event, "sequence_number": number} for number, event in enumerate(messages))


@contextmanager
def run_in_session(model: Provider, shop: Shop, guard: Shield | None) -> Iterator[Ran]:
    """Record one run in its own session."""
    ran = Ran(ran=shop.ran, requests=model.requests)
    session = guard.session() if guard is not None else Session()
    with record_spans(ran), session:
        yield ran
    origin = session.origin("pc_777")
    ran.origin = "" if origin is None else origin.source
    ran.replies = model.replies()
    ran.decisions = [] if guard is None else guard.store.decisions()


def tool_description(name: str) -> Any:
    """Return a tool's description in the SDK's format."""
    return {"type": "function", "name": name, "parameters": SCHEMAS[name], "strict": False}


def functions(shop: Shop, **options: Any) -> list[RegisteredFunction]:
    """Return the shop's tools for the runner."""

    def of(name: str) -> RegisteredFunction:
        def execute(arguments: dict[str, Any]) -> str:
            return str(getattr(shop, name)(**arguments))

        return RegisteredFunction(tool_description(name), execute, **options)

    return [of(name) for name in TOOLS]


def async_functions(shop: Shop, **options: Any) -> list[AsyncRegisteredFunction]:
    """Return the shop's tools for an async runner."""

    def of(name: str) -> AsyncRegisteredFunction:
        async def execute(arguments: dict[str, Any]) -> str:
            return str(getattr(shop, name)(**arguments))

        return AsyncRegisteredFunction(tool_description(name), execute, **options)

    return [of(name) for name in TOOLS]


class Runner:
    """The tool runner, in every scene with the given options."""

    name = "openai_runner"
    impossible: Mapping[str, str] = MappingProxyType({"handoff": NO_AGENTS})

    def __init__(self, *, independent: bool = False, **options: Any) -> None:
        self.registered = {"independent": independent}
        self.options = options

    def run(self, turns: Sequence[Turn], *, firewall: Shield | None, stream: bool = False) -> Ran:
        model, shop = Provider(turns), Shop()
        runner = ResponsesToolRunner(functions=functions(shop, **self.registered))
        if firewall is not None:
            shielded_runner(runner, firewall=firewall)
        options = {"stream": stream, **self.options}
        with run_in_session(model, shop, firewall) as ran:
            ran.answer = runner.run(model.client(), {**REQUEST}, **options).output_text
        return ran

    def delegate(self, turns: Sequence[Turn], *, firewall: Shield | None) -> Ran:
        raise NotImplementedError


class AsyncRunner(Runner):
    """The async tool runner."""

    def run(self, turns: Sequence[Turn], *, firewall: Shield | None, stream: bool = False) -> Ran:
        model, shop = Provider(turns), Shop()
        runner = AsyncResponsesToolRunner(functions=async_functions(shop, **self.registered))
        if firewall is not None:
            shielded_runner(runner, firewall=firewall)
        options = {"stream": stream, **self.options}
        with run_in_session(model, shop, firewall) as ran:
            answer = asyncio.run(runner.run(model.async_client(), {**REQUEST}, **options))
            ran.answer = answer.output_text
        return ran


DRIVER, ASYNC = Runner(), AsyncRunner()
DRIVERS = (DRIVER,)
STREAMED = Runner(stream=True), AsyncRunner(stream=True)
EAGER: dict[str, Any] = {"stream": True, "eager": True}
EAGERS = (
    Runner(**EAGER),
    AsyncRunner(**EAGER),
    Runner(independent=True, **EAGER),
    AsyncRunner(independent=True, **EAGER),
)
