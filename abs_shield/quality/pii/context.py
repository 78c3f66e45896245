"""Where the words stand that introduce an identifier, or something else."""

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
_UNSPACED = re.compile("[\u0900-\u0dff\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff]")
_MOST_BETWEEN = 3
"""Characters between two words of a phrase, as in `driver's license` and `account_-_no`."""


class Hit(NamedTuple):
    """A phrase, and where it stands."""

    start: int
    end: int
    phrase: str


class Phrases:
    """Phrases that are looked for together: time is linear in the text, whatever their number."""

    def __init__(self, phrases: Iterable[str]) -> None:
        """Sort the phrases by their first word; scripts without blanks are searched for as text."""
        self._unspaced: list[str] = []
        self._by_first: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
        for phrase in dict.fromkeys(phrases):
            if _UNSPACED.search(phrase):
                self._unspaced.append(phrase)
            else:
                words = tuple(lowered(word) for word in phrase.split())
                self._by_first[words[0]].append(words)
        self._spelled = {
            tuple(lowered(word) for word in phrase.split()): phrase for phrase in phrases
        }

    def find(self, text: str) -> list[Hit]:
        """
        Return the phrases in a text, by where they begin.

        >>> [hit.phrase for hit in Phrases(["ssn", "account number"]).find("accountNumber, SSN: 1")]
        ['account number', 'ssn']
        """
        words = list(_words(text))
        found = [hit for n in range(len(words)) for hit in self._at(words, n)]
        if self._unspaced and not text.isascii():
            found.extend(self._in_unspaced(text))
            found.sort()
        return found

    def _at(self, words: Sequence[tuple[str, int, int]], first: int) -> Iterator[Hit]:
        for phrase in self._by_first.get(words[first][0], ()):
            last = first + len(phrase) - 1
            if last < len(words) and all(
                words[first + n][0] == word
                and words[first + n][1] - words[first + n - 1][2] <= _MOST_BETWEEN
                for n, word in enumerate(phrase[1:], 1)
            ):
                yield Hit(words[first][1], words[last][2], self._spelled[phrase])

    def _in_unspaced(self, text: str) -> Iterator[Hit]:
        for phrase in self._unspaced:
            place = text.find(phrase)
            while place >= 0:
                yield Hit(place, place + len(phrase), phrase)
                place = text.find(phrase, place + len(phrase))


def near(hits: Sequence[Hit], start: int, *, before: int, behind: int) -> Sequence[Hit]:
    """Return the hits that begin within so many characters before and behind a place."""
    left = bisect_left(hits, (start - before,))
    right = bisect_left(hits, (start + behind,), left)
    return hits[left:right]


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield words in small letters with their places; `camelCase` is two words."""
    for match in _WORD.finditer(text):
        word = match[0]
        if not word.islower() and _CAMEL.search(word):
            for hump in _HUMPS.finditer(word):
                yield hump[0].lower(), match.start() + hump.start(), match.start() + hump.end()
        else:
            yield lowered(word), match.start(), match.end()
