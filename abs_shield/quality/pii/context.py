"""Search for phrases that introduce an identifier, or something else."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from abs_shield.text.stem import lowered

_WORD = re.compile(r"[^\W\d_]+")
_CAMEL = re.compile(r"[a-z][A-Z]")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# scripts without blanks between words, or with endings joined to them
_UNSPACED = re.compile("[\u0900-\u0dff\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff]")
_MOST_BETWEEN = 3
"""Characters between two words of a phrase, as in `driver's license` and `account_-_no`."""


class PhraseMatch(NamedTuple):
    """A phrase and its place in the text."""

    start: int
    end: int
    phrase: str


class Phrases:
    """A set of phrases, searched in time linear in the text, whatever their number."""

    def __init__(self, phrases: Iterable[str]) -> None:
        """Index the phrases by their first word; those without blanks are searched as text."""
        self._unspaced: list[str] = []
        self._context_words: set[str] = set()
        self._by_first: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
        for phrase in dict.fromkeys(phrases):
            if _UNSPACED.search(phrase):
                self._unspaced.append(phrase)
            else:
                words = tuple(lowered(word) for word in phrase.split())
                self._by_first[words[0]].append(words)
                self._context_words.update(words)
        self._spelled = {
            tuple(lowered(word) for word in phrase.split()): phrase for phrase in phrases
        }

    def find(self, text: str, windows: Iterable[tuple[int, int]]) -> list[PhraseMatch]:
        """
        Return the phrases in parts of a text, in order.

        >>> some = Phrases(["ssn", "account number"])
        >>> [hit.phrase for hit in some.find("accountNumber, SSN: 1", [(0, 21)])]
        ['account number', 'ssn']
        """
        unspaced = bool(self._unspaced) and not text.isascii()
        matches: list[PhraseMatch] = []
        for start, end in windows:
            words = [one for one in _words(text, start, end) if one[0] in self._context_words]
            matches.extend(hit for n in range(len(words)) for hit in self._at(words, n))
            if unspaced:
                matches.extend(self._in_unspaced(text, start, end))
        if unspaced:
            matches.sort()
        return matches

    def _at(self, words: Sequence[tuple[str, int, int]], first: int) -> Iterator[PhraseMatch]:
        for phrase in self._by_first.get(words[first][0], ()):
            last = first + len(phrase) - 1
            if last < len(words) and all(
                words[first + n][0] == word
                and words[first + n][1] - words[first + n - 1][2] <= _MOST_BETWEEN
                for n, word in enumerate(phrase[1:], 1)
            ):
                yield PhraseMatch(words[first][1], words[last][2], self._spelled[phrase])

    def _in_unspaced(self, text: str, start: int, end: int) -> Iterator[PhraseMatch]:
        if text[start:end].isascii():
            return
        for phrase in self._unspaced:
            place = text.find(phrase, start, end)
            while place >= 0:
                yield PhraseMatch(place, place + len(phrase), phrase)
                place = text.find(phrase, place + len(phrase), end)


def near(
    hits: Sequence[PhraseMatch], start: int, *, before: int, behind: int
) -> Sequence[PhraseMatch]:
    """Return the hits that begin within some characters before and after a place."""
    left = bisect_left(hits, (start - before,))
    right = bisect_left(hits, (start + behind,), left)
    return hits[left:right]


def windows(places: Iterable[int], *, before: int, behind: int) -> list[tuple[int, int]]:
    """
    Return the parts of a text around ordered places; overlapping parts are merged.

    >>> windows([5, 8, 50], before=4, behind=3)
    [(1, 11), (46, 53)]
    """
    merged: list[tuple[int, int]] = []
    for place in places:
        start, end = max(0, place - before), place + behind
        if merged and start <= merged[-1][1]:
            start = merged.pop()[0]
        merged.append((start, end))
    return merged


def _words(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Yield whole words in lower case with their places; `camelCase` is two words."""
    for match in _WORD.finditer(text, start, end):
        word, place = match[0], match.start()
        # the window begins inside a word
        if place == start and place and text[place - 1].isalpha():
            continue
        if not word.islower() and _CAMEL.search(word):
            for hump in _HUMPS.finditer(word):
                yield hump[0].lower(), place + hump.start(), place + hump.end()
        else:
            yield lowered(word), place, place + len(word)
