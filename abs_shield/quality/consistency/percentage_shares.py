"""Percentages that are not the part divided by the whole, and shares that do not add up to one."""

from __future__ import annotations

import re
from decimal import Decimal

from abs_shield.quality.consistency.part_totals import sum_of
from abs_shield.quality.consistency.text_relations import (
    ARTICLES,
    BREAK,
    Relations,
    exact,
    fault,
    interval_of,
    is_positive,
    render,
    share_of,
    span_of,
    up_to_words,
)
from abs_shield.quality.marked_sentences import Reading, Sentence, form
from abs_shield.text.values.figure import MONEY, Figure

_CODE = "CONTRADICTORY_PERCENTAGE"
_REMEDY = "Make the part, the whole and the percentage consistent"
_NOUNS = up_to_words(6)
_OF = (
    r"(?: [a-z]+){0,2}? (?:out )?of (?:the |its |our |their |all |a total of |these )*(?:[a-z]+ )?"
)
_FORMS = tuple(
    map(
        form,
        (
            rf"<part:NM>{_OF}<whole:NM>{_NOUNS}{BREAK}{ARTICLES}(?:only |just )?<rate:P>",
            rf"<rate:P>{BREAK}{ARTICLES}<part:NM>{_OF}<whole:NM>",
            rf"<rate:P> of (?:the |its |our |their |all |these )*(?:[a-z]+ )?<whole:NM>{_NOUNS}"
            rf"(?:{BREAK}{ARTICLES}|,? (?:is|are|was|equals|comes to|makes|gives|or|meaning) )"
            rf"(?:exactly )?<part:NM>",
            rf"\bof (?:the |its |our |their |all |these )*(?:[a-z]+ )?<whole:NM>{_NOUNS}, "
            rf"(?:[a-z]+ )?<part:NM>{_NOUNS}(?:{BREAK}{ARTICLES})(?:(?:[a-z]+ )?(?:rate|share) of"
            rf" )?<rate:P>(?! of )",
            rf"\bof (?:the |its |our |their |all |these )*(?:[a-z]+ )?<whole:NM>{_NOUNS}, "
            rf"<rate:P>{_NOUNS}{BREAK}{ARTICLES}<part:NM>",
            rf"<part:NM>{_NOUNS}{BREAK}{ARTICLES}<rate:P> of (?:the |its |our |their |all )*"
            rf"(?:total |whole )?(?:[a-z]+ )?<whole:NM>",
            rf"<whole:N>{_NOUNS} ?[;,.:] <part:N> of (?:them|these|those|which|whom)"
            rf" ?[(,:] ?<rate:P>",
            rf"<part:NM>{_NOUNS} (?:is|are|was|were|represents?|makes? up|accounts? for|equals)"
            rf" <rate:P> of (?:the |its |our |their |all |a )*(?:[a-z]+ ){{0,2}}<whole:NM>",
        ),
    )
)
_MARGIN = form(
    rf"<part:M>{_NOUNS} (?:on|from|against) (?:[a-z]+ ){{0,3}}?<whole:M>{_NOUNS}"
    rf"(?:{BREAK}{ARTICLES}"
    r"|,? (?:and|so) )(?:(?:the|a|its) )?(?:(?P<of>net|operating|gross|profit) )?margin"
    r"(?: of| is| was| being) <rate:P>"
)
_SLASHED = form(r"<X>(?: ?/ ?(?:<X>)){2,}")
_SPLIT = re.compile(
    r"\b(?:split|splits|mix|break(?:s|ing)? down|breakdown|divided|allocat(?:ed|es|ion)"
    r"|distribut(?:ed|ion)|composition)\b",
    re.IGNORECASE,
)
_EACH_ITS_OWN = re.compile(
    r"\b(?:scenarios?|odds|chances?|probabilit(?:y|ies)|likelihoods?|brackets?|tax(?:es)?|rates?"
    r"|discounts?|respectively|growth|margins?)\b",
    re.IGNORECASE,
)
"""Words of percentages that are not shares of one whole."""
_EXHAUSTIVE = re.compile(
    r"\b(?:the (?:remain(?:der|ing)|rest)|remaining|(?:split|divided|broken down|distributed)"
    r" (?:into|between|among|as follows|up)|consists? of|made up of|composed of)\b",
    re.IGNORECASE,
)
_NO_SHARES = re.compile(
    r"\b(?:from|to|of wh(?:ich|om)|includ(?:es?|ing)|main(?:ly)?|major|mostly|largely|largest|top"
    r"|among|than|(?<!made )up|down|rose|fell|grew|increase[sd]?"
    r"|decrease[sd]?|change|growth|respectively|compared)\b",
    re.IGNORECASE,
)
_LEAST_SHARES = 2  # one share says nothing about the sum
_LEAST, _MOST = 70, 140  # less is a selection of shares; more are shares of several wholes
"""Range of sums, in percent, that are meant to be all shares of one whole."""


def shares(reading: Reading) -> Relations:
    """Find wrong shares, such as 30 of 120 called 40 %."""
    for sentence in reading.sentences:
        if not sentence.asserts or not sentence.figures:
            continue
        if "/" in sentence.plain:
            yield from _compare_slashed_shares(reading, sentence)
        if not sentence.marked("P"):
            continue
        rated: set[int] = set()
        for pattern in _FORMS:
            for match in pattern.finditer(sentence.plain):
                # several forms match one statement
                if match.start("rate") not in rated:
                    rated.add(match.start("rate"))
                    yield from _compare_shares(reading, sentence, match)
        yield from _compare_margins(reading, sentence)
        # a share with its part and whole is checked already
        if not rated:
            yield from _compare_all_shares(reading, sentence)


def _compare_margins(reading: Reading, sentence: Sentence) -> Relations:
    """Compare "$5M on sales of $50M, a margin of 10%", unless the kind of profit is ambiguous."""
    if len(sentence.marked("M")) != 2 or len(sentence.marked("P")) != 1:
        return
    for match in _MARGIN.finditer(sentence.plain):
        kind = (match["of"] or "profit").casefold()
        if kind == "profit" or kind in sentence.plain[: match.start()].casefold():
            yield from _compare_shares(reading, sentence, match)


def _compare_slashed_shares(reading: Reading, sentence: Sentence) -> Relations:
    """Compare the shares of "a split of 60% / 30% / 10%" with 100 %."""
    if not _SPLIT.search(sentence.plain) or _EACH_ITS_OWN.search(sentence.plain):
        return
    for match in _SLASHED.finditer(sentence.plain):
        shares = sentence.marked("X", *match.span())
        if all(one.unit == "%" for one in shares):
            yield from _compare_sum(reading, sentence, shares)


def _compare_shares(reading: Reading, sentence: Sentence, match: re.Match[str]) -> Relations:
    some = [sentence.figure(match, name) for name in ("part", "whole", "rate")]
    part, whole, rate = some
    if part is None or whole is None or rate is None or not _is_part(part, whole):
        return
    one, all_, stated = interval_of(part), interval_of(whole), share_of(rate)
    if not is_positive(one, all_):
        return
    if one.over(all_).agrees(stated):
        yield None
        return
    hundred = one.over(all_).times(exact(100))
    detail = f'"{part.text}" of "{whole.text}" is {render(hundred)}%, not "{rate.text}"'
    yield fault(reading, span_of(sentence, match), _CODE, detail=detail, remedy=_REMEDY)


def _is_part(part: Figure, whole: Figure) -> bool:
    """Return whether one figure can count a part of the other."""
    if part.kind != whole.kind or (part.kind == MONEY and part.unit != whole.unit):
        return False
    # a larger part means that the pattern has confused the two
    return part.numbers[0] <= whole.numbers[0]


def _compare_all_shares(reading: Reading, sentence: Sentence) -> Relations:
    """Compare the shares of a sentence that lists all of them with 100 %."""
    exhaustive = _EXHAUSTIVE.search(sentence.plain)
    shares = sentence.marked("P")
    if exhaustive is None or len(shares) < _LEAST_SHARES or _NO_SHARES.search(sentence.plain):
        return
    if sentence.marked("NMX"):
        return
    yield from _compare_sum(reading, sentence, shares)


def _compare_sum(reading: Reading, sentence: Sentence, shares: list[Figure]) -> Relations:
    total = sum_of(shares)
    if not _LEAST <= total.high or not total.low <= _MOST:
        return
    if total.agrees(exact(100), Decimal(0)):
        yield None
        return
    detail = f"the shares of one whole add up to {render(total)}%, not 100%"
    yield fault(reading, (sentence.start, sentence.end), _CODE, detail=detail, remedy=_REMEDY)
