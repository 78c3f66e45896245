"""The members of a message that hold what it says, and those that are only about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abs_shield.core.events import Role
from abs_shield.core.unreadable import UnreadableMessage, keys_of

BODY = frozenset({"content", "parts", "tool_calls", "function_call", "refusal", "audio", "error"})
"""Members in which a message holds what it says, proposes or returns."""
_ABOUT = frozenset(
    {
        "role", "name", "id", "at", "type", "status", "annotations", "tool_call_id", "call_id",
        "reasoning", "reasoning_content", "thinking", "is_error", "isError", "model", "created_at",
    }
)  # fmt: skip
"""Members that hold nothing of it."""
_MENTIONING_ROLES: tuple[Role, ...] = ("user", "system")
"""Roles whose words count as mentions, so that a message of theirs is never taken as nothing."""
SHAPES = (
    "a message has a `role`, and `content` (OpenAI, Anthropic, Bedrock), `tool_calls` or `parts`"
    " (Gemini)"
)


def may_be_lost(message: Mapping[str, Any], role: Role, *, is_empty: bool) -> bool:
    """
    Return whether a message in which nothing was read may have said something.

    Args:
        message: The message.
        role: Its role; the agent's own words never count as a mention.
        is_empty: Whether it says itself that it is empty, as with a text of no characters.

    >>> may_be_lost({"role": "user", "content": "", "images": ["iVBO"]}, "user", is_empty=True)
    True
    """
    return role in _MENTIONING_ROLES and (not is_empty or _has_unknown_member(message))


def _has_unknown_member(message: Mapping[str, Any]) -> bool:
    return any(held and name not in _ABOUT and name not in BODY for name, held in message.items())


def require_body(message: Mapping[str, Any], role: Role | None = None) -> None:
    """
    Raise if the shape of a message is not known, which would else count as an empty one.

    Args:
        message: The message.
        role: Its role, where it says something: a user's words are in no member that is null.

    Raises:
        UnreadableMessage: None of its members is known to hold what it says.
    """
    names = [name for name in BODY if name in message]
    if names and (
        role not in _MENTIONING_ROLES or any(message[name] is not None for name in names)
    ):
        return
    if _has_unknown_member(message):
        raise UnreadableMessage(
            f"message has {keys_of(message)}, which are not known here; {SHAPES}"
        )
