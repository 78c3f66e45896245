"""Repeated quantities and sentences: a text must state the same value for one quantity."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from abs_shield.quality.consistency.text_relations import (
    CHANGED,
    PRIOR,
    Relations,
    fault,
    interval_of,
    is_alike,
)
from abs_shield.quality.marked_sentences import Reading, Sentence, form
from abs_shield.text.tokens import keys_of, tokens
from abs_shield.text.values.figure import DATE, SUMS, TIME, Figure, is_year

CODE = "CONTRADICTORY_VALUE"
_REMEDY = "Give the quantity one value, or say what differs"
_MOST = 500  # quantities of a longer text mostly belong to several things
"""Maximum number of compared sentences of a text."""
_REPEATS_DEFINITE = (
    r"(?:the|our|its|their|his|her|my|your|this|[^\W\d_][\w'\u2019-]{0,24}['\u2019]s?) "
)
_NOUNS = r"(?:[^\W\d_][\w'\u2019&-]{0,24})(?: [^\W\d_][\w'\u2019&-]{0,24}){0,7}?"
_IS = (
    r"(?:is|was|are|were|stands at|stood at|comes to|came to|totals|totall?ed|amounts to|amounted"
    r" to"
    r"|equals|remains at|is set at|was set at|is fixed at|reached)"
)
_STATED = form(
    rf"(?:^|[,;:] (?:and |so |with )?|\band |\bthat |\bsince |\bbecause |\bas )"
    rf"(?P<label>{_REPEATS_DEFINITE}{_NOUNS}) {_IS}(?: at)?"
    rf" (?:exactly |now |just |still )?<value:NMP>"
    rf"(?P<behind>[^.,;]{{0,80}})"
)
_OF = form(
    r"(?P<label>\b(?:the|our|its|their|his|her|[^\W\d_][\w\u2019'-]{0,24}['\u2019]s) "
    r"(?:[^\W\d_][\w'\u2019-]{0,24} ){0,4}?"
    r"(?:budget|cost|price|revenue|profit|capacity|area|weight|height|length|population|fee|rate"
    r"|value|salary"
    r"|rent|deposit|target|turnover|distance|depth|size|limit|balance|total)) of <value:NMP>"
    r"(?P<behind>)"
)
_HAS = form(
    rf"(?:^|[,;] (?:and |so |but )?|\band |\bthat |\bsince |\bbecause |\bas )"
    rf"(?P<label>(?:{_REPEATS_DEFINITE}{_NOUNS}|[A-Z][\w'\u2019&-]{{0,24}}(?:"
    rf" [A-Z][\w'\u2019&-]{{0,24}}){{0,3}})) "
    rf"(?:has|had|employs|employed|operates|contains|owns|seats|holds|houses)"
    rf"(?: a total of| exactly| only)? <value:N>(?P<behind>[^.,;]{{1,60}})"
)
_NOT_ONE = re.compile(
    r"\b(?:if|when|where|for|per|each|every|between|during|with|without|under|among|excluding"
    r"|including"
    r"|plus|times|out of|at|by|from|than|of (?:the|its|them|these|those)|in|on|who|which|whose"
    r"|that)\b"
    r"|[(%/]",
    re.IGNORECASE,
)
_NO_LABEL = re.compile(
    r"\b(?:if|when|where|per|each|every|either|between|during|without|under|among|than|or|who|which"
    r"|whose|them|these|those|some|most|many|all|one|part|share|rest|half)\b|[(%/]",
    re.IGNORECASE,
)
_OWNER = re.compile(r"(?:her|his|my|your|their)\b", re.IGNORECASE)
"""The owner; the same noun of two owners means two things."""
_ITEM = re.compile(r"^[^\S\n]*(?:[-*\u2022+|#>]|\d{1,2}[.)])|\|", re.MULTILINE)


class _QuantityValue(NamedTuple):
    """A quantity with a value."""

    sentence: Sentence
    figure: Figure
    n: int


def repeats(reading: Reading) -> Relations:
    """Find conflicting values, such as a budget of 2.4 million in one place and 2.9 in another."""
    if _ITEM.search(reading.text):
        return  # lists and headings describe several records
    stated: dict[tuple[frozenset[str], frozenset[str]], list[_QuantityValue]] = defaultdict(list)
    for n, sentence in enumerate(reading.sentences):
        if n < _MOST and sentence.marked("NMP") and _is_plain(sentence):
            for key, figure in _statements(sentence):
                stated[key].append(_QuantityValue(sentence, figure, n))
    for some in stated.values():
        # compared with the first only, or n statements would give n² findings
        first = some[0]
        for other in some[1:]:
            yield from _compare_repeats(reading, first, other)


def _is_plain(sentence: Sentence) -> bool:
    return sentence.asserts and not (CHANGED.search(sentence.plain) or PRIOR.search(sentence.plain))


def _statements(
    sentence: Sentence,
) -> Iterator[tuple[tuple[frozenset[str], frozenset[str]], Figure]]:
    """Yield each quantity of a sentence by its words, and its value."""
    # a year, a date or an id makes it another quantity
    context = frozenset(one.text.casefold() for one in sentence.marked("YDI"))
    taken: set[int] = set()
    for pattern in (_STATED, _HAS, _OF):
        for match in pattern.finditer(sentence.plain):
            figure = sentence.figure(match, "value")
            if figure is None or match.start("value") in taken:
                continue
            taken.add(match.start("value"))
            behind = match["behind"]
            if _NOT_ONE.search(behind) or _NO_LABEL.search(match["label"]):
                continue
            owner = _OWNER.match(match["label"])
            label = frozenset((*keys_of(match["label"]), *([owner[0].casefold()] if owner else [])))
            noun = frozenset(keys_of(behind)) if pattern is _HAS else frozenset()
            # a single common word, such as "the total", may mean anything
            if label and (len(label) > 1 or noun or _has_name(match["label"])):
                yield (label | context, noun), figure


def _has_name(label: str) -> bool:
    return any(one.is_name for one in tokens(label, most=20))


def _compare_repeats(reading: Reading, first: _QuantityValue, other: _QuantityValue) -> Relations:
    one, two = first.figure, other.figure
    if not is_alike(one, two) or (one.unit == "%") != (two.unit == "%"):
        return
    if one.kind == "number" and one.unit != two.unit and one.unit and two.unit:
        return  # 3 hours and 180 minutes may be the same
    if interval_of(one).agrees(interval_of(two)):
        yield None
        return
    if _names_between(reading, first, other):
        return
    detail = f'one quantity is "{one.text}" in one place and "{two.text}" in another'
    span = first.sentence.start, other.sentence.end
    yield fault(reading, span, CODE, detail=detail, remedy=_REMEDY)


def _names_between(reading: Reading, first: _QuantityValue, other: _QuantityValue) -> bool:
    """Return whether a name between two statements may be the subject of the second."""
    one, two = first.sentence.names, other.sentence.names
    between = reading.sentences[first.n + 1 : other.n]
    if one and two and one != two:
        return True
    return any(not sentence.names <= one | two for sentence in between)


_FRAMES_DEFINITE = re.compile(
    r"^(?:the|our|its|their|his|her|my|your|this|(?:total|net|gross|annual|overall|average|current)"
    r" [a-z]|[^\W\d_][\w-]{0,24}['\u2019]s) ?",
    re.IGNORECASE,
)
"""Openings that refer to one definite thing."""
_STATES = re.compile(
    r"\b(?:is|are|was|were|lasts?|lasted|takes?|took|costs?|has|have|had|weighs?|measures?|holds?"
    r"|starts?|begins?|ends?|opens?|closes?|equals?|totall?ed|totals?|stands? at|stood at"
    r"|comes? to|came to|amounts? to|amounted to)\b",
    re.IGNORECASE,
)
"""Verbs of a state, which has one value; an event may happen again."""
_OPEN = re.compile(
    r"\b(?:if|when|where|for|per|each|every|an?|another|one|some|any|either|between|under|near"
    r"|unless|except|without|with)\b|[(/:;|]",
    re.IGNORECASE,
)
"""Words of conditions, and of things that exist several times."""


def frames(reading: Reading) -> Relations:
    """Find repeated sentences with another value: "The price is $340. The price is $430."."""
    for one, other in pairwise(reading.sentences):
        # other paragraphs may be about other things
        if one.line != other.line or len(one.figures) != len(other.figures):
            continue
        if _frame(one) and _frame(one) == _frame(other):
            yield from _compare_frames(reading, one, other)


def _frame(sentence: Sentence) -> str:
    """Return a sentence without its figures; empty unless it states one value of one thing."""
    plain = sentence.plain
    if not 1 <= len(sentence.figures) <= _MOST_FIGURES or not sentence.asserts:
        return ""
    if _FRAMES_DEFINITE.match(plain) is None or _STATES.search(plain) is None:
        return ""
    if _OPEN.search(plain) or CHANGED.search(plain) or PRIOR.search(plain):
        return ""
    return plain.casefold().strip(" .!")


_MOST_FIGURES = 3  # more are a table in prose, where each row differs


def _compare_frames(reading: Reading, one: Sentence, other: Sentence) -> Relations:
    pairs = zip(one.figures, other.figures, strict=True)
    different = [(first, second) for first, second in pairs if _differ(first, second)]
    if not different:
        yield None
    if len(different) != 1:
        return  # the second sentence may be about another year, room or step
    first, second = different[0]
    values = [figure for figure in one.figures if not _is_time(figure)] or [*one.figures]
    # the last value is the stated one; those before it are its conditions
    if first is not values[-1] or (_is_time(first) and len(one.figures) > 1):
        return
    detail = f'one quantity is "{first.text}" in one place and "{second.text}" in another'
    yield fault(reading, (one.start, other.end), CODE, detail=detail, remedy=_REMEDY)


def _is_time(figure: Figure) -> bool:
    return figure.kind in (DATE, TIME) or is_year(figure)


def _differ(one: Figure, other: Figure) -> bool:
    if one.kind in SUMS and is_alike(one, other) and one.unit == other.unit:
        return not interval_of(one).agrees(interval_of(other))
    return one.text.casefold() != other.text.casefold()
