"""Search for personal data in a text by recognisers."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from abs_shield.quality.pii import RECOGNISERS
from abs_shield.quality.pii.identifier_context import Surroundings
from abs_shield.quality.pii.pii_entity import Pii, mask, without_overlaps
from abs_shield.quality.pii.recogniser import ENOUGH, RIVALS, PhraseMatch, Phrases, Recogniser

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


GAIN = 0.45  # lifts even the weakest row, 0.15, above `ENOUGH`, if the word is near
"""Confidence added by a context word next to the identifier."""
_FADING, _STEP = 200, 20  # a word far away more often introduces something else
"""Distance in characters at which it would add nothing, and the step of its decrease."""
SUREST = 0.99  # a pattern is never certain
_FAR = 1_000
"""Distance that represents "no context word": too far to count."""
_BESIDE = 120
"""Distance within which numbers of one form are of one kind: `use 219-44-0178 instead`."""
_SPOT = re.compile(
    r"(?<![A-Za-z0-9+])(?<!\d[.,/-])(?<![A-Za-z0-9]_)(?:"
    r"(?=\(?[A-Za-z]{0,3}[ -]?\d(?:[ ./()+-]{0,3}\d){4})"
    r"|(?=[A-Za-z]{0,6}\d)(?=[A-Za-z0-9]{8})"
    r"|(?=[A-Za-z]{2}\d\d[ -][A-Za-z0-9]{4})"
    r"|(?=[A-Za-z]{3} [A-Za-z]{3} \d)"
    r"|(?=[A-Za-z0-9]{2}\.[A-Za-z0-9]{3}\.[A-Za-z0-9]{3}/)"
    r"|(?=\d[A-Za-z][A-Za-z0-9]\d-))"
)
"""Possible starts of an identifier: five digits, or a word of eight characters with a digit."""
_NARROW = {
    **{chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
    **{chr(code): "-" for code in (*range(0x2010, 0x2016), 0x2212, 0xFE63)},
    **{chr(code): " " for code in (0xA0, 0x2002, 0x2003, 0x2007, 0x2009, 0x202F, 0x3000)},
}
"""Replacements of full-width characters, dashes and blanks, one for one to preserve offsets."""
_WIDE = re.compile(f"[{re.escape(''.join(_NARROW))}]")


@dataclass(frozen=True, slots=True)
class _Plan:
    """Recognisers, grouped by when they are tried."""

    alone: tuple[tuple[re.Pattern[str], tuple[Recogniser, ...]], ...]
    searched: tuple[Recogniser, ...]
    by_phrase: dict[str, tuple[Recogniser, ...]]
    phrases: Phrases


@dataclass(frozen=True, slots=True)
class _Candidate:
    row: Recogniser
    start: int
    end: int
    confidence: float
    distance: int


def scan(
    text: str,
    *,
    recognisers: Sequence[Recogniser] = RECOGNISERS,
    jurisdictions: Collection[str] | None = None,
) -> tuple[Pii, ...]:
    """
    Return the personal data in a text, in order and without overlaps.

    Time is linear in the length of the text.

    Args:
        text: Any text.
        recognisers: Rows of the table, and the caller's own.
        jurisdictions: ISO 3166 codes; identifiers of other countries are ignored. None for all.

    Returns:
        The place and the kind of each entity, without its value.

    >>> [(one.name, one.start, one.masked) for one in scan("Her SSN is 219-44-0178.")]
    [('SSN', 11, '***-**-****')]
    """
    wanted = None if jurisdictions is None else frozenset(jurisdictions)
    plan = _plan(tuple(recognisers), wanted)
    without = unmarked(text)
    plain = without.text
    if not plain.isascii():  # most texts are, and the substitution takes longer than the search
        plain = _WIDE.sub(lambda wide: _NARROW[wide[0]], plain)
    entities = _resolved(plain, list(_candidates(plain, plan)))
    return tuple(_replaced(one, without) for one in entities) if without.places else entities


def _replaced(entity: Pii, without: Unmarked) -> Pii:
    """Return an entity with its place in the original text."""
    start, end = without.span(entity.start, entity.end)
    return replace(entity, start=start, end=end)


# tables and jurisdictions are settings; a plan indexes hundreds of phrases
@lru_cache(maxsize=32)
def _plan(rows: tuple[Recogniser, ...], wanted: frozenset[str] | None) -> _Plan:
    chosen = [
        row for row in rows if wanted is None or not row.jurisdiction or row.jurisdiction in wanted
    ]
    spots = [row for row in chosen if not row.sign]
    alone: defaultdict[re.Pattern[str], list[Recogniser]] = defaultdict(list)
    by_phrase: defaultdict[str, list[Recogniser]] = defaultdict(list)
    for row in spots:
        if row.strength >= ENOUGH:
            alone[row.pattern].append(row)
        else:
            for phrase in row.context:
                by_phrase[phrase].append(row)
    return _Plan(
        alone=tuple((pattern, tuple(some)) for pattern, some in alone.items()),
        searched=tuple(row for row in chosen if row.sign),
        by_phrase={phrase: tuple(some) for phrase, some in by_phrase.items()},
        phrases=Phrases([*RIVALS, *(phrase for row in chosen for phrase in row.context)]),
    )


def _candidates(text: str, plan: _Plan) -> Iterator[_Candidate]:
    spots = [spot.start() for spot in _SPOT.finditer(text)]
    searched = [
        (row, match)
        for row in plan.searched
        if row.sign in text
        for match in row.pattern.finditer(text)
    ]
    places = sorted([*spots, *(match.start() for row, match in searched if row.context)])
    surroundings = Surroundings(text, plan.phrases, places)
    judge = _Judge(surroundings)
    some: list[_Candidate] = []
    for row, match in searched:
        some.extend(judge.candidates(row, match))
    for start in spots:
        for pattern, rows in plan.alone:
            if candidates := pattern.match(text, start):
                for row in rows:
                    some.extend(judge.candidates(row, candidates))
        for row in _introduced(surroundings.near(start), plan):
            if candidates := row.pattern.match(text, start):
                some.extend(judge.candidates(row, candidates))
    return (one for one in some if not judge.is_beside_taken(one))


def _introduced(hits: Iterable[PhraseMatch], plan: _Plan) -> Iterable[Recogniser]:
    """Return the recognisers that need context and have a context word."""
    rows: dict[Recogniser, None] = {}
    for hit in hits:
        rows.update(dict.fromkeys(plan.by_phrase.get(hit.phrase, ())))
    return rows


class _Judge:
    """Evaluates the matches in one text."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._surroundings = surroundings
        self._scanned: set[tuple[str, int, int]] = set()
        self._taken: defaultdict[str, list[int]] = defaultdict(list)

    def candidates(self, row: Recogniser, match: re.Match[str]) -> Iterator[_Candidate]:
        """Yield a match with enough confidence, once for each name."""
        start, end = match.span()
        if (row.name, start, end) in self._scanned:
            return
        distance = self._surroundings.distance(row, start, end)
        confidence = row.strength + _gain(distance)
        if confidence < ENOUGH:
            return
        if distance is None and not row.sign and self._surroundings.is_opaque(start):
            return
        if distance is None and row.yields and self._surroundings.is_taken(row, start):
            insort(self._taken[row.key], start)
            return
        # last, because it costs most
        if row.accepts(match[0]) and self._surroundings.fits(row, start, end):
            self._scanned.add((row.name, start, end))
            far = _FAR if distance is None else distance
            yield _Candidate(row, start, end, round(min(confidence, SUREST), 3), far)

    def is_beside_taken(self, one: _Candidate) -> bool:
        """Return whether a near number of the same form is introduced as something else."""
        if one.distance != _FAR or not one.row.yields:
            return False
        taken = self._taken.get(one.row.key, [])
        first = bisect_left(taken, one.start - _BESIDE)
        return first < len(taken) and taken[first] < one.start + _BESIDE


def _gain(distance: int | None) -> float:
    """Return the confidence that a context word at this distance adds."""
    return 0.0 if distance is None else GAIN * (1 - distance // _STEP * _STEP / _FADING)


def _resolved(text: str, candidates: list[_Candidate]) -> tuple[Pii, ...]:
    """Resolve overlapping candidates by confidence, then length, then distance."""
    candidates.sort(key=lambda one: (-one.confidence, one.start - one.end, one.distance))
    return tuple(_entity(text, one) for one in without_overlaps(candidates))


def _entity(text: str, one: _Candidate) -> Pii:
    return Pii(
        name=one.row.name,
        start=one.start,
        end=one.end,
        masked=mask(text[one.start : one.end]),
        confidence=one.confidence,
        recogniser=one.row.key,
    )
