"""Ages that do not follow from the dates of birth and of the age."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from abs_shield.quality.consistency.text_relations import Relations, fault
from abs_shield.quality.consistency.time_spans import date_of
from abs_shield.quality.marked_sentences import Reading, Sentence, form
from abs_shield.text.values.figure import Day, Figure

_CODE = "CONTRADICTORY_AGE"
_REMEDY = "Make the date of birth, the date and the age consistent"
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
            yield from _compare_sentences(reading, births[0], paragraph)


def _births(sentence: Sentence) -> Iterator[_Birth]:
    for match in _BORN.finditer(sentence.plain):
        figure = next(
            (one for name in ("birth", "life", "born") if (one := sentence.figure(match, name))),
            None,
        )
        if figure is not None and sentence.asserts:
            yield _Birth(figure, sentence.figure(match, "death"), sentence)


def _compare_sentences(
    reading: Reading, birth: _Birth, paragraph: tuple[Sentence, ...]
) -> Relations:
    n = paragraph.index(birth.sentence)
    for sentence in paragraph[n : n + _WINDOW]:
        if not sentence.asserts or (sentence is not birth.sentence and not _is_same(sentence)):
            continue
        # from here on, the text may be about another person
        if _OTHERS.search(sentence.plain):
            return
        yield from _compare_age(reading, birth, sentence)


def _is_same(sentence: Sentence) -> bool:
    """Return whether a sentence refers to the person of the previous one."""
    return _THEY.search(sentence.plain) is not None


def _compare_age(reading: Reading, birth: _Birth, sentence: Sentence) -> Relations:
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
    yield fault(reading, (start, end), _CODE, detail=detail, remedy=_REMEDY)


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
