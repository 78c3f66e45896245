"""A tool call as the model proposed it, and the events of a run: one record for each kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

Logprobs = Sequence[float | None] | Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """
    A proposed call.

    Attributes:
        name: The tool's name as the model wrote it.
        arguments: The arguments as an object, or the raw JSON string, unparsed.
        id: The provider's id of this call; None where there is none.
        logprobs: Natural-log probabilities of the tokens of the tool's name, or
            ``{"token", "logprob"}`` objects among which the name's tokens are found.
    """

    name: str
    arguments: Any = None
    id: str | None = None
    logprobs: Logprobs | None = None


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
