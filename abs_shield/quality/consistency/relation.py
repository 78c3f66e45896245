"""Relations between statements of a text, as the kinds of contradiction report them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abs_shield.quality.consistency.interval import Interval
from abs_shield.quality.quality_types import OutputFinding
from abs_shield.quality.reading import Reading, Sentence
from abs_shield.text.values.figure import Figure

Relations = Iterator[OutputFinding | None]
"""None for each relation that holds, and a finding for each that does not."""
_LONGEST_CLAIM = 300  # a sentence or two: enough for an agent to find the place


def fault(
    reading: Reading, span: tuple[int, int], code: str, *, detail: str, remedy: str
) -> OutputFinding:
    """
    Return the finding of a relation that does not hold.

    Args:
        reading: The text.
        span: The offsets of the statements, from the first to the last.
        code: Name of the kind, such as `CONTRADICTORY_TOTAL`.
        detail: The conflicting figures in one line, without names.
        remedy: The instruction for the agent.
    """
    start, end = span
    return OutputFinding(
        code=code,
        start=start,
        end=end,
        detail=detail,
        claim=reading.text[start : min(end, start + _LONGEST_CLAIM)],
        requirement="Statements of one text must agree with each other",
        remedy=remedy,
        critical=True,
    )


def span_of(sentence: Sentence, match: re.Match[str]) -> tuple[int, int]:
    """Return the offsets of a match in the text."""
    return sentence.span(*match.span())


def is_positive(*intervals: Interval) -> bool:
    """Return whether all intervals are positive."""
    return all(one.low > 0 for one in intervals)


def is_alike(one: Figure, other: Figure) -> bool:
    """Return whether two figures may be values of one quantity: same kind, compatible units."""
    if one.kind != other.kind:
        return False
    return one.unit == other.unit or (
        # the "unit" of a count is the noun after it, which a text may vary
        one.unit != "%" and other.unit != "%" and one.kind == "number"
    )
