"""Removal of markup that splits an identifier for a machine, but not for a reader."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

_INLINE = "b|i|em|strong|u|s|mark|small|span|code|sub|sup|tt|font|wbr|bdi|ins|del"
_MARK = re.compile(
    r"(?P<gone>[\u200b-\u200d\u2060\ufeff\u00ad]+"
    r"|(?<![\w*`~])[*_`~]{1,3}(?=[A-Z0-9])|(?<=[A-Z0-9])[*_`~]{1,3}(?![\w*`~])"
    rf"|</?(?:{_INLINE})(?: (?:class|style)=\"[^\"<>\d@]{{0,80}}\")? ?/?>)"
    r"|(?P<at>%40|&#64;|&commat;)|(?P<blank>&nbsp;|&#160;|&#x[aA]0;)"
)
"""
Zero-width characters, Markdown emphasis, inline HTML tags, and escapes.

Tags with other attributes stay, because these may contain personal data.
"""
_SOME = re.compile(r"[\u200b-\u200d\u2060\ufeff\u00ad*_`~<%&]")


class Unmarked(NamedTuple):
    """
    A text without marks.

    Attributes:
        text: The text.
        places: Places in it at which something was removed, in order.
        shifts: Number of removed characters up to each of them.
    """

    text: str
    places: tuple[int, ...] = ()
    shifts: tuple[int, ...] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the offsets in the original text."""
        return self._original(start), self._original(end - 1) + 1

    def _original(self, place: int) -> int:
        n = bisect_right(self.places, place)
        return place + (self.shifts[n - 1] if n else 0)


def unmarked(text: str) -> Unmarked:
    """
    Return a text without marks, in linear time.

    >>> plain = unmarked("Her card is **4539** <b>1488</b>, ann%40mail.org")
    >>> plain.text, plain.span(12, 16)
    ('Her card is 4539 1488, ann@mail.org', (14, 18))
    """
    if _SOME.search(text) is None:  # most texts have no marks
        return Unmarked(text)
    parts: list[str] = []
    places: list[int] = []
    shifts: list[int] = []
    behind = length = 0
    for mark in _MARK.finditer(text):
        instead = "@" if mark["at"] else " " if mark["blank"] else ""
        parts += (text[behind : mark.start()], instead)
        length += mark.start() - behind + len(instead)
        behind = mark.end()
        places.append(length)
        shifts.append(behind - length)
    return Unmarked("".join((*parts, text[behind:])), tuple(places), tuple(shifts))
