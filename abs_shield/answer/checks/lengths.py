"""Days and times, and the lengths between them: hours later, days before, a clock of hours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

from abs_shield.text.values.figure import Day, Figure, Minute, same

_LEAP = 2024


def lies(figure: Figure, moments: Sequence[Figure], spans: Sequence[Figure]) -> bool:
    """Whether a moment lies a length before or behind one of some."""
    pairs = ((moment, span) for moment in moments for span in spans)
    return any(same(figure, there) for pair in pairs for there in moved(*pair))


def moved(moment: Figure, span: Figure) -> Iterator[Figure]:
    """A moment, a length later and earlier."""
    value, length = moment.value, int(span.numbers[0])
    for sign in (1, -1):
        match value:
            case Minute(minutes=at) if span.unit[0] in "hm":
                minutes = at + sign * length * (60 if span.unit[0] == "h" else 1)
                yield replace(moment, values=(Minute(minutes % 1440, value.half),))
            case Day(year=year, month=month, day=int(day)) if span.unit[0] in "dnw":
                days = length * (7 if span.unit[0] == "w" else 1)
                try:
                    there = date(year or _LEAP, month, day) + timedelta(days=sign * days)
                except (ValueError, OverflowError):
                    continue
                yield replace(moment, values=(Day(year and there.year, there.month, there.day),))


def apart(one: Figure, other: Figure) -> Minute | None:
    """How far two times of a day are from each other, as a clock shows it."""
    match one.value, other.value:
        case Minute(minutes=start), Minute(minutes=end):
            return Minute(abs(end - start), whole=True)
    return None


def as_clock(spans: Iterable[Figure]) -> Minute | None:
    """Hours and minutes that are said, as a clock shows them."""
    spoken = {span.unit[0]: int(span.numbers[0]) for span in spans if span.unit[0] in "hm"}
    minutes = 60 * spoken.get("h", 0) + spoken.get("m", 0)
    return Minute(minutes, whole=True) if spoken else None


def dates(figure: Figure, year: int | None) -> Iterator[date]:
    """The days that a figure can mean, in *year* where it names none."""
    for value in figure.values:
        if isinstance(value, Day) and value.day is not None and (value.year or year):
            try:
                yield date(value.year or year or _LEAP, value.month, value.day)
            except ValueError:
                continue


def lengths(one: Figure, other: Figure, unit: str) -> Iterator[Decimal]:
    match one.value, other.value:
        case Minute(minutes=start), Minute(minutes=end):
            between = Decimal(abs(end - start))
            if unit.startswith("h"):
                yield from (between / 60, between // 60, 24 - between / 60)
            elif unit.startswith("m"):
                yield from (between, between % 60)
        case Day(month=month, day=int(start)), Day(month=other_month, day=int(end)):
            if month == other_month and unit[0] in "dn":
                yield from (Decimal(abs(end - start)), Decimal(abs(end - start) + 1))
            elif month == other_month and unit.startswith("w"):
                yield Decimal(abs(end - start)) / 7
