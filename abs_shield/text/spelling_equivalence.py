"""Equivalence of two spellings of one value that differ in their separators alone."""

from __future__ import annotations

import re
from itertools import pairwise

from abs_shield.text.digit_groups import is_iban
from abs_shield.text.normal_form import MARKS

ACCENTS = re.compile(rf"[{MARKS}\u0300-\u036f]+")
NOTHING, BLANK, OTHER = 0, 1, 255  # 255: a code that no separator has
# From 32, above the codes of slight separators, so that the largest code decides.
SIGNIFICANT = {".": 32, "@": 33, ":": 34, "/": 35, "://": 36, ",": 37, "=": 38, "&": 39, "?": 40}
"""Separators that are a part of the value: in addresses, amounts, dotted names."""
SLIGHT = {"-": 2, "_": 3, "'": 4, "#": 5, "+": 6, "~": 7}
CODES = {**SIGNIFICANT, **SLIGHT, "\\": SIGNIFICANT["/"]}
FULL_STOP = SIGNIFICANT["."]
_OF_THOUSANDS = {SIGNIFICANT[","], SLIGHT["'"]}
_OF_GROUPS = {BLANK, SIGNIFICANT["/"], SIGNIFICANT["."], *SLIGHT.values()}
_IN_DOTTED = {NOTHING, BLANK, FULL_STOP, SLIGHT["-"]}
_IN_BLANKS = {NOTHING, *SLIGHT.values()}
_LEAST_BLANKS = 2
"""Minimum spaces, between three groups; two groups may be a code and a count."""
_LEAST_GROUPS = 4  # fewer groups may be two codes and a word or a count
_LEAST_CODE = 5  # letters and digits; shorter groups are parts of one number or code
_AS_BLANKS = bytes.maketrans(bytes([SIGNIFICANT["."]]), bytes([BLANK]))
_ALL_BLANKS = bytes([NOTHING, *[BLANK] * 255])
_LEAST_SIGNIFICANT = min(SIGNIFICANT.values())
_MOST_GROUPED = 34
"""The length of the longest IBAN; spaces in longer runs separate values."""
_LEAST_GROUPED_DIGITS, _LEAST_GROUPED = 8, 10
"""
Minimum lengths of a number, and of a code, whose groups may be joined; in shorter ones the
separator matters: 12-3456 is not 123456. Cards, accounts, IBANs, UUIDs, parcels are longer.
"""


def code_of(between: str) -> int:
    """Return the code of a separator; a vowel sign belongs to its letter."""
    code = CODES.get(between)
    if code is not None:
        return code
    if ACCENTS.fullmatch(between):
        return NOTHING
    significant = not SIGNIFICANT.keys().isdisjoint(between)
    if any(map(str.isspace, between)):
        return BLANK
    return OTHER if significant else SLIGHT["-"]


def is_in_words(letters: str, codes: bytes) -> bool:
    """Return whether the words of a value may occur apart: not in an address, path or amount."""
    return not has_significant(_with_blanks(codes) if letters.isalpha() else codes)


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

    >>> from abs_shield.text.separatorless import separators
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
    if grouped is not None and _is_dotted_code(letters, grouped):
        return True
    if has_significant(one) or has_significant(other):
        return letters.isalpha() and _with_blanks(one) == _with_blanks(other)
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

    >>> from abs_shield.text.separatorless import SeparatorlessText
    >>> values = map(SeparatorlessText.of, ("1234-5678", "inv-2024"))
    >>> [may_be_several(value.letters, value.codes[1:-1]) for value in values]
    [True, False]
    """
    if letters.isdigit() or (len(letters) > _MOST_GROUPED and _is_mostly_digits(letters)):
        return any(codes)
    return _joins_codes(letters, codes.translate(_ALL_BLANKS), bytes(len(codes)))


def _is_mostly_digits(letters: str) -> bool:
    return 2 * sum(map(str.isdigit, letters)) > len(letters)


def is_one_value(letters: str, spelt: bytes, stands: bytes) -> bool:
    """Return whether a span of a text is the value, and not several values with spaces."""
    joins = spelt != stands and any(
        a != b for a, b in zip(spelt, stands, strict=True) if b == BLANK
    )
    if joins and (letters.isdigit() or len(letters) > _MOST_GROUPED):
        return False
    return is_same_spelling(letters, spelt, stands)


def _joins_codes(letters: str, one: bytes, other: bytes) -> bool:
    """
    Return whether one spelling has a space between two codes and the other one does not.

    >>> from abs_shield.text.separatorless import separators
    >>> _joins_codes("acct1acct2", separators("acct_1 acct_2"), separators("acct_1-acct_2"))
    True
    """
    for spelt, beside in ((one, other), (other, one)):
        ends = [0, *(n + 1 for n, code in enumerate(spelt) if code == BLANK), len(letters)]
        if len(ends) > _LEAST_GROUPS and _are_mostly_short(letters, ends):
            continue  # several groups of one code: 9872023 VH5797S 0001 WX
        for start, at, end in zip(ends, ends[1:], ends[2:], strict=False):
            if (
                beside[at - 1] != BLANK
                and _is_code(letters[start:at])
                and _is_code(letters[at:end])
            ):
                return not is_iban(letters)
    return False


def _are_mostly_short(letters: str, ends: list[int]) -> bool:
    """Return whether at least half of the groups are too short to be codes by themselves."""
    short = sum(not _is_code(letters[start:end]) for start, end in pairwise(ends))
    return 2 * short >= len(ends) - 1


def _is_code(letters: str) -> bool:
    """Return whether letters and digits of one word identify something by themselves."""
    return len(letters) >= _LEAST_CODE and not letters.isalpha()


def _with_blanks(codes: bytes) -> bytes:
    """Return the separators of a name, with full stops as spaces: ``robert.johnson``."""
    return codes.translate(_AS_BLANKS)


def _closes_up(letters: str, one: bytes, other: bytes) -> bool:
    """Return whether *one* is *other*, a long number or code, without some of its spaces."""
    if len(letters) < _LEAST_GROUPED_DIGITS or other.count(BLANK) < _LEAST_BLANKS:
        return False
    closed = all(
        a == b or (b == BLANK and a in _IN_BLANKS) for a, b in zip(one, other, strict=True)
    )
    return closed and not letters.isalpha() and not _joins_codes(letters, one, other)


def _is_dotted_code(letters: str, codes: bytes) -> bool:
    """
    Return whether this is a long code in groups with full stops, such as a tax number.

    >>> from abs_shield.text.separatorless import SeparatorlessText
    >>> values = map(SeparatorlessText.of, ("nl 8199.44.377.b01", "v10.21.681.154", "10.21.1.154"))
    >>> [_is_dotted_code(value.letters, value.codes[1:-1]) for value in values]
    [True, False, False]
    """
    return (
        _LEAST_GROUPED <= len(letters) <= _MOST_GROUPED
        and FULL_STOP in codes
        and {*codes} <= _IN_DOTTED
        and letters[:2].isalpha()  # of a country; a version or an IP address has none
        and _is_mostly_digits(letters)
    )


def _is_grouped(codes: bytes) -> bool:
    """Return whether digits with these separators are one number: in thousands or many groups."""
    separated = {*codes} - {NOTHING}
    sizes = [len(group) + 1 for group in re.split(rb"[^\x00]", codes)]
    if separated <= _OF_THOUSANDS:
        # groups of two are Indian: 12,34,567
        return sizes[-1] == 3 and all(size in (2, 3) for size in sizes[1:])
    if separated == {FULL_STOP} and (len(sizes) < 3 or (len(sizes) == 4 and max(sizes) < 4)):
        return False  # an amount or an IPv4 address
    return len(codes) >= _LEAST_GROUPED_DIGITS - 1 and separated <= _OF_GROUPS
