"""The scenes with the OpenAI SDK: a real client and a scripted transport."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import httpx2
from openai import OpenAI

from abs_shield import Session, Shield, ToolCall
from abs_shield.adapters.openai import run_tool_calls
from tests.adapters.scenes import ASKED, SCHEMAS, TOOLS, Ran, Shop, Turn
from tests.adapters.spans import record_spans


class Scripted:
    """The provider: it records each request and replies with the next turn."""

    def __init__(self, turns: Sequence[Turn], write: Callable[[Turn, bool], Any]) -> None:
        self.requests: list[Any] = []
        self._turns = list(turns)
        self._write = write

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        turn = self._turns[len(self.requests)]
        self.requests.append(body)
        written = self._write(turn, bool(body.get("stream")))
        if not body.get("stream"):
            return httpx2.Response(200, json=written)
        lines = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in written) + "data: [DONE]\n\n"
        return httpx2.Response(200, text=lines, headers={"content-type": "text/event-stream"})

    def client(self) -> OpenAI:
        """Return the SDK's own client with this transport."""
        http = httpx2.Client(transport=httpx2.MockTransport(self))
        return OpenAI(api_key="none", base_url="http://model.invalid/v1", http_client=http)


def plain_dispatch(shop: Shop) -> Callable[[ToolCall], str]:
    """Return a function that runs a call without a Shield and returns errors as text."""

    def dispatch(call: ToolCall) -> str:
        try:
            return str(getattr(shop, call.name)(**json.loads(call.arguments)))
        except Exception as error:
            return f"error: {error}"

    return dispatch


def with_tools(firewall: Shield | None) -> Shield | None:
    """Return the Shield with the tools of the model's request registered."""
    for name in TOOLS if firewall is not None else ():
        firewall.register({"name": name, "parameters": SCHEMAS[name]})
    return firewall


def write_chat(turn: Turn, stream: bool) -> Any:
    """Return a chat completion in the provider's format, whole or in two chunks."""
    message: dict[str, Any] = {"role": "assistant", "content": turn}
    if not isinstance(turn, str):
        message["content"] = None
        message["tool_calls"] = [
            {"index": n, "id": c.id, "type": "function"}
            | {"function": {"name": c.name, "arguments": c.raw}}
            for n, c in enumerate(turn)
        ]
    reason = "stop" if isinstance(turn, str) else "tool_calls"
    of = {"id": "chat1", "created": 1, "model": "scripted"}
    if not stream:
        for call in message.get("tool_calls", ()):
            del call["index"]
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return {**of, "object": "chat.completion", "choices": [choice]}
    chunk = {**of, "object": "chat.completion.chunk"}
    return [
        {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
    ]


class Loop:
    """A host's loop over one of the two APIs."""

    name = ""
    impossible: Mapping[str, str] = MappingProxyType(
        {"handoff": "the SDK has no agents; give each of yours a `session.child()`"}
    )

    def __init__(self, write: Callable[[Turn, bool], Any]) -> None:
        self._write = write

    def run(self, turns: Sequence[Turn], *, firewall: Shield | None, stream: bool = False) -> Ran:
        shop, model = Shop(), Scripted(turns, self._write)
        ran = Ran(ran=shop.ran, requests=model.requests)
        guard, dispatch, client = with_tools(firewall), plain_dispatch(shop), model.client()
        session = guard.session() if guard is not None else Session()
        messages: list[Any] = [{"role": "user", "content": ASKED}]
        with record_spans(ran), session:
            while ran.answer is None:
                response = self._send(client, messages, stream=stream)
                ran.answer, answer, calls = self._read(response)
                if guard is None:
                    results = [self._result(call.id or "", dispatch(call)) for call in calls]
                else:
                    results = run_tool_calls(response, messages, firewall=guard, dispatch=dispatch)
                ran.replies |= dict(map(self._read_result, results))
                messages += [*answer, *results]
            origin = session.origin("pc_777")
        ran.origin = "" if origin is None else origin.source
        ran.decisions = [] if guard is None else guard.store.decisions()
        return ran

    def delegate(self, turns: Sequence[Turn], *, firewall: Shield | None) -> Ran:
        raise NotImplementedError

    def _send(self, client: OpenAI, messages: list[Any], *, stream: bool) -> Any:
        raise NotImplementedError

    def _read(self, response: Any) -> tuple[str | None, list[Any], list[ToolCall]]:
        """Return the final text, the messages to append, and the calls."""
        raise NotImplementedError

    def _read_result(self, message: Mapping[str, Any]) -> tuple[str, str]:
        raise NotImplementedError

    def _result(self, call_id: str, content: str) -> dict[str, Any]:
        raise NotImplementedError


class Chat(Loop):
    """Chat completions."""

    name = "openai"

    def _send(self, client: OpenAI, messages: list[Any], *, stream: bool) -> Any:
        tools = [
            {"type": "function", "function": {"name": name, "parameters": SCHEMAS[name]}}
            for name in TOOLS
        ]
        question: dict[str, Any] = {"model": "scripted", "messages": messages, "tools": tools}
        if not stream:
            return client.chat.completions.create(**question)
        with client.chat.completions.stream(**question) as events:
            return events.get_final_completion()

    def _read(self, response: Any) -> tuple[str | None, list[Any], list[ToolCall]]:
        message = response.choices[0].message
        state = message.model_dump(exclude_none=True, include={"role", "content", "tool_calls"})
        calls = [
            ToolCall(c.function.name, c.function.arguments, c.id) for c in message.tool_calls or ()
        ]
        return message.content, [state], calls

    def _read_result(self, message: Mapping[str, Any]) -> tuple[str, str]:
        return message["tool_call_id"], message["content"]

    def _result(self, call_id: str, content: str) -> dict[str, Any]:
        return {"role": "tool", "tool_call_id": call_id, "content": content}


def write_response(turn: Turn, stream: bool) -> Any:
    """Return a response in the provider's format, whole or as events."""
    if isinstance(turn, str):
        text = {"type": "output_text", "text": turn, "annotations": []}
        output: list[Any] = [
            {"type": "message", "id": "m", "role": "assistant", "status": "completed"}
            | {"content": [text]}
        ]
    else:
        output = [
            {"type": "function_call", "id": f"f{c.id}", "call_id": c.id, "name": c.name}
            | {"arguments": c.raw, "status": "completed"}
            for c in turn
        ]
    whole = {"id": "r1", "object": "response", "created_at": 1, "model": "scripted"}
    whole |= {
        "output": output,
        "status": "completed",
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    if not stream:
        return whole
    kinds = ("response.created", "response.completed")
    return [{"type": kind, "sequence_number": n, "response": whole} for n, kind in enumerate(kinds)]


class Responses(Loop):
    """The Responses API, with all items sent in each request."""

    name = "openai_responses"

    def _send(self, client: OpenAI, messages: list[Any], *, stream: bool) -> Any:
        tools = [{"type": "function", "name": n, "parameters": SCHEMAS[n]} for n in TOOLS]
        request: dict[str, Any] = {"model": "scripted", "input": messages, "tools": tools}
        if not stream:
            return client.responses.create(**request)
        with client.responses.stream(**request) as events:
            return events.get_final_response()

    def _read(self, response: Any) -> tuple[str | None, list[Any], list[ToolCall]]:
        items = [item.model_dump(mode="json", exclude_none=True) for item in response.output]
        calls = [
            ToolCall(item["name"], item["arguments"], item["call_id"])
            for item in items
            if item["type"] == "function_call"
        ]
        return response.output_text or None, items, calls

    def _read_result(self, message: Mapping[str, Any]) -> tuple[str, str]:
        return message["call_id"], message["output"]

    def _result(self, call_id: str, content: str) -> dict[str, Any]:
        return {"type": "function_call_output", "call_id": call_id, "output": content}


DRIVER = Chat(write_chat)
RESPONSES = Responses(write_response)
DRIVERS = (DRIVER, RESPONSES)
