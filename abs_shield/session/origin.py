"""Where a value came from: who said it first, and how it stood there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from abs_shield.text.safe_display import escaped

Source = Literal["system", "user", "tool", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """
    Where the run has a value from.

    Attributes:
        source: Who said it, the most trusted first; ``unknown`` where the run has forgotten
            text, or saw what was not shown to us, so that a miss proves nothing.
        how: As it stood (``exact``), in another spelling (``variant``), as another form of a
            date, number or code (``typed``), as a whole word of something longer (``part``), put
            together as a format prescribes (``composed``), or word by word (``words``).
        tool: The tool whose result brought it; empty for a person's words.
        call_id: That call.
        version: The log's version at which it first came.
        fields: Names of the fields under which it stood in results, at most eight.
        prose: Whether it stood in running text, too.
        reason: Why the source is unknown.
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
