"""A text without its separators, so that one search finds every spelling of a code."""

from __future__ import annotations

import re
from dataclasses import dataclass

from abs_shield.text.normal import MARKS, unaccented, unspaced

_GAPS = re.compile(r"([\W_]+)")
_SIGNS = re.compile(rf"[{MARKS}\u0300-\u036f]+")
_SOFT = re.compile(r"[ \t]?[-./()'\u2019#+~\\_]{0,2}[ \t]?|[-./:=?&%@!*$^()'\u2019#+~\\_]{1,4}")
_INSIDE, _UNDERSCORE, _DOTTED, _JOINED, _LOOSE, _APART = range(6)


@dataclass(frozen=True, slots=True)
class Tight:
    """
    Letters and digits of a normalised text, and what stood before each of them.

    Attributes:
        letters: The text without separators, vowel signs and accents.
        gaps: One byte a letter, and one for the end: how far it stands from the letter before.
    """

    letters: str
    gaps: bytes

    @classmethod
    def of(cls, normalised: str) -> Tight:
        """Read a text, in linear time."""
        letters: list[str] = []
        gaps = bytearray()
        gap = _APART
        for n, piece in enumerate(_GAPS.split(unaccented(normalised))):
            if n % 2:
                gap = max(gap, _gap(piece))
            elif piece:
                letters.append(piece)
                gaps.append(gap)
                gaps.extend(bytes(len(piece) - 1))
                gap = _INSIDE
        gaps.append(_APART)
        return cls("".join(letters), bytes(gaps))

    def followed(self, later: Tight) -> Tight:
        """Give this text and a *later* one behind it, on another line."""
        return Tight(self.letters + later.letters, self.gaps[:-1] + later.gaps)

    def holds(self, letters: str, *, whole: bool = False) -> bool:
        """Whether *letters* stand here; see `place`."""
        return self.place(letters, whole=whole) >= 0

    def place(self, letters: str, *, whole: bool = False, start: int = 0) -> int:
        """
        Where *letters* stand here as whole words, whatever separators are within; -1 if nowhere.

        A word ends at a separator; in a script without blanks, anywhere. A line's end, a comma
        or a full stop with a blank behind it is never within one value.

        Args:
            letters: Letters and digits alone.
            whole: Whether the value is an address: none begins behind a hyphen or a full stop
                inside another, and none ends before a full stop.
            start: The letter from which on to look.
        """
        at = self.letters.find(letters, start) if letters else -1
        while at >= 0:
            end = at + len(letters)
            if (
                self._borders(at, _LOOSE if whole else _DOTTED, at - 1)
                and self._borders(end, _JOINED if whole else _DOTTED, end)
                and _APART not in self.gaps[at + 1 : end]
            ):
                return at
            at = self.letters.find(letters, at + 1)
        return -1

    def _borders(self, at: int, least: int, beyond: int) -> bool:
        """
        Whether a word may begin or end before the letter at *at*.

        Behind a hyphen or a full stop only words may follow: 2024 is not in 2024-05-20.

        Args:
            beyond: The place of the letter on the other side.
        """
        gap = self.gaps[at]
        if gap == _INSIDE:
            return unspaced(self.letters[at - 1 : at + 1])
        counts = gap in (_DOTTED, _JOINED) and self.letters[beyond].isdigit()
        return gap >= least and not counts


def _gap(between: str) -> int:
    """How far apart the letters around a separator stand."""
    if _SIGNS.fullmatch(between):
        return _INSIDE
    if between.strip("_") == "":
        return _UNDERSCORE
    if between in (".", "+"):
        return _DOTTED
    if between in ("-", "'", "\u2019"):
        return _JOINED
    soft = _SOFT.fullmatch(between) and not between.endswith(". ")
    return _LOOSE if soft else _APART
