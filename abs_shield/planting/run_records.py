"""Convert a run to the flat form in which a folder of planted cases stores it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.core.events import Event, MessageText, Opaque, Proposed, Returned
from abs_shield.planting.joined_runs import FAILED, Joined
from abs_shield.policy import Tool
from abs_shield.policy.tool import HINTS


def record(run: Joined) -> dict[str, Any]:
    """Return a run as a line; its labels list the calls that do not count as right."""
    # failed calls are a list, others need their reason
    failed = [index for index, why in run.set_aside.items() if why == FAILED]
    unfounded = {str(index): why for index, why in run.set_aside.items() if why != FAILED}
    return {
        "run_id": run.run_id,
        "source": run.source,
        "toolset": run.toolset,
        "messages": [message for event in run.events for message in _messages(event)],
        "labels": {"failed_calls": failed, "unfounded": unfounded},
    }


def tool_record(tool: Tool) -> dict[str, Any]:
    """Return a tool in the flat form, with MCP's hints."""
    hints = {hint: True for hint, attribute in HINTS.items() if getattr(tool, attribute)}
    written: dict[str, Any] = {"name": tool.name, "description": tool.description}
    if tool.parameters is not None:
        written["parameters"] = tool.parameters
    return {**written, "annotations": hints} if hints else written


def _messages(event: Event) -> Iterator[dict[str, Any]]:
    at = {} if event.at is None else {"at": event.at}
    match event:
        case MessageText():
            yield {"role": event.role, "content": event.text, **at}
        case Proposed():
            yield {"role": "assistant", "tool_calls": [*map(_call, event.calls)], **at}
        case Returned():
            yield {**_result(event), **at}
        case Opaque():
            yield {"type": "unseen", **at}  # a message that a session counts as unread


def _call(call: ToolCall) -> Mapping[str, Any]:
    written = {"id": call.id, "name": call.name, "arguments": call.arguments}
    return written if call.logprobs is None else {**written, "logprobs": call.logprobs}


def _result(event: Returned) -> dict[str, Any]:
    value = event.value
    # a text stays a text: JSON would change its quotes
    content = json.dumps(value) if isinstance(value, dict | list) else value
    message = {"role": "tool", "name": event.name, "content": content}
    message |= {} if event.call_id is None else {"tool_call_id": event.call_id}
    return {**message, "error": True} if event.error else message
