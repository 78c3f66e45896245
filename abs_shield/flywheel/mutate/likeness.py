"""How like two texts are, names and numbers apart: duplicates, and leaks into the training part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from abs_shield.errors import ShieldError
from abs_shield.flywheel.mutate.canonical import Canonical

DUPLICATE = 0.92
"""From this likeness on, two examples with the same names and numbers are one."""
_SAME_WORD = 80.0
"""From this percentage on, one word is another one misspelt."""
_LEAST_LETTERS = 4
_LEAST_WORDS = 2
"""A case of one word stands in too many texts to say anything."""


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
    Return the share of keys that two texts have in common, in [0, 1]; 0 where they differ in a
    number or a sign, in a name, or in what is denied: these are two questions.

    >>> from abs_shield.flywheel.mutate.canonical import canonical
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
    shared += _misspelt(mine, theirs)
    if (mine and theirs) and (one.names & mine.keys() or other.names & theirs.keys()):
        return 0.0
    total = len(one.keys) + len(other.keys)
    if not total:
        return float(one.letters == other.letters)
    return 2 * shared / total


def is_duplicate(one: Canonical, other: Canonical) -> bool:
    """Return whether two examples are one but for a few letters or the order of their words."""
    if one.numbers != other.numbers or one.capitals != other.capitals:
        return False
    return bool(fuzz().token_sort_ratio(one.plain, other.plain) >= 100 * DUPLICATE)


def is_within(short: Canonical, whole: Canonical, *, least: int = 4) -> bool:
    """
    Return whether a text stands in a longer one: word for word, its words in any order, or run
    together. In any order and run together only texts of some length are recognised.
    """
    if short.exact.count(" ") > _LEAST_WORDS and short.exact in whole.exact:
        return True
    n = len(short.keys)
    if n >= least and n <= len(whole.keys):
        window = Counter(whole.keys[:n])
        for place in range(n, len(whole.keys) + 1):
            if window == short.bag:
                return True
            if place < len(whole.keys):
                _slide(window, whole.keys[place - n], whole.keys[place])
    joined = len(short.letters) >= 6 * least and short.signs == whole.signs
    return joined and short.letters in whole.letters


def _slide(window: Counter[str], out: str, into: str) -> None:
    window[out] -= 1
    if not window[out]:
        del window[out]
    window[into] += 1


def _misspelt(mine: Counter[str], theirs: Counter[str]) -> int:
    """Count the words of one side that stand misspelt on the other, and take them out of both."""
    if not mine or not theirs:
        return 0
    ratio, found = fuzz().ratio, 0
    for word in _misspellable(mine):
        near = max(_misspellable(theirs), key=lambda one: ratio(word, one), default="")
        if near and ratio(word, near) >= _SAME_WORD:
            mine[word] -= 1
            theirs[near] -= 1
            found += 1
    for side in (mine, theirs):
        for word in [word for word, count in side.items() if count <= 0]:
            del side[word]
    return found


def _misspellable(bag: Iterable[str]) -> list[str]:
    return [word for word in bag if len(word) >= _LEAST_LETTERS and word.isalpha()]
