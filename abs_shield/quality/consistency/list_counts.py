"""Counts of lists: the number of items, compared with the announced number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from abs_shield.quality.consistency.text_relations import Relations, fault
from abs_shield.quality.marked_sentences import Reading, Sentence, form
from abs_shield.text.values.figure import NUMBER
from abs_shield.text.values.units import units_of

CODE = "CONTRADICTORY_COUNT"
_REMEDY = "Make the number and the list agree"
_MOST = 40  # longer lists are rarely announced, and a larger number is mostly a quantity
_COUNTED = form(
    r"(?P<before>(?:\b[^\W\d_][\w'\u2019-]* ){0,3})<count:N>"
    r"(?P<noun>(?: [^\W\d_][\w'\u2019-]{0,24}){1,9}?) ?:"
)
_PLURAL = re.compile(r"[a-z\u2019'-]+s\b|\b(?:people|criteria|children|men|women)\b", re.IGNORECASE)
_CHOICE = re.compile(
    r"\b(?:any|choose|select|pick|of|top|within|after|every|least|first|last|another"
    r"|more|other|between|per|over|for|serves?|feeds?|seats?)\b",
    re.IGNORECASE,
)
_MEASURES = frozenset(
    "days hours minutes seconds weeks months years times percent points dollars euros pounds miles "
    "meters metres grams pages words lines characters nights guests".split()
)
_BULLET = re.compile(
    r"^(?P<indent>[ \t]*)(?P<mark>[-*\u2022+\u2013]|\(?(?:\d{1,2}|[a-z])[.)])[ \t]+\S"
)
_AND = re.compile(r"(?:^|[ ,])(?:and|or|&|as well as|plus)\s+", re.IGNORECASE)
_BRACKETS = re.compile(r"\([^()]{0,200}\)|\[[^\[\]]{0,200}\]")
_APPOSED = re.compile(
    r"^(?:the|a|an|who|which|where|such as|e\.g|includ|with|for|as|but|so|if|to be)\b", re.I
)
_PAIRS = re.compile(
    r"\b(?:research and development|terms and conditions|health and safety|sales and marketing"
    r"|food and beverages?|profit and loss|mergers and acquisitions|supply and demand"
    r"|trial and error|pros and cons|black and white|salt and pepper|arts and crafts"
    r"|bed and breakfast|loss and damage|wear and tear)\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[,;]\s*(?:and |or |plus )?|\s(?:and|or|plus|&)\s")
_ARTICLE = re.compile(r"(?:an?|one|a single|the) ", re.IGNORECASE)
_SEVERAL_PEOPLE = re.compile(r"\bthe [A-Z][\w'\u2019-]+s\b")
"""A plural name, such as of a family."""
_OF_THEM = re.compile(r"\S+ of (?:which|them|these|those|whom)\b", re.IGNORECASE)
_AFTERTHOUGHT = re.compile(
    r"[;,](?: and| but)? \S+ of (?:which|them|these|those|whom)\b.*$", re.IGNORECASE
)
"""Remarks about the items at the end of a list."""
_EACH = re.compile(r"\b(?:each|every|per|apiece|respectively)\b", re.IGNORECASE)
_WORD_BEHIND = re.compile(r" [^\W\d_]")
_LINE_NUMBER = form(r"^ ?(?:[-+\u2022\u2013] ?)?(?:<N>) ?[^\W\d_]")
_LONGEST_ITEM = 7
"""Maximum number of words of an item; longer ones are clauses with commas."""
_ORDINALS = tuple(
    re.compile(rf"^(?:the )?{word}(?:ly|,| (?:is|one|reason|step|option|factor))", re.IGNORECASE)
    for word in "first second third fourth fifth sixth seventh eighth".split()
)
_ANNOUNCED = form(
    r"\b(?:there (?:are|were)|(?:has|have|had|identified|offers?|offered|see|list|give|for))"
    r" <count:N>"
    r"(?: [a-z][\w'\u2019-]{0,24}){1,8}\.?$"
)


def counts(reading: Reading) -> Relations:
    """Find lists of another length than announced, such as "three options:" before four items."""
    lines = reading.text.split("\n")
    for sentence in reading.sentences:
        match = _announcement(sentence)
        if match is not None:
            behind = _AFTERTHOUGHT.sub("", sentence.plain[match.end() :]).strip()
            number = sentence.figure(match, "count")
            if number is None:
                continue
            # items with numbers of their own are added up before they are counted
            if behind and (summed := _sum_of_items(sentence, match.end())) is not None:
                yield from _compare_sum(reading, sentence, int(number.numbers[0]), summed)
                continue
            if not behind and _begins_with_numbers(reading, sentence.line):
                continue
            items = _count_inline(behind) if behind else _count_bullets(lines, sentence.line)
            if items:
                yield from _compare(reading, sentence, int(number.numbers[0]), items)
    for paragraph in reading.paragraphs:
        yield from _count_ordinals(reading, paragraph)


class _ListTotal(NamedTuple):
    """The sum of a list's numbers, the number of items, and whether each has a number."""

    value: int
    items: int
    whole: bool


def _sum_of_items(sentence: Sentence, start: int) -> _ListTotal | None:
    """
    Return the total of a list with numbers: "two doubles and one suite" are three.

    Returns:
        The total; None if no item has a number, so that the items themselves are counted.
    """
    values: list[int | None] = []
    place = start
    for item in _BETWEEN.split(_BRACKETS.sub(_blank, sentence.plain[start:])):
        at = sentence.plain.find(item.strip(" .!"), place) if item.strip(" .!") else -1
        if at < 0:
            continue
        place = at
        values.append(_value_of(sentence, at))
    counted = [one for one in values if one is not None]
    if (
        not any(one > 1 for one in counted)
        and _SEVERAL_PEOPLE.search(sentence.plain, start) is None
    ):
        return None
    whole = len(counted) == len(values) and _EACH.search(sentence.plain, start) is None
    return _ListTotal(sum(counted) + len(values) - len(counted), len(values), whole)


def _value_of(sentence: Sentence, at: int) -> int | None:
    """Return the number at the start of an item; None if it has none."""
    if _OF_THEM.match(sentence.plain, at):  # a remark about the items, and no item
        return None
    if _ARTICLE.match(sentence.plain, at):
        return 1
    figure = sentence.figure_at(at) if at in sentence.at else None
    if figure is None or figure.kind != NUMBER or figure.step != 1 or figure.unit == "%":
        return None
    is_measure = units_of(figure.unit) or figure.unit.casefold() in _MEASURES
    is_bare = _WORD_BEHIND.match(sentence.plain, at + 1) is None
    return None if is_measure or is_bare else int(figure.numbers[0])


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _begins_with_numbers(reading: Reading, line: int) -> bool:
    """Return whether a line below begins with a number of things, so it is not a single item."""
    below = (one for one in reading.sentences if line < one.line <= line + _MOST)
    return any(_LINE_NUMBER.match(one.plain) for one in below)


def _compare_sum(reading: Reading, sentence: Sentence, number: int, total: _ListTotal) -> Relations:
    if number in (total.value, total.items):
        yield None
    # a sum that is far off counts something else
    elif total.whole and number / 2 <= total.value <= number * 2:
        detail = f"the text announces {number} and its list counts {total.value}"
        span = sentence.start, sentence.end
        yield fault(reading, span, CODE, detail=detail, remedy=_REMEDY)


def _announcement(sentence: Sentence) -> re.Match[str] | None:
    """Return the match of a list announcement, such as "three options:"."""
    if ":" not in sentence.plain:
        return None
    colon = sentence.plain.find(":")
    for match in _COUNTED.finditer(sentence.plain, 0, colon + 1):
        number = sentence.figure(match, "count")
        noun = match["noun"].split()
        plural = _PLURAL.search(" ".join(noun[:4]))
        if match.start("count") == 0 and number is not None and number.text.isdigit():
            continue  # an item's own number
        if number is None or plural is None or _CHOICE.search(match["before"][-12:]):
            continue
        if plural[0].casefold() in _MEASURES or noun[0].casefold() == "of":
            continue
        if 2 <= number.numbers[0] <= _MOST and number.step == 1:
            return match
    return None


def _compare(reading: Reading, sentence: Sentence, number: int, items: Sequence[int]) -> Relations:
    if number in items:
        yield None
        return
    listed = items[0]
    if not number / 3 <= listed <= number * 3:
        return  # the list is about something else
    detail = f"the text announces {number} items and lists {listed}"
    yield fault(reading, (sentence.start, sentence.end), CODE, detail=detail, remedy=_REMEDY)


def _count_bullets(lines: Sequence[str], line: int) -> tuple[int, ...]:
    """Return the number of items of the list below a line; empty if its end is unclear."""
    count, first = 0, None
    for text in lines[line + 1 :]:
        bullet = _BULLET.match(text)
        if bullet is None:
            if not text.strip():
                continue
            if first is None or not text.startswith((" ", "\t")):
                break
            continue
        shape = bullet["indent"], bullet["mark"][-1]
        first = first or shape
        # items of another indent or mark belong to a list inside
        if shape == first:
            count += 1
        elif len(shape[0]) <= len(first[0]):
            break
    else:
        return (count,) if count > 1 else ()
    rest = lines[line + 1 :]
    return (count,) if count > 1 and _is_one_list(rest, count, first) else ()


def _is_one_list(rest: Sequence[str], count: int, first: tuple[str, str] | None) -> bool:
    """Return whether no item of the same shape follows after another paragraph."""
    bullets = [match for text in rest if (match := _BULLET.match(text))]
    same = [one for one in bullets if (one["indent"], one["mark"][-1]) == first]
    return len(same) == count


def _count_inline(behind: str) -> tuple[int, ...]:
    """Return the possible numbers of items of a list in a sentence; empty if unclear."""
    text = _PAIRS.sub("pair", _BRACKETS.sub("", behind)).strip(" .!")
    if ":" in text or "?" in text or "\u2014" in text:
        return ()
    # semicolons separate items that contain commas
    by = ";" if ";" in text else ","
    items = [one.strip() for one in text.split(by) if one.strip()]
    last = items[-1] if items else ""
    opened = re.match(r"(?:and|or|as well as|plus)\s", last, re.IGNORECASE)
    bare = [
        re.sub(r"^(?:and|or|as well as|plus)\s+", "", one, flags=re.IGNORECASE) for one in items
    ]
    if any(len(one.split()) > _LONGEST_ITEM for one in bare) or any(map(_APPOSED.match, bare[1:])):
        return ()
    joined = [len(_AND.findall(one)) for one in bare]
    if by == ";" or (opened and not any(joined[:-1])):
        return (len(items),) if not joined[-1] or by == ";" else ()
    if sum(joined[:-1]) or joined[-1:] != [1]:
        return ()  # the boundaries of items are unclear
    if all(one[:1].isupper() for one in bare) and by == "," and len(items) > 2:
        return (len(items) + 1, len(items) // 2 + 1)  # each name may be followed by a title or town
    return (len(items) + 1,)


def _count_ordinals(reading: Reading, paragraph: Sequence[Sentence]) -> Relations:
    """Compare "There are two reasons." with "First, Second, Third" in the following sentences."""
    for n, sentence in enumerate(paragraph):
        match = _ANNOUNCED.search(sentence.plain)
        number = None if match is None else sentence.figure(match, "count")
        if number is None or not 2 <= number.numbers[0] <= len(_ORDINALS):
            continue
        place = 0
        for later in paragraph[n + 1 :]:
            if place < len(_ORDINALS) and _ORDINALS[place].match(later.plain):
                place += 1
        # more than announced only: a text need not number all of them
        if place >= 2 and place != number.numbers[0] and place >= number.numbers[0]:
            yield from _compare(reading, sentence, int(number.numbers[0]), (place,))
        elif place == number.numbers[0]:
            yield None
