"""Dates, times and durations that follow from others: three days later, tomorrow, hours between."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from itertools import combinations, islice, pairwise

from abs_shield.answer.checks.record_scope import RecordScope
from abs_shield.answer.evidence.evidence_passages import PassageSource
from abs_shield.answer.evidence.evidence_value import EvidenceValue
from abs_shield.answer.evidence.record_paths import record_of
from abs_shield.answer.evidence.value_index import ValueIndex
from abs_shield.text.identifier_words import name_words
from abs_shield.text.values.date_values import weekdays
from abs_shield.text.values.figure import (
    DATE,
    NUMBER,
    TIME,
    Day,
    Figure,
    Minute,
    figures_agree,
    is_near,
)
from abs_shield.text.values.units import field_units, units_of

_MOST = 48
"""Dates and times that are operands, at most: all pairs of them are compared."""
# a user names one or two durations
_MOST_LENGTHS = 8
# a log of thousands of times would explain any date
_MOST_READ = 2_000
# a calendar or price list has tens of ranges; more would cover any day
_MOST_RANGES = 50
_LONGEST_WORDS = 2_000
"""Characters of the user's messages that are searched for relative days."""
_WEEK = 7  # days; a weekday that the user names is at most so far ahead
_LEAP = 2024  # for a date without a year, so that 29 February is valid
_LENGTHS = frozenset(
    "h hour hours hr hrs minute minutes min mins day days night nights week weeks".split()
)
"""Units of the durations between two times."""
_FIRST = frozenset("start starts begin begins from check in departure depart since open".split())
_LAST = frozenset("end ends to until till through check out return arrival close due".split())
_TO = re.compile(r"[ ]?(?:-|\u2013|\u2014|to|through|until|till|and)[ ]?(?:the[ ])?")
_UNTIL = re.compile(
    r"[ *_`]{0,4}(?:-|\u2013|\u2014|to|through|until|till)[ *_`]{1,5}|[-\u2013\u2014]"
)
"""Separators between the start and the end of a period."""
_CHANGED = re.compile(
    r"\b(?:mov|chang|shift|reschedul|postpon|push|brought|bring|set back|delay|extend|shorten"
    r"|adjust|updat|improv|instead|next day|following day|overnight|verschob|verleg|ge\u00e4ndert"
    r"|d\u00e9plac|cambi|spostat)",
    re.IGNORECASE,
)
"""Words of a sentence about a changed time, or a period that ends on the next day."""
_EQUALS = re.compile(r"[ *_`]{0,4}[=\u2248]")
"""Sign after a difference: 12:30 - 11:00 = 1:30."""
_AGE = re.compile(r"\b(?:years?[ -]old|aged?|jahre[ ]alt|ans|a\u00f1os)\b", re.IGNORECASE)
"""Words of a sentence with an age."""
_TODAY = frozenset("today now current heute".split())
_RELATIVE = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}
_WORD = re.compile(r"[a-z]+")
_MINUTE = 60_000  # milliseconds
_NEAR = 14
"""Characters beside a date in which its weekday may occur."""


class DateArithmetic:
    """
    The dates and times of an answer that the evidence has, and those of the newest result and
    system text.

    Args:
        answer: The answer.
        values: Its values, in order.
        grounded: Those that occur in the evidence or the question.
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
            [index.values[n] for n in index.of_piece[index.newest]] if index.newest >= 0 else []
        )
        system = [one for one in index.values[:_MOST_READ] if one.source is PassageSource.SYSTEM]
        context = [one.figure for one in (*newest[:_MOST_READ], *system)]
        # pairs of all are compared, so the answer's own values go first
        self._own = [one for one in grounded if one.kind in (DATE, TIME)][:_MOST]
        self._all = [one for one in (*grounded, *context) if one.kind in (DATE, TIME)][:_MOST]
        self._lengths = [one for one in values if one.unit in _LENGTHS]
        requested = (one.figure for one in index.newest_request)
        self._requested = [one for one in requested if one.unit in _LENGTHS][:_MOST_LENGTHS]
        self._requests = " ".join(
            piece.text[:_LONGEST_WORDS]
            for piece in index.pieces
            if piece.source is PassageSource.USER
            # the end, as the newest request decides
        ).casefold()[-_LONGEST_WORDS:]
        # computed when first needed: few answers have a weekday beside an unknown date
        self._ranges: list[tuple[date, date]] | None = None
        self._periods: list[tuple[Figure, Figure]] | None = None
        self._times = [one for one in values if one.kind == TIME]
        self._time_starts = [one.start for one in self._times]
        self._reversed_at = {*self._reversed_times(values)}

    def supports(self, value: Figure) -> bool:
        """Return whether a date, a time or a duration follows from those of the evidence."""
        if value.unit in _LENGTHS:
            return self._is_length(value)
        if value.kind not in (DATE, TIME):
            return self._is_age(value)
        start, end = self._scope.line(value.start)
        lengths = [one for one in self._lengths if start <= one.start < end]
        # times of the evidence are so many that one of them would explain a wrong time
        moments = self._own if value.kind == TIME else self._all
        pairs = ((at, length) for at in moments for length in (*lengths, *self._requested))
        if any(figures_agree(value, there) for pair in pairs for there in _shift(*pair)):
            return True
        if value.kind == TIME:
            return self._is_clock(value) or self._ends_record(value)
        return self._is_relative_day(value) or self._is_within(value)

    def is_reversed(self, value: Figure) -> bool:
        """
        Return whether a time belongs to a period that ends before it begins: from 4 pm to 1 pm.

        The end must be that of a record with an earlier start, and no record may have the claimed
        start: a moved or overnight event has its times in separate fields, or in one record. A
        duration that the answer or the user states explains it, too.
        """
        return value.start in self._reversed_at

    def _reversed_times(self, values: Sequence[Figure]) -> Iterator[int]:
        """Yield the offsets of times in periods that end before they begin."""
        lengths = (*self._lengths[:_MOST_LENGTHS], *self._requested)
        for one, other in pairwise(values):
            if one.kind != TIME or other.kind != TIME:
                continue
            if not _UNTIL.fullmatch(self._answer, one.end, max(one.end, other.start)):
                continue  # without a separator the two times are not one period
            if not _ends_before(one, other) or _EQUALS.match(self._answer, other.end):
                continue
            # the record may cross midnight, or a change names both times
            if not self._index.ends_period(other, one) or _CHANGED.search(
                self._answer, *self._scope.sentence(one.start)
            ):
                continue
            # an hour after the start may be the next day; an hour before it is no end
            ends = (end for length in lengths for end in _shift(one, length, signs=(1,)))
            if not any(figures_agree(other, end) for end in ends):
                yield from (one.start, other.start)

    def _is_clock(self, value: Figure) -> bool:
        """Return whether a duration is written as on a clock: 02:30 for two and a half hours."""
        # "2:30" may be a time of day; "02:30" after a computation is usually a duration
        if not value.text.startswith("0"):
            return False
        times = [one for one in self._own if one.kind == TIME]
        between = (_difference(*pair) for pair in combinations(times, 2))
        return value.value in (_as_clock(self._lengths), *between)

    def _is_age(self, value: Figure) -> bool:
        """
        Return whether a number of years is the age of somebody or something at a date.

        It begins at the earliest date of a record. It ends today, as system text or a result says,
        or on a date of the same sentence.
        """
        start, end = self._scope.sentence(value.start)
        if value.kind != NUMBER or _AGE.search(self._answer, start, end) is None:
            return False
        stated = [one for one in self._own if start <= one.start < end]
        now = [day for one in (*stated, *self._today()) for day in _dates(one, None)]
        return any(
            value.numbers[0] == _years(min(born), day)
            for born in self._days_of_records()
            for day in now
            if min(born) < day
        )

    def _today(self) -> Iterator[Figure]:
        """Yield the dates of system text, and those that results state as today's."""
        for one in self._index.values[:_MOST_READ]:
            is_today = not _TODAY.isdisjoint(name_words(one.field))
            if one.figure.kind == DATE and (is_today or one.source is PassageSource.SYSTEM):
                yield one.figure

    def _days_of_records(self) -> Iterator[list[date]]:
        """Yield the dates of each record, without today's."""
        days: dict[object, list[date]] = defaultdict(list)
        for one in self._index.values[-_MOST_READ:]:
            if one.is_result and _TODAY.isdisjoint(name_words(one.field)):
                days[one.piece, record_of(one.steps)] += _dates(one.figure, None)
        yield from islice((some for some in days.values() if some), _MOST)

    def _ends_record(self, value: Figure) -> bool:
        """
        Return whether a record has the start and the duration of a period that ends at a time.

        It is the only record with both, or its start is beside the end: "09:30 to 10:20".
        """
        if self._periods is None:
            self._periods = [*islice(self._periods_of(), _MOST_RANGES)]
        beside = self._time_beside(value)
        return any(
            figures_agree(value, end)
            and (len(self._periods) == 1 or (beside and figures_agree(beside, start)))
            for start, end in self._periods
        )

    def _time_beside(self, value: Figure) -> Figure | None:
        """Return the time before a value, or after it if that alone is in the same sentence."""
        start, end = self._scope.sentence(value.start)
        place = bisect_left(self._time_starts, value.start)
        before = self._times[place - 1] if place else None
        if before is None or before.start < start:
            behind = (one for one in self._times[place + 1 : place + 2] if one.start < end)
            return next(behind, before)
        return before

    def _periods_of(self) -> Iterator[tuple[Figure, Figure]]:
        """Yield the start of each record with one duration, and its end."""
        read = self._index.values[-_MOST_READ:]
        times = [one for one in read if one.is_result and one.figure.kind == TIME]
        for one in times:
            record = self._index.records.inside(one.piece, one.steps)[:_MOST]
            lengths = [length for each in record if (length := _minutes(each)) is not None]
            # with two durations it is unknown which one begins at that time
            if len(lengths) == 1 and _LAST.isdisjoint(name_words(one.field)):
                for end in _shift(one.figure, lengths[0], signs=(1,)):
                    yield one.figure, end

    def _is_relative_day(self, value: Figure) -> bool:
        """Return whether the user named the day relative to one of the evidence: next Friday."""
        if not self._requests:
            return False
        request_words = {*_WORD.findall(self._requests)}
        offsets = [days for word, days in _RELATIVE.items() if word in request_words]
        requested_weekdays = weekdays(self._requests)
        for anchor in self._all:
            for first in _dates(anchor, None):
                for day in _dates(value, first.year):
                    ahead = (day - first).days
                    if ahead in offsets or (
                        # "Friday" is at most a week ahead; the day itself would be "today"
                        day.weekday() in requested_weekdays and 0 < ahead <= _WEEK
                    ):
                        return True
        return False

    def _is_within(self, value: Figure) -> bool:
        """Return whether a date is stated with its weekday, and is in a range of the evidence."""
        before = self._answer[max(0, value.start - _NEAR) : value.start]
        # the weekday may stand before or after: "Fri, 6 March", "6 March (Fri)"
        stated_weekdays = weekdays(before) or weekdays(self._answer[value.end : value.end + _NEAR])
        if not stated_weekdays:
            return False
        if self._ranges is None:
            self._ranges = [*islice(self._ranges_of(), _MOST_RANGES)]
        return any(
            # the ends themselves are in the evidence
            first < day < last and day.weekday() in stated_weekdays
            for first, last in self._ranges
            for day in _dates(value, first.year)
        )

    def _ranges_of(self) -> Iterator[tuple[date, date]]:
        """Yield the date ranges that the evidence states, in two fields or in a text."""
        days = [one for one in self._index.values[-_MOST_READ:] if one.figure.kind == DATE]
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
        """Return whether a number is the duration between two times, in its unit."""
        return any(
            is_near(value.numbers[0], length, value.step)
            for one, other in combinations(self._all, 2)
            for length in _lengths(one, other, value.unit)
        )


def _shift(moment: Figure, length: Figure, *, signs: Sequence[int] = (1, -1)) -> Iterator[Figure]:
    """Yield a date or time shifted by a duration, later (1) and earlier (-1)."""
    value, amount = moment.value, length.numbers[0]
    number = int(amount)
    for sign in signs:
        match value:
            case Minute(minutes=at) if length.unit[0] in "hm":
                minutes = at + sign * int(amount * (60 if length.unit[0] == "h" else 1))
                # 1440 minutes a day: a time after midnight
                yield moment._replace(values=(Minute(minutes % 1440, value.half),))
            case Day(year=year, month=month, day=int(day)) if length.unit[0] in "dnw":
                days = number * (_WEEK if length.unit[0] == "w" else 1)
                try:
                    there = date(year or _LEAP, month, day) + timedelta(days=sign * days)
                except (ValueError, OverflowError):  # before year 1, or after 9999
                    continue
                yield moment._replace(values=(Day(year and there.year, there.month, there.day),))


def _years(first: date, last: date) -> int:
    """Return the full years between two dates."""
    return last.year - first.year - ((last.month, last.day) < (first.month, first.day))


def _minutes(one: EvidenceValue) -> Figure | None:
    """Return a duration of a record in minutes, by its own unit or that of its field."""
    figure = one.figure
    if figure.kind != NUMBER:
        return None
    units = units_of(figure.unit) or ((not figure.unit and field_units(one.field)) or ())
    worths = [worth for kind, worth in units if kind == "time"]
    if not worths or figure.unit == "m":
        return None
    return figure._replace(values=(figure.numbers[0] * worths[0] / _MINUTE,), unit="minutes")


def _ends_before(one: Figure, other: Figure) -> bool:
    """Return whether a time is at or before another one; both unambiguous, and no midnight."""
    match one.value, other.value:
        case Minute(minutes=start, half=False), Minute(minutes=end, half=False):
            return 0 < end <= start  # 0 is midnight, which ends a day as well as it begins one
    return False


def _difference(one: Figure, other: Figure) -> Minute | None:
    """Return the difference of two times of day as a clock shows it."""
    match one.value, other.value:
        case Minute(minutes=start), Minute(minutes=end):
            return Minute(abs(end - start), whole=True)
    return None


def _as_clock(lengths: Sequence[Figure]) -> Minute | None:
    """Return hours and minutes as a clock shows them."""
    amounts = {one.unit[0]: int(one.numbers[0]) for one in lengths if one.unit[0] in "hm"}
    return Minute(60 * amounts.get("h", 0) + amounts.get("m", 0), whole=True) if amounts else None


def _dates(value: Figure, year: int | None) -> Iterator[date]:
    """Yield the dates that a value can mean, in *year* if it has none."""
    for day in value.values:
        if isinstance(day, Day) and day.day is not None and (day.year or year):
            try:
                yield date(day.year or year or _LEAP, day.month, day.day)
            # 30 February of a damaged text
            except ValueError:
                continue


def _lengths(one: Figure, other: Figure, unit: str) -> Iterator[Decimal]:
    """Yield the differences of two dates or times in a unit."""
    match one.value, other.value:
        case Minute(minutes=start), Minute(minutes=end):
            between = Decimal(abs(end - start))
            if unit.startswith("h"):
                # in full hours, too, and over midnight
                yield from (between / 60, between // 60, 24 - between / 60)
            elif unit.startswith("m"):
                yield from (between, between % 60)
        case Day(day=int()), Day(day=int()):
            days = next(
                (abs((b - a).days) for a in _dates(one, _LEAP) for b in _dates(other, a.year)), 0
            )
            if unit[0] in "dn":
                # nights, or days with both ends counted
                yield from (Decimal(days), Decimal(days + 1))
            elif unit.startswith("w"):
                yield Decimal(days) / _WEEK
