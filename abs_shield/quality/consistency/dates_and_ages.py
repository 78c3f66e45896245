"""The time between two dates, the weekday of a date, and the age in a year."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from abs_shield.quality.consistency.text_relations import Relations, fault, span_of
from abs_shield.quality.consistency.time_spans import (
    UNITS,
    date_of,
    days_between,
    is_duration,
    unit_of,
)
from abs_shield.quality.marked_sentences import Reading, Sentence, form
from abs_shield.text.values.date_values import weekdays
from abs_shield.text.values.figure import Day, Figure

_DURATIONS_CODE = "CONTRADICTORY_DATES"
_DURATIONS_REMEDY = "Make the dates and the duration consistent"
_UNIT = r"(?P<unit>minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|months?|years?|decades?)\b"
_LENGTH = rf"<count:N>[ -](?:full |whole |calendar |consecutive )?{_UNIT}"
_WORDS = r"(?: [^\W\d_][\w'\u2019-]{0,24}){0,8}?"
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


def durations(reading: Reading) -> Relations:
    """Find wrong durations, such as ten days from 3 to 5 March."""
    for sentence in reading.sentences:
        if not sentence.marked("DTY") or not sentence.asserts:
            continue
        yield from _weekday(reading, sentence)
        if len(sentence.figures) > 1:
            yield from _between(reading, sentence)
            yield from _stated(reading, sentence)
            yield from _after(reading, sentence)
            yield from _compare_ends(reading, sentence)


def _between(reading: Reading, sentence: Sentence) -> Relations:
    counted: set[int] = set()
    for pattern in _FORMS:
        for match in pattern.finditer(sentence.plain):
            if match.start("count") in counted or _NO_LENGTH.search(_words(match)):
                continue
            counted.add(match.start("count"))
            yield from _compare(reading, sentence, match)


def _stated(reading: Reading, sentence: Sentence) -> Relations:
    """Compare a stated length with the start and the end after it."""
    if not sentence.names:  # two places may have different time zones
        for match in _CLOCKED.finditer(sentence.plain):
            if _NO_LENGTH.search(sentence.plain):
                continue
            yield from _compare(reading, sentence, match)
    for match in _RUNS.finditer(sentence.plain):
        first, last = sentence.figure(match, "first"), sentence.figure(match, "last")
        count, unit = sentence.figure(match, "count"), unit_of(match["unit"])
        span = None if first is None or last is None else days_between(first, last)
        if span is None or count is None or unit not in ("month", "year") or span.most < 0:
            continue
        days = float(count.numbers[0]) * UNITS[unit]
        if span.least - _THREE_MONTHS <= days <= span.most + _THREE_MONTHS:
            yield None
            continue
        assert first is not None
        assert last is not None
        detail = f'"{first.text}" to "{last.text}" is not {count.text} {match["unit"]}'
        yield fault(
            reading,
            span_of(sentence, match),
            _DURATIONS_CODE,
            detail=detail,
            remedy=_DURATIONS_REMEDY,
        )


def _words(match: re.Match[str]) -> str:
    """Return the matched text and the word after it."""
    # 16 characters: enough for the next word, such as "business", which changes the length
    return match[0] + re.split(r"[,.;]", match.string[match.end() : match.end() + 16])[0]


def _compare(reading: Reading, sentence: Sentence, match: re.Match[str]) -> Relations:
    first, last = sentence.figure(match, "first"), sentence.figure(match, "last")
    count, unit = sentence.figure(match, "count"), unit_of(match["unit"])
    if first is None or last is None or count is None or not unit:
        return
    span = days_between(first, last)
    clock = unit in ("minute", "hour")
    # hours between dates, and days between times, measure something else
    if span is None or clock != (first.kind == "time") or span.most < 0:
        return
    length = float(count.numbers[0])
    if is_duration(span, length, unit):
        yield None
        return
    detail = f'"{first.text}" to "{last.text}" is not {count.text} {match["unit"]}'
    yield fault(
        reading, span_of(sentence, match), _DURATIONS_CODE, detail=detail, remedy=_DURATIONS_REMEDY
    )


def _after(reading: Reading, sentence: Sentence) -> Relations:
    for pattern in (_AFTER, _LATER):
        for match in pattern.finditer(sentence.plain):
            words = _words(match).replace("later", "").replace("before", "")
            if _NO_LENGTH.search(words):
                continue
            yield from _compare_shift(reading, sentence, match)


def _compare_shift(reading: Reading, sentence: Sentence, match: re.Match[str]) -> Relations:
    """Compare "ten days after A, on B" with A and B."""
    first, last = sentence.figure(match, "first"), sentence.figure(match, "last")
    if match["way"].casefold() == "before":
        first, last = last, first
    count, unit = sentence.figure(match, "count"), unit_of(match["unit"])
    if first is None or last is None or count is None or not unit:
        return
    span = days_between(first, last)
    if span is None:
        return
    if is_duration(span, float(count.numbers[0]), unit):
        yield None
        return
    detail = f'"{first.text}" and "{last.text}" are not {count.text} {match["unit"]} apart'
    yield fault(
        reading, span_of(sentence, match), _DURATIONS_CODE, detail=detail, remedy=_DURATIONS_REMEDY
    )


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
        yield fault(
            reading,
            span_of(sentence, match),
            _DURATIONS_CODE,
            detail=detail,
            remedy=_DURATIONS_REMEDY,
        )


def _weekday(reading: Reading, sentence: Sentence) -> Relations:
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
        yield fault(
            reading,
            span_of(sentence, match),
            _DURATIONS_CODE,
            detail=detail,
            remedy=_DURATIONS_REMEDY,
        )


_AGES_CODE = "CONTRADICTORY_AGE"
_AGES_REMEDY = "Make the date of birth, the date and the age consistent"
_WINDOW = 4  # later ones are often about a relative or a successor
"""Number of sentences from a birth on, in the same paragraph, that may be about that person."""
_BORN = form(
    r"\b(?:born|birth(?:day|date)?)\b(?: (?:on|in|was|is|of|[a-z]+day,?|[A-Z][\w.'\u2019-]*,?|the"
    r"|to"
    r"|at|near|city|date)){0,8}? <birth:DY>|\(<life:DY> ?[-\u2013\u2014] ?<death:DY>\)"
    r"|\((?:b\.|born) <born:DY>\)"
)
_AGED = form(
    r"\b(?:(?:at|by) (?:the )?age (?:of )?|aged |at the age of |(?:is|was|be|being|turn(?:s|ed)?"
    r"|reach(?:ed)? (?:the )?age (?:of )?|age )(?:[a-z]+ )?)<age:N>(?! ?(?:%|percent|per cent))"
    r"(?P<old>[ -]years?[ -]old| years of age)?|,? <other:N>[ -]years?[ -]old"
    r"|\b(?:and|he|she|they) (?:is|was|turned) <plain:N>"
    r"(?=(?: (?!and\b|but\b|or\b)[a-z'\u2019-]+){0,6} in (?:<DY>))"
)
_THEY = re.compile(r"\b(?:he|she|they|his|her|their)\b", re.IGNORECASE)
_DIED = re.compile(r"\b(?:died|passed away|death|killed)\b", re.IGNORECASE)
_OTHERS = re.compile(
    r"\b(?:son|daughter|wife|husband|brother|sister|father|mother|parents?|child(?:ren)?|twins?"
    r"|friend|partner|married|who)\b",
    re.IGNORECASE,
)
_LIVES = 125  # the oldest person on record died at 122
"""Maximum plausible age in years."""


class _Birth(NamedTuple):
    """A birth, and the death given with it in brackets."""

    figure: Figure
    death: Figure | None
    sentence: Sentence


def ages(reading: Reading) -> Relations:
    """Find wrong ages, such as 45 in 2020 for a person born in 1980."""
    for paragraph in reading.paragraphs:
        births = [one for sentence in paragraph for one in _births(sentence)]
        if len(births) == 1:  # with several, it is unknown whose age is stated
            yield from _of(reading, births[0], paragraph)


def _births(sentence: Sentence) -> Iterator[_Birth]:
    for match in _BORN.finditer(sentence.plain):
        figure = next(
            (one for name in ("birth", "life", "born") if (one := sentence.figure(match, name))),
            None,
        )
        if figure is not None and sentence.asserts:
            yield _Birth(figure, sentence.figure(match, "death"), sentence)


def _of(reading: Reading, birth: _Birth, paragraph: tuple[Sentence, ...]) -> Relations:
    n = paragraph.index(birth.sentence)
    for sentence in paragraph[n : n + _WINDOW]:
        if not sentence.asserts or (sentence is not birth.sentence and not _is_same(sentence)):
            continue
        # from here on, the text may be about another person
        if _OTHERS.search(sentence.plain):
            return
        yield from _in_sentence(reading, birth, sentence)


def _is_same(sentence: Sentence) -> bool:
    """Return whether a sentence refers to the person of the previous one."""
    return _THEY.search(sentence.plain) is not None


def _in_sentence(reading: Reading, birth: _Birth, sentence: Sentence) -> Relations:
    stated = [*_AGED.finditer(sentence.plain)]
    moments = [one for one in sentence.marked("DY") if one not in (birth.figure, birth.death)]
    died = _DIED.search(sentence.plain) is not None
    if not moments and birth.death is not None and died:
        moments = [birth.death]
    # with several, it is unknown which ones belong together
    if len(stated) != 1 or len(moments) != 1:
        return
    age = sentence.figure(stated[0], "age") or sentence.figure(stated[0], "other")
    age = age or sentence.figure(stated[0], "plain")
    span = _years(birth.figure, moments[0])
    if age is None or span is None or not 0 <= age.numbers[0] <= _LIVES:
        return
    if span[0] <= age.numbers[0] <= span[1]:
        yield None
        return
    start, end = min(birth.sentence.start, sentence.start), max(birth.sentence.end, sentence.end)
    years = f"{span[0]}" if span[0] == span[1] else f"{span[0]} or {span[1]}"
    detail = f"the age does not follow from the dates of birth and of the age: {years} expected"
    yield fault(reading, (start, end), _AGES_CODE, detail=detail, remedy=_AGES_REMEDY)


def _years(born: Figure, at: Figure) -> tuple[int, int] | None:
    """Return the minimum and the maximum age at a date."""
    first, last = _year(born), _year(at)
    if first is None or last is None or not 0 <= last - first <= _LIVES:
        return None
    one, other = born.value, at.value
    if isinstance(one, Day) and isinstance(other, Day):
        birth, moment = date_of(one, None), date_of(other, None)
        if birth is not None and moment is not None:
            age = last - first - ((moment.month, moment.day) < (birth.month, birth.day))
            return age, age
    # without the days, the birthday of that year may be still to come
    return max(0, last - first - 1), last - first


def _year(figure: Figure) -> int | None:
    value = figure.value
    if isinstance(value, Day):
        return value.year if len(figure.values) == 1 else None
    return int(figure.numbers[0])
