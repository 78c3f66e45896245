"""Plays the scenes with the Anthropic SDK: real clients, a transport that answers from a script."""

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
from tests.adapters.spans import recorded

DEFINITIONS: list[Any] = [{"name": name, "input_schema": SCHEMAS[name]} for name in TOOLS]
NO_AGENTS = "the SDK has no agents; give a tool that runs another runner `session.child()`"


class Scripted:
    """The provider: it keeps what it was sent, and answers with the next turn."""

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
        """The SDK's own client, with this transport."""
        http = httpx2.Client(transport=httpx2.MockTransport(self))
        of = {"api_key": "none", "base_url": "http://model.invalid", "http_client": http}
        return Anthropic(**of, **options)

    def async_client(self) -> AsyncAnthropic:
        """As `client`."""
        http = httpx2.AsyncClient(transport=httpx2.MockTransport(self.answer))
        return AsyncAnthropic(api_key="none", base_url="http://model.invalid", http_client=http)

    def replies(self) -> dict[str, str]:
        """Call id to what the model was told of it; a runner sends only what is new."""
        messages = [message for request in self.requests for message in request["messages"]]
        blocks = (b for m in messages if m["role"] == "user" for b in _blocks(m["content"]))
        return {b["tool_use_id"]: b["content"] for b in blocks if b["type"] == "tool_result"}


def _blocks(content: Any) -> list[Any]:
    return [] if isinstance(content, str) else content


def write(turn: Any, number: int) -> dict[str, Any]:
    """A message as the provider writes it; a list of dicts is its content as it stands."""
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
    """The same message as server-sent events; arguments come in two pieces."""
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
def played(model: Scripted, shop: Shop, guard: Shield | None) -> Iterator[tuple[Ran, Session]]:
    """Stand around one run in a session of its own; the SDK warns of phantom tools by itself."""
    ran = Ran(ran=shop.ran, requests=model.requests)
    session = guard.session() if guard is not None else Session()
    with recorded(ran), session, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield ran, session
    origin = session.origin("pc_777")
    ran.origin = "" if origin is None else origin.source
    ran.replies = model.replies()
    ran.decisions = [] if guard is None else guard.store.decisions()


def tools(shop: Shop) -> list[Any]:
    """Return the shop's tools as the runner takes them."""
    return [beta_tool(getattr(shop, name)) for name in TOOLS]


def async_tools(shop: Shop) -> list[Any]:
    """As `tools`, for an async runner."""

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
    """A message's text."""
    return next((block.text for block in message.content if block.type == "text"), None)


class NoAgents:
    """Skips for features that this SDK does not have."""

    name = "anthropic"
    impossible: Mapping[str, str] = MappingProxyType({"handoff": NO_AGENTS})

    def delegate(self, turns: Sequence[Turn], *, firewall: Shield | None) -> Ran:
        raise NotImplementedError


class Runner(NoAgents):
    """The tool runner; with *options*, in every scene."""

    def __init__(self, **options: Any) -> None:
        self.options = options

    def run(self, turns: Sequence[Turn], *, firewall: Shield | None, stream: bool = False) -> Ran:
        model, shop = Scripted(turns), Shop()
        options = {"stream": stream, **self.options}
        with played(model, shop, firewall) as (ran, _):
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
        with played(model, shop, firewall) as (ran, _):
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
    """A loop of the host's over messages."""

    name = "anthropic_loop"

    def run(self, turns: Sequence[Turn], *, firewall: Shield | None, stream: bool = False) -> Ran:
        model, shop = Scripted(turns), Shop()
        for tool in DEFINITIONS if firewall is not None else ():
            firewall.register(tool)
        with played(model, shop, firewall) as (ran, _):
            messages: list[Any] = [*REQUEST["messages"]]
            while ran.answer is None:
                reply = asked(model.client(), messages, stream=stream)
                message = getattr(reply, "current_message_snapshot", reply)
                ran.answer = text(message)
                replies = self._told(reply, messages, shop, firewall)
                messages += [{"role": "assistant", "content": message.content}, *replies]
        return ran

    def _told(
        self, reply: Any, messages: list[Any], shop: Shop, firewall: Shield | None
    ) -> list[dict[str, Any]]:
        message = getattr(reply, "current_message_snapshot", reply)
        if firewall is not None:
            replies = run_tool_calls(reply, messages, firewall=firewall, dispatch=by_hand(shop))
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
    return by_hand(shop)(ToolCall(block.name, block.input, block.id))


def by_hand(shop: Shop) -> Any:
    """Run a call without a Shield, as a host does; errors are sent to the model."""

    def dispatch(call: ToolCall) -> str:
        try:
            return str(getattr(shop, call.name)(**call.arguments))
        except Exception as error:
            return f"error: {error}"

    return dispatch


def asked(client: Anthropic, messages: list[Any], *, stream: bool) -> Any:
    """Ask the model once; a stream is read to its end."""
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
