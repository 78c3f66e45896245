"""Ratios and multiples that do not hold: twice as many, a price times a count."""

from __future__ import annotations

import re
from decimal import Decimal

from abs_shield.quality.consistency.text_relations import (
    ARTICLES,
    BREAK,
    GAP,
    WORD,
    Interval,
    Relations,
    exact,
    fault,
    interval_of,
    is_alike,
    is_positive,
    render,
    span_of,
    up_to_words,
)
from abs_shield.quality.marked_sentences import Reading, Sentence, form
from abs_shield.text.values.figure import MONEY, Figure

_CODE = "CONTRADICTORY_RATIO"
_REMEDY = "Make the two values and their ratio consistent"
_W = up_to_words(7)
_WITH_ONE = rf"(?: (?:{WORD}|<X>)){{0,7}}?"
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
_FORMS = tuple(
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
            yield from _compare_statements(reading, sentence)
            yield from _compare_products(reading, sentence)


def _compare_statements(reading: Reading, sentence: Sentence) -> Relations:
    compared: set[int] = set()
    for pattern in _FORMS:
        for match in pattern.finditer(sentence.plain):
            large, small = sentence.figure(match, "large"), sentence.figure(match, "small")
            ratio, place = _read_ratio(sentence, match)
            if ratio is None or large is None or small is None or place in compared:
                continue
            if not is_alike(large, small) or _HEDGED.search(sentence.plain[:place]):
                continue
            compared.add(place)
            yield from _compare_ratio(reading, span_of(sentence, match), (large, small), ratio)


def _read_ratio(sentence: Sentence, match: re.Match[str]) -> tuple[Interval | None, int]:
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


def _compare_ratio(
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
    yield fault(reading, span, _CODE, detail=detail, remedy=_REMEDY)


def _compare_products(reading: Reading, sentence: Sentence) -> Relations:
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
        yield fault(reading, span_of(sentence, match), _CODE, detail=detail, remedy=_REMEDY)
