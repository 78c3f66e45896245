"""A tool call as the model proposed it, and the events of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from abs_shield.core.draft_records import draft_class

Logprobs = Sequence[float | None] | Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """
    A proposed call.

    Attributes:
        name: The tool's name as the model wrote it.
        arguments: The arguments as an object, or the raw JSON string, unparsed.
        id: The provider's id of this call; None if it has none.
        logprobs: Natural-log probabilities of the tokens of the tool's name, or a list of
            ``{"token", "logprob"}`` objects that contains the name's tokens.
    """

    name: str
    arguments: Any = None
    id: str | None = None
    logprobs: Logprobs | None = None


_Draft = draft_class(ToolCall)


def make_call(name: str, arguments: Any) -> ToolCall:
    """Make a call without an id and log-probabilities in half of the time of its constructor."""
    call: Any = _Draft()
    call.name = name
    call.arguments = arguments
    call.id = call.logprobs = None
    call.__class__ = ToolCall
    return call  # type: ignore[no-any-return]


Role = Literal["system", "user", "assistant"]


class MessageText(NamedTuple):
    """A text by the system, the user or the agent; *at* is in seconds since the epoch."""

    role: Role
    text: str
    at: float | None = None


class Proposed(NamedTuple):
    """
    The calls that the model proposed in one turn, before they run.

    *decision_id* is the id of the decision on a single call that is already judged.
    """

    calls: tuple[ToolCall, ...]
    at: float | None = None
    decision_id: str | None = None


class Returned(NamedTuple):
    """
    The result of a call: its *value*, or its failure.

    *decision_id* is the id of the decision on the call, if it is already judged.
    """

    name: str
    value: Any
    call_id: str | None = None
    error: bool = False
    at: float | None = None
    decision_id: str | None = None


class Opaque(NamedTuple):
    """Content that only the model can see: an image, a file, server-side state."""

    reason: str
    at: float | None = None


Event = MessageText | Proposed | Returned | Opaque
