"""Durations that are not the time between their dates, and wrong weekdays of dates."""

from __future__ import annotations

import re
from typing import NamedTuple, Self

from abs_shield.quality.consistency.text_relations import Relations, fault, span_of, up_to_words
from abs_shield.quality.consistency.time_spans import (
    UNITS,
    date_of,
    days_between,
    is_duration,
    unit_of,
)
from abs_shield.quality.marked_sentences import Reading, Sentence, form
from abs_shield.quality.quality_types import OutputFinding
from abs_shield.text.values.date_values import weekdays
from abs_shield.text.values.figure import Day, Figure

_CODE = "CONTRADICTORY_DATES"
_REMEDY = "Make the dates and the duration consistent"
_UNIT = r"(?P<unit>minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|months?|years?|decades?)\b"
_LENGTH = rf"<count:N>[ -](?:full |whole |calendar |consecutive )?{_UNIT}"
_WORDS = up_to_words(8)
_AT = r"(?: (?:on|in|at))?(?: the)?(?: [a-z]+day,?)?"
_PAIR = (
    rf"(?:from|between){_AT} <first:DTY>(?: [a-z]+,?){{0,3}}?,? (?:to|through|until|till|and"
    rf"|ending)"
    rf"{_AT} <last:DTY>"
)
_STARTED = (
    rf"\b(?:start|begin|began|begun|open|launch|depart|leav|left|check|found|establish|join|commenc"
    rf"|took office|kick|run|ran|arriv)\w*{_WORDS}{_AT} <first:DTY>{_WORDS},?(?: \(?(?:and"
    rf"|but))?{_WORDS}"
    rf" (?:end|finish|clos|conclud|last|return|left|leav|check|retir|complet|run|resign|step"
    rf"|dissol|shut|land|arriv)"
    rf"\w*{_WORDS}{_AT} <last:DTY>"
)
_DASHED = r"(?P<paren>\()?<first:DTY> ?[-\u2013\u2014] ?<last:DTY>\)?"
_BREAK = r"(?:,? ?[,;:(\u2013\u2014-] ?|,? (?:for|and|which|so|making|that) |,? )"
_LASTING = (
    r"(?:[a-z]+ing (?!than )|for |an? |the |i\.e\.,? |or |and |so |thus |which (?:is|was) |that"
    r" is,? "
    r"|(?:it |she |he |they |this |that |which )?(?:took|takes|lasts|lasted|ran|runs|spans|spanned"
    r"|covers"
    r"|covered|is|was|makes|made) |it |(?:total|period|span|stretch|duration|(?:[a-z]+ )?time|run"
    r"|tenure|stay|length"
    r"|term) of |exactly |equal to |full )*"
)
_FORMS = tuple(
    map(
        form,
        (
            *(
                rf"{pair}{_WORDS}{_BREAK}{_LASTING}{_LENGTH}"
                for pair in (rf"\b{_PAIR}", _STARTED, _DASHED)
            ),
            rf"(?<!every ){_LENGTH}{_WORDS},?(?: \(?)?(?:[a-z]+ ){{0,2}}\(?{_PAIR}",
        ),
    )
)
_RUNS = form(
    rf"\b(?:runs?|ran|lasts?|lasted|(?:is|was) valid) (?:for )?{_LENGTH},? from{_AT} <first:D>,?"
    rf" (?:until|to|till|through){_AT} <last:D>"
)
_CLOCKED = form(
    rf"\b(?:takes?|took|lasts?|lasted) {_LENGTH}, (?:start|leav|depart|beginn)ing{_AT} <first:T>"
    rf",? and (?:end|arriv|land|finish|conclud)ing{_AT} <last:T>"
)
_THREE_MONTHS = 92.0  # the longest three months: contracts often count from another day
"""Tolerance in days of a length in months or years given with its first and last day."""
_AFTER = form(
    rf"{_LENGTH} (?P<way>after|before|from){_WORDS}(?: on)? <first:DY>,?{_WORDS},?"
    rf" (?:on|in|is|was|which is|namely|i\.e\.,?) <last:DY>"
)
_LATER = form(
    rf"\b(?:on|in) <first:DY>,?{_WORDS},?(?: and)?{_WORDS},? (?:exactly )?{_LENGTH} "
    rf"(?P<way>later),?"
    rf"(?: on| in) <last:DY>"
)
_REVERSED = form(
    rf"\b(?:start|begin|open)(?:s|ed|ing)?{_AT} <first:D>{_WORDS},? (?:and )?"
    rf"(?:ends?|ended|ending|finish(?:es|ed)?|clos(?:es|ed)|concludes?d?){_AT} <last:D>"
)
_WEEKDAY = form(
    r"\b(?P<name>(?:mon|tues|wednes|thurs|fri|satur|sun)day),? (?:the )?<date:D>"
    r"|<other:D> \(?(?:is |was |falls on )?(?:an? )?(?P<behind>(?:mon|tues|wednes|thurs|fri|satur"
    r"|sun)day)\b"
)
_NO_LENGTH = re.compile(
    r"\b(?:business|working|work|week|school|trading|every|each|per|first|last|next|remaining|ago"
    r"|old|early|late|before|daily|except|break|notice|warranty|age[sd]?|into|later|when|then"
    r"|elected|term|sentence|contract|deal|mandate|loan)\b|/",
    re.IGNORECASE,
)
_GREGORIAN = 1924  # Greece was the last in Europe, in 1923
"""Before this year some countries used another calendar."""


class _StatedDuration(NamedTuple):
    """
    Two dates or times, and the duration that a sentence states between them.

    Attributes:
        first: The first date or time.
        last: The second one.
        number: The number of units as written.
        unit: The unit in the singular.
        text: The duration as written.
    """

    first: Figure
    last: Figure
    number: Figure
    unit: str
    text: str

    @property
    def length(self) -> float:
        """The number of units as a float."""
        return float(self.number.numbers[0])

    @classmethod
    def of(cls, sentence: Sentence, match: re.Match[str]) -> Self | None:
        """Return the duration of a match; None if a part of it is not a value."""
        first, last = sentence.figure(match, "first"), sentence.figure(match, "last")
        count, unit = sentence.figure(match, "count"), unit_of(match["unit"])
        if first is None or last is None or count is None or not unit:
            return None
        return cls(first, last, count, unit, f"{count.text} {match['unit']}")


def durations(reading: Reading) -> Relations:
    """Find wrong durations, such as ten days from 3 to 5 March."""
    for sentence in reading.sentences:
        if not sentence.marked("DTY") or not sentence.asserts:
            continue
        yield from _compare_weekdays(reading, sentence)
        if len(sentence.figures) > 1:
            yield from _compare_lengths(reading, sentence)
            yield from _compare_stated_lengths(reading, sentence)
            yield from _compare_shifts(reading, sentence)
            yield from _compare_ends(reading, sentence)


def _compare_lengths(reading: Reading, sentence: Sentence) -> Relations:
    counted: set[int] = set()
    for pattern in _FORMS:
        for match in pattern.finditer(sentence.plain):
            if match.start("count") in counted or _NO_LENGTH.search(_with_next_word(match)):
                continue
            counted.add(match.start("count"))
            yield from _compare_length(reading, sentence, match)


def _compare_stated_lengths(reading: Reading, sentence: Sentence) -> Relations:
    """Compare a stated length with the start and the end after it."""
    if not sentence.names:  # two places may have different time zones
        for match in _CLOCKED.finditer(sentence.plain):
            if _NO_LENGTH.search(sentence.plain):
                continue
            yield from _compare_length(reading, sentence, match)
    for match in _RUNS.finditer(sentence.plain):
        stated = _StatedDuration.of(sentence, match)
        if stated is None or stated.unit not in ("month", "year"):
            continue
        span = days_between(stated.first, stated.last)
        if span is None or span.most < 0:
            continue
        days = stated.length * UNITS[stated.unit]
        if span.least - _THREE_MONTHS <= days <= span.most + _THREE_MONTHS:
            yield None
            continue
        detail = f'"{stated.first.text}" to "{stated.last.text}" is not {stated.text}'
        yield _fault(reading, sentence, match, detail)


def _with_next_word(match: re.Match[str]) -> str:
    """Return the matched text and the word after it."""
    # 16 characters: enough for the next word, such as "business", which changes the length
    return match[0] + re.split(r"[,.;]", match.string[match.end() : match.end() + 16])[0]


def _compare_length(reading: Reading, sentence: Sentence, match: re.Match[str]) -> Relations:
    stated = _StatedDuration.of(sentence, match)
    if stated is None:
        return
    span = days_between(stated.first, stated.last)
    clock = stated.unit in ("minute", "hour")
    # hours between dates, and days between times, measure something else
    if span is None or clock != (stated.first.kind == "time") or span.most < 0:
        return
    if is_duration(span, stated.length, stated.unit):
        yield None
        return
    detail = f'"{stated.first.text}" to "{stated.last.text}" is not {stated.text}'
    yield _fault(reading, sentence, match, detail)


def _compare_shifts(reading: Reading, sentence: Sentence) -> Relations:
    for pattern in (_AFTER, _LATER):
        for match in pattern.finditer(sentence.plain):
            words = _with_next_word(match).replace("later", "").replace("before", "")
            if _NO_LENGTH.search(words):
                continue
            yield from _compare_shift(reading, sentence, match)


def _compare_shift(reading: Reading, sentence: Sentence, match: re.Match[str]) -> Relations:
    """Compare "ten days after A, on B" with A and B."""
    stated = _StatedDuration.of(sentence, match)
    if stated is None:
        return
    first, last = stated.first, stated.last
    if match["way"].casefold() == "before":
        first, last = last, first
    span = days_between(first, last)
    if span is None:
        return
    if is_duration(span, stated.length, stated.unit):
        yield None
        return
    detail = f'"{first.text}" and "{last.text}" are not {stated.text} apart'
    yield _fault(reading, sentence, match, detail)


def _compare_ends(reading: Reading, sentence: Sentence) -> Relations:
    """Check that the last day of something is not before its first day."""
    for match in _REVERSED.finditer(sentence.plain):
        first, last = sentence.figure(match, "first"), sentence.figure(match, "last")
        if first is None or last is None:
            continue
        span = days_between(first, last)
        if span is None:
            continue
        if span.most >= 0:
            yield None
            continue
        detail = f'the last day "{last.text}" is before the first day "{first.text}"'
        yield _fault(reading, sentence, match, detail)


def _compare_weekdays(reading: Reading, sentence: Sentence) -> Relations:
    """Compare the weekday given with a date with the calendar."""
    for match in _WEEKDAY.finditer(sentence.plain):
        figure = sentence.figure(match, "date") or sentence.figure(match, "other")
        name = match["name"] or match["behind"]
        if figure is None or len(figure.values) != 1 or not isinstance(figure.value, Day):
            continue
        date = date_of(figure.value, None)
        if date is None or date.year < _GREGORIAN:
            continue
        if date.weekday() in weekdays(name):
            yield None
            continue
        detail = f'"{figure.text}" is a {date:%A}, not a {name}'
        yield _fault(reading, sentence, match, detail)


def _fault(
    reading: Reading, sentence: Sentence, match: re.Match[str], detail: str
) -> OutputFinding:
    return fault(reading, span_of(sentence, match), _CODE, detail=detail, remedy=_REMEDY)
