"""One piece of personal data in a text, without the value; and the selection among several."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

_CHARACTER = re.compile(r"[^\W_]")
LONGEST_MASK = 48
"""Maximum length of a masked form, enough to recognise even a long address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pii:
    """
    One piece of personal data.

    Attributes:
        name: Its kind, such as `SSN` or `BankAccountNumber`.
        start: Offset of its first character in the text.
        end: Offset after its last character.
        masked: Its layout, with each letter and digit replaced by an asterisk.
        confidence: The confidence of its recogniser, in [0, 1].
        recogniser: Its recogniser, such as `US.SSN` or `presidio.US_SSN`.
    """

    name: str
    start: int
    end: int
    masked: str
    confidence: float
    recogniser: str


def mask(value: str) -> str:
    """
    Return the layout of a value, without its letters and digits.

    >>> mask("078-05-1120"), mask("jo.doe@mail.org")
    ('***-**-****', '**.***@****.***')
    """
    # the layout stays, so that a person recognises the kind of value
    return _CHARACTER.sub("*", value[:LONGEST_MASK])


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
