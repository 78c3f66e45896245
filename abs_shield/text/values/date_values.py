"""Dates and times of day: their written forms, and the conversion of matches to figures."""

from __future__ import annotations

import re

from abs_shield.text.months import ENGLISH, whole_names
from abs_shield.text.values.figure import DATE, TIME, Day, Figures, Minute, build_figure

_SHORT = {name[:3]: n for n, name in enumerate(ENGLISH, 1)} | {
    "sept": 9, "janv": 1, "févr": 2, "avr": 4, "juil": 7, "okt": 10, "déc": 12, "dez": 12,
}  # fmt: skip
# Full names in all languages, but few abbreviations: others are ambiguous, or are words.
_NUMBER = whole_names() | _SHORT
# Only English, the language in which words of texts are compared.
MONTHS = {name: name for name in ENGLISH} | {name[:3]: name for name in ENGLISH}
MONTHS["sept"] = "september"
"""The whole English name for each name and abbreviation of a month."""
MONTH = rf"(?:{'|'.join(sorted(map(re.escape, _NUMBER), key=len, reverse=True))})\b\.?"
_WORD = r"[^\W\d_]{3,12}\b\.?"
"""A possible name of a month; the lookup is faster than a pattern of some six hundred names."""
_GAP = r"\s{1,8}"
"""A space, or a line's end in wrapped text."""
MAYBE_MONTH = r"(?=[^\W\d_]{3,12}\.?(?:[ ]of)?,?\s{1,8}\d)"
"""A word and a number, such as a month with a day or a year; faster than matching names."""
_NTH = r"(?:st|nd|rd|th|º|er)?"
_WEEKDAYS = (
    "monday mon",
    "tuesday tue",
    "wednesday wed",
    "thursday thu",
    "friday fri",
    "saturday",
    "sunday",
)
_WEEKDAY = {name: n for n, names in enumerate(_WEEKDAYS) for name in names.split()}

_CLOCK = dict(
    zip(
        "one two three four five six seven eight nine ten eleven twelve".split(),
        range(1, 13),
        strict=True,
    )
)
_PARTS = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20}
"""Minutes before or after an hour, in words."""

DATES = (
    r"(?P<iso>\d{4}-\d{2}-\d{2})"
    r"(?:[T ](?P<isotime>\d{1,2}:\d{2}(?::00(?:\.0{1,9})?)?Z?)(?::\d{2}(?:\.\d{1,9})?)?)?"
    r"(?:Z|[+-]\d{2}:?\d{2})?(?!\d)",
    r"(?P<ym>(?:19|20)\d{2}-(?:0[1-9]|1[0-2]))(?![\w-])",
    r"(?P<ymd>\d{4}[/.]\d{1,2}[/.]\d{1,2})(?![\d/])",
    r"(?P<dmy>\d{1,2}(?P<by>[/.-])\d{1,2}(?P=by)(?:\d{4}|\d{2}))(?![\d/]|[.-]\d)",
    r"(?P<cjk>\d{4}年\d{1,2}月(?:\d{1,2}日)?|\d{1,2}月\d{1,2}日"
    r"|\d{4}년[ ]?\d{1,2}월(?:[ ]?\d{1,2}일)?|\d{1,2}월[ ]?\d{1,2}일)",
    rf"{MAYBE_MONTH}(?P<mdy>{_WORD}{_GAP}\d{{1,2}}{_NTH}(?!\d|[:.]\d|,\d{{3}}|[ ]?[ap]\.?m\b)"
    rf"(?:,?{_GAP}(?:19|20)\d{{2}}(?!\d))?)",
    rf"(?P<dmony>\d{{1,2}}(?:{_NTH}|\.){_GAP}(?:of[ ]|de[ ])?{_WORD}"
    rf"(?:,?{_GAP}(?:de[ ])?(?:19|20)\d{{2}}(?!\d))?)",
    rf"{MAYBE_MONTH}(?P<my>{_WORD}(?:[ ]of)?,?{_GAP}(?:19|20)\d{{2}}(?!\d))",
)
"""Forms of dates, each in a named group."""
TIMES_IN_DIGITS = (
    r"(?P<clock>\d{1,2}(?::\d{2}|\.\d{2}(?=[ ]?[ap](?:m\b|\.m\b))))(?::\d{2}(?:\.\d{1,9})?)?"
    r"(?:[ ]?(?P<half>[ap])(?:m\b|\.m\b\.?))?(?!\d|:\d)",
    r"(?P<hour>\d{1,2})[ ]?(?P<hourhalf>[ap])(?:m\b|\.m\b\.?)",
    r"(?P<euro>\d{1,2}(?:[.h:]\d{2})?[ ]Uhr|\d{1,2}h\d{2}"
    r"|(?<=\b\u00e0 )\d{1,2}[ ]?h(?:eures?)?(?:[ ]?\d{2})?)\b",
)
TIMES = (
    *TIMES_IN_DIGITS,
    r"(?P<word>\b(?:noon|midnight)\b)",
    r"\b(?P<part>half|quarter|five|ten|twenty(?:[ -]five)?)[ ]past[ ]"
    rf"(?P<past>{'|'.join(_CLOCK)}|\d{{1,2}})\b(?![.,:]?\d)",
    r"\b(?:(?P<less>quarter)|(?<=\bat )(?P<fewer>five|ten|twenty(?:[ -]five)?))[ ]to[ ]"
    rf"(?P<to>{'|'.join(_CLOCK)}|\d{{1,2}})\b(?![.,:]?\d)",
)
"""Forms of times of day; those in digits begin with one."""
_LAST_MONTH, _LAST_DAY, _LAST_HOUR = 12, 31, 24


def days(form: str, text: str) -> tuple[Day, ...]:
    """
    Return the possible days of a date that one of `DATES` matched; empty if none exists.

    >>> days("mdy", "May 15")
    (Day(year=None, month=5, day=15),)
    >>> days("dmy", "05/06/2024")
    (Day(year=2024, month=5, day=6), Day(year=2024, month=6, day=5))
    """
    numbers = [int(part) for part in re.findall(r"\d+", text)]
    match form:
        case "cjk" if "年" not in text and "년" not in text:
            candidates = [Day(None, *numbers)]
        case "iso" | "ym" | "ymd" | "cjk":
            year, month, *day = numbers
            candidates = [Day(year, month, day[0] if day else None)]
        case "dmy":
            one, other, year = numbers
            # Two digits are a year of this century, as in results of tools.
            year += 2000 if year < 100 else 0
            candidates = [Day(year, one, other), Day(year, other, one)]
            # With full stops, the day comes first.
            candidates = candidates[1:] if "." in text else candidates
        case "my":
            candidates = [Day(numbers[0], _month(text), None)]
        case _:
            candidates = [Day(numbers[1] if len(numbers) > 1 else None, _month(text), numbers[0])]
    return tuple(dict.fromkeys(day for day in candidates if _exists(day)))


def _month(text: str) -> int:
    """Return the first month that a text names; 0 if there is none."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    return next((_NUMBER[word] for word in words if word in _NUMBER), 0)


def _exists(day: Day) -> bool:
    return 1 <= day.month <= _LAST_MONTH and (day.day is None or 1 <= day.day <= _LAST_DAY)


def weekdays(text: str) -> frozenset[int]:
    """
    Return the days of the week that *text* names in English, Monday as 0.

    >>> sorted(weekdays("On Saturday, or Mon."))
    [0, 5]
    """
    return frozenset(
        _WEEKDAY[word] for word in re.findall(r"[a-z]+", text.casefold()) if word in _WEEKDAY
    )


def minute(text: str, half: str = "") -> Minute | None:
    """
    Return a time of day, with its *half* of the day ("a" or "p"); None if it is invalid.

    >>> minute("6", "p"), minute("29:10")
    (Minute(minutes=1080, half=False, whole=False), None)
    >>> minute("18:30"), minute("6:05")
    (Minute(minutes=1110, half=False, whole=True), Minute(minutes=365, half=True, whole=False))
    """
    if text.casefold() in ("noon", "midnight"):
        return Minute(12 * 60 if text.casefold() == "noon" else 0)
    hours, minutes = (*map(int, re.findall(r"\d+", text)), 0)[:2]
    if hours > (12 if half else _LAST_HOUR) or minutes > 59:  # 24:00 is the end of a day
        return None
    if half:
        return Minute(hours % 12 * 60 + minutes + (720 if half.casefold() == "p" else 0))
    # 06:05 and 18:05 are on a 24-hour clock, 6:05 may be either
    half_open = 1 <= hours <= 12 and not text.startswith("0")
    return Minute(hours % 24 * 60 + minutes, half=half_open, whole=not half_open)


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
    r"|(?:^|[^\w\s][ ]?|\b(?:from|the|on|for|of|dates|vom|von|del|du|dal|de|do|van|od)[ ])"
    r"(?<![A-Za-z]-)(?P<from>\d{1,2})(?:st|nd|rd|th)?\.?[ ]"
    r"(?:to|until|through|bis|al|au|ao|a|\u00e0|hasta|at\u00e9|tot|do|t/m)[ ](?:the[ ])?\Z"
    r"|(?<![\w.,:/$-])(?P<nth>\d{1,2})(?:st|nd|rd|th)"
    r"(?:[ ]?[-\u2013\u2014][ ]?|[ ](?:to|and|or|until|through)[ ](?:the[ ])?)\Z"
    r"|\b(?:between|zwischen)[ ](?:the[ ])?"
    r"(?P<between>\d{1,2})(?:st|nd|rd|th)?\.?[ ](?:and|und)[ ](?:the[ ])?\Z",
    re.IGNORECASE,
)
"""
The first day of a range, without its month, before the last day.

A noun before a number, as in "Seat 14 - 5 May", makes it a number of that noun.
"""
_LONGEST_BEFORE = 30  # characters: "between the 10th and the "
_POSITION = re.compile(r"00?:([0-5]\d):([0-5]\d)")
_MODAL = re.compile(r"(?<=\d) may(?! \d)")
"""The verb rather than the month: ``option 1 may lead``."""
_MOST_DAYS = 31  # of the longest month


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
    """Yield the days after a first one that omit its month: ``May 3, 4 and 5``, ``May 3 - 5``."""
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
    if at := groups.get("past") or groups.get("to"):
        hour = _CLOCK.get(at.casefold()) or int(at)
        part = (groups.get("part") or groups.get("less") or groups["fewer"]).casefold()
        minutes = _PARTS.get(part, 25) * (1 if groups.get("past") else -1)
        if 1 <= hour <= 12:
            yield build_figure(
                TIME, text, match.span(), Minute((60 * hour + minutes) % 720, half=True)
            )
        return
    digits = (
        groups.get("clock") or groups.get("hour") or groups.get("euro") or groups.get("word") or ""
    )
    at = minute(digits, groups.get("half") or groups.get("hourhalf") or "")
    if at is not None:
        whole = groups.get("euro") or match[0].count(":") > 1
        values = [Minute(at.minutes, whole=True) if whole else at]
        if position := _POSITION.match(match[0]):  # 14 minutes and 10 seconds into a recording
            values.append(Minute(60 * int(position[1]) + int(position[2]), whole=True))
        yield build_figure(TIME, text, match.span(), *values)
