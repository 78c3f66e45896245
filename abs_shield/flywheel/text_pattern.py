"""The pattern of a text: word stems, with placeholders for numbers, dates and ids."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache

from abs_shield.text.identifier_words import canonical, split_words
from abs_shield.text.stem import lowered, stem
from abs_shield.text.tokens import is_small

Pattern = tuple[str, ...]
"""Distinct words in alphabetical order; kinds of values are in angle brackets."""
_LONGEST = 500  # a claim is a sentence; patterns of pages are alike in their common words
_MOST_WORDS = 24  # as many as a long sentence has; comparing is quadratic in them
# in order of precedence: a date is also a number, and an amount contains one
_KINDS: tuple[tuple[str, str], ...] = (
    ("url", r"https?://\S+"),
    ("email", r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+"),
    ("money", r"[$€£¥₹]\s?\d[\d.,]*(?:\s?(?:[kmbt]n?|thousand|million|billion|trillion)\b)?"
              r"|\d[\d.,]*\s?(?:usd|eur|gbp|jpy|chf|dollars?|euros?|pounds?)\b"),
    ("percent", r"\d[\d.,]*\s?(?:%|percent\b|per\scent\b|basis\spoints?\b)"),
    ("date", r"\b\d{4}-\d\d?-\d\d?(?:[t ]\d\d:\d\d(?::\d\d)?\S{0,8})?"
             r"|\bq[1-4](?:[ /-]?(?:19|20)\d\d)?\b"
             r"|\b(?:fy|h[12])[ /-]?(?:19|20)?\d\d\b|\b\d\d?[./]\d\d?[./]\d{2,4}\b"
             r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?\s\d\d?\b"
             r"(?:,?\s\d{4}\b)?"
             r"|\b(?:19|20)\d\d\b"),
    ("id", r"#\s?\w{1,64}|\b(?=[\w-]*\d)(?=[\w-]*[a-z_-])[a-z0-9]+(?:[_-][a-z0-9]+)*\b"),
    ("number", r"\d[\d.,]*"),
    ("word", r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?"),
)  # fmt: skip
_TOKEN = re.compile("|".join(f"(?P<{kind}>{form})" for kind, form in _KINDS), re.IGNORECASE)
_NAME = re.compile(r"[^\W\d]\w*(?:_\w+)+|[a-z]+[A-Z]\w*")
"""An identifier of several words, such as ``order_id`` or ``orderId``."""
_LEAST_ABBREVIATED = 3  # `cap` for `capitalisation`; two letters begin too many words
_ALIKE = 0.8  # one letter of five
"""Minimum similarity in spelling at which two words of five or more letters are the same."""
_LEAST_SPELT = 5  # with one letter changed, five letters still agree by 0.8
_WEIGHT_OF_KIND = 0.5
"""A common kind weighs less than a common word, because nearly all claims have a value."""


# agents repeat themselves: a log has far fewer texts than catches
@lru_cache(maxsize=1 << 14)
def pattern_of(about: str) -> Pattern:
    """
    Return the pattern of a text.

    >>> pattern_of("Apple's market cap reached $3.2T in Q4 2025")
    ('<date>', '<money>', 'appl', 'cap', 'market', 'reach')
    >>> pattern_of("The refund of Ann was denied"), pattern_of("Market Cap")
    (('<name>', 'deny', 'refund'), ('cap', 'market'))
    >>> pattern_of("fetchOrders"), pattern_of("`tx_99999` stands nowhere")
    (('fetch', 'order'), ('<id>', 'nowher', 'stand'))
    """
    plain = _NAME.sub(_split_name, about[:_LONGEST])
    tokens = [(match.lastgroup or "", match[0]) for match in _TOKEN.finditer(plain)]
    # every word of a title is capitalised, and so may be the first word of a text
    is_title = not any(kind == "word" and text.islower() and not is_small(text)
                       for kind, text in tokens)  # fmt: skip
    words: dict[str, None] = {}
    for place, (kind, text) in enumerate(tokens):
        is_name = kind == "word" and place > 0 and not is_title and text[:1].isupper()
        word = _word("name" if is_name else kind, text)
        if word:
            words[word] = None
        if len(words) == _MOST_WORDS:
            break
    return tuple(sorted(words))


def likeness(one: Pattern, other: Pattern) -> float:
    """
    Return the similarity of two patterns, in [0, 1]; kinds count half.

    A word matches its synonyms, abbreviations and misspellings.

    >>> round(likeness(("<money>", "cap", "market"), ("<money>", "capitalis", "market")), 2)
    1.0
    >>> likeness(pattern_of("delete_user"), pattern_of("removeUsers"))
    1.0
    >>> round(likeness(("cancel", "id", "order"), ("get", "id", "order")), 2)
    0.67
    """
    if one == other:
        return 1.0
    first, second = set(one), set(other)
    common = first & second
    agreeing = 2 * _weight(common)
    left, right = first - common, second - common
    for word in left:
        match = next((one for one in right if _agree(word, one)), None)
        if match is not None:
            right.discard(match)
            agreeing += 2.0
    whole = _weight(first) + _weight(second)
    return agreeing / whole if whole else 0.0


def is_kind(word: str) -> bool:
    """Return whether a word of a pattern is a kind of value."""
    return word.startswith("<")


def _split_name(match: re.Match[str]) -> str:
    """Split an identifier into words, unless it contains digits and is a value."""
    name = match[0]
    return name if any(c.isdigit() for c in name) else " ".join(split_words(name))


def _word(kind: str, text: str) -> str:
    if kind != "word":
        return f"<{kind}>"
    word = lowered(text)
    return "" if is_small(word) else stem(word)


def _weight(words: set[str]) -> float:
    return sum(_WEIGHT_OF_KIND if is_kind(word) else 1.0 for word in words)


def _agree(one: str, other: str) -> bool:
    if is_kind(one) or is_kind(other):
        return False
    if _meaning(one) == _meaning(other):
        return True
    # cheap, and misspellings rarely change the first letter
    if one[:1] != other[:1]:
        return False
    short, long = sorted((one, other), key=len)
    if len(short) >= _LEAST_ABBREVIATED and long.startswith(short):
        return True
    return len(short) >= _LEAST_SPELT and _has_similar_spelling(short, long)


@lru_cache(maxsize=1 << 12)
def _meaning(word: str) -> str:
    """Return the representative of a group of synonyms; also tries the stem with a final e."""
    meaning = canonical(word)
    return meaning if meaning != word else canonical(f"{word}e").removesuffix("e")


# the same pairs of words are compared for each pattern of a bucket
@lru_cache(maxsize=1 << 14)
def _has_similar_spelling(one: str, other: str) -> bool:
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE
