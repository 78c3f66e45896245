"""The surroundings of an identifier: words that introduce it, and those of other numbers."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property

from abs_shield.quality.pii.recogniser import (
    LONGEST_REACH,
    RIVALS,
    PhraseMatch,
    Phrases,
    Recogniser,
    near,
    windows,
)
from abs_shield.text.values.numerals import URL

_WEAK = 0.2  # such rows match nearly any number, so the nearest word has to decide
"""Strength below which context words of other recognisers count against a match."""
_BEHIND = 30
"""Characters after an identifier in which a context word counts: `... is her BSN`."""
_LONGEST_PHRASE = 60  # longer than any phrase of the tables
_BEFORE = LONGEST_REACH + _LONGEST_PHRASE  # the start of a phrase that ends within reach
_LONGEST_ID = 48  # an IBAN with blanks has 42
_AFTER = _LONGEST_ID + _BEHIND  # words after an identifier, which begins here
_OPAQUE = re.compile(rf"{URL}|[0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}", re.IGNORECASE)
"""URLs and UUIDs, whose digits may pass a checksum by accident."""
_DIGIT, _LETTERS = re.compile(r"\d"), re.compile(r"[a-z]+")
_AND = frozenset("and or und oder et ou y o e i och en og ja is are".split())
"""Words between the numbers of an enumeration."""
_STOP = re.compile(r"(?<=\w)[.!?]\s")
_WORDS = re.compile(r"\w+")
_COPULAS = frozenset(
    "is are was as the a an her his their your my our ist als die der das ihre est comme le la son "
    "sa es como el su come il lo het zijn haar jako to jest som e o ar".split()
)
"""Words between a number and its name: `12345678 is the account number`."""
_ENDS = re.compile(r"[,;\n\"{}|]")
"""The end of a clause; a word after it introduces something else."""


_DIRECTLY = re.compile(
    r"(?:[\W_]|\b(?:number|num|no|nr|code|is|was|numero|n\u00famero|num\u00e9ro|nummer|nro|es|est|ist)\b)*"
)
"""Text between a word and the number that it introduces."""
_FOR = re.compile(
    r"s?\W+(?:number\W+)?(?:for|of|on|in|from)\W+(?:(?:the|this|that|an?|your|our|his|her)\W+)?"
)
_ENDED = re.compile(r"[.!?]\s")
_SHORT = ("no", "nr", "ref")
"""Abbreviations, whose full stop does not end a sentence."""


class Surroundings:
    """The context words of one text, near possible identifiers."""

    def __init__(self, text: str, phrases: Phrases, places: Iterable[int]) -> None:
        """Search for the phrases around the ordered places."""
        self._text = text
        self._hits = phrases.find(text, windows(places, before=_BEFORE, behind=_AFTER))

    def near(self, start: int) -> Sequence[PhraseMatch]:
        """Return the phrases that may introduce an identifier at a place."""
        return near(self._hits, start, before=_BEFORE, behind=_AFTER)

    def is_opaque(self, place: int) -> bool:
        """Return whether a place is inside a URL or a UUID."""
        n = bisect_right(self._opaque, (place, len(self._text))) - 1
        return n >= 0 and place < self._opaque[n][1]

    @cached_property
    def _opaque(self) -> list[tuple[int, int]]:
        return [match.span() for match in _OPAQUE.finditer(self._text)]

    def distance(self, row: Recogniser, start: int, end: int) -> int | None:
        """
        Return the distance of the nearest context word of a recogniser, in characters.

        None if there is none, or if a word of something else is nearer.
        """
        if not row.context:
            return None
        own = other = -1
        for hit in near(self._hits, start, before=row.reach + _LONGEST_PHRASE, behind=0):
            if not start - row.reach <= hit.end <= start:
                continue
            if hit.phrase in row.context:
                if not self._counts(row, hit, (start, end)):
                    continue
                own = max(own, hit.end)
            elif self._rivals(row, hit, start):
                other = max(other, hit.end)
        # the nearest word decides; of equals the recogniser's own
        if own >= 0 and own >= other and self._leads(row, own, start):
            return start - own
        return self._behind(row, end) if other < 0 else None

    def is_taken(self, row: Recogniser, start: int) -> bool:
        """
        Return whether a word directly before a place introduces the number as something else.

        A context word of the recogniser directly before that word takes precedence: `card id`.
        """
        hits = near(self._hits, start, before=row.reach, behind=0)
        own = [hit.end for hit in hits if hit.phrase in row.context]
        return any(
            hit.phrase in row.yields
            and self._names(hit, start)
            and not any(self._is_for(end, hit.start, row) for end in own)
            for hit in hits
        )

    def _is_for(self, end: int, start: int, row: Recogniser) -> bool:
        """Return whether a recogniser's word governs the next one: `SSN for the invoice`."""
        if start - 2 <= end <= start - 1:
            return True
        return row.yields is not RIVALS and _FOR.fullmatch(self._text, end, start) is not None

    def _names(self, hit: PhraseMatch, start: int) -> bool:
        """Return whether a word is directly before a number."""
        if _DIRECTLY.fullmatch(self._text, hit.end, start) is None:
            return False
        ended = _ENDED.match(self._text, hit.end, start)
        return ended is None or hit.phrase.endswith(_SHORT)

    def fits(self, row: Recogniser, start: int, end: int) -> bool:
        """Return whether the surroundings allow a match."""
        return row.fits is None or row.fits(self._text, start, end)

    def _counts(self, row: Recogniser, hit: PhraseMatch, place: tuple[int, int]) -> bool:
        if row.backed is None or hit.phrase not in row.vague:
            return True
        return row.backed(self._text, hit, place)

    def _rivals(self, row: Recogniser, hit: PhraseMatch, start: int) -> bool:
        """Return whether a word introduces something else, and its number is not before it."""
        if row.strength >= _WEAK and hit.phrase not in RIVALS:
            return False
        between = self._text[hit.end : start]
        stop = _STOP.search(between)
        return stop is None or _DIGIT.search(between, 0, stop.end()) is None

    def _leads(self, row: Recogniser, own: int, start: int) -> bool:
        """Return whether no number is between, except those of an enumeration."""
        between = self._text[own:start]
        if row.reach >= LONGEST_REACH or not _DIGIT.search(between):
            return True
        return _AND.issuperset(_LETTERS.findall(between.lower()))

    def _behind(self, row: Recogniser, end: int) -> int | None:
        for hit in near(self._hits, end, before=0, behind=_BEHIND):
            if hit.phrase not in row.context or not self._counts(row, hit, (end, hit.end)):
                continue
            if _ENDS.search(self._text, end, hit.start):
                continue
            between = _WORDS.findall(self._text[end : hit.start].lower())
            if row.strength >= _WEAK or _COPULAS.issuperset(between):
                return hit.start - end
        return None
