"""Reads the inputs of a caller: unreadable calls never raise, wrong constructor arguments do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.core.messages import UnreadableMessage, bound_names, read_calls
from abs_shield.errors import PolicyError
from abs_shield.text.safe_display import shown


def single_call(call: Any) -> ToolCall:
    """Return the only call of any shape; a call without a name where there is not exactly one."""
    if type(call) is ToolCall:
        return bound_names(call)
    read = calls_in(call)
    return read[0] if len(read) == 1 else ToolCall("")


def calls_in(calls: Any) -> tuple[ToolCall, ...]:
    """Return the calls of any shape; an unreadable one becomes a call without a name."""
    if isinstance(calls, ToolCall):
        return (bound_names(calls),)
    # A text is a sequence, too, of ever more texts.
    if isinstance(calls, Sequence) and not isinstance(calls, (str, bytes)):
        return tuple(call for part in calls for call in calls_in(part))
    try:
        return read_calls(calls)
    except UnreadableMessage:
        # It is judged, and found to name no tool: a model's mistake is no exception of the host's.
        return (ToolCall(""),)


def require_attribute(part: Any, name: str, ability: str, wanted: str) -> None:
    """
    Raise if a part of a Shield is neither None nor an object with the attribute *ability*.

    Raises:
        PolicyError: The attribute is missing; *wanted* describes a valid value.
    """
    if part is not None and not hasattr(part, ability):
        raise PolicyError(f"Shield: `{name}` is {shown(part)}; give {wanted}")
