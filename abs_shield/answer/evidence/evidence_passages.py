"""The evidence for an answer: passages of text with their source, and indexes built once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class PassageSource(StrEnum):
    """The origin of a passage."""

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
        source: Its origin.
        text: Its readable text; for JSON lines of ``path: value``.
        name: The tool that returned it; empty for other sources.
        lines: For JSON: each line's (start, end, pointer) in *text*; empty for other text.
        value: The tool result as a JSON value; None for other text.
        arguments: The arguments of the call as a JSON value; None if unknown.
        cut: Whether it was too large to be read whole.
        numbers: Approximate number of numbers and sentences.
    """

    id: str
    source: PassageSource
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
    An executed call, which an answer may report as done unless it failed.

    Attributes:
        tool: Its tool.
        arguments: Its arguments.
        reads: Whether the tool only reads.
        value: Its result as a JSON value; None if unknown.
    """

    tool: str
    arguments: Any
    reads: bool = False
    value: Any = None


class Evidence:
    """
    Passages in order of occurrence, with the indexes that scorers derive from them.

    Args:
        pieces: The passages.
        executed: Calls that ran without failing; None if unknown.
        failed: Calls that failed, or have a result that reports no action.
        blind: Why a missing value proves nothing: the model saw text that is in no passage, or a
            part of the evidence is not read; else empty.
        unread: Why a part of it is not read; empty if all is read.
        vouches: Returns whether a value that is in no passage is allowed; None if none is.
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

    def derived(self, build: Any) -> Any:
        """
        Return ``build(self)``, built once: a scorer's index of these passages.

        Args:
            build: A function of this evidence; it is also the key under which its result is stored.
        """
        # `None` is no index; threads may build one twice, which is harmless
        value = self._derived.get(build)
        if value is None:
            value = self._derived[build] = build(self)
        return value
