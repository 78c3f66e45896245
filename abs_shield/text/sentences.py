"""Sentence boundaries in any script, and sentences that refer to the previous one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abs_shield.text.lazy_pattern import lazy_pattern
from abs_shield.text.normal_form import normal, words

_STOP = lazy_pattern(
    "[.!?\u2026\u203d\u061f\u06d4\u0589\u1362\u0964\u0965\u3002\uff01\uff0e\uff1f\uff61]+"
    "[\"'\u201d\u2019\u00bb\u203a\u300d\u300f\u3011\uff09)\\]]*|\n"
)
_WIDE = re.compile("[\u0964\u0965\u3002\uff01\uff0e\uff1f\uff61]")
"""Full stops that need no space after them."""
_RANKS = frozenset("hon rev capt cmdr col gen lt maj sgt gov sen rep pres amb".split())
"""Titles that are ordinary words in lower case: "our sales rep."."""
TITLES = frozenset("mr mrs ms mx messrs dr prof".split()) | _RANKS
"""Titles of people, whose full stop does not end a sentence."""
_RANK = lazy_pattern(rf"\b(?:{'|'.join(sorted(rank.title() for rank in _RANKS))})\.$")
_ABBREVIATED = lazy_pattern(
    rf"(?:^|[\s(\"'\u201e\u201c\u00ab])(?:{'|'.join(sorted(TITLES - _RANKS))}|st|sr|jr|vs|etc|"
    r"e\.g|i\.e|cf|approx|dept|inc|ltd|co|corp|no|nr|fig|vol|pp?|art|abs|tel|bzw|z\.b|d\.h|u\.a|usw|ca|str|hr|fr|sra?|"
    r"srta|ud|uds|av|mme|mlle|m|ул|г|д|руб|т\.е|др)\.$",
    re.IGNORECASE,
)
_STREET = re.compile(r"[^\W\d_]{2,}str\.$", re.IGNORECASE)
"""A German street, with its number after the stop: "Lindenstr. 4"."""
_AUTHORS = re.compile(r"\bet al\.$", re.IGNORECASE)
"""Authors of a paper, with its year after the stop: "Lowe et al. (2020)"."""
_YEAR = re.compile(r"\s*[(\[]?\d")
_INITIAL = re.compile(r"(?:^|[\s.])([^\W\d_])\.$")
_GERMAN_DAY = lazy_pattern(
    r"(?:^|\s)\d{1,2}\.\s(?:jan|feb|märz|apr|mai|jun|jul|aug|sep|okt|nov|dez)", re.IGNORECASE
)
_LONGEST_ABBREVIATION = 12  # characters before a full stop; more would be read again for every stop


def sentences(text: str) -> list[str]:
    """
    Return the sentences of *text*, stripped, in order; time is linear.

    A line's end ends a sentence. Full stops inside numbers, addresses and versions do not, nor do
    those of initials and common English, German, Spanish, French and Russian abbreviations. Thai
    has no full stops: each line is one sentence.

    >>> sentences("Dr. Li paid $1.50. Ja? 好的。谢谢！")
    ['Dr. Li paid $1.50.', 'Ja?', '好的。', '谢谢！']
    """
    return [text[start:end] for start, end in sentence_spans(text)]


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each sentence."""
    start = 0
    for stop in _STOP.finditer(text):
        if stop[0].isspace() or _ends(text, stop):
            yield from _strip(text, start, stop.end())
            start = stop.end()
    yield from _strip(text, start, len(text))


def _ends(text: str, stop: re.Match[str]) -> bool:
    if _WIDE.match(stop[0]):
        return True
    after = text[stop.end() : stop.end() + 2]
    if after and not after[0].isspace():
        # "?" in a URL, "!" in code
        return not stop[0].startswith(".") and not after[0].isalnum() and after[0] not in "/=&"
    if "!" in stop[0] or "?" in stop[0]:
        return True
    before = text[max(0, stop.start() - _LONGEST_ABBREVIATION) : stop.end()]
    behind = text[stop.end() : stop.end() + 8]
    # A sentence does not begin in lower case, so the stop is part of an abbreviation.
    if behind.lstrip()[:1].islower():
        return False
    if _YEAR.match(behind) and (_STREET.search(before) or _AUTHORS.search(before)):
        return False
    initial = _INITIAL.search(before)
    return not (
        (initial and initial[1].isupper())
        or _ABBREVIATED.search(before)
        or _RANK.search(before)
        or _GERMAN_DAY.search(before + behind)
    )


def _strip(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    if left < len(piece):
        yield start + left, start + len(piece.rstrip())


_PRONOUNS = frozenset(
    "it its they them their theirs he him his she her hers this that these those both such "
    "er sie es ihr sein dieser diese dieses il elle ils elles ce cette ello ella esto este".split()
)
_FIRST = 40
"""Characters that are searched for the first word; a pronoun has fewer than ten."""


def starts_with_pronoun(sentence: str) -> bool:
    """
    Return whether a sentence begins with a pronoun.

    >>> starts_with_pronoun("It is 330 meters tall."), starts_with_pronoun("The tower is tall.")
    (True, False)
    """
    return bool(_PRONOUNS.intersection(words(normal(sentence[:_FIRST]))[:1]))
