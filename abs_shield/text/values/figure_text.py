"""Preparation of a text for the extraction of figures, with unchanged offsets."""

from __future__ import annotations

import re
import unicodedata

from abs_shield.text.values.numerals import DIGITS

# No form matches this character, and the offsets stay.
_GONE = "\x00"
_RUN = re.compile(r"\d[\d.]{0,40},[\d.,]*\d")
_NUMBER = re.compile(DIGITS)
_ONE = re.compile(r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)*")


def unescape_newlines(text: str) -> str:
    r"""
    Return *text* with escaped line ends as real ones; offsets stay.

    >>> unescape_newlines(r"one\ntwo").splitlines()
    ['one ', 'two']
    """
    return text.replace("\\n", " \n") if "\\n" in text else text


def separate_numbers(text: str) -> str:
    """
    Return *text* with a semicolon for each comma between two numbers; offsets stay.

    >>> separate_numbers("3,54.20 and 0.31,127.88"), separate_numbers("1,200.50 and 12,5")
    ('3;54.20 and 0.31;127.88', '1,200.50 and 12,5')
    """
    return _RUN.sub(_parted, text) if "," in text else text


def _parted(run: re.Match[str]) -> str:
    text = run[0]
    if _NUMBER.fullmatch(text):
        return text
    pieces, behind = [], 0
    for one in _ONE.finditer(text):
        between = text[behind : one.start()]
        pieces += [";" if between == "," else between, one[0]]
        behind = one.end()
    return "".join((*pieces, text[behind:]))


def blank_spans(text: str, spans: list[tuple[int, int]]) -> str:
    """Return the text with blanked spans, in which nothing more matches."""
    if not spans:
        return text
    pieces, behind = [], 0
    for start, end in spans:
        start = max(start, behind)
        pieces += [text[behind:start], _GONE * (end - start)]
        behind = max(end, behind)
    return "".join((*pieces, text[behind:]))


class _AsciiCharacters(dict[int, str]):
    """A translation of digits, hyphens, colons and blanks to ASCII, one for one."""

    def __missing__(self, code: int) -> str:
        digit = unicodedata.decimal(chr(code), None)
        plain = chr(code) if digit is None else str(digit)
        if len(self) < 1 << 16:  # characters: a text of rare ones must not fill the memory
            self[code] = plain
        return plain


PLAIN = _AsciiCharacters(
    {
        ord(variant): plain
        for plain, several in {
            "-": "\u2010\u2011\u2012\u2013\u2212", ":": "\uff1a\u2236", "'": "\u2019",
            "$": "\uff04", "%": "\uff05", ".": "\uff0e", ",": "\uff0c", "+": "\uff0b",
        }.items()
        for variant in several
    }
)  # fmt: skip
