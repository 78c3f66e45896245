"""What can happen in a run, one record a kind; every message shape is read into these."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from abs_shield.core.call import ToolCall

Role = Literal["system", "user", "assistant"]


class Said(NamedTuple):
    """Somebody wrote *text*; *at* is seconds since the epoch where known."""

    role: Role
    text: str
    at: float | None = None


class Proposed(NamedTuple):
    """
    The model proposed *calls* in one turn; none has run.

    *decision_id* names what the door decided of a single call, where the door took it in.
    """

    calls: tuple[ToolCall, ...]
    at: float | None = None
    decision_id: str | None = None


class Returned(NamedTuple):
    """
    A call came back with *value*, or failed.

    *decision_id* names what the door decided of the call, where it ran behind the door.
    """

    name: str
    value: Any
    call_id: str | None = None
    error: bool = False
    at: float | None = None
    decision_id: str | None = None


class Opaque(NamedTuple):
    """The model saw something that we did not: an image, a file, a server-side state."""

    reason: str
    at: float | None = None


Event = Said | Proposed | Returned | Opaque
