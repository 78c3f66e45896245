"""A tool call as the model proposed it: nothing has run yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
