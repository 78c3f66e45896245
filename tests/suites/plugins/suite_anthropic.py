"""Every tool runner gets a Shield, and every reply is read by `run_tool_calls`."""

from __future__ import annotations

from typing import Any

from anthropic.lib.streaming import (
    AsyncMessageStream,
    BetaAsyncMessageStream,
    BetaMessageStream,
    MessageStream,
)
from anthropic.lib.tools import _beta_runner as runners
from anthropic.resources.beta.messages import AsyncMessages as AsyncBetaMessages
from anthropic.resources.beta.messages import Messages as BetaMessages
from anthropic.resources.messages import AsyncMessages, Messages
from anthropic.types import Message
from anthropic.types.beta import BetaMessage
from suite_shield import answer, firewall, guard_runner, watch

from abs_shield.adapters.anthropic import arun_tool_calls, run_tool_calls, shielded_runner

RUNNERS = (
    runners.BetaToolRunner,
    runners.BetaStreamingToolRunner,
    runners.BetaAsyncToolRunner,
    runners.BetaAsyncStreamingToolRunner,
)


def _read(reply: Any, options: dict[str, Any]) -> None:
    if isinstance(reply, Message | BetaMessage):
        run_tool_calls(reply, _sent(options), firewall=firewall(), dispatch=answer)


async def _aread(reply: Any, options: dict[str, Any]) -> None:
    if isinstance(reply, Message | BetaMessage):
        await arun_tool_calls(reply, _sent(options), firewall=firewall(), dispatch=answer)


def _sent(options: dict[str, Any]) -> list[Any]:
    messages = options.get("messages")
    return messages if isinstance(messages, list) else []


for _kind in RUNNERS:
    guard_runner(_kind, shielded_runner)
for _resource in (Messages, AsyncMessages, BetaMessages, AsyncBetaMessages):
    for _name in ("create", "parse"):
        watch(_resource, _name, _read, _aread)
for _stream in (MessageStream, AsyncMessageStream, BetaMessageStream, BetaAsyncMessageStream):
    watch(_stream, "get_final_message", _read, _aread)
