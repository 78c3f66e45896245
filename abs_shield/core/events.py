"""Events of a run, one record for each kind; messages of every shape are parsed into them."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from abs_shield.core.call import ToolCall

Role = Literal["system", "user", "assistant"]


class MessageText(NamedTuple):
    """A text of the system, the user or the agent; *at* is in seconds since the epoch."""

    role: Role
    text: str
    at: float | None = None


class Proposed(NamedTuple):
    """
    The model proposed *calls* in one turn; none has run.

    *decision_id* is that of a single call which was judged already.
    """

    calls: tuple[ToolCall, ...]
    at: float | None = None
    decision_id: str | None = None


class Returned(NamedTuple):
    """
    A call came back with *value*, or failed.

    *decision_id* is that of the call, where it was judged already.
    """

    name: str
    value: Any
    call_id: str | None = None
    error: bool = False
    at: float | None = None
    decision_id: str | None = None


class Opaque(NamedTuple):
    """Something that only the model saw: an image, a file, a server-side state."""

    reason: str
    at: float | None = None


Event = MessageText | Proposed | Returned | Opaque
