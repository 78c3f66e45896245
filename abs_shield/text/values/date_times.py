"""Conversion of matched dates and times of day to figures."""

from __future__ import annotations

import re

from abs_shield.text.values.calendar import days, minute
from abs_shield.text.values.figure import DATE, TIME, Day, Figures, Minute, build_figure

_DATE_FORMS = ("iso", "ym", "ymd", "dmy", "cjk", "mdy", "dmony", "my")
_THROUGH = re.compile(
    r"(?:[ ]?(?:-|to|through|until)[ ]?|(?P<list>,?[ ](?:and|or)[ ]|,[ ]))"
    r"(\d{1,2})(?:st|nd|rd|th)?(?:,[ ]((?:19|20)\d\d))?"
    r"(?![\w%]|[.,:/-]\d|[ ]?[ap]\.?m\b)"
    r"(?(list)(?=[^\w\s]|\s*$|[ ](?:and|or|to|at|for|from|in|on|with|by|as|was|were|is|are)\b))",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?<![\w.,:/$-])(?P<day>\d{1,2})(?:st|nd|rd|th)?\.?[-\u2013\u2014]\Z"
    r"|(?:^|[^\w\s][ ]?|\b(?:from|the|on|for|of|dates|vom|von)[ ])"
    r"(?P<from>\d{1,2})(?:st|nd|rd|th)?\.?[ ](?:to|until|through|bis)[ ](?:the[ ])?\Z"
    r"|(?<![\w.,:/$-])(?P<nth>\d{1,2})(?:st|nd|rd|th)"
    r"(?:[ ]?[-\u2013\u2014][ ]?|[ ](?:to|and|or|until|through)[ ](?:the[ ])?)\Z"
    r"|\b(?:between|zwischen)[ ](?:the[ ])?"
    r"(?P<between>\d{1,2})(?:st|nd|rd|th)?\.?[ ](?:and|und)[ ](?:the[ ])?\Z",
    re.IGNORECASE,
)
"""
The first day of a range, without its month, before the last one.

A noun before a number, as in "Seat 14 - 5 May", makes it a number of that noun.
"""
_LONGEST_BEFORE = 30  # characters: "between the 10th and the "
_MODAL = re.compile(r"(?<=\d) may(?! \d)")
"""The verb rather than the month: ``option 1 may lead``."""
_MOST_DAYS = _LAST_DAY = 31  # of the longest month


def day_of(match: re.Match[str], text: str) -> Figures:
    form = next(name for name in _DATE_FORMS if match.groupdict().get(name))
    read = days(form, match[form])
    if read:
        # "20 may" can be a day or a verb, so no evidence is required for it.
        maybe = form == "dmony" and _MODAL.search(match.string, *match.span(form)) is not None
        yield build_figure(DATE, text, match.span(form), *read, soft=maybe)
    if form == "iso" and match["isotime"] and (at := minute(match["isotime"])):
        yield build_figure(TIME, text, match.span("isotime"), Minute(at.minutes, whole=True))
    if form == "mdy" and read:
        yield from _further_days(match, text, read[0])
    if form == "dmony" and read:
        yield from _earlier_day(match, text, read[0])


def _further_days(match: re.Match[str], text: str, day: Day) -> Figures:
    """Yield the days behind a first one that omit its month: ``May 3, 4 and 5``, ``May 3 - 5``."""
    end = match.end()
    for _ in range(_MOST_DAYS):
        to = _THROUGH.match(match.string, end)
        if to is None or not 1 <= int(to[2]) <= _LAST_DAY:
            return
        year = int(to[3]) if to[3] else day.year
        yield build_figure(DATE, text, (to.start(2), to.end()), Day(year, day.month, int(to[2])))
        end = to.end()


def _earlier_day(match: re.Match[str], text: str, day: Day) -> Figures:
    """Yield the day before a last one that omits its month: ``10-12 May``, ``10 to 12 May``."""
    begins = max(0, match.start() - _LONGEST_BEFORE)
    first = _BEFORE.search(match.string, begins, match.start())
    if first is None or day.day is None or first.lastgroup is None:
        return
    if 1 <= int(first[first.lastgroup]) < day.day:
        earlier = Day(day.year, day.month, int(first[first.lastgroup]))
        yield build_figure(DATE, text, first.span(first.lastgroup), earlier)


def time_of(match: re.Match[str], text: str) -> Figures:
    groups = match.groupdict()
    digits = (
        groups.get("clock") or groups.get("hour") or groups.get("euro") or groups.get("word") or ""
    )
    at = minute(digits, groups.get("half") or groups.get("hourhalf") or "")
    if at is not None:
        whole = groups.get("euro") or match[0].count(":") > 1
        yield build_figure(
            TIME, text, match.span(), Minute(at.minutes, whole=True) if whole else at
        )
