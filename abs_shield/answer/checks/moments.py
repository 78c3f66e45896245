"""Days, times and lengths that follow from others: three days later, tomorrow, hours between."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from itertools import combinations, islice, pairwise

from abs_shield.answer.checks.record_scope import RecordScope
from abs_shield.answer.evidence.records import record_of
from abs_shield.answer.evidence.types import Source
from abs_shield.answer.evidence.value_index import ValueIndex
from abs_shield.answer.evidence.values import EvidenceValue
from abs_shield.text.names import name_words
from abs_shield.text.values.calendar import weekdays
from abs_shield.text.values.figure import DATE, TIME, Day, Figure, Minute, near, same

_MOST = 48
"""Moments that are computed with."""
_MOST_LENGTHS = 8
_MOST_READ = 2_000
_MOST_RANGES = 50
_LONGEST_WORDS = 2_000
"""Characters of the user's words that are read for a day that they name."""
_WEEK = 7
_LEAP = 2024
_LENGTHS = frozenset(
    "h hour hours hr hrs minute minutes min mins day days night nights week weeks".split()
)
"""Units of what lies between two moments."""
_FIRST = frozenset("start starts begin begins from check in departure depart since open".split())
_LAST = frozenset("end ends to until till through check out return arrival close due".split())
_TO = re.compile(r"[ ]?(?:-|\u2013|\u2014|to|through|until|till|and)[ ]?(?:the[ ])?")
_UNTIL = re.compile(
    r"[ *_`]{0,4}(?:-|\u2013|\u2014|to|through|until|till)[ *_`]{1,5}|[-\u2013\u2014]"
)
"""Between the ends of a stretch of time."""
_CHANGED = re.compile(
    r"\b(?:mov|chang|shift|reschedul|postpon|push|brought|bring|set back|delay|extend|shorten"
    r"|adjust|updat|improv|instead|next day|following day|overnight|verschob|verleg|ge\u00e4ndert"
    r"|d\u00e9plac|cambi|spostat)",
    re.IGNORECASE,
)
"""Words of a sentence in which a time is replaced by another, or which goes on to the next day."""
_EQUALS = re.compile(r"[ *_`]{0,4}[=\u2248]")
"""Behind a difference: 12:30 - 11:00 = 1:30."""
_RELATIVE = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}
_WORD = re.compile(r"[a-z]+")
_BESIDE = re.compile(r"[a-z]{3,9}")
_NEAR = 14
"""Characters beside a day in which its weekday is written."""


class Moments:
    """
    The moments of an answer that the evidence has, and those of the newest result and the system.

    Args:
        answer: The answer.
        values: Its values, in order.
        grounded: Those that the evidence or the question has.
        index: The values of the evidence.
        scope: The lines of the answer.
    """

    def __init__(
        self,
        answer: str,
        values: Sequence[Figure],
        grounded: Sequence[Figure],
        *,
        index: ValueIndex,
        scope: RecordScope,
    ) -> None:
        self._answer = answer
        self._scope = scope
        self._index = index
        newest = (
            [index.stands[n] for n in index.of_piece[index.newest]] if index.newest >= 0 else []
        )
        system = [one for one in index.stands[:_MOST_READ] if one.source is Source.SYSTEM]
        context = [one.figure for one in (*newest[:_MOST_READ], *system)]
        self._own = [one for one in grounded if one.kind in (DATE, TIME)][:_MOST]
        self._all = [one for one in (*grounded, *context) if one.kind in (DATE, TIME)][:_MOST]
        self._lengths = [one for one in values if one.unit in _LENGTHS]
        requested = (one.figure for one in index.newest_request)
        self._requested = [one for one in requested if one.unit in _LENGTHS][:_MOST_LENGTHS]
        self._requests = " ".join(
            piece.text[:_LONGEST_WORDS] for piece in index.pieces if piece.source is Source.USER
        ).casefold()[-_LONGEST_WORDS:]
        self._ranges: list[tuple[date, date]] | None = None
        self._turned = {*self._all_turned(values)}

    def supports(self, value: Figure) -> bool:
        """Return whether a day, a time or a length follows from moments of the evidence."""
        if value.unit in _LENGTHS:
            return self._is_length(value)
        if value.kind not in (DATE, TIME):
            return False
        start, end = self._scope.line(value.start)
        lengths = [one for one in self._lengths if start <= one.start < end]
        pairs = ((at, length) for at in self._own for length in (*lengths, *self._requested))
        if any(same(value, there) for pair in pairs for there in _moved(*pair)):
            return True
        if value.kind == TIME:
            return self._is_clock(value)
        return self._is_named(value) or self._is_within(value)

    def is_turned(self, value: Figure) -> bool:
        """
        Return whether a time is an end of a stretch that ends before it begins: from 4 pm to 1 pm.

        It ends with the end of a record that has a beginning, and has it no more: what is moved or
        lasts until the next day has its times by themselves, or in one record. A length that the
        answer or the user states explains it, too.
        """
        return value.start in self._turned

    def _all_turned(self, values: Sequence[Figure]) -> Iterator[int]:
        """Yield the places of times in stretches that end before they begin."""
        lengths = (*self._lengths[:_MOST_LENGTHS], *self._requested)
        for one, other in pairwise(values):
            if one.kind != TIME or other.kind != TIME:
                continue
            if not _UNTIL.fullmatch(self._answer, one.end, max(one.end, other.start)):
                continue
            if not _ends_before(one, other) or _EQUALS.match(self._answer, other.end):
                continue
            if not self._index.ends_a_stretch(other, one) or _CHANGED.search(
                self._answer, *self._scope.sentence(one.start)
            ):
                continue
            if not any(same(other, end) for length in lengths for end in _moved(one, length)):
                yield from (one.start, other.start)

    def _is_clock(self, value: Figure) -> bool:
        """Return whether a length is written as on a clock: 02:30 for two and a half hours."""
        if not value.text.startswith("0"):
            return False
        times = [one for one in self._own if one.kind == TIME]
        between = (_apart(*pair) for pair in combinations(times, 2))
        return value.value in (_as_clock(self._lengths), *between)

    def _is_named(self, value: Figure) -> bool:
        """Return whether the user named the day relative to one of the evidence: next Friday."""
        if not self._requests:
            return False
        said = {*_WORD.findall(self._requests)}
        offsets = [days for word, days in _RELATIVE.items() if word in said]
        named = weekdays(self._requests)
        for anchor in self._all:
            for first in _dates(anchor, None):
                for day in _dates(value, first.year):
                    ahead = (day - first).days
                    if ahead in offsets or (day.weekday() in named and 0 < ahead <= _WEEK):
                        return True
        return False

    def _is_within(self, value: Figure) -> bool:
        """Return whether a day has its weekday beside it, and lies in a range of the evidence."""
        before = self._answer[max(0, value.start - _NEAR) : value.start]
        named = weekdays(before) or weekdays(self._answer[value.end : value.end + _NEAR])
        if not named:
            return False
        if self._ranges is None:
            self._ranges = [*islice(self._ranges_of(), _MOST_RANGES)]
        return any(
            first < day < last and day.weekday() in named
            for first, last in self._ranges
            for day in _dates(value, first.year)
        )

    def _ranges_of(self) -> Iterator[tuple[date, date]]:
        """Yield the ranges of days that the evidence states: of two fields, or in a text."""
        days = [one for one in self._index.stands[-_MOST_READ:] if one.figure.kind == DATE]
        for one, other in pairwise(days):
            if one.piece == other.piece and self._is_range(one, other):
                for first in _dates(one.figure, None):
                    yield from ((first, last) for last in _dates(other.figure, first.year))

    def _is_range(self, one: EvidenceValue, other: EvidenceValue) -> bool:
        if one.field and other.field and one.field != other.field:
            alike = record_of(one.steps) == record_of(other.steps)
            fields = name_words(one.field), name_words(other.field)
            return alike and not (_FIRST.isdisjoint(fields[0]) or _LAST.isdisjoint(fields[1]))
        if one.piece < 0 or self._index.pieces[one.piece].lines:
            return False
        text = self._index.pieces[one.piece].text
        return (
            _TO.fullmatch(text, one.figure.end, max(one.figure.end, other.figure.start)) is not None
        )

    def _is_length(self, value: Figure) -> bool:
        """Return whether a number is how far two moments are apart, in its unit."""
        return any(
            near(value.numbers[0], length, value.step)
            for one, other in combinations(self._all, 2)
            for length in _lengths(one, other, value.unit)
        )


def _moved(moment: Figure, length: Figure) -> Iterator[Figure]:
    """Yield a moment a length later, and earlier."""
    value, number = moment.value, int(length.numbers[0])
    for sign in (1, -1):
        match value:
            case Minute(minutes=at) if length.unit[0] in "hm":
                minutes = at + sign * number * (60 if length.unit[0] == "h" else 1)
                yield moment._replace(values=(Minute(minutes % 1440, value.half),))
            case Day(year=year, month=month, day=int(day)) if length.unit[0] in "dnw":
                days = number * (_WEEK if length.unit[0] == "w" else 1)
                try:
                    there = date(year or _LEAP, month, day) + timedelta(days=sign * days)
                except (ValueError, OverflowError):
                    continue
                yield moment._replace(values=(Day(year and there.year, there.month, there.day),))


def _ends_before(one: Figure, other: Figure) -> bool:
    """Return whether a time is not after another one, where both are plain and no midnight."""
    match one.value, other.value:
        case Minute(minutes=start, half=False), Minute(minutes=end, half=False):
            return 0 < end <= start
    return False


def _apart(one: Figure, other: Figure) -> Minute | None:
    """Return how far two times of a day are apart, as a clock shows it."""
    match one.value, other.value:
        case Minute(minutes=start), Minute(minutes=end):
            return Minute(abs(end - start), whole=True)
    return None


def _as_clock(lengths: Sequence[Figure]) -> Minute | None:
    """Return hours and minutes as a clock shows them."""
    said = {one.unit[0]: int(one.numbers[0]) for one in lengths if one.unit[0] in "hm"}
    return Minute(60 * said.get("h", 0) + said.get("m", 0), whole=True) if said else None


def _dates(value: Figure, year: int | None) -> Iterator[date]:
    """Yield the days that a value can mean, in *year* where it has none."""
    for day in value.values:
        if isinstance(day, Day) and day.day is not None and (day.year or year):
            try:
                yield date(day.year or year or _LEAP, day.month, day.day)
            except ValueError:
                continue


def _lengths(one: Figure, other: Figure, unit: str) -> Iterator[Decimal]:
    """Yield how far two moments are apart in a unit."""
    match one.value, other.value:
        case Minute(minutes=start), Minute(minutes=end):
            between = Decimal(abs(end - start))
            if unit.startswith("h"):
                yield from (between / 60, between // 60, 24 - between / 60)
            elif unit.startswith("m"):
                yield from (between, between % 60)
        case Day(day=int()), Day(day=int()):
            days = next(
                (abs((b - a).days) for a in _dates(one, _LEAP) for b in _dates(other, a.year)), 0
            )
            if unit[0] in "dn":
                yield from (Decimal(days), Decimal(days + 1))
            elif unit.startswith("w"):
                yield Decimal(days) / _WEEK
