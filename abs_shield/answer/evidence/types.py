"""The evidence for an answer: passages of text with their source, indexed once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Source(StrEnum):
    """Where a passage came from."""

    TOOL_RESULT = "tool_result"
    USER = "user"
    SYSTEM = "system"
    ALLOWLIST = "allowlist"


@dataclass(frozen=True, slots=True)
class Passage:
    """
    One message, tool result or document.

    Attributes:
        id: Its name in spans, e.g. ``"result:3"`` or a document's own id.
        source: Where it came from.
        text: What a person reads of it; JSON as one ``path: value`` a line.
        name: The tool that returned it; empty of anything else.
        lines: For JSON: each line's (start, end, pointer) in *text*; empty of other text.
        value: The tool result itself, in JSON's shape; None of other text.
        arguments: What the tool was called with, in JSON's shape; None where it is not known.
        cut: Whether it was too large to be read whole.
        numbers: How many numbers and sentences it has, about.
    """

    id: str
    source: Source
    text: str
    name: str = ""
    lines: tuple[tuple[int, int, str], ...] = ()
    value: Any = None
    arguments: Any = None
    cut: bool = False
    numbers: int = 0


@dataclass(frozen=True, slots=True)
class ExecutedAction:
    """
    A call that ran: unless it failed, an answer may report it as done.

    Attributes:
        tool: Its tool.
        arguments: Its arguments.
        reads: Whether the tool only reads.
        value: What it returned, in JSON's shape; None where it is not known.
    """

    tool: str
    arguments: Any
    reads: bool = False
    value: Any = None


class Evidence:
    """
    Passages in the order in which the run saw them; what scorers derive from them is kept here.

    Args:
        pieces: The pieces.
        deeds: Calls that ran without failing; None where it is not known what ran.
        failed: Calls that failed, or whose result says that nothing was done.
        blind: Why a miss proves nothing: something was seen that stands in no piece, or a part of
            the evidence is not read; else empty.
        unread: Why a part of it is not read; empty where it is read whole.
        vouches: Whether somebody vouches for a value that stands in no piece; None where nobody
            does.
    """

    def __init__(
        self,
        pieces: tuple[Passage, ...],
        *,
        executed: tuple[ExecutedAction, ...] | None = None,
        failed: tuple[ExecutedAction, ...] = (),
        blind: str = "",
        unread: str = "",
        vouches: Callable[[str], bool] | None = None,
    ) -> None:
        self.pieces = pieces
        self.executed = executed
        self.failed = failed
        self.blind = blind or unread
        self.unread = unread
        self.vouches = vouches
        self._derived: dict[Any, Any] = {}

    def __iter__(self) -> Iterator[Passage]:
        return iter(self.pieces)

    def derived(self, make: Any) -> Any:
        """Return ``make(self)``, made once: a scorer's index of these passages."""
        found = self._derived.get(make)
        if found is None:
            found = self._derived[make] = make(self)
        return found
