"""Ratios, multiples and percentages: a part divided by its whole, twice, a price times a count."""

from __future__ import annotations

import re
from decimal import Decimal

from abs_shield.quality.consistency.part_totals import sum_of
from abs_shield.quality.consistency.text_relations import (
    ARTICLES,
    BREAK,
    GAP,
    Interval,
    Relations,
    exact,
    fault,
    interval_of,
    is_alike,
    is_positive,
    render,
    share_of,
    span_of,
)
from abs_shield.quality.marked_sentences import Reading, Sentence, form
from abs_shield.text.values.figure import MONEY, Figure

_RATIOS_CODE = "CONTRADICTORY_RATIO"
_RATIOS_REMEDY = "Make the two values and their ratio consistent"
_W = r"(?: [^\W\d_][\w'\u2019-]{0,24}){0,7}?"
_WITH_ONE = r"(?: (?:[^\W\d_][\w'\u2019-]{0,24}|<X>)){0,7}?"
"""Words with a pronoun such as "the old one" among them."""
_LOOSE = Decimal("0.08")
"""Relative tolerance of a ratio in words: writers say "doubled" for 2.1."""
_WORDS = {
    "twice": 2, "double": 2, "doubled": 2, "doubling": 2, "doubles": 2, "twofold": 2, "two-fold": 2,
    "triple": 3, "tripled": 3, "tripling": 3, "thrice": 3, "threefold": 3, "three-fold": 3,
    "quadruple": 4, "quadrupled": 4, "quadrupling": 4, "fourfold": 4, "four-fold": 4,
    "fivefold": 5, "five-fold": 5, "tenfold": 10, "ten-fold": 10, "half": Decimal("0.5"),
    "halved": Decimal("0.5"), "halving": Decimal("0.5"),
}  # fmt: skip
_NAMES = "|".join(sorted(_WORDS, key=len, reverse=True))
_VERBS = r"doubled|tripled|quadrupled|halved|doubling|tripling|quadrupling|halving|doubles"
_RATIO = rf"(?:(?P<word>{_NAMES})\b|<times:N>(?: |-)?(?:times|x)\b|<fold:N>[ -]?fold\b)"
_THAN = (
    r"(?: (?:as (?:many|much|large|big|high|long|fast|expensive|heavy)(?: as)?"
    r"|the|that|those|of|what|its|our))*"
)
_RATIOS_FORMS = tuple(
    map(
        form,
        (
            rf"(?<!than )(?<!nearly )(?<!almost )\b(?P<word>{_VERBS})\b{_W},? from"
            rf" <small:NM>{GAP},? to <large:NM>",
            rf"(?<!than )(?<!nearly )(?<!almost )\b(?P<word>{_VERBS})\b{_W},? to <large:NM>{GAP},?"
            rf" from <small:NM>",
            rf"\bfrom <small:NM>{GAP},? to <large:NM>{GAP}{BREAK}{ARTICLES}{_RATIO}",
            rf"<large:NM>{GAP}(?:{BREAK}| (?:is|are|was|were) |,? which (?:is|was) )"
            rf"(?:exactly |precisely )?{_RATIO}{_THAN}(?!{_W} more){_WITH_ONE},? ?\(?<small:NM>",
        ),
    )
)
_EACH = form(
    rf"<count:N>(?P<noun>{_W}) (?:at|for|cost(?:s|ing)?|priced at|of|@) <price:M>"
    rf"(?: each| apiece| per [a-z]+| a piece| every)[^.;]{{0,60}}?"
    rf"(?:total(?:l?ing|s)?(?: of| cost of| price of)?|comes? to|cost(?:s|ing)?|makes?|=|for|is"
    rf"|amounts? to"
    rf"|adds up to|equals)(?: a total of| [a-z]+){{0,3}}? <total:M>"
)
_PRODUCT = tuple(
    map(
        form,
        (
            r"<count:N> ?[x\u00d7] ?<price:M> ?(?:=|is|equals|makes|comes to) ?<total:M>",
            r"<price:M> ?[x\u00d7] ?<count:N> ?(?:=|is|equals|makes|comes to) ?<total:M>",
        ),
    )
)
_LONGER = re.compile(r"[-+*/(=\u00d7x\u2212] ?\Z|\)")
_GOES_ON = re.compile(r" ?[-+*/\u00d7\u2212]")
"""Operators after a product that make it a part of a longer expression."""
_HEDGED = re.compile(
    r"\b(?:nearly|almost|more than|less than|over|about|roughly|around|approximately|some|at least"
    r"|up to|not quite|close to|under|well)(?: [a-z]+){0,2} \Z",
    re.IGNORECASE,
)
_NO_TOTAL = re.compile(
    r"\b(?:discounts?|off|tax(?:es)?|shipping|fees?|plus|minus|instead|deposit|saving|save|extra"
    r"|before|after|delivery|vat|tip|rate|first)\b|%",
    re.IGNORECASE,
)


def ratios(reading: Reading) -> Relations:
    """Find wrong ratios, such as 30 called twice 20."""
    for sentence in reading.sentences:
        if len(sentence.figures) > 1 and sentence.asserts:
            yield from _in_sentence(reading, sentence)
            yield from _price_times_count(reading, sentence)


def _in_sentence(reading: Reading, sentence: Sentence) -> Relations:
    compared: set[int] = set()
    for pattern in _RATIOS_FORMS:
        for match in pattern.finditer(sentence.plain):
            large, small = sentence.figure(match, "large"), sentence.figure(match, "small")
            ratio, place = _ratio(sentence, match)
            if ratio is None or large is None or small is None or place in compared:
                continue
            if not is_alike(large, small) or _HEDGED.search(sentence.plain[:place]):
                continue
            compared.add(place)
            yield from _compare_ratios(reading, span_of(sentence, match), (large, small), ratio)


def _ratio(sentence: Sentence, match: re.Match[str]) -> tuple[Interval | None, int]:
    """Return the stated ratio, and its place."""
    if match["word"]:
        value = Decimal(str(_WORDS[match["word"].casefold()]))
        return Interval(value * (1 - _LOOSE), value * (1 + _LOOSE)), match.start("word")
    for name in ("times", "fold"):
        figure = sentence.figure(match, name)
        if figure is not None:
            one = interval_of(figure)
            loose = max(figure.step / 2, figure.numbers[0] * _LOOSE)
            middle = (one.low + one.high) / 2
            return Interval(middle - loose, middle + loose), match.start(name)
    return None, 0


def _compare_ratios(
    reading: Reading, span: tuple[int, int], figures: tuple[Figure, Figure], ratio: Interval
) -> Relations:
    large, small = figures
    one, other = interval_of(large), interval_of(small)
    if not is_positive(one, other, ratio):
        return
    if one.over(other).agrees(ratio):
        yield None
        return
    detail = (
        f'"{large.text}" is {render(one.over(other))} times "{small.text}", '
        f"not {render(ratio)} times"
    )
    yield fault(reading, span, _RATIOS_CODE, detail=detail, remedy=_RATIOS_REMEDY)


def _price_times_count(reading: Reading, sentence: Sentence) -> Relations:
    products = (
        match
        for pattern in _PRODUCT
        for match in pattern.finditer(sentence.plain)
        if not _LONGER.search(sentence.plain[max(0, match.start() - 3) : match.start()])
        and not _GOES_ON.match(sentence.plain, match.end())
    )
    for match in (*_EACH.finditer(sentence.plain), *products):
        count, price = sentence.figure(match, "count"), sentence.figure(match, "price")
        total = sentence.figure(match, "total")
        if count is None or price is None or total is None or price.unit != total.unit:
            continue
        # a discount or a tax changes the product
        if price.kind != MONEY or _NO_TOTAL.search(sentence.plain):
            continue
        product = interval_of(price).times(exact(count.numbers[0]))
        if product.agrees(interval_of(total)):
            yield None
            continue
        detail = f'{count.text} times "{price.text}" is {render(product)}, not "{total.text}"'
        yield fault(
            reading, span_of(sentence, match), _RATIOS_CODE, detail=detail, remedy=_RATIOS_REMEDY
        )


_SHARES_CODE = "CONTRADICTORY_PERCENTAGE"
_SHARES_REMEDY = "Make the part, the whole and the percentage consistent"
_NOUNS = r"(?: [^\W\d_][\w'\u2019-]{0,24}){0,6}?"
_OF = (
    r"(?: [a-z]+){0,2}? (?:out )?of (?:the |its |our |their |all |a total of |these )*(?:[a-z]+ )?"
)
_SHARES_FORMS = tuple(
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
            yield from _slashed(reading, sentence)
        if not sentence.marked("P"):
            continue
        rated: set[int] = set()
        for pattern in _SHARES_FORMS:
            for match in pattern.finditer(sentence.plain):
                # several forms match one statement
                if match.start("rate") not in rated:
                    rated.add(match.start("rate"))
                    yield from _compare_shares(reading, sentence, match)
        yield from _margins(reading, sentence)
        # a share with its part and whole is checked already
        if not rated:
            yield from _all_of_one(reading, sentence)


def _margins(reading: Reading, sentence: Sentence) -> Relations:
    """Compare "$5M on sales of $50M, a margin of 10%", unless the kind of profit is ambiguous."""
    if len(sentence.marked("M")) != 2 or len(sentence.marked("P")) != 1:
        return
    for match in _MARGIN.finditer(sentence.plain):
        kind = (match["of"] or "profit").casefold()
        if kind == "profit" or kind in sentence.plain[: match.start()].casefold():
            yield from _compare_shares(reading, sentence, match)


def _slashed(reading: Reading, sentence: Sentence) -> Relations:
    """Compare the shares of "a split of 60% / 30% / 10%" with 100 %."""
    if not _SPLIT.search(sentence.plain) or _EACH_ITS_OWN.search(sentence.plain):
        return
    for match in _SLASHED.finditer(sentence.plain):
        shares = sentence.marked("X", *match.span())
        if all(one.unit == "%" for one in shares):
            yield from _sum_to_one(reading, sentence, shares)


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
    yield fault(
        reading, span_of(sentence, match), _SHARES_CODE, detail=detail, remedy=_SHARES_REMEDY
    )


def _is_part(part: Figure, whole: Figure) -> bool:
    """Return whether one figure can count a part of the other."""
    if part.kind != whole.kind or (part.kind == MONEY and part.unit != whole.unit):
        return False
    # a larger part means that the pattern has confused the two
    return part.numbers[0] <= whole.numbers[0]


def _all_of_one(reading: Reading, sentence: Sentence) -> Relations:
    """Compare the shares of a sentence that lists all of them with 100 %."""
    exhaustive = _EXHAUSTIVE.search(sentence.plain)
    shares = sentence.marked("P")
    if exhaustive is None or len(shares) < _LEAST_SHARES or _NO_SHARES.search(sentence.plain):
        return
    if sentence.marked("NMX"):
        return
    yield from _sum_to_one(reading, sentence, shares)


def _sum_to_one(reading: Reading, sentence: Sentence, shares: list[Figure]) -> Relations:
    total = sum_of(shares)
    if not _LEAST <= total.high or not total.low <= _MOST:
        return
    if total.agrees(exact(100), Decimal(0)):
        yield None
        return
    detail = f"the shares of one whole add up to {render(total)}%, not 100%"
    yield fault(
        reading, (sentence.start, sentence.end), _SHARES_CODE, detail=detail, remedy=_SHARES_REMEDY
    )
