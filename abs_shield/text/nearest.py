"""Which of the known names somebody meant by an unknown one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from heapq import nlargest

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_LONGEST = 128
_MOST = 5_000


def nearest(word: str, known: Iterable[str], *, most: int = 1, floor: float = 0.6) -> list[str]:
    """
    Give the *most* names nearest to *word*, best first; none below *floor* in [0, 1].

    Spelling and shared words both count, whatever the order, case or separators.

    >>> nearest("refnud", ["refund", "transfer"])
    ['refund']
    >>> nearest("deleteDatabase", ["read_database", "delete_database"])
    ['delete_database']
    """
    word = word[:_LONGEST]
    words = _words(word)
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(" ".join(words) or word)
    scored = []
    for name in _first(known, _MOST):
        score = _likeness(matcher, words, name)
        if score >= floor:
            scored.append((score, name))
    return [name for _, name in nlargest(most, scored)]


def _likeness(matcher: SequenceMatcher[str], words: list[str], name: str) -> float:
    other = _words(name[:_LONGEST])
    matcher.set_seq1(" ".join(other) or name[:_LONGEST])
    spelling = matcher.ratio()
    shared = len(set(words) & set(other))
    overlap = 2 * shared / (len(set(words)) + len(set(other))) if words and other else 0.0
    return max(spelling, 0.9 * overlap)


def _words(name: str) -> list[str]:
    return [w.casefold() for w in _WORD.findall(name)]


def _first(names: Iterable[str], most: int) -> Iterable[str]:
    for n, name in enumerate(names):
        if n == most:
            return
        yield name
