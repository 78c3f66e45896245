"""A weekday beside a date: "Friday, 30 October" is right in some years only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from abs_shield.answer.evidence.evidence_value import EvidenceValue
from abs_shield.answer.evidence.value_index import ValueIndex
from abs_shield.text.safe_display import shown
from abs_shield.text.values.figure import DATE, Day, Figure

_NAMES = (
    "monday mon montag lundi lunes",
    "tuesday tues tue dienstag mardi martes",
    "wednesday wed mittwoch mercredi mi\u00e9rcoles",
    "thursday thurs thur thu donnerstag jeudi jueves",
    "friday fri freitag vendredi viernes",
    "saturday sat samstag samedi s\u00e1bado",
    "sunday sun sonntag dimanche domingo",
)
_WEEKDAY = {name: n for n, names in enumerate(_NAMES) for name in names.split()}
_ANY = "|".join(sorted(_WEEKDAY, key=len, reverse=True))
_BEFORE = re.compile(
    rf"\b({_ANY})\b[*_]{{0,2}}[.,]{{0,2}}[ *_]{{1,5}}(?:(?:the|den|dem|le|el)[ ])?[*_]{{0,2}}\Z",
    re.IGNORECASE,
)
_BEHIND = re.compile(rf"(?:[ ]?\(|,[ ]an?[ ])({_ANY})\b[.)]", re.IGNORECASE)
# "Monday to Friday, 7 to 11 December": neither is the weekday of the date beside it
_SEVERAL = re.compile(rf"\b(?:{_ANY})\b[^\d\n]{{0,30}}\Z", re.IGNORECASE)
_SHORT = 5  # letters of an abbreviation
_LONGEST = 60
"""Characters beside a date that are read."""
_YEARLY = re.compile(r"birth|dob\b|born|anniver|since|found|establish|join|hire", re.IGNORECASE)
"""Names of fields with a day that is meant in other years as well."""
_OTHER_YEAR = re.compile(
    r"\b(?:renew|annual|anniver|yearly|years?\b|again\b|recur|expire|birthday|jahr|ann\u00e9e|a\u00f1o)",
    re.IGNORECASE,
)
"""Words beside a date without a year that may be in another year than the evidence's."""


def weekday_conflict(
    answer: str,
    value: Figure,
    matches: Sequence[EvidenceValue],
    *,
    index: ValueIndex,
    question: str | None = None,
) -> str:
    """
    Return a message if a date of an answer is on another weekday than the one beside it, or "".

    Args:
        answer: The answer.
        value: The date.
        matches: Its places in the evidence, which have the year if the answer omits it.
        index: The values of the evidence.
        question: The user's question, which may have the same weekday.
    """
    if value.kind != DATE or (stated := _weekday_beside(answer, value)) is None:
        return ""
    beside = answer[max(0, value.start - _LONGEST) : value.end + _LONGEST]
    days = [*_days(value, matches, recurs=_OTHER_YEAR.search(beside) is not None)]
    if not days or any(day.weekday() == stated[1] for day in days):
        return ""
    texts = [question or "", *(index.pieces[one.piece].text for one in matches if one.piece >= 0)]
    if _mentions(texts, stated[1]):  # the fault is not the agent's
        return ""
    name = _NAMES[days[0].weekday()].partition(" ")[0].title()
    return f"{shown(value.text)} is a {name}, the answer has {shown(stated[0])}"


def _weekday_beside(answer: str, value: Figure) -> tuple[str, int] | None:
    before = _BEFORE.search(answer, max(0, value.start - _LONGEST), value.start)
    if before and _SEVERAL.search(answer, max(0, before.start() - _LONGEST), before.start()):
        return None
    match = before or _BEHIND.match(answer, value.end)
    # "sat", "wed" and "sun" are words, too
    if match is None or (len(match[1]) <= _SHORT and match[1].islower()):
        return None
    return match[1], _WEEKDAY[match[1].casefold()]


def _days(value: Figure, matches: Sequence[EvidenceValue], *, recurs: bool) -> Iterator[date]:
    """Yield the days that a date may mean; none without a year, or if the day recurs."""
    own = [day for day in value.values if isinstance(day, Day)]
    if any(day.year is None for day in own):
        is_yearly = recurs or any(_YEARLY.search(one.field) for one in matches)
        found = (day for one in matches for day in one.figure.values if isinstance(day, Day))
        own = [] if is_yearly else [*found]
    for year, month, day in own:
        if year is None or day is None:
            continue
        try:
            yield date(year, month, day)
        except ValueError:  # 31 November
            continue


def _mentions(texts: Iterable[str], weekday: int) -> bool:
    names = rf"\b(?:{_NAMES[weekday].replace(' ', '|')})\b"
    return any(re.search(names, text, re.IGNORECASE) for text in texts)
