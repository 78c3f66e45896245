"""The claims of an output, each with its context."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate

from abs_shield.quality.reading import Reading, Sentence

_QUOTED = re.compile(
    r"[\"\u201c\u201e\u00ab][^\"\u201c\u201d\u201e\u00ab\u00bb\n]{3,600}[\"\u201d\u00bb]"
)
_NOTE = re.compile(r"\[(\w{1,3})\]|(?<=\w|[.%)])([*\u2020\u2021\u00b9\u00b2\u00b3]{1,3})(?!\w)")
_NOTE_LINE = re.compile(
    r"^[^\S\n]*(?:\[(\w{1,3})\]:?|([*\u2020\u2021\u00b9\u00b2\u00b3]{1,3}))[^\S\n]+(\S.*)$", re.M
)


class ClaimScope:
    """
    The claims of one output, each with its context.

    >>> from abs_shield.quality.reading import read_text
    >>> scope = ClaimScope(read_text("Sales rose 8%.[1]\\n\\n[1] 800 bps over 2023."))
    >>> ["bps" in scope.context_of(claim) for claim in scope.claims()]
    [True]
    """

    def __init__(self, reading: Reading) -> None:
        self._text, self._sentences = reading.text, reading.sentences
        self._starts = [one.start for one in reading.sentences]
        notes = [*_NOTE_LINE.finditer(reading.text)]
        self._notes = {one[1] or one[2]: one[3] for one in notes}
        quoted = [one.span() for one in _QUOTED.finditer(reading.text)]
        self._others = sorted([*quoted, *(one.span() for one in notes)])
        # the furthest end so far, because quotations may contain others
        self._ends = [*accumulate((end for _, end in self._others), max)]

    def claims(self) -> Iterator[Sentence]:
        """Yield the sentences that assert something, without quotations and footnotes."""
        for sentence in self._sentences:
            before = bisect_left(self._others, (sentence.end, 0))
            overlaps = before > 0 and self._ends[before - 1] > sentence.start
            if sentence.asserts and not overlaps:
                yield sentence

    def context_of(self, sentence: Sentence) -> str:
        """Return a sentence with the next one of its line, and with its footnotes."""
        text, end = self._text, sentence.end
        n = bisect_left(self._starts, end)
        following = ""
        if n < len(self._sentences) and "\n" not in text[end : self._starts[n]]:
            following = text[self._starts[n] : self._sentences[n].end]
        # a mark of a footnote may follow the full stop
        noted = text[sentence.start : end + 6].split("\n")[0]
        cited = {one[1] or one[2] for one in _NOTE.finditer(noted)}
        notes = [self._notes.get(mark, "") for mark in sorted(cited)]
        return " ".join((text[sentence.start : end], following, *notes))
