"""Every tool runner gets a Shield, and every response is read by `run_tool_calls`."""

from __future__ import annotations

from typing import Any

from openai.lib.responses_tool_runner import AsyncResponsesToolRunner, ResponsesToolRunner
from openai.lib.streaming.chat import AsyncChatCompletionStream, ChatCompletionStream
from openai.lib.streaming.responses import AsyncResponseStream, ResponseStream
from openai.resources.chat.completions import AsyncCompletions, Completions
from openai.resources.responses import AsyncResponses, Responses
from openai.types.chat import ChatCompletion
from openai.types.responses import Response
from suite_shield import answer, firewall, guard_runner, watch

from abs_shield.adapters.openai import arun_tool_calls, run_tool_calls, shielded_runner


def _read(response: Any, options: dict[str, Any]) -> None:
    if isinstance(response, ChatCompletion | Response):
        run_tool_calls(response, _sent(options), firewall=firewall(), dispatch=answer)


async def _aread(response: Any, options: dict[str, Any]) -> None:
    if isinstance(response, ChatCompletion | Response):
        await arun_tool_calls(response, _sent(options), firewall=firewall(), dispatch=answer)


def _sent(options: dict[str, Any]) -> Any:
    sent = options.get("messages", options.get("input"))
    return sent if isinstance(sent, list | str) else []


for _kind in (ResponsesToolRunner, AsyncResponsesToolRunner):
    guard_runner(_kind, shielded_runner)
for _resource in (Completions, AsyncCompletions, Responses, AsyncResponses):
    for _name in ("create", "parse"):
        watch(_resource, _name, _read, _aread)
for _stream in (ChatCompletionStream, AsyncChatCompletionStream):
    watch(_stream, "get_final_completion", _read, _aread)
for _stream in (ResponseStream, AsyncResponseStream):
    watch(_stream, "get_final_response", _read, _aread)
