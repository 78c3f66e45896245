"""A claim with its figures written as the evidence writes them, for a comparison of words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

from abs_shield.answer.types import Claim, Spelling


@dataclass(slots=True)
class Respelt:
    """
    The text of a claim in another spelling, and where its parts stand in the answer.

    Attributes:
        text: The text.
    """

    text: str = ""
    _starts: list[int] = field(default_factory=list)
    _places: list[tuple[int, int, bool]] = field(default_factory=list)

    def add(self, text: str, start: int, end: int, *, same: bool) -> None:
        """Append *text*, which stands for a stretch of the answer, or is the *same* as it."""
        if text:
            self._starts.append(len(self.text))
            self._places.append((start, end, same))
            self.text += text

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return the stretch of the answer that a stretch of the text stands for."""
        first, last = (bisect_right(self._starts, at) - 1 for at in (start, end - 1))
        left, _, left_same = self._places[first]
        begin, right, right_same = self._places[last]
        return (
            left + (start - self._starts[first]) * left_same,
            begin + end - self._starts[last] if right_same else right,
        )


def respelt(claim: Claim, spellings: Iterable[Spelling]) -> Respelt:
    """
    Return *claim* with each of *spellings* in the place of what it stands for.

    >>> respelt(Claim("Two hundred came.", 5, 22), [Spelling("200", 5, 16)]).text
    '200 came.'
    """
    made, at = Respelt(), claim.start
    for one in sorted(spellings, key=lambda one: one.start):
        if at <= one.start and one.end <= claim.end:
            made.add(
                claim.text[at - claim.start : one.start - claim.start], at, one.start, same=True
            )
            made.add(one.text, one.start, one.end, same=False)
            at = one.end
    made.add(claim.text[at - claim.start :], at, claim.end, same=True)
    return made
