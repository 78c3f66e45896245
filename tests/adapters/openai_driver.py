"""Plays the scenes with the OpenAI SDK: a real client, a transport that answers from the script."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import httpx2
from openai import OpenAI

from abs_shield import Session, Shield, ToolCall
from abs_shield.adapters.openai import run_tool_calls
from tests.adapters.scenes import ASKED, TOOLS, Desk, Ran, Turn
from tests.adapters.spans import recorded

NUMBER, TEXT = {"type": "number"}, {"type": "string"}
PARAMETERS = {
    "get_order": {"order_id": TEXT},
    "refund": {"transaction_id": TEXT, "amount": NUMBER},
    "create_user": {"user_id": TEXT},
    "delete_user": {"user_id": TEXT},
    "explode": {"order_id": TEXT},
}
SCHEMAS = {
    name: {"type": "object", "properties": of, "required": [*of]} for name, of in PARAMETERS.items()
}


class Scripted:
    """The provider: it keeps what it was sent, and answers with the next turn."""

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
        """The SDK's own client, with this transport."""
        http = httpx2.Client(transport=httpx2.MockTransport(self))
        return OpenAI(api_key="none", base_url="http://model.invalid/v1", http_client=http)


def by_hand(desk: Desk) -> Callable[[ToolCall], str]:
    """How a host runs a call without a Shield: what goes wrong is told to the model."""

    def dispatch(call: ToolCall) -> str:
        try:
            return str(getattr(desk, call.name)(**json.loads(call.arguments)))
        except Exception as error:
            return f"error: {error}"

    return dispatch


def registered(firewall: Shield | None) -> Shield | None:
    """The Shield, with the tools that the model is offered."""
    for name in TOOLS if firewall is not None else ():
        firewall.register({"name": name, "parameters": SCHEMAS[name]})
    return firewall


def write_chat(turn: Turn, stream: bool) -> Any:
    """A chat completion as the provider writes it, whole or in two chunks."""
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


class Chat:
    """Chat completions in a loop of the host's."""

    name = "openai"
    impossible: Mapping[str, str] = MappingProxyType(
        {"handoff": "the SDK has no agents; give each its own session with `session.child()`"}
    )

    def run(self, turns: Sequence[Turn], *, firewall: Shield | None, stream: bool = False) -> Ran:
        desk, model = Desk(), Scripted(turns, write_chat)
        ran = Ran(ran=desk.ran, requests=model.requests)
        guard, dispatch, client = registered(firewall), by_hand(desk), model.client()
        session = guard.session() if guard is not None else Session()
        messages: list[Any] = [{"role": "user", "content": ASKED}]
        with recorded(ran), session:
            while ran.answer is None:
                response = self._asked(client, messages, stream=stream)
                message = response.choices[0].message
                ran.answer = message.content
                messages.append(
                    message.model_dump(exclude_none=True, include={"role", "content", "tool_calls"})
                )
                if guard is None:
                    told = [_told(c, dispatch) for c in message.tool_calls or ()]
                else:
                    told = run_tool_calls(
                        response, messages[:-1], firewall=guard, dispatch=dispatch
                    )
                told = [{k: m[k] for k in ("role", "tool_call_id", "content")} for m in told]
                ran.heard |= {m["tool_call_id"]: m["content"] for m in told}
                messages += told
            found = session.origin("pc_777")
        ran.origin = "" if found is None else found.source
        ran.decisions = [] if guard is None else guard.store.decisions()
        return ran

    def delegate(self, turns: Sequence[Turn], *, firewall: Shield | None) -> Ran:
        raise NotImplementedError

    def _asked(self, client: OpenAI, messages: list[Any], *, stream: bool) -> Any:
        tools = [
            {"type": "function", "function": {"name": name, "parameters": SCHEMAS[name]}}
            for name in TOOLS
        ]
        asked: dict[str, Any] = {"model": "scripted", "messages": messages, "tools": tools}
        if not stream:
            return client.chat.completions.create(**asked)
        with client.chat.completions.stream(**asked) as events:
            return events.get_final_completion()


def _told(call: Any, dispatch: Callable[[ToolCall], str]) -> dict[str, Any]:
    content = dispatch(ToolCall(call.function.name, call.function.arguments))
    return {"role": "tool", "tool_call_id": call.id, "content": content}


DRIVER = Chat()
