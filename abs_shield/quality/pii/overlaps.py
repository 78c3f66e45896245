"""Selection among overlapping entities by rank."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Protocol, TypeVar


class TextSpan(Protocol):
    """An object with a place in a text."""

    @property
    def start(self) -> int:
        """Offset of its first character."""

    @property
    def end(self) -> int:
        """Offset after its last character."""


P = TypeVar("P", bound=TextSpan)


def without_overlaps(ranked: Iterable[P]) -> tuple[P, ...]:
    """
    Return the items that do not overlap with a higher ranked one, in the order of the text.

    >>> from types import SimpleNamespace as At
    >>> some = without_overlaps([At(start=5, end=9), At(start=0, end=6), At(start=0, end=5)])
    >>> [(one.start, one.end) for one in some]
    [(0, 5), (5, 9)]
    """
    starts: list[int] = []
    chosen: list[P] = []
    for one in ranked:
        # the chosen ones do not overlap, so only the two neighbours can
        place = bisect_left(starts, one.start)
        if place and chosen[place - 1].end > one.start:
            continue
        if place < len(starts) and starts[place] < one.end:
            continue
        starts.insert(place, one.start)
        chosen.insert(place, one)
    return tuple(chosen)
