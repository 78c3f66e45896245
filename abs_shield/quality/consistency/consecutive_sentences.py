"""Two consecutive sentences: parts of a count, remainders, and growth."""

from __future__ import annotations

from itertools import pairwise

from abs_shield.quality.consistency.part_totals import sum_of
from abs_shield.quality.consistency.text_relations import (
    MOVE,
    PRIOR,
    Relations,
    exact,
    fault,
    interval_of,
    is_alike,
    is_positive,
    render,
    share_of,
    up_to_words,
)
from abs_shield.quality.marked_sentences import Reading, Sentence, form
from abs_shield.text.values.figure import Figure

TOTAL, DIFFERENCE, GROWTH = (
    "CONTRADICTORY_TOTAL", "CONTRADICTORY_DIFFERENCE", "CONTRADICTORY_GROWTH",
)  # fmt: skip
_W = up_to_words(6)
_COUNTED = form(rf"\b(?:has|have|had|employs?|counts?|with|are|is) <whole:N>{_W}[.!]?$")
_OF_THESE = r"^of (?:these|them|those)(?: [a-z]+)?,? "
_PLACED = r"(?:work|live|are based|are|sit|stay|study|reside|were)"
_HALVES = tuple(
    form(f"{_OF_THESE}{halves}")
    for halves in (
        rf"<one:N> {_PLACED} (?:in|at) (?-i:[A-Z])[\w-]+ and <other:N>"
        rf"(?: {_PLACED})? (?:in|at) (?-i:[A-Z])[\w-]+[.!]?$",
        r"<one:N> (?:are|were) (?:men|boys|male) and <other:N> (?:(?:are|were) )?"
        r"(?:women|girls|female)[.!]?$",
        r"<one:N> (?:are|were) (?:women|girls|female) and <other:N> (?:(?:are|were) )?"
        r"(?:men|boys|male)[.!]?$",
        r"<one:N> (?:said|voted|answered) yes and <other:N> (?:(?:said|voted|answered) )?no[.!]?$",
    )
)
"""Mutually exclusive groups."""
_BUDGET = form(
    rf"^(?:the|our|its|their|his|her|my|your){_W} (?:budget|allowance|grant|fund|funding)"
    rf" (?:is|was|comes to|stands at) <whole:M>[.!]?$"
)
_SPENT = form(
    rf"\b(?:spent|used|paid|invested){_W} <part:M>{_W},? (?:so|and|leaving|which leaves|thus)"
    rf"{_W} ?<left:M>(?: (?:is|was|are|were|remains?))?(?: (?:left|remaining|unspent|over))?[.!]?$"
)
_NOW = form(
    rf"<current:NM>{_W}, (?:which (?:is|was|means) |an? |or |up |representing )?"
    rf"(?:(?:[a-z]+ )?{MOVE}(?: of| by)? <a:P>"
    rf"|<b:P>(?: [a-z]+)? {MOVE.replace('up>', 'up2>').replace('down>', 'down2>')})"
    r"(?= ?[.!;,]|$| (?:on|over|from|than) (?:last|the previous|a) year)"
)


def sequels(reading: Reading) -> Relations:
    """Find conflicts such as "500 employees. Of these, 300 work in Berlin and 250 in Paris."."""
    for first, second in pairwise(reading.sentences):
        if first.line != second.line or not (first.figures and second.figures):
            continue
        if first.asserts and second.asserts:
            yield from _compare_halves(reading, first, second)
            yield from _compare_rest(reading, first, second)
            yield from _compare_growth(reading, first, second)


def _compare_halves(reading: Reading, first: Sentence, second: Sentence) -> Relations:
    counted = _COUNTED.search(first.plain)
    whole = None if counted is None else first.figure(counted, "whole")
    for pattern in _HALVES if whole is not None else ():
        match = pattern.match(second.plain)
        some = [] if match is None else [second.figure(match, name) for name in ("one", "other")]
        parts = [one for one in some if one is not None]
        if whole is None or len(parts) != _BOTH:
            continue
        # less is possible: some may belong to neither group
        if sum(one.numbers[0] for one in parts) <= whole.numbers[0]:
            yield None
            return
        listed = " and ".join(f'"{one.text}"' for one in parts)
        detail = f'{listed} are {render(sum_of(parts))}, more than all "{whole.text}"'
        remedy = "Make the parts add up to the total, or correct the total"
        yield fault(reading, (first.start, second.end), TOTAL, detail=detail, remedy=remedy)


_BOTH = 2  # the patterns name two groups that exclude each other


def _compare_rest(reading: Reading, first: Sentence, second: Sentence) -> Relations:
    budget, spent = _BUDGET.match(first.plain), _SPENT.search(second.plain)
    if budget is None or spent is None:
        return
    whole = first.figure(budget, "whole")
    part, left = second.figure(spent, "part"), second.figure(spent, "left")
    if whole is None or part is None or left is None:
        return
    if len({whole.unit, part.unit, left.unit}) > 1:
        return
    rest = interval_of(whole).minus(interval_of(part))
    if rest.agrees(interval_of(left)):
        yield None
        return
    detail = f'"{part.text}" of "{whole.text}" leaves {render(rest)}, not "{left.text}"'
    remedy = "Make the two values and their difference consistent"
    yield fault(reading, (first.start, second.end), DIFFERENCE, detail=detail, remedy=remedy)


def _compare_growth(reading: Reading, first: Sentence, second: Sentence) -> Relations:
    """Compare "Last year we had 100." and "This year we have 130, growth of 20%."."""
    values, match = first.marked("NM"), _NOW.search(second.plain)
    if PRIOR.search(first.plain) is None or len(values) != 1 or match is None:
        return
    if first.marked("XP") or len(second.marked("NMPX")) != _BOTH:
        return
    current = second.figure(match, "current")
    rate = second.figure(match, "a") or second.figure(match, "b")
    if current is None or rate is None or not is_alike(values[0], current):
        return
    is_up = match["up"] is not None or match["up2"] is not None
    yield from _compare(reading, (first, second), (values[0], current, rate), is_up)


def _compare(
    reading: Reading,
    sentences: tuple[Sentence, Sentence],
    figures: tuple[Figure, Figure, Figure],
    is_up: bool,
) -> Relations:
    prior, current, rate = figures
    before, after, share = interval_of(prior), interval_of(current), share_of(rate)
    if not is_positive(before, after, share):
        return
    factor = exact(1) + share if is_up else exact(1).minus(share)
    if before.times(factor).agrees(after):
        yield None
        return
    way = "more" if is_up else "less"
    detail = f'"{current.text}" is not {rate.text} {way} than "{prior.text}"'
    remedy = "Make the current value, the prior value and the change consistent"
    span = sentences[0].start, sentences[1].end
    yield fault(reading, span, GROWTH, detail=detail, remedy=remedy)
