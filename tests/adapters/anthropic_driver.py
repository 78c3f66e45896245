"""The scenes with the Anthropic SDK: real clients and a scripted transport."""

from __future__ import annotations

import asyncio
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import httpx2
from anthropic import Anthropic, AsyncAnthropic, beta_async_tool, beta_tool

from abs_shield import Session, Shield, ToolCall
from abs_shield.adapters.anthropic import run_tool_calls, shielded_runner
from tests.adapters.scenes import ASKED, SCHEMAS, TOOLS, Ran, Shop, Turn
from tests.adapters.spans import record_spans

DEFINITIONS: list[Any] = [{"name": name, "input_schema": SCHEMAS[name]} for name in TOOLS]
NO_AGENTS = "the SDK has no agents; give a tool that runs another runner `session.child()`"


class Scripted:
    """The provider: it records each request and replies with the next turn."""

    def __init__(self, turns: Sequence[Any]) -> None:
        self.requests: list[Any] = []
        self._turns = list(turns)

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        written = write(self._turns[len(self.requests)], len(self.requests))
        self.requests.append(body)
        if not body.get("stream"):
            return httpx2.Response(200, json=written)
        lines = "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events(written))
        return httpx2.Response(200, text=lines, headers={"content-type": "text/event-stream"})

    async def answer(self, request: httpx2.Request) -> httpx2.Response:
        return self(request)

    def client(self, **options: Any) -> Anthropic:
        """Return the SDK's own client with this transport."""
        http = httpx2.Client(transport=httpx2.MockTransport(self))
        of = {"api_key": "none", "base_url": "http://model.invalid", "http_client": http}
        return Anthropic(**of, **options)

    def async_client(self) -> AsyncAnthropic:
        """Return the SDK's own async client with this transport."""
        http = httpx2.AsyncClient(transport=httpx2.MockTransport(self.answer))
        return AsyncAnthropic(api_key="none", base_url="http://model.invalid", http_client=http)

    def replies(self) -> dict[str, str]:
        """Return the results that the model received, by call id; requests have only new ones."""
        messages = [message for request in self.requests for message in request["messages"]]
        blocks = (b for m in messages if m["role"] == "user" for b in _blocks(m["content"]))
        return {b["tool_use_id"]: b["content"] for b in blocks if b["type"] == "tool_result"}


def _blocks(content: Any) -> list[Any]:
    return [] if isinstance(content, str) else content


def write(turn: Any, number: int) -> dict[str, Any]:
    """Return a message in the provider's format; the content may be given as a list of dicts."""
    content: Any = turn
    if isinstance(turn, str):
        content = [{"type": "text", "text": turn}]
    elif not isinstance(turn[0], dict):
        content = [
            {"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments} for c in turn
        ]
    called = any(block["type"] == "tool_use" for block in content)
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": content,
        "stop_reason": "tool_use" if called else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def events(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the message as server-sent events; arguments are in two parts."""
    empty = {**message, "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": empty}
    for index, block in enumerate(message["content"]):
        started, pieces = _pieces(block)
        yield {"type": "content_block_start", "index": index, "content_block": started}
        for piece in pieces:
            yield {"type": "content_block_delta", "index": index, "delta": piece}
        yield {"type": "content_block_stop", "index": index}
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def _pieces(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    if block["type"] == "text":
        return {**block, "text": ""}, [{"type": "text_delta", "text": block["text"]}]
    arguments = block["input"]
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
    half = len(raw) // 2
    deltas = [{"type": "input_json_delta", "partial_json": p} for p in (raw[:half], raw[half:])]
    return {**block, "input": {}}, deltas


@contextmanager
def run_in_session(
    model: Scripted, shop: Shop, guard: Shield | None
) -> Iterator[tuple[Ran, Session]]:
    """Record one run in its own session; ignore the SDK's warning about phantom tools."""
    ran = Ran(ran=shop.ran, requests=model.requests)
    session = guard.session() if guard is not None else Session()
    with record_spans(ran), session, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield ran, session
    origin = session.origin("pc_777")
    ran.origin = "" if origin is None else origin.source
    ran.replies = model.replies()
    ran.decisions = [] if guard is None else guard.store.decisions()


def tools(shop: Shop) -> list[Any]:
    """Return the shop's tools for the runner."""
    return [beta_tool(getattr(shop, name)) for name in TOOLS]


def async_tools(shop: Shop) -> list[Any]:
    """Return the shop's tools for an async runner."""

    def of(name: str) -> Any:
        async def run(**arguments: Any) -> str:
            return str(getattr(shop, name)(**arguments))

        return beta_async_tool(name=name, input_schema=SCHEMAS[name])(run)

    return [of(name) for name in TOOLS]


REQUEST: dict[str, Any] = {
    "model": "scripted",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": ASKED}],
}


def text(message: Any) -> str | None:
    """Return the text of a message."""
    return next((block.text for block in message.content if block.type == "text"), None)


class NoAgents:
    """The scenes that this SDK cannot play."""

    name = "anthropic"
    impossible: Mapping[str, str] = MappingProxyType({"handoff": NO_AGENTS})

    def delegate(self, turns: Sequence[Turn], *, firewall: Shield | None) -> Ran:
        raise NotImplementedError


class Runner(NoAgents):
    """The tool runner, in every scene with the given options."""

    def __init__(self, **options: Any) -> None:
        self.options = options

    def run(self, turns: Sequence[Turn], *, firewall: Shield | None, stream: bool = False) -> Ran:
        model, shop = Scripted(turns), Shop()
        options = {"stream": stream, **self.options}
        with run_in_session(model, shop, firewall) as (ran, _):
            message = model.client().beta.messages
            runner: Any = message.tool_runner(**REQUEST, tools=tools(shop), **options)
            if firewall is not None:
                shielded_runner(runner, firewall=firewall)
            ran.answer = text(runner.until_done())
        return ran


class AsyncRunner(Runner):
    """The async tool runner."""

    def run(self, turns: Sequence[Turn], *, firewall: Shield | None, stream: bool = False) -> Ran:
        model, shop = Scripted(turns), Shop()
        with run_in_session(model, shop, firewall) as (ran, _):
            ran.answer = asyncio.run(self._answer(model, shop, firewall, stream))
        return ran

    async def _answer(
        self, model: Scripted, shop: Shop, firewall: Shield | None, stream: bool
    ) -> str | None:
        messages, options = model.async_client().beta.messages, {"stream": stream, **self.options}
        runner: Any = messages.tool_runner(**REQUEST, tools=async_tools(shop), **options)
        if firewall is not None:
            shielded_runner(runner, firewall=firewall)
        return text(await runner.until_done())


class Loop(NoAgents):
    """A host's loop over messages."""

    name = "anthropic_loop"

    def run(self, turns: Sequence[Turn], *, firewall: Shield | None, stream: bool = False) -> Ran:
        model, shop = Scripted(turns), Shop()
        for tool in DEFINITIONS if firewall is not None else ():
            firewall.register(tool)
        with run_in_session(model, shop, firewall) as (ran, _):
            messages: list[Any] = [*REQUEST["messages"]]
            while ran.answer is None:
                reply = ask_model(model.client(), messages, stream=stream)
                message = getattr(reply, "current_message_snapshot", reply)
                ran.answer = text(message)
                replies = self._results(reply, messages, shop, firewall)
                messages += [{"role": "assistant", "content": message.content}, *replies]
        return ran

    def _results(
        self, reply: Any, messages: list[Any], shop: Shop, firewall: Shield | None
    ) -> list[dict[str, Any]]:
        message = getattr(reply, "current_message_snapshot", reply)
        if firewall is not None:
            replies = run_tool_calls(
                reply, messages, firewall=firewall, dispatch=plain_dispatch(shop)
            )
            for result in (result for each in replies for result in each["content"]):
                result.pop("is_error", None)
            return replies
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": run(block, shop)}
            for block in message.content
            if block.type == "tool_use"
        ]
        return [{"role": "user", "content": results}] if results else []


def run(block: Any, shop: Shop) -> str:
    return plain_dispatch(shop)(ToolCall(block.name, block.input, block.id))


def plain_dispatch(shop: Shop) -> Any:
    """Return a function that runs a call without a Shield and returns errors as text."""

    def dispatch(call: ToolCall) -> str:
        try:
            return str(getattr(shop, call.name)(**call.arguments))
        except Exception as error:
            return f"error: {error}"

    return dispatch


def ask_model(client: Anthropic, messages: list[Any], *, stream: bool) -> Any:
    """Call the model once; a stream is read to its end."""
    request: dict[str, Any] = {**REQUEST, "messages": messages, "tools": DEFINITIONS}
    if not stream:
        return client.messages.create(**request)
    with client.messages.stream(**request) as events:
        events.get_final_message()
        return events


DRIVER, ASYNC, LOOP = Runner(), AsyncRunner(), Loop()
DRIVERS = (DRIVER, LOOP)
EAGER: dict[str, Any] = {"stream": True, "run_tools_eagerly": True}
STREAMED = Runner(stream=True), Runner(**EAGER), AsyncRunner(**EAGER)
