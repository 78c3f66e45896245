"""Large numbers with words of magnitude: ``2 thousand``, ``8,5 Mio``, ``3万``, ``2 lakh``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from abs_shield.text.normal_form import chunks, is_unspaced_script, normal

WORDS = {
    3: "thousand tausend tsd mil mille mila milla duizend tusen tusind tys tysiące tysięcy "
    "tisíc tisíce ezer mie mii bin tuhatta tuhat ribu nghìn тыс тысяча тысячи тысяч "
    "тис тисяча тисячі тисяч хиляди χιλιάδες ألف آلاف الاف אלף אלפים हज़ार हजार 千 仟 천 พัน",
    4: "万 萬 만 หมื่น",
    5: "lakh lac lakhs लाख แสน",
    6: "million millions mio millionen millones millón milioni milione milhão milhões miljoen mln "
    "miljoner millioner milionów miliony milion milionů millió milioane milyon miljoonaa juta "
    "triệu миллион миллиона миллионов млн мільйон мільйони мільйонів εκατομμύρια "
    "مليون ملايين מיליון मिलियन ล้าน",
    7: "crore crores करोड़ करोड",
    8: "亿 億 억",
    9: "billion billions mrd milliarde milliarden milliards miliardi miliard miliardów milyar "
    "miljard miljardia млрд миллиард миллиарда миллиардов مليار अरब",
}
"""For each power of ten, the words that multiply the number before them."""
_LEAST, _DECIMALS = 0.1, 3
"""The smallest number before such a word, and its decimals: half a million, 1.125 million."""


def with_words(number: float) -> Iterator[tuple[str, ...]]:
    """
    Yield *number* with words of magnitude, as adjacent chunks.

    >>> ("2", "mil") in set(with_words(2000)), ("8,5", "mio") in set(with_words(8_500_000))
    (True, True)
    """
    for power, words in _table():
        part = number / 10**power
        # 10,000 thousand are 10 million
        if part < _LEAST or part >= 10_000 or round(part, _DECIMALS) != part:
            continue
        digits = f"{part:g}"
        for written in {digits, digits.replace(".", ",")}:  # some languages have a decimal comma
            for word in words:
                # in a script without blanks, the number and the word are one chunk
                yield (f"{written} {word[0]}",) if is_unspaced_script(word[0]) else (written, *word)


def has_magnitude_words(text: str, tokens: list[str]) -> bool:
    """Return whether normalised *text* with these chunks may have words of magnitude."""
    return not _words().isdisjoint(tokens) or (not text.isascii() and is_unspaced_script(text))


@lru_cache(maxsize=1)
def _words() -> frozenset[str]:
    return frozenset(chunk for _, words in _table() for word in words for chunk in word)


@lru_cache(maxsize=1)
def _table() -> tuple[tuple[int, tuple[tuple[str, ...], ...]], ...]:
    return tuple(
        (power, tuple(dict.fromkeys(tuple(chunks(normal(word))) for word in words.split())))
        for power, words in WORDS.items()
    )
