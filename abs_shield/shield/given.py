"""What a caller gives as a call, or as the calls of a turn: every shape is read, none raises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.core.messages import UnreadableMessage, read_calls, sound


def one(call: Any) -> ToolCall:
    """The one call of any shape; what holds none, or several, is a call without a name."""
    if type(call) is ToolCall:
        return sound(call)
    read = readable(call)
    return read[0] if len(read) == 1 else ToolCall("")


def readable(calls: Any) -> tuple[ToolCall, ...]:
    """Give the calls of any shape; what is none becomes a call without a name."""
    if isinstance(calls, ToolCall):
        return (sound(calls),)
    if isinstance(calls, Sequence) and not isinstance(calls, (str, bytes)):
        return tuple(call for part in calls for call in readable(part))
    try:
        return read_calls(calls)
    except UnreadableMessage:
        return (ToolCall(""),)
