"""The origin of a value: its source, and the form in which the source contains it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from abs_shield.text.safe_display import escaped

Source = Literal["system", "user", "tool", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """
    The place in a run where a value was first mentioned.

    Attributes:
        source: The source of the text: ``system``, ``user`` or ``tool``; the most trusted one if
            several mention the value. ``unknown`` if the session is incomplete, because text was
            dropped or the model read something unrecorded, so that a missing mention proves
            nothing.
        how: The form of the mention: verbatim (``exact``), in another spelling (``variant``), as
            another form of a date, number or code (``typed``), as a whole word of a longer value
            (``part``), composed in a format that a text prescribes (``composed``), or word by word
            (``words``).
        tool: The tool whose result mentions it; empty for other sources.
        call_id: The id of that tool's call.
        version: The log's version at which it was first mentioned.
        fields: Names of the fields that have the value in results, at most eight.
        prose: Whether running text also mentions it.
        reason: The reason why the source is unknown; else empty.
    """

    source: Source
    how: str = ""
    tool: str = ""
    call_id: str = ""
    version: int = 0
    fields: tuple[str, ...] = ()
    prose: bool = False
    reason: str = ""

    def __str__(self) -> str:
        if self.source == "unknown":
            return f"unknown: {self.reason}"
        return (
            f"a result of `{escaped(self.tool)}`" if self.source == "tool" else f"the {self.source}"
        )
