"""Comparison of texts without separators, and the equivalence of separators."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

from abs_shield.text.digit_groups import is_iban
from abs_shield.text.normal_form import MARKS, is_unspaced_script, remove_accents

_GAPS = re.compile(r"([\W_]+)")
_SIGNS = re.compile(rf"[{MARKS}\u0300-\u036f]+")
_SOFT = re.compile(r"[ \t]?[-./()'\u2019#+~\\_]{0,2}[ \t]?|[-./:=?&%@!*$^()'\u2019#+~\\_]{1,4}")
# Distances between two letters, in order; a border of a word needs a minimum distance.
_INSIDE, _UNDERSCORE, _DOTTED, _JOINED, _LOOSE, _APART = range(6)
_NOTHING, _BLANK, _OTHER = 0, 1, 255  # 255: a code that no separator has
# From 32, above the codes of slight separators, so that the largest code decides.
_SIGNIFICANT = {".": 32, "@": 33, ":": 34, "/": 35, "://": 36, ",": 37, "=": 38, "&": 39, "?": 40}
"""Separators that are a part of the value: in addresses, amounts, dotted names."""
_SLIGHT = {"-": 2, "_": 3, "'": 4, "#": 5, "+": 6, "~": 7}
_CODES = {**_SIGNIFICANT, **_SLIGHT, "\\": _SIGNIFICANT["/"]}
_OF_THOUSANDS = {_SIGNIFICANT[","], _SLIGHT["'"]}
_OF_GROUPS = {_BLANK, _SIGNIFICANT["/"], _SIGNIFICANT["."], *_SLIGHT.values()}
_IN_BLANKS = {_NOTHING, *_SLIGHT.values()}
_LEAST_BLANKS = 2
"""Minimum spaces, between three groups; two groups may be a code and a count."""
_LEAST_CODE = 5  # letters and digits; shorter groups are parts of one number or code
_AS_BLANKS = bytes.maketrans(bytes([_SIGNIFICANT["."]]), bytes([_BLANK]))
_FULL_STOP = _SIGNIFICANT["."]
_TYING = frozenset({_SLIGHT["-"], _SLIGHT["_"], _FULL_STOP})
"""Separators that join the parts of an identifier, and an identifier to words beside it."""
_OF_ADDRESS = frozenset({_FULL_STOP, *map(_SIGNIFICANT.get, ("@", ":", "://"))})
_ENOUGH, _LEAST_WORD = 3, 2
_VOWELS = frozenset("aeiou")
"""Vowels of words beside an identifier; two letters with one are a case ending: ``tx-5-et``."""
_LONGEST_WORD = 64  # letters of a word that are passed one by one
_MOST_BEFORE = 256  # characters before an address; a path or a display name is shorter
_ALL_BLANKS = bytes([_NOTHING, *[_BLANK] * 255])
_LEAST_SIGNIFICANT = min(_SIGNIFICANT.values())
_MOST_GROUPED = 34
"""The length of the longest IBAN; spaces in longer runs separate values."""
_LEAST_GROUPED_DIGITS, _LEAST_GROUPED = 8, 10
"""
Minimum lengths of a number, and of a code, whose groups may be joined; in shorter ones the
separator matters: 12-3456 is not 123456. Cards, accounts, IBANs, UUIDs, parcels are longer.
"""


def separators(normalised: str) -> bytes:
    """
    Return a code for the separator before each letter and digit but the first; 0 is none.

    >>> len(separators("tx-12345")), separators("tx_12").count(0), separators("tx 12")[1]
    (6, 2, 1)
    """
    return SeparatorlessText.of(normalised).codes[1:-1]


def is_in_words(letters: str, codes: bytes) -> bool:
    """Return whether the words of a value may occur apart: not in an address, path or amount."""
    return not has_significant(_in_words(codes) if letters.isalpha() else codes)


def has_significant(codes: bytes) -> bool:
    """Return whether a value has separators that are a part of it: full stops, ``@``, ``/``."""
    return max(codes, default=0) >= _LEAST_SIGNIFICANT


def is_same_spelling(letters: str, one: bytes, other: bytes) -> bool:
    """
    Return whether two spellings with the same letters and digits mean the same value.

    The separators of addresses, dotted names and amounts must be equal, except for full stops in
    place of blanks between words. Others may be changed, and added or removed beside a letter.
    Between digits they may be added or removed only in a number or code that is long enough to be
    grouped, and only everywhere at the same time, or to blanks.

    >>> def same(one, other):
    ...     letters = "".join(c for c in one if c.isalnum())
    ...     return is_same_spelling(letters, separators(one), separators(other))
    >>> same("tx_12345", "tx-12345"), same("tx12345", "tx-12345"), same("12-3456", "1-23456")
    (True, True, False)
    >>> same("192.168.1.15", "192.168.11.5"), same("de89 3704 0044", "de8937040044")
    (False, True)
    >>> same("283.114.907-66", "28311490766"), same("192.168.1.15", "192168115")
    (True, False)
    >>> same("842 115 6609", "842-1156609"), same("842-115-6609", "842-1156609")
    (True, False)
    """
    if one == other:
        return True
    grouped = one if not any(other) else other if not any(one) else None
    if letters.isdigit() and grouped is not None:
        return _is_grouped(grouped)
    if _closes_up(letters, one, other) or _closes_up(letters, other, one):
        return True
    if has_significant(one) or has_significant(other):
        return letters.isalpha() and _in_words(one) == _in_words(other)
    if _joins_codes(letters, one, other):
        return False
    if grouped is not None and len(letters) >= _LEAST_GROUPED:
        return True
    within = [
        (bool(a), bool(b), letters[at].isdigit() and letters[at + 1].isdigit())
        for at, (a, b) in enumerate(zip(one, other, strict=True))
    ]
    if any(a != b for a, b, digits in within if digits):
        return False
    return all(a <= b for a, b, _ in within) or all(a >= b for a, b, _ in within)


def may_be_several(letters: str, codes: bytes) -> bool:
    """
    Return whether a value would look like several values if its separators were spaces.

    >>> values = map(SeparatorlessText.of, ("1234-5678", "inv-2024"))
    >>> [may_be_several(value.letters, value.codes[1:-1]) for value in values]
    [True, False]
    """
    if letters.isdigit() or (len(letters) > _MOST_GROUPED and _is_mostly_digits(letters)):
        return any(codes)
    return _joins_codes(letters, codes.translate(_ALL_BLANKS), bytes(len(codes)))


def _is_mostly_digits(letters: str) -> bool:
    return 2 * sum(map(str.isdigit, letters)) > len(letters)


def is_ending(letters: str) -> bool:
    """
    Return whether letters after a code are a word or a case ending, not a part of the code.

    >>> [is_ending(letters) for letters in ("x", "xl", "et", "order", "\u05dc")]
    [False, False, True, True, True]
    """
    if len(letters) >= _ENOUGH or not letters.isascii():
        return True
    return len(letters) >= _LEAST_WORD and not _VOWELS.isdisjoint(letters)


def _stands_for(letters: str, spelt: bytes, stands: bytes) -> bool:
    """Return whether a span of a text is the value, and not several values with spaces."""
    joins = spelt != stands and any(
        a != b for a, b in zip(spelt, stands, strict=True) if b == _BLANK
    )
    if joins and (letters.isdigit() or len(letters) > _MOST_GROUPED):
        return False
    return is_same_spelling(letters, spelt, stands)


def _joins_codes(letters: str, one: bytes, other: bytes) -> bool:
    """
    Return whether one spelling has a space between two codes and the other one does not.

    >>> _joins_codes("acct1acct2", separators("acct_1 acct_2"), separators("acct_1-acct_2"))
    True
    """
    for spelt, beside in ((one, other), (other, one)):
        ends = [0, *(n + 1 for n, code in enumerate(spelt) if code == _BLANK), len(letters)]
        for start, at, end in zip(ends, ends[1:], ends[2:], strict=False):
            if (
                beside[at - 1] != _BLANK
                and _is_code(letters[start:at])
                and _is_code(letters[at:end])
            ):
                return not is_iban(letters)
    return False


def _is_code(letters: str) -> bool:
    """Return whether letters and digits of one word identify something by themselves."""
    return len(letters) >= _LEAST_CODE and not letters.isalpha()


def _in_words(codes: bytes) -> bytes:
    """Return the separators of a name, with full stops as spaces: ``robert.johnson``."""
    return codes.translate(_AS_BLANKS)


def _closes_up(letters: str, one: bytes, other: bytes) -> bool:
    """Return whether *one* is *other*, a long number or code, without some of its spaces."""
    if len(letters) < _LEAST_GROUPED_DIGITS or other.count(_BLANK) < _LEAST_BLANKS:
        return False
    closed = all(
        a == b or (b == _BLANK and a in _IN_BLANKS) for a, b in zip(one, other, strict=True)
    )
    return closed and not letters.isalpha() and not _joins_codes(letters, one, other)


def _is_grouped(codes: bytes) -> bool:
    """Return whether digits with these separators are one number: in thousands or many groups."""
    separated = {*codes} - {_NOTHING}
    sizes = [len(group) + 1 for group in re.split(rb"[^\x00]", codes)]
    if separated <= _OF_THOUSANDS:
        # groups of two are Indian: 12,34,567
        return sizes[-1] == 3 and all(size in (2, 3) for size in sizes[1:])
    if separated == {_FULL_STOP} and (len(sizes) < 3 or (len(sizes) == 4 and max(sizes) < 4)):
        return False  # an amount or an IPv4 address
    return len(codes) >= _LEAST_GROUPED_DIGITS - 1 and separated <= _OF_GROUPS


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
        coded = spelt is not None and any(map(str.isdigit, letters)) and _BLANK not in spelt
        while at >= 0:
            end = at + len(letters)
            if (
                self._borders(at, _LOOSE if whole else _DOTTED, at - 1)
                and self._borders(end, _JOINED if whole else _DOTTED, end)
                and (not whole or self._begins_address(at))
                and (whole or not coded or self._is_whole(at, end))
                and _APART not in self.gaps[at + 1 : end]
                and (spelt is None or _stands_for(letters, spelt, self.codes[at + 1 : end]))
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
        if self.codes[end] == _FULL_STOP and len(behind) >= _LEAST_WORD:
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
        if self.codes[at] != _SIGNIFICANT["/"]:
            return True
        for before in range(at - 1, max(-1, at - _MOST_BEFORE), -1):
            if self.codes[before] in _OF_ADDRESS:
                return True
            if self.gaps[before] == _APART or self.codes[before] == _BLANK:
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
    at, gap, code = 0, _APART, _OTHER  # the beginning of a text is a border
    for piece, behind in zip_longest(pieces, split[1::2], fillvalue=""):
        if piece:
            gaps[at], codes[at] = gap, code
            at += len(piece)
            gap, code = _INSIDE, _NOTHING
        read = separators.get(behind)
        if read is None:
            read = separators[behind] = _between(behind)
        beyond, code = read
        if beyond > gap:
            gap = beyond
    gaps[at], codes[at] = _APART, _OTHER
    return SeparatorlessText(letters, bytes(gaps), bytes(codes))


_short = lru_cache(maxsize=64)(_read)
"""Cached, because several searches for a value need it."""


def _code(between: str) -> int:
    """Return the code of a separator; a vowel sign belongs to its letter."""
    code = _CODES.get(between)
    if code is not None:
        return code
    if _SIGNS.fullmatch(between):
        return _NOTHING
    significant = not _SIGNIFICANT.keys().isdisjoint(between)
    if any(map(str.isspace, between)):
        return _BLANK
    return _OTHER if significant else _SLIGHT["-"]


def _gap(between: str) -> int:
    """Return the distance between the letters around a separator."""
    if _SIGNS.fullmatch(between):
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
    return _gap(between), _code(between)


_BETWEEN = {"": (_INSIDE, _NOTHING)} | {one: _between(one) for one in (*_CODES, " ", ", ", ". ")}
"""The most common separators."""
