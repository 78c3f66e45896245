"""The other spellings under which a compound chunk is kept: its parts, and its letters alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

from abs_shield.text.normal import parts, unaccented, words

_MOST_RUNS = 4
"""Words of a compound whose parts are kept, so that a code in it is found: ``TX-1-Bestellung``."""
_LONGEST_REMEMBERED = 64
_NOTHING: frozenset[str] = frozenset()

Spelt = tuple[tuple[str, ...], tuple[str, ...]]
"""Whole words inside a chunk, and letters and digits alone."""


def spelt(chunk: str, own: frozenset[str] = _NOTHING) -> Spelt:
    """
    Give the parts and the letters of *chunk*, without those in *own*.

    Names of fields, dates and codes come again in every result of every session, so what short
    chunks fall into is remembered.

    >>> sorted(spelt("tx_12")[0]), spelt("tx_12")[1]
    (['12', 'tx'], ('tx12',))
    """
    if own or len(chunk) > _LONGEST_REMEMBERED:
        return _spelt(chunk, own)
    return _remembered(chunk)


@lru_cache(maxsize=4096)
def _remembered(chunk: str) -> Spelt:
    return _spelt(chunk, _NOTHING)


def _spelt(chunk: str, own: frozenset[str]) -> Spelt:
    split = words(chunk)
    within = [part for part in parts(chunk, split) if part not in own]
    letters: list[str] = []
    for part in within:
        if not part.isalnum() or not part.isascii() or part[0] == "0":
            letters += _letters(part, words(part), own)
    letters += _letters(chunk, split, own)
    if 2 < len(split) <= _MOST_RUNS and (split[0].isalpha() or split[-1].isalpha()):
        letters += _letters_within(chunk, split, own)
    return tuple(within), tuple(letters)


def _letters_within(chunk: str, split: list[str], own: frozenset[str]) -> Iterator[str]:
    """What stands among words: the ``TX-1`` of ``TX-1-Bestellung``."""
    if "@" in chunk:
        return
    for start, end in combinations(range(len(split) + 1), 2):
        around = (*split[:start][-1:], *split[end:][:1])
        if 1 < end - start < len(split) and all(map(str.isalpha, around)):
            yield from _letters("", split[start:end], own)


def _letters(chunk: str, split: list[str], own: frozenset[str]) -> Iterator[str]:
    """The letters and digits of what is not letters and digits alone."""
    whole = unaccented("".join(split))
    if whole != chunk and whole not in own:
        yield whole
    if whole[:1] == "0" and whole.isdigit():
        yield whole.lstrip("0")
