"""Rules for dates and times: order, distance, and relation to now."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from typing import Any

from abs_shield.errors import PolicyError
from abs_shield.policy.rule import Rule
from abs_shield.policy.rule_factory import (
    Tools,
    build_rule,
    exact_number,
    quoted_names,
    sentence_subject,
)
from abs_shield.text.exact_values import iso_date, iso_dates, time_between
from abs_shield.text.safe_display import shown

# A day, the day before and the day after: values on both sides of the limit.
_DAYS = ("2030-06-02", "2030-06-01", "2030-06-03")
# Past and future for any clock of a proof.
_FAR = ("1970-01-01", "9999-12-31")

Clock = Callable[[], datetime]


def last_place() -> datetime:
    """Return the current time at UTC-12, where each day ends last."""
    return datetime.now(timezone(timedelta(hours=-12)))


def first_place() -> datetime:
    """Return the current time at UTC+14, where each day begins first."""
    return datetime.now(timezone(timedelta(hours=14)))


def not_before(*, tool: Tools, start: str = "start", end: str = "end") -> Rule:
    """
    A range does not end before it starts; both may be the same day.

    >>> not_before(tool="search", start="from", end="to").sentence
    '`to` is not before `from`.'
    """

    def check(start: Any, end: Any) -> bool:
        # The schema judges values that are not dates.
        distance = _distance(start, end)
        return distance is None or distance >= timedelta(0)

    sentence = f"{quoted_names(end)} is not before {quoted_names(start)}."
    return build_rule(
        check, tool=tool, takes={"start": start, "end": end}, sentence=sentence, tries=_DAYS
    )


def after(*, tool: Tools, start: str = "start", end: str = "end") -> Rule:
    """
    A range ends after it starts; both may not be equal.

    >>> after(tool="book", start="check_in", end="check_out").sentence
    '`check_out` is after `check_in`.'
    """

    def check(start: Any, end: Any) -> bool:
        distance = _distance(start, end)
        return distance is None or distance > timedelta(0)

    sentence = f"{quoted_names(end)} is after {quoted_names(start)}."
    return build_rule(
        check, tool=tool, takes={"start": start, "end": end}, sentence=sentence, tries=_DAYS
    )


def span_at_most(days: float, *, tool: Tools, start: str = "start", end: str = "end") -> Rule:
    """
    A range is at most *days* long.

    >>> span_at_most(30, tool="report").sentence
    'From `start` to `end` it is at most 30 days.'
    """
    most = _days(days, of="dates.span_at_most")

    def check(start: Any, end: Any) -> bool:
        distance = _distance(start, end)
        return distance is None or distance <= most

    sentence = f"From {quoted_names(start)} to {quoted_names(end)} it is at most {days} days."
    return build_rule(
        check,
        tool=tool,
        takes={"start": start, "end": end},
        sentence=sentence,
        tries=(_DAYS[0], *_late_day(most)),
    )


def not_in_the_past(
    *, tool: Tools, parameter: str = "date", what: str | None = None, clock: Clock = last_place
) -> Rule:
    """
    A date is today or later, a date-time now or later.

    Args:
        clock: Returns the current time; a date-time without an offset is read in its zone. By
            default, a day is past once it is past everywhere on earth.

    >>> not_in_the_past(tool="book", parameter="check_in").sentence
    '`check_in` is not in the past.'
    """

    def check(dates: Any) -> bool:
        now = clock()
        gaps = [time_between(now, _with_zone(read, now)) for read in iso_dates(dates)]
        return all(gap is None or gap >= timedelta(0) for gap in gaps)

    sentence = f"{sentence_subject(what, parameter)} is not in the past."
    return build_rule(check, tool=tool, takes={"dates": parameter}, sentence=sentence, tries=_FAR)


def ahead_at_most(
    days: float,
    *,
    tool: Tools,
    parameter: str = "date",
    what: str | None = None,
    clock: Clock = first_place,
) -> Rule:
    """
    A date is at most *days* in the future.

    Args:
        clock: Returns the current time; a date-time without an offset is read in its zone.

    >>> ahead_at_most(365, tool="book").sentence
    '`date` is at most 365 days ahead.'
    """
    most = _days(days, of="dates.ahead_at_most")

    def check(dates: Any) -> bool:
        now = clock()
        gaps = [time_between(now, _with_zone(read, now)) for read in iso_dates(dates)]
        return all(gap is None or gap <= most for gap in gaps)

    sentence = f"{sentence_subject(what, parameter)} is at most {days} days ahead."
    return build_rule(check, tool=tool, takes={"dates": parameter}, sentence=sentence, tries=_FAR)


def _distance(start: Any, end: Any) -> timedelta | None:
    """Return the time from *start* to *end*; None if they cannot be parsed or compared."""
    first, last = iso_date(start), iso_date(end)
    return None if first is None or last is None else time_between(first, last)


def _with_zone(when: date, now: datetime) -> date:
    if isinstance(when, datetime) and when.tzinfo is None:
        # A date-time without an offset is in the clock's time zone.
        return when.replace(tzinfo=now.tzinfo)
    return when


def _days(days: Any, *, of: str) -> timedelta:
    try:
        return timedelta(days=float(exact_number(days, of=of)))
    except OverflowError:
        raise PolicyError(f"`{of}` got {shown(days)} days; give fewer") from None


def _late_day(most: timedelta) -> list[str]:
    """Return a day that is too late for a range of *most* from the first sample day, if any."""
    try:
        # Two days more, because the limit may include a part of a day.
        return [(date.fromisoformat(_DAYS[0]) + most + timedelta(days=2)).isoformat()]
    except OverflowError:
        return []
