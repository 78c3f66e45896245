"""Find personal data in a text: the recognisers' matches, the surest first, without overlaps."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from abs_shield.quality.pii import RECOGNISERS
from abs_shield.quality.pii.context import Phrases, near, windows
from abs_shield.quality.pii.entity import Pii, mask
from abs_shield.quality.pii.overlaps import without_overlaps
from abs_shield.quality.pii.recogniser import ENOUGH, Recogniser
from abs_shield.quality.pii.rivals import RIVALS
from abs_shield.text.values.patterns import URL

GAIN = 0.45
"""What context words add to a recogniser's strength, where they are beside the identifier."""
_FADING, _STEP = 200, 20
"""Distance in characters at which they would add nothing, and in which steps they add less."""
SUREST = 0.99
_WEAK = 0.2
"""Strength below which a context word of any other recogniser counts against a match."""
_FAR = 1_000
_REACH = 60
"""The longest reach of a recogniser."""
_BEHIND = 30
"""Characters behind an identifier in which a context word counts: `... is her BSN`."""
_LONGEST_PHRASE = 60
_BEFORE = _REACH + _LONGEST_PHRASE
_LONGEST_ID = 48
_AFTER = _LONGEST_ID + _BEHIND
_SPOT = re.compile(
    r"(?<![A-Za-z0-9+])(?<!\d[.,/-])(?<![A-Za-z0-9]_)(?:"
    r"(?=\(?[A-Za-z]{0,3}[ -]?\d(?:[ ./()+-]{0,3}\d){4})"
    r"|(?=[A-Za-z]{0,6}\d)(?=[A-Za-z0-9]{8})"
    r"|(?=[A-Za-z]{2}\d\d[ -][A-Za-z0-9]{4})"
    r"|(?=[A-Za-z]{3} [A-Za-z]{3} \d)"
    r"|(?=[A-Za-z0-9]{2}\.[A-Za-z0-9]{3}\.[A-Za-z0-9]{3}/)"
    r"|(?=\d[A-Za-z][A-Za-z0-9]\d-))"
)
"""Where an identifier can begin: five digits, or a word of eight characters with a digit."""
_OPAQUE = re.compile(rf"{URL}|[0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}", re.IGNORECASE)
"""Addresses of pages and UUIDs, whose digits pass a checksum by accident."""
_DIGIT, _LETTERS = re.compile(r"\d"), re.compile(r"[a-z]+")
_AND = frozenset("and or und oder et ou y o e i och en og ja is are".split())
_STOP = re.compile(r"(?<=\w)[.!?]\s")
_WORDS = re.compile(r"\w+")
_COPULAS = frozenset(
    "is are was as the a an her his their your my our ist als die der das ihre est comme le la son "
    "sa es como el su come il lo het zijn haar jako to jest som e o ar".split()
)
"""Words between a number and what it is: `12345678 is the account number`."""
_ENDS = re.compile(r"[,;\n\"{}|]")
_NARROW = {
    **{chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
    **{chr(code): "-" for code in (*range(0x2010, 0x2016), 0x2212, 0xFE63)},
    **{chr(code): " " for code in (0xA0, 0x2002, 0x2003, 0x2007, 0x2009, 0x202F, 0x3000)},
}
"""Full-width characters, dashes and blanks, one for one, so that offsets hold."""
_WIDE = re.compile(f"[{re.escape(''.join(_NARROW))}]")


@dataclass(frozen=True, slots=True)
class _Plan:
    """Recognisers, sorted by when they are tried."""

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
        jurisdictions: ISO 3166 codes; identifiers of other countries are not looked for. None
            looks for all.

    Returns:
        Where each entity stands and what it is; no value.

    >>> [(one.name, one.start, one.masked) for one in scan("Her SSN is 219-44-0178.")]
    [('SSN', 11, '***-**-****')]
    """
    wanted = None if jurisdictions is None else frozenset(jurisdictions)
    plan = _plan(tuple(recognisers), wanted)
    plain = text if text.isascii() else _WIDE.sub(lambda wide: _NARROW[wide[0]], text)
    return _resolved(plain, list(_candidates(plain, plan)))


@lru_cache(maxsize=32)
def _plan(rows: tuple[Recogniser, ...], wanted: frozenset[str] | None) -> _Plan:
    kept = [
        row for row in rows if wanted is None or not row.jurisdiction or row.jurisdiction in wanted
    ]
    spots = [row for row in kept if not row.sign]
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
        searched=tuple(row for row in kept if row.sign),
        by_phrase={phrase: tuple(some) for phrase, some in by_phrase.items()},
        phrases=Phrases([*RIVALS, *(phrase for row in kept for phrase in row.context)]),
    )


def _candidates(text: str, plan: _Plan) -> Iterator[_Candidate]:
    spots = [spot.start() for spot in _SPOT.finditer(text)]
    searched = [
        (row, match)
        for row in plan.searched
        if row.sign in text
        for match in row.pattern.finditer(text)
    ]
    around = sorted([*spots, *(match.start() for row, match in searched if row.context)])
    reader = _Reader(text, plan, windows(around, before=_BEFORE, behind=_AFTER))
    for row, match in searched:
        yield from reader.judge(row, match)
    for start in spots:
        for pattern, rows in plan.alone:
            if found := pattern.match(text, start):
                for row in rows:
                    yield from reader.judge(row, found)
        for row in reader.introduced(start):
            if found := row.pattern.match(text, start):
                yield from reader.judge(row, found)


class _Reader:
    """One text, and what stands around its identifiers."""

    def __init__(self, text: str, plan: _Plan, parts: Iterable[tuple[int, int]]) -> None:
        self._text = text
        self._plan = plan
        self._hits = plan.phrases.find(text, parts)
        self._seen: set[tuple[str, int, int]] = set()

    @cached_property
    def _opaque(self) -> list[tuple[int, int]]:
        return [match.span() for match in _OPAQUE.finditer(self._text)]

    def introduced(self, start: int) -> Iterable[Recogniser]:
        """Return the recognisers that need context, of which some is near a place."""
        rows: dict[Recogniser, None] = {}
        for hit in near(self._hits, start, before=_BEFORE, behind=_AFTER):
            rows.update(dict.fromkeys(self._plan.by_phrase.get(hit.phrase, ())))
        return rows

    def judge(self, row: Recogniser, match: re.Match[str]) -> Iterator[_Candidate]:
        """Yield a match that is sure enough."""
        start, end = match.span()
        if (row.name, start, end) in self._seen:
            return
        distance = self._distance(row, start, end)
        confidence = row.strength + (
            0 if distance is None else GAIN * (1 - distance // 20 * 20 / _FADING)
        )
        if confidence < ENOUGH or (distance is None and not row.sign and self._is_opaque(start)):
            return
        if row.accepts(match[0]):
            self._seen.add((row.name, start, end))
            yield _Candidate(
                row,
                start,
                end,
                round(min(confidence, SUREST), 3),
                _FAR if distance is None else distance,
            )

    def _is_opaque(self, place: int) -> bool:
        n = bisect_right(self._opaque, (place, len(self._text))) - 1
        return n >= 0 and place < self._opaque[n][1]

    def _distance(self, row: Recogniser, start: int, end: int) -> int | None:
        """Return how far the nearest context word is; None where there is none of this row."""
        if not row.context:
            return None
        own = other = -1
        for hit in near(self._hits, start, before=row.reach + _LONGEST_PHRASE, behind=0):
            if hit.end <= start and start - hit.end <= row.reach:
                if hit.phrase in row.context:
                    own = max(own, hit.end)
                elif (row.strength < _WEAK or hit.phrase in RIVALS) and not self._is_spent(
                    hit.end, start
                ):
                    other = max(other, hit.end)
        if own >= 0 and own >= other and self._leads(row, own, start):
            return start - own
        return self._behind(row, end) if other < 0 else None

    def _is_spent(self, end: int, start: int) -> bool:
        """Return whether the number of a word comes before the sentence at *start* begins."""
        between = self._text[end:start]
        stop = _STOP.search(between)
        return stop is not None and _DIGIT.search(between, 0, stop.end()) is not None

    def _leads(self, row: Recogniser, own: int, start: int) -> bool:
        """Return whether no number stands between, or only numbers of one enumeration."""
        between = self._text[own:start]
        if row.reach >= _REACH or not _DIGIT.search(between):
            return True
        return _AND.issuperset(_LETTERS.findall(between.lower()))

    def _behind(self, row: Recogniser, end: int) -> int | None:
        for hit in near(self._hits, end, before=0, behind=_BEHIND):
            if hit.phrase not in row.context or _ENDS.search(self._text, end, hit.start):
                continue
            between = _WORDS.findall(self._text[end : hit.start].lower())
            if row.strength >= _WEAK or _COPULAS.issuperset(between):
                return hit.start - end
        return None


def _gain(distance: int | None) -> float:
    """Return what a context word at this distance adds; near ones add the same."""
    return 0.0 if distance is None else GAIN * (1 - distance // _STEP * _STEP / _FADING)


def _resolved(text: str, candidates: list[_Candidate]) -> tuple[Pii, ...]:
    """Return the surest of the candidates that overlap, the longest of these, then the nearest."""
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
