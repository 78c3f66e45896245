"""Similarity of two texts, for duplicates and leaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from abs_shield.errors import ShieldError
from abs_shield.flywheel.mutate.canonical_text import Canonical

DUPLICATE = 0.92  # examples from one template differ more; a different word order does not
"""Minimum similarity of duplicates among examples with the same names and numbers."""
_SAME_WORD = 80.0  # one letter of five
"""Minimum percentage at which a word counts as a misspelling of another."""
_LEAST_LETTERS = 4  # two words of three letters differ in a third by one letter
_LEAST_WORDS = 2
"""A case of one word occurs in too many texts to be a leak."""


def fuzz() -> Any:
    """
    Return rapidfuzz's module of ratios.

    Raises:
        ShieldError: It is not installed.
    """
    try:
        from rapidfuzz import fuzz as ratios
    except ModuleNotFoundError:
        raise ShieldError(
            'near-duplicates need rapidfuzz; run `pip install "abs-shield[flywheel]"`'
        ) from None
    return ratios


def likeness(one: Canonical, other: Canonical) -> float:
    """
    Return the share of keys that two texts have in common, in [0, 1]; 0 if they differ in a
    number, a sign, a name or a negation, because they are different questions then.

    >>> from abs_shield.flywheel.mutate.canonical_text import canonical
    >>> question = canonical("What was Apple's market cap in Q4 2025?")
    >>> likeness(question, canonical("what was apples MARKET-CAP in the fourth quarter of 2025"))
    1.0
    >>> likeness(question, canonical("What was Apple's market cap in Q3 2025?"))
    0.0
    """
    if (one.numbers, one.signs, one.denials) != (other.numbers, other.signs, other.denials):
        return 0.0
    mine, theirs = one.bag - other.bag, other.bag - one.bag
    shared = (one.bag & other.bag).total()
    shared += _match_misspelt(mine, theirs)
    if (mine and theirs) and (one.names & mine.keys() or other.names & theirs.keys()):
        return 0.0
    total = len(one.keys) + len(other.keys)
    if not total:
        return float(one.letters == other.letters)
    return 2 * shared / total


def is_duplicate(one: Canonical, other: Canonical) -> bool:
    """Return whether two examples differ only in a few letters or the order of their words."""
    if one.numbers != other.numbers or one.capitals != other.capitals:
        return False
    return bool(fuzz().token_sort_ratio(one.plain, other.plain) >= 100 * DUPLICATE)


def is_within(short: Canonical, whole: Canonical, *, least: int = 4) -> bool:
    """
    Return whether a longer text contains a text literally, in another word order, or written
    without blanks. The last two are recognised only for texts of some length.
    """
    if short.exact.count(" ") > _LEAST_WORDS and short.exact in whole.exact:
        return True
    n = len(short.keys)
    if n >= least and n <= len(whole.keys):
        # a window that slides, because counting each one anew is quadratic
        window = Counter(whole.keys[:n])
        for place in range(n, len(whole.keys) + 1):
            if window == short.bag:
                return True
            if place < len(whole.keys):
                _slide(window, whole.keys[place - n], whole.keys[place])
    # 6 letters a word on average: shorter ones occur inside other words
    joined = len(short.letters) >= 6 * least and short.signs == whole.signs
    return joined and short.letters in whole.letters


def _slide(window: Counter[str], out: str, into: str) -> None:
    window[out] -= 1
    if not window[out]:
        del window[out]
    window[into] += 1


def _match_misspelt(mine: Counter[str], theirs: Counter[str]) -> int:
    """Count words that are misspelt on the other side, and remove them from both."""
    if not mine or not theirs:
        return 0
    ratio, pairs = fuzz().ratio, 0
    for word in _misspellable(mine):
        near = max(_misspellable(theirs), key=lambda one: ratio(word, one), default="")
        if near and ratio(word, near) >= _SAME_WORD:
            mine[word] -= 1
            theirs[near] -= 1
            pairs += 1
    for side in (mine, theirs):
        for word in [word for word, count in side.items() if count <= 0]:
            del side[word]
    return pairs


def _misspellable(bag: Iterable[str]) -> list[str]:
    return [word for word in bag if len(word) >= _LEAST_LETTERS and word.isalpha()]
