"""Texts without their separators, in which a value is found however it is separated."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

from abs_shield.text.normal_form import is_unspaced_script, remove_accents
from abs_shield.text.spelling_equivalence import (
    ACCENTS,
    BLANK,
    CODES,
    FULL_STOP,
    NOTHING,
    OTHER,
    SIGNIFICANT,
    SLIGHT,
    code_of,
    is_one_value,
)

_GAPS = re.compile(r"([\W_]+)")
_SOFT = re.compile(r"[ \t]?[-./()'\u2019#+~\\_]{0,2}[ \t]?|[-./:=?&%@!*$^()'\u2019#+~\\_]{1,4}")
# Distances between two letters, in order; a border of a word needs a minimum distance.
_INSIDE, _UNDERSCORE, _DOTTED, _JOINED, _LOOSE, _APART = range(6)
_TYING = frozenset({SLIGHT["-"], SLIGHT["_"], FULL_STOP})
"""Separators that join the parts of an identifier, and an identifier to words beside it."""
_OF_ADDRESS = frozenset({FULL_STOP, *map(SIGNIFICANT.get, ("@", ":", "://"))})
_ENOUGH, _LEAST_WORD = 3, 2
_VOWELS = frozenset("aeiou")
"""Vowels of words beside an identifier; two letters with one are a case ending: ``tx-5-et``."""
_LONGEST_WORD = 64  # letters of a word that are passed one by one
_MOST_BEFORE = 256  # characters before an address; a path or a display name is shorter


def separators(normalised: str) -> bytes:
    """
    Return a code for the separator before each letter and digit but the first; 0 is none.

    >>> len(separators("tx-12345")), separators("tx_12").count(0), separators("tx 12")[1]
    (6, 2, 1)
    """
    return SeparatorlessText.of(normalised).codes[1:-1]


def is_ending(letters: str) -> bool:
    """
    Return whether letters after a code are a word or a case ending, not a part of the code.

    >>> [is_ending(letters) for letters in ("x", "xl", "et", "order", "\u05dc")]
    [False, False, True, True, True]
    """
    if len(letters) >= _ENOUGH or not letters.isascii():
        return True
    return len(letters) >= _LEAST_WORD and not _VOWELS.isdisjoint(letters)


class SeparatorlessText(NamedTuple):
    """
    Letters and digits of a normalised text, and the separators before them.

    Attributes:
        letters: The text without separators, vowel signs and accents.
        gaps: The distance from each letter, and from the end, to the previous letter; a byte each.
        codes: The separator before each of them: 0 is none, 255 the end, or several separators.
    """

    letters: str
    gaps: bytes
    codes: bytes

    @classmethod
    def of(cls, normalised: str) -> SeparatorlessText:
        """Parse a text, in linear time."""
        return _short(normalised) if len(normalised) <= _LONGEST_SHORT else _read(normalised)

    def followed(self, later: SeparatorlessText) -> SeparatorlessText:
        """Return this text followed by a *later* one on another line."""
        return SeparatorlessText(
            self.letters + later.letters, self.gaps[:-1] + later.gaps, self.codes[:-1] + later.codes
        )

    def holds(self, letters: str, *, whole: bool = False) -> bool:
        """Return whether *letters* occur here; see `place`."""
        return self.place(letters, whole=whole) >= 0

    def place(
        self, letters: str, spelt: bytes | None = None, *, whole: bool = False, start: int = 0
    ) -> int:
        """
        Return the position of *letters* as whole words, with any separators inside; -1 if none.

        A word ends at a separator; in a script without spaces, anywhere. A line's end, or a comma
        or a full stop before a space, is never inside one value.

        Args:
            letters: The letters and digits of the value.
            spelt: The separators of the value; those of the text must be equivalent.
            whole: Whether the value is an address, which neither begins after a hyphen or a full
                stop inside another one nor ends before a full stop.
            start: The first letter of the search.
        """
        at = self.letters.find(letters, start) if letters else -1
        # Only a code must be complete: a value of several words may be beside other words.
        coded = spelt is not None and any(map(str.isdigit, letters)) and BLANK not in spelt
        while at >= 0:
            end = at + len(letters)
            if (
                self._borders(at, _LOOSE if whole else _DOTTED, at - 1)
                and self._borders(end, _JOINED if whole else _DOTTED, end)
                and (not whole or self._begins_address(at))
                and (whole or not coded or self._is_whole(at, end))
                and _APART not in self.gaps[at + 1 : end]
                and (spelt is None or is_one_value(letters, spelt, self.codes[at + 1 : end]))
            ):
                return at
            at = self.letters.find(letters, at + 1)
        return -1

    def stands_whole(self, letters: str) -> bool:
        """Return whether a code occurs here on its own, not as a part of a longer one."""
        at = self.letters.find(letters)
        while at >= 0:
            end = at + len(letters)
            if _INSIDE not in (self.gaps[at], self.gaps[end]) and self._is_whole(at, end):
                return True
            at = self.letters.find(letters, at + 1)
        return False

    def _is_whole(self, at: int, end: int) -> bool:
        """
        Return whether a code is complete: only words, and no codes, are joined to it.

        One letter before a number, and two before a code, are a label: ``w-7731``,
        ``id-abc123``. A letter after it is a part of it: ``abc123-x``.
        """
        if self.codes[at] in _TYING:
            before = self._words(at, -1)
            number = self.letters[at:end].isdigit()
            if not (before and number) and len(before) < _LEAST_WORD and before.isascii():
                return False
        if self.codes[end] not in _TYING:
            return True
        behind = self._words(end, 1)
        if self.codes[end] == FULL_STOP and len(behind) >= _LEAST_WORD:
            return True
        return is_ending(behind)

    def _words(self, at: int, step: int) -> str:
        """Return the first few letters of the words tied to a position, up to a code."""
        tied_letters = ""
        while len(tied_letters) < _ENOUGH:
            end = at
            while self._goes_on(end, step) and abs(end - at) < _LONGEST_WORD:
                end += step
            end += step
            word = self.letters[at:end] if step > 0 else self.letters[max(end, 0) : at]
            if not word.isalpha():
                return tied_letters
            tied_letters += word
            at = end
            if not 0 < at < len(self.letters) or self.codes[at] not in _TYING:
                return tied_letters
        return tied_letters

    def _goes_on(self, at: int, step: int) -> bool:
        """Return whether a word continues beyond the letter after a position, or before it."""
        border = at + 1 if step > 0 else at - 1
        return 0 < border < len(self.letters) and self.gaps[border] == _INSIDE

    def _begins_address(self, at: int) -> bool:
        """Return whether an address begins here, unlike a name with a slash: ``a/bob@x.org``."""
        if self.codes[at] != SIGNIFICANT["/"]:
            return True
        for before in range(at - 1, max(-1, at - _MOST_BEFORE), -1):
            if self.codes[before] in _OF_ADDRESS:
                return True
            if self.gaps[before] == _APART or self.codes[before] == BLANK:
                return False
        return False

    def holds_row(self, row: SeparatorlessText) -> bool:
        """Return whether the words of *row* occur here in order, at any distance."""
        starts = [n for n, gap in enumerate(row.gaps) if gap != _INSIDE]
        at = self.letters.find(row.letters)
        while at >= 0 and any(self.gaps[at + n] == _INSIDE for n in starts):
            at = self.letters.find(row.letters, at + 1)
        return at >= 0

    def _borders(self, at: int, least: int, beyond: int) -> bool:
        """
        Return whether a word may begin or end before the letter at *at*.

        Only words may follow a hyphen or a full stop: 2024 is not in 2024-05-20.

        Args:
            beyond: The position of the letter on the other side.
        """
        gap = self.gaps[at]
        if gap == _INSIDE:
            return is_unspaced_script(self.letters[at - 1 : at + 1])
        counts = gap in (_DOTTED, _JOINED) and self.letters[beyond].isdigit()
        return gap >= least and not counts


_LONGEST_SHORT = 1_024  # characters of a value; messages are too large to be cached


def _read(normalised: str) -> SeparatorlessText:
    split = _GAPS.split(remove_accents(normalised))
    pieces = split[::2]
    letters = "".join(pieces)
    gaps, codes = bytearray(len(letters) + 1), bytearray(len(letters) + 1)
    # A copy, because separators of one text must not fill the shared table.
    separators = _BETWEEN.copy()
    at, gap, code = 0, _APART, OTHER  # the beginning of a text is a border
    for piece, behind in zip_longest(pieces, split[1::2], fillvalue=""):
        if piece:
            gaps[at], codes[at] = gap, code
            at += len(piece)
            gap, code = _INSIDE, NOTHING
        read = separators.get(behind)
        if read is None:
            read = separators[behind] = _between(behind)
        beyond, code = read
        if beyond > gap:
            gap = beyond
    gaps[at], codes[at] = _APART, OTHER
    return SeparatorlessText(letters, bytes(gaps), bytes(codes))


_short = lru_cache(maxsize=64)(_read)
"""Cached, because several searches for a value need it."""


def _gap(between: str) -> int:
    """Return the distance between the letters around a separator."""
    if ACCENTS.fullmatch(between):
        return _INSIDE
    if between.strip("_") == "":
        return _UNDERSCORE
    if between in (".", "+"):
        return _DOTTED
    if between in ("-", "'", "\u2019"):
        return _JOINED
    # ". " ends a sentence, even between short words
    soft = _SOFT.fullmatch(between) and not between.endswith(". ")
    return _LOOSE if soft else _APART


def _between(between: str) -> tuple[int, int]:
    """Return the distance between the letters around a separator, and its code."""
    return _gap(between), code_of(between)


_BETWEEN = {"": (_INSIDE, NOTHING)} | {one: _between(one) for one in (*CODES, " ", ", ", ". ")}
"""The most common separators."""
