"""Differences and remainders of two values."""

from __future__ import annotations

import re
from decimal import Decimal

from abs_shield.quality.consistency.text_relations import (
    ARTICLES,
    BREAK,
    GAP,
    MOVE,
    Interval,
    Relations,
    fault,
    interval_of,
    render,
    span_of,
    up_to_words,
)
from abs_shield.quality.marked_sentences import Reading, Sentence, form
from abs_shield.text.values.figure import MONEY, Figure

CODE = "CONTRADICTORY_DIFFERENCE"
_REMEDY = "Make the two values and their difference consistent"
_W = up_to_words(7)
_DIFFERENCE = (
    r"(?:difference|gap|margin|spread|increase|decrease|rise|drop|fall|decline|reduction|gain"
    r"|growth"
    r"|saving|savings|improvement|jump|change|discount|lead|shortfall|surplus)"
)
_FORMS = tuple(
    map(
        form,
        (
            rf"\b{MOVE}(?: by)? <gap:NMP>{GAP},? from <one:NMP>{GAP},? to <other:NMP>",
            rf"\b{MOVE}(?: by)? <gap:NMP>{GAP},? to <one:NMP>{GAP},? from <other:NMP>",
            rf"\bfrom <one:NMP>{_W},? to <other:NMP>{GAP}{BREAK}{ARTICLES}"
            rf"(?:[a-z]+ )?{_DIFFERENCE} of (?:just |only )?<gap:NMP>",
            rf"\bfrom <one:NMP>{_W},? to <other:NMP>{GAP}{BREAK}{ARTICLES}(?:up|down) (?:by"
            rf" )?<gap:NMP>",
            rf"\bfrom <one:NMP>{_W},? to <other:NMP>{GAP}{BREAK}{ARTICLES}<gap:NMP>"
            rf"(?: [a-z]+){{0,2}}? {_DIFFERENCE}\b",
            rf"<one:NMP>{_W},? (?:and|while|whereas|but|versus|vs\.?|against|compared (?:to|with))"
            rf"{_W} <other:NMP>{_W}{BREAK}{ARTICLES}(?:[a-z]+ )?{_DIFFERENCE} of (?:just |only"
            rf" )?<gap:NMP>",
            rf"\b(?:difference|gap|margin|spread) between [^.]{{0,60}}?"
            rf"<one:NMP>{_W} and{_W} <other:NMP>{_W} (?:is|was|of|comes to) <gap:NMP>",
            rf"<one:NMP>{_W}{BREAK}{ARTICLES}<gap:NMP>{_W} (?:more|less|fewer|higher|lower|greater"
            rf"|cheaper|longer|shorter|taller|older|younger|heavier|lighter|better|worse|above"
            rf"|below)"
            rf" than{_W}(?: \(|,? (?:who|which|that|with|at|the) ?){_W} ?<other:NMP>",
        ),
    )
)
_LEFT = form(
    rf"<part:NM>{_W} of (?:the |its |our |their |his |her |my |your |all )*(?:[a-z]+"
    rf" ){{0,2}}?<whole:NM>"
    rf"{_W}{BREAK}(?:which )?(?:leaving|leaves|so|with|and|thus)(?: [a-z]+){{0,5}}? <left:NM>"
    rf"(?P<behind>{_W}(?: left| remaining| remain| to go| unused| unspent| over)?)"
)
_LEFT_OF = form(
    rf"\bof (?:the |its |our |their |his |her |all )*(?:[a-z]+ ){{0,2}}?<whole:NM>{_W},"
    rf"{_W} ?<part:NM>{_W}{BREAK}(?:which )?(?:leaving|leaves)(?: [a-z]+){{0,5}}? <left:NM>"
)
_SPENT = form(
    rf"<whole:M>{_W} ?[;,:] ?(?:of (?:which|that|it) )?<part:M>{_W} (?:is|was|are|were|has been"
    rf"|have been|had been)(?: [a-z]+)?? (?:spent|used|paid|committed|invested|gone)"
    rf"(?: so far| already)?,? (?:so|leaving|and|therefore|thus) <left:M>"
    rf" (?:remains?|remained|(?:is|was|are) (?:left|unspent)|left|remaining)\b"
)
_INCOME = r"(?:revenues?|sales|income|turnover)"
_OUTLAY = r"(?:costs|expenses|spending|outlays?|expenditure)"
_VALUE = r"(?: (?:was|were|is|are|came to|of|at|stood at|totall?ed))?"
_PROFIT = tuple(
    form(
        rf"\b{first}{_VALUE} <{one}:M>,?(?: and| while| against| with|;)? (?:[a-z]+ )?"
        rf"{second}{_VALUE} <{other}:M>,? (?:so|thus|hence|therefore|giving|leaving|making|which"
        rf" (?:gives|leaves|makes))(?: the| an?| our| its)? (?:profit|surplus){_VALUE} <left:M>"
    )
    for first, one, second, other in (
        (_INCOME, "whole", _OUTLAY, "part"), (_OUTLAY, "part", _INCOME, "whole"),
    )
)  # fmt: skip
_FURTHER = re.compile(
    r"\b(?:tax(?:es)?|interest|depreciation|amorti[sz]ation|one-offs?|other|write-?(?:offs?|downs?)"
    r"|gross|operating|fixed|variable)\b",
    re.IGNORECASE,
)
"""Other items that a profit may include besides the stated costs."""
_FAR = Decimal("0.2")
"""Maximum relative error of a difference that rounding may explain."""
_LEAVES = re.compile(r"\b(?:leav(?:ing|es)|left|remain(?:ing|s)?|unused|unspent|to go)\b", re.I)
_POINTS = re.compile(
    r"^ ?(?:percentage |per ?cent )?(?:points?\b|pp\b)|^-(?:percentage-)?point", re.I
)
_NO_DIFFERENCE = re.compile(r"\b(?:times|fold|each|per|average|every)\b", re.I)


def differences(reading: Reading) -> Relations:
    """Find wrong differences, such as 20 between 85 and 70."""
    for sentence in reading.sentences:
        if len(sentence.figures) > 2 and sentence.asserts:
            yield from _compare_statements(reading, sentence)


def _compare_statements(reading: Reading, sentence: Sentence) -> Relations:
    compared: set[int] = set()
    for pattern in _FORMS:
        for match in pattern.finditer(sentence.plain):
            # several forms match one statement
            if match.start("gap") in compared or _NO_DIFFERENCE.search(match[0]):
                continue
            some = [sentence.figure(match, name) for name in ("one", "other", "gap")]
            if _is_comparable(sentence, match, some):
                compared.add(match.start("gap"))
                yield from _compare(reading, span_of(sentence, match), some)
    profits = () if _FURTHER.search(sentence.plain) else _PROFIT
    for pattern in (_LEFT, _LEFT_OF, _SPENT, *profits):
        for match in pattern.finditer(sentence.plain):
            is_rest = pattern in _PROFIT or _LEAVES.search(match[0])
            if match.start("left") not in compared and is_rest:
                compared.add(match.start("left"))
                some = [sentence.figure(match, name) for name in ("whole", "part", "left")]
                if _is_one_kind(some):
                    some = _as_written(some) if pattern in _PROFIT else some
                    yield from _compare(reading, span_of(sentence, match), some)


def _as_written(some: list[Figure | None]) -> list[Figure | None]:
    """
    Return figures as exact values if their difference is far off.

    "$10M less $8M is $3M" may be true before rounding, but readers take it as wrong, unlike
    "$10.4M less $7.6M is $2.9M".
    """
    whole, part, left = (None if one is None else one.numbers[0] for one in some)
    if whole is None or part is None or left is None or not left:
        return some
    is_far = abs(whole - part - left) > _FAR * left
    return [one._replace(step=Decimal(0)) if one and is_far else one for one in some]


def _is_one_kind(some: list[Figure | None]) -> bool:
    return len({one.kind for one in some if one is not None}) == 1 and (
        len({one.unit for one in some if one is not None and one.kind == MONEY}) < 2
    )


def _is_comparable(sentence: Sentence, match: re.Match[str], some: list[Figure | None]) -> bool:
    """Return whether values and difference have one unit; between percentages, in points."""
    one, other, gap = some
    if one is None or other is None or gap is None or one.kind != other.kind:
        return False
    behind = sentence.plain[match.start("gap") + 1 :]
    points = _POINTS.match(behind) is not None
    if one.unit == "%" or other.unit == "%":
        return one.unit == other.unit and points
    # a percentage of an amount is a rate, and is compared as growth
    if gap.unit == "%" or (points and gap.kind == MONEY):
        return False
    return _is_one_kind(some)


def _compare(reading: Reading, span: tuple[int, int], some: list[Figure | None]) -> Relations:
    one, other, gap = some
    if one is None or other is None or gap is None:
        return
    stated, difference = interval_of(gap), _magnitude(interval_of(one).minus(interval_of(other)))
    larger = max(abs(one.numbers[0]), abs(other.numbers[0]))
    if gap.numbers[0] > larger:
        return  # the gap measures something else
    if difference.agrees(stated):
        yield None
        return
    detail = f'"{one.text}" and "{other.text}" differ by {render(difference)}, not "{gap.text}"'
    yield fault(reading, span, CODE, detail=detail, remedy=_REMEDY)


def _magnitude(interval: Interval) -> Interval:
    if interval.low >= 0:
        return interval
    if interval.high <= 0:
        return Interval(-interval.high, -interval.low)
    return Interval(Decimal(0), max(-interval.low, interval.high))
