"""A claim with its values in the evidence's spelling, for the comparison of words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

from abs_shield.answer.claim_types import Claim, Spelling


@dataclass(slots=True)
class Respelling:
    """
    The text of a claim in another spelling, and the place of its parts in the answer.

    Attributes:
        text: The text.
    """

    text: str = ""
    _starts: list[int] = field(default_factory=list)
    _places: list[tuple[int, int, bool]] = field(default_factory=list)

    def add(self, text: str, start: int, end: int, *, same: bool) -> None:
        """Append *text* for the answer's ``[start:end]``, or that itself if it is the *same*."""
        if text:
            self._starts.append(len(self.text))
            self._places.append((start, end, same))
            self.text += text

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return the offsets in the answer of a part of the text."""
        first, last = (bisect_right(self._starts, at) - 1 for at in (start, end - 1))
        left, _, left_same = self._places[first]
        begin, right, right_same = self._places[last]
        return (
            left + (start - self._starts[first]) * left_same,
            begin + end - self._starts[last] if right_same else right,
        )


def respell(claim: Claim, spellings: Iterable[Spelling]) -> Respelling:
    """
    Return *claim* with each of *spellings*, which are in order.

    >>> respell(Claim("Two hundred came.", 5, 22), [Spelling("200", 5, 16)]).text
    '200 came.'
    """
    respelling, at = Respelling(), claim.start
    for one in spellings:
        if at <= one.start and one.end <= claim.end:  # overlapping spellings: the first one
            before = claim.text[at - claim.start : one.start - claim.start]
            respelling.add(before, at, one.start, same=True)
            respelling.add(one.text, one.start, one.end, same=False)
            at = one.end
    respelling.add(claim.text[at - claim.start :], at, claim.end, same=True)
    return respelling
