"""Input parsing: an unreadable call never raises, a wrong constructor argument does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.core.messages import UnreadableMessage, bound_names, read_calls
from abs_shield.errors import PolicyError
from abs_shield.text.safe_display import shown


def single_call(call: Any) -> ToolCall:
    """Return the only call in a value of any shape; a call without a name if there is not one."""
    if type(call) is ToolCall:
        return bound_names(call)
    read = calls_in(call)
    return read[0] if len(read) == 1 else ToolCall("")


def calls_in(calls: Any) -> tuple[ToolCall, ...]:
    """Return the calls in a value of any shape; an unreadable one becomes a call without a name."""
    if isinstance(calls, ToolCall):
        return (bound_names(calls),)
    # A text is a sequence of texts, which would recurse without end.
    if isinstance(calls, Sequence) and not isinstance(calls, (str, bytes)):
        return tuple(call for part in calls for call in calls_in(part))
    try:
        return read_calls(calls)
    except UnreadableMessage:
        # The layers report that it names no tool; a model's mistake must not raise in the host.
        return (ToolCall(""),)


def require_attribute(part: Any, name: str, ability: str, wanted: str) -> None:
    """
    Raise if a part of a Shield is neither None nor an object with the attribute *ability*.

    Raises:
        PolicyError: The attribute is missing; *wanted* describes a valid value.
    """
    if part is not None and not hasattr(part, ability):
        raise PolicyError(f"Shield: `{name}` is {shown(part)}; give {wanted}")
