"""The spellings of a compound chunk: its parts, its letters, and its digits without zeros."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from abs_shield.text.normal_form import words
from abs_shield.text.separatorless import SeparatorlessText, is_ending
from abs_shield.text.value_fragments import whole_parts

_HYPHENED = re.compile(r"[^\W_]+(?:[-_][^\W_]+)+")
_MOST_RUNS = 4
"""Most words of a compound that is searched for a code, such as ``TX-1-Bestellung``."""
_LONGEST_CHUNK = 32 * 1024
"""Longest chunk that is indexed in other spellings: twice the longest value that is looked up."""
_LONGEST_SHORT = 64  # characters of a chunk that is cached; longer ones are seldom repeated


class Compound(NamedTuple):
    """
    The spellings of one chunk.

    Attributes:
        parts: Whole words of it, and the folders of a path.
        spellings: Letters and digits of the chunk and its parts, with their separators.
        unpadded: Digits of the chunk and its parts, without leading zeros.
        of: The chunk itself.
    """

    parts: tuple[str, ...]
    spellings: tuple[tuple[str, bytes], ...]
    unpadded: tuple[str, ...]
    of: str

    def exclude(self, own: frozenset[str]) -> Compound:
        """Return the compound without the tokens in *own* and their spellings."""
        if own.isdisjoint(self.parts) and own.isdisjoint([one for one, _ in self.spellings]):
            return self
        return _read(self.of, own)


def spellings_of(chunk: str) -> Compound:
    """
    Return the spellings of a chunk that has more than letters and digits.

    >>> sorted(spellings_of("ord-0077").parts), spellings_of("ord-0077").spellings[-1][0]
    (['0077', 'ord'], 'ord0077')
    >>> spellings_of("ord-0077").unpadded
    ('77',)
    """
    return _short(chunk) if len(chunk) <= _LONGEST_SHORT else _read(chunk)


def _read(chunk: str, own: frozenset[str] = frozenset()) -> Compound:
    split = words(chunk)
    parts = [part for part in whole_parts(chunk, split) if part not in own]
    spelt = [part for part in parts if not part.isalnum() or not part.isascii() or part[0] == "0"]
    spelt.append(chunk)
    # More words would have too many pairs of ends; without a word, the chunk itself is the code.
    if 2 < len(split) <= _MOST_RUNS and (split[0].isalpha() or split[-1].isalpha()):
        spelt += _find_inner_codes(chunk, split)
    spellings: list[tuple[str, bytes]] = []
    unpadded: list[str] = []
    for one in spelt:
        if len(one) > _LONGEST_CHUNK:
            continue
        letters = one
        if not one.isalnum() or not one.isascii():
            tight = SeparatorlessText.of(one)
            letters = tight.letters
            if letters != one and letters not in own:
                spellings.append((letters, tight.codes[1:-1]))
        if letters[:1] == "0" and letters.isdigit():
            unpadded.append(letters.lstrip("0"))
    return Compound(tuple(parts), tuple(spellings), tuple(unpadded), chunk)


_short = lru_cache(maxsize=64)(_read)
"""Cached, as the same id occurs in a message, in a call's arguments and in its result."""


def _find_inner_codes(chunk: str, split: list[str]) -> Iterator[str]:
    """Yield the codes between words: the ``TX-1`` of ``TX-1-Bestellung``."""
    # the parts of an address are not values
    if "@" in chunk or not _HYPHENED.fullmatch(chunk):
        return
    for start, end in combinations(range(len(split) + 1), 2):
        around = (*split[:start][-1:], *split[end:][:1])
        if 1 < end - start < len(split) and all(w.isalpha() and is_ending(w) for w in around):
            yield "-".join(split[start:end])
