"""Conversion of the items of a response to the formats that a session reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.core.events import Opaque
from abs_shield.core.messages import UnreadableMessage, id_of, read_message
from abs_shield.session import Session
from abs_shield.session.session_record import record_of

STORED_PROMPT = "the request's prompt is stored by the provider"
_UNREAD = frozenset({"input_image", "input_file"})


def is_call(item: Any) -> bool:
    """Return whether an item calls a function of the host."""
    return getattr(item, "type", None) == "function_call"


def call_id(item: Any) -> str | None:
    """Return the id of a call, as a text."""
    return id_of(getattr(item, "call_id", None))


def call_of(item: Any) -> ToolCall:
    """Return the call of an item, with its arguments as the model wrote them."""
    return ToolCall(getattr(item, "name", ""), getattr(item, "arguments", None), call_id(item))


def mark_unread_once(session: Session, reason: str) -> None:
    """Record that the model read content that is not available here, once for each reason."""
    # once, because each request repeats the prompt
    if reason not in record_of(session).opaque_reasons:
        session.opaque(reason)


def record_hosted_tools(item: Any, session: Session) -> None:
    """Record that results of hosted tools in the same response are not visible here."""
    try:
        events = [*read_message(item)]
    except UnreadableMessage as error:
        events = [Opaque(str(error))]
    for event in events:
        if isinstance(event, Opaque):
            session.opaque(event.reason)


def output_value(output: Mapping[str, Any]) -> Any:
    """Return a tool's output as the model reads it: a text, if it contains only text."""
    value = output.get("output")
    if not isinstance(value, list):
        return value
    if all(block.get("type") == "input_text" for block in value):
        return "\n".join(block["text"] for block in value)
    return [block for block in value if block.get("type") not in _UNREAD]
