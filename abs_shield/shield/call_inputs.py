"""What a caller gives: calls of every shape are read and none raises; a wrong part does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.core.messages import UnreadableMessage, read_calls, sound
from abs_shield.errors import PolicyError
from abs_shield.text.show import shown


def single_call(call: Any) -> ToolCall:
    """The one call of any shape; what holds none, or several, is a call without a name."""
    if type(call) is ToolCall:
        return sound(call)
    read = calls_in(call)
    return read[0] if len(read) == 1 else ToolCall("")


def calls_in(calls: Any) -> tuple[ToolCall, ...]:
    """Give the calls of any shape; what is none becomes a call without a name."""
    if isinstance(calls, ToolCall):
        return (sound(calls),)
    if isinstance(calls, Sequence) and not isinstance(calls, (str, bytes)):
        return tuple(call for part in calls for call in calls_in(part))
    try:
        return read_calls(calls)
    except UnreadableMessage:
        return (ToolCall(""),)


def require_attribute(part: Any, name: str, ability: str, wanted: str) -> None:
    """
    Take a part of a Shield that is None or has the *ability* it is there for.

    Raises:
        PolicyError: It has not; *wanted* says what to give.
    """
    if part is not None and not hasattr(part, ability):
        raise PolicyError(f"Shield: `{name}` is {shown(part)}; give {wanted}")
