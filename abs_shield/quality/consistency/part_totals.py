"""Totals that are not the sum of the listed parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

from abs_shield.quality.consistency.text_relations import (
    ZERO,
    Interval,
    Relations,
    exact,
    fault,
    interval_of,
    render,
)
from abs_shield.quality.marked_sentences import Reading, Sentence, form
from abs_shield.text.values.figure import MONEY, Figure
from abs_shield.text.values.units import units_of

_CODE = "CONTRADICTORY_TOTAL"
_REMEDY = "Make the parts add up to the total, or correct the total"
_LEAST_PARTS = 2  # one figure beside a total is a part of it, and says nothing about the rest
_TOTAL_BEHIND = form(
    r"(?:,? ?[,;:\u2013\u2014(-] ?|,? )(?:which (?:is|makes|comes to|adds up to) |and |so |or )?"
    r"(?:for |making |giving |bringing |with |yielding )?"
    r"(?:(?:(?:an? |the |our |its )?(?:grand |overall |combined |final )?(?:sum |total )"
    r"(?:[a-z]+ ){0,3}?(?:of |to |is |was |comes to |at )?|totall?ing |adding up to |summing to "
    r"|combined (?:for |total of )?|together )(?:a total of )?<whole:NM>"
    r"|<all:NM>(?: [a-z][\w-]*){0,3}? (?:in (?:total|all)|altogether|overall|combined|total)\b)"
)
_WHOLE_FIRST = form(
    r"<whole:NM>(?P<noun>(?: [^\W\d_][\w'\u2019-]{0,24}){0,6}?)"
    r"(?: ?: | ?\u2014 ?| \u2013 | - | ?\(|,? (?:which (?:is|are) |is |are |was |were )?"
    r"(?:made up|consisting|comprised|composed|broken down|split|divided)"
    r"(?: (?:of|into|as|between|among|across|up))+:? ?"
    r"|,? comprising:? ?|,? namely:? ?)"
)
_NEXT_TOTAL = form(
    r"^(?:(?:in (?:total|all|sum)|altogether|together|combined|taken together|all told)\b"
    r"[^.]{0,60}?<whole:NM>|(?:the|our|its|this|that|these|those|they)?"
    r" ?(?:(?:grand |overall |combined )?(?:total|sum)\b[^.]{0,40}?\b(?:is|was|comes to|came to|of)"
    r"|(?:makes?|gives?|adds? up to|sums? to|comes? to|totals?|totall?ed|brings)"
    r"(?: the total to| a total of| in total)?) <other:NM>)"
)
_ANSWERS = {
    "yes": "no", "no": "yes", "for": "against", "favor": "against", "favour": "against",
    "agreed": "disagreed", "disagreed": "agreed", "passed": "failed", "failed": "passed",
    "approved": "rejected", "accepted": "rejected", "rejected": "accepted", "men": "women",
    "women": "men", "male": "female", "female": "male", "boys": "girls", "girls": "boys",
}  # fmt: skip
"""Mutually exclusive answers and groups."""
_EITHER = "|".join(sorted({*_ANSWERS, *_ANSWERS.values()}))
_OPPOSED = form(
    r"\b(?:of|among) (?:the |its |our |all |these |those )*(?:[a-z]+ )?<whole:N>"
    r"(?: [^\W\d_][\w'\u2019-]{0,24}){0,4}?,? <one:N>(?: (?:[a-z]+ ){0,3}?)"
    rf"(?P<this>{_EITHER})\b,?(?: and| while| but|;)? <other:N>(?: (?:[a-z]+ ){{0,3}}?)"
    rf"(?P<that>{_EITHER})\b"
)
_INVOICE = form(
    r"\bsub-?total\b(?: due)?:?(?: (?:is|was|of|comes to))? ?<first:M>(?P<rest>[^.]{1,200}?)"
    r"\b(?:grand )?total\b(?: due)?:?(?: (?:is|was|of|comes to))? ?<whole:M>"
)
_ADDED = re.compile(
    r"\b(?:tax|vat|gst|shipping|delivery|tip|gratuity|service|fees?|handling|surcharge)\b", re.I
)
_TAKEN = re.compile(r"\b(?:discount|credit|rebate|deduction)\b", re.IGNORECASE)
_ITEM = re.compile(r"[^,;]+")
_CONNECTS = re.compile(r"\W*(?:(?:and|so|the|a|for|plus)\W*)*", re.IGNORECASE)
_UNCOUNTED = re.compile(r"(?:[:,;(\u2013\u2014-]|\band\b) ?(?:an?|one|the|some) ", re.IGNORECASE)
_SEPARATED = re.compile(r"[,;+/]|\band\b|\bplus\b|&", re.IGNORECASE)
_NO_PARTS = re.compile(
    r"\b(?:includ(?:es?|ing)|among|such as|e\.g|respectively|of wh(?:ich|om)|exclud\w+|before|after"
    r"|tax(?:es)?|discounts?|refund(?:s|ed)?|minus|less|each|per|average[sd]?|out of|apiece|both"
    r"|rest|remain\w*|others?|more|several|some|various|times|from|between|compared|versus|than"
    r"|ages?d?|who|multiplied|by|at|of (?:them|these|those|it))\b|[@\u00d7*%]|\bx\b",
    re.IGNORECASE,
)
_LEAST, _MOST = Decimal("0.4"), Decimal("2")
"""Range of the ratio of parts to a total in which the parts are meant to add up to it."""
_PERCENT = re.compile(r" ?\([^()]{0,30}\)")


def parts(reading: Reading) -> Relations:
    """Find wrong totals, such as 30 people: 12 of one kind and 15 of another."""
    before: Sentence | None = None
    for sentence in reading.sentences:
        if len(sentence.figures) > _LEAST_PARTS and sentence.asserts:
            yield from _compare_total_behind(reading, sentence)
            yield from _compare_total_first(reading, sentence)
            yield from _compare_opposed_parts(reading, sentence)
            yield from _compare_invoices(reading, sentence)
        if before is not None and sentence.figures:
            yield from _compare_next_total(reading, before, sentence)
        before = sentence


def _compare_total_behind(reading: Reading, sentence: Sentence) -> Relations:
    """Compare "A, B and C, for a total of N"."""
    for match in _TOTAL_BEHIND.finditer(sentence.plain):
        whole = sentence.figure(match, "whole") or sentence.figure(match, "all")
        start = max(sentence.plain.rfind(":", 0, match.start()), 0)
        summed = _parts_of(sentence, (start, match.start()), whole)
        if whole is not None and summed:
            span = sentence.span(0, match.end())
            yield from _compare_parts(reading, span, whole, summed)
            return


def _compare_total_first(reading: Reading, sentence: Sentence) -> Relations:
    """Compare "N people: A of one kind, B of another"."""
    for match in _WHOLE_FIRST.finditer(sentence.plain):
        whole = sentence.figure(match, "whole")
        end = len(sentence.plain)
        if sentence.plain[match.end() - 1] == "(":
            closing = sentence.plain.find(")", match.end())
            end = closing if closing >= 0 else end
        summed = _parts_of(sentence, (match.end(), end), whole)
        if whole is None or _UNCOUNTED.search(sentence.plain, match.end() - 1, end):
            continue  # an item without a number counts as one: see `counts`
        # "three: 5, 7 and 9" announces the number of items
        if summed and whole.numbers[0] != len(summed):
            span = sentence.span(match.start(), end)
            yield from _compare_parts(reading, span, whole, summed)
            return


def _compare_opposed_parts(reading: Reading, sentence: Sentence) -> Relations:
    """Compare "of N people, A said yes and B said no": their sum is at most N."""
    for match in _OPPOSED.finditer(sentence.plain):
        some = [sentence.figure(match, name) for name in ("whole", "one", "other")]
        whole, one, other = some
        if whole is None or one is None or other is None:
            continue
        this, that = match["this"].casefold(), match["that"].casefold()
        if that not in (_ANSWERS.get(this), {"approved": "rejected"}.get(this)):
            continue
        if one.numbers[0] + other.numbers[0] <= whole.numbers[0]:
            yield None
            continue
        total = render(sum_of((one, other)))
        detail = f'"{one.text}" and "{other.text}" are {total}, more than all "{whole.text}"'
        yield fault(reading, sentence.span(*match.span()), _CODE, detail=detail, remedy=_REMEDY)


def _compare_invoices(reading: Reading, sentence: Sentence) -> Relations:
    """Compare "Subtotal A, tax B, total N"."""
    for match in _INVOICE.finditer(sentence.plain):
        first, whole = sentence.figure(match, "first"), sentence.figure(match, "whole")
        added, taken = _items(sentence, match)
        if first is None or whole is None or not (taken or added):
            continue
        if len({one.unit for one in (first, whole, *taken, *added)}) > 1:
            continue
        total = sum_of((first, *added)).minus(sum_of(taken)) if taken else sum_of((first, *added))
        if total.agrees(interval_of(whole), Decimal(0)):  # invoices are exact
            yield None
            continue
        detail = f'the subtotal and its items come to {render(total)}, not "{whole.text}"'
        yield fault(reading, sentence.span(*match.span()), _CODE, detail=detail, remedy=_REMEDY)


def _items(sentence: Sentence, match: re.Match[str]) -> tuple[Sequence[Figure], Sequence[Figure]]:
    """Return the items that an invoice adds and deducts; empty if an item is of another kind."""
    added: list[Figure] = []
    taken: list[Figure] = []
    begin, end = match.span("rest")
    if sentence.marked("NX", begin, end):
        return (), ()
    for item in _ITEM.finditer(sentence.plain, begin, end):
        amounts = sentence.marked("M", *item.span())
        is_taken, is_added = _TAKEN.search(item[0]), _ADDED.search(item[0])
        if len(amounts) == 1 and bool(is_taken) != bool(is_added):
            (taken if is_taken else added).extend(amounts)
        elif amounts or not _CONNECTS.fullmatch(item[0]):
            return (), ()
    return added, taken


def _compare_next_total(reading: Reading, before: Sentence, sentence: Sentence) -> Relations:
    """Compare "A, B and C. In total, N."."""
    match = _NEXT_TOTAL.match(sentence.plain)
    if match is None or not (sentence.asserts and before.asserts):
        return
    # a sum stands alone, right after its parts
    if len(sentence.marked("NMX")) != 1 or sentence.line - before.line > 1:
        return
    whole = sentence.figure(match, "whole") or sentence.figure(match, "other")
    summed = _parts_of(before, (0, len(before.plain)), whole)
    if whole is not None and summed:
        yield from _compare_parts(reading, (before.start, sentence.end), whole, summed)


def _parts_of(
    sentence: Sentence, stretch: tuple[int, int], whole: Figure | None
) -> Sequence[Figure]:
    """Return the parts of a total between two places; empty if in doubt."""
    if whole is None:
        return ()
    start, end = stretch
    words = _PERCENT.sub("", sentence.plain[start:end])
    if _NO_PARTS.search(words) or sentence.marked("X", start, end):
        return ()
    kind = "M" if whole.kind == MONEY else "N"
    figures = sentence.marked("NM", start, end)
    if len(figures) < _LEAST_PARTS or len(figures) != len(sentence.marked(kind, start, end)):
        return ()
    at = [place for place in sentence.at if start <= place < end]
    some = [place for place in at if sentence.figure_at(place) in figures]
    between = [sentence.plain[one:other] for one, other in pairwise(some)]
    if not all(map(_SEPARATED.search, between)) or not _is_one_unit(figures, whole):
        return ()
    return figures


def _is_one_unit(figures: Sequence[Figure], whole: Figure) -> bool:
    """Return whether all are amounts of one currency, or counts, or measures in one unit."""
    if whole.kind == MONEY:
        return {one.unit for one in figures} == {whole.unit}
    measured = {one.unit for one in (*figures, whole) if units_of(one.unit)}
    if len(measured) > 1 or (measured and not units_of(whole.unit)):
        return False
    same = {one.unit for one in figures}
    nouns = {unit for unit in same if unit.endswith("s")}
    # "12 apples and 15 pears" may be 27 fruits, but "12 boxes, 15 boxes" are no 27 bottles
    return not (len(same) == 1 and nouns and whole.unit.endswith("s") and whole.unit not in same)


def _compare_parts(
    reading: Reading, span: tuple[int, int], whole: Figure, figures: Sequence[Figure]
) -> Relations:
    total, stated = sum_of(figures), interval_of(whole)
    value = whole.numbers[0]
    # a part twice as large as the whole is no part of it
    if value <= 0 or any(one.numbers[0] > value * _MOST for one in figures):
        return
    if not _LEAST * value <= total.high or not total.low <= _MOST * value:
        return
    if _agrees(total, stated, figures):
        yield None
        return
    listed = ", ".join(f'"{one.text}"' for one in figures[:8])
    detail = f'the parts {listed} add up to {render(total)}, not "{whole.text}"'
    yield fault(reading, span, _CODE, detail=detail, remedy=_REMEDY)


def _agrees(total: Interval, stated: Interval, figures: Sequence[Figure]) -> bool:
    counts = total.low == total.high and all(one.kind != MONEY for one in figures)
    # counts of things must match exactly; rounded amounts within a tolerance
    return total.agrees(stated, Decimal(0)) if counts else total.agrees(stated)


def sum_of(figures: Sequence[Figure]) -> Interval:
    """Return the sum of figures."""
    total = exact(0) if figures else ZERO
    for one in figures:
        total += interval_of(one)
    return total
