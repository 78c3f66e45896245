"""The closest match of an unknown name among candidates."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nlargest
from itertools import islice
from operator import eq
from typing import TYPE_CHECKING

from abs_shield.text.identifier_words import (
    canonical,
    have_different_meanings,
    singular,
    split_words,
)
from abs_shield.text.safe_display import escaped

if TYPE_CHECKING:
    from difflib import SequenceMatcher

_LONGEST = 128  # characters of a name: a comparison takes quadratic time
_MOST = 5_000  # candidates; more would take too long for a hint
_MOST_VALUES = 200  # values of a run that are compared for a hint
_OTHER_VERB = 0.75  # factor: below the floor of 0.6 unless the similarity is at least 0.8
_LEAST_SLIP, _LEAST_SLIPS = 5, 8
"""Minimum lengths of words that are recognisable with one slip, and with two."""
_SHARED = 2  # characters at the beginning or the end; slips are seldom at both ends
_COMPARED = 16
"""Number of values compared letter by letter, those with the most characters in place."""


def nearest(
    word: str, candidates: Iterable[str], *, most: int = 1, floor: float = 0.6
) -> list[str]:
    """
    Return the *most* candidates nearest to *word*, best first; none below *floor* in [0, 1].

    Spelling and shared words both count, in any order, case or separators; synonyms in the names
    of tools count as shared.

    >>> nearest("refnud", ["refund", "transfer"])
    ['refund']
    >>> nearest("deleteDatabase", ["read_database", "delete_database"])
    ['delete_database']
    >>> nearest("erase_file", ["create_file", "delete_file"])
    ['delete_file']
    """
    word = word[:_LONGEST]
    words = split_words(word)
    matcher = _matcher()
    matcher.set_seq2(" ".join(words) or word)
    scored = []
    for name in islice(candidates, _MOST):
        score = _likeness(matcher, words, name)
        if score >= floor:
            scored.append((score, name))
    return [name for _, name in nlargest(most, scored)]


def suggest_name(word: str, candidates: Iterable[str], *, otherwise: str) -> str:
    """
    Return a hint for a message about an unknown name: the nearest candidate, or *otherwise*.

    >>> suggest_name("refnud", ["refund"], otherwise="register it first")
    'did you mean `refund`?'
    >>> suggest_name("x", ["refund"], otherwise="register it first")
    'register it first'
    """
    near = nearest(word, candidates)
    return f"did you mean `{escaped(near[0])}`?" if near else otherwise


def _matcher() -> SequenceMatcher[str]:
    from difflib import SequenceMatcher  # slow to import, and only needed for hints

    return SequenceMatcher(autojunk=False)


def _likeness(matcher: SequenceMatcher[str], words: list[str], name: str) -> float:
    """Return the similarity of a name by spelling and shared words, lower for another verb."""
    other = split_words(name[:_LONGEST])
    matcher.set_seq1(" ".join(other) or name[:_LONGEST])
    spelling = matcher.ratio()
    if not (words and other):
        return spelling
    likeness = max(
        spelling,
        # Below 1, so that equal spelling is nearer than equal words.
        0.9 * _overlap(words, other),
        0.95 * _overlap(_meaning(words), _meaning(other)),
    )
    return likeness * _OTHER_VERB if have_different_meanings(words[0], other[0]) else likeness


def _overlap(words: list[str], other: list[str]) -> float:
    one, two = set(words), set(other)
    return 2 * len(one & two) / (len(one) + len(two))


def _meaning(words: list[str]) -> list[str]:
    return [canonical(singular(word)) for word in words]


def closest_spelling(value: str, candidates: Iterable[str]) -> str:
    """
    Return the candidate nearest in spelling to *value*; empty if none is near.

    Words must be more similar than codes: any two words share letters. The similarity is twice the
    length of the longest common subsequence by the sum of both lengths.

    >>> closest_spelling("tx_12354", ["tx_77", "tx_12345"])
    'tx_12345'
    """
    value = value[:_LONGEST]
    places: dict[str, int] = {}
    for place, character in enumerate(value):
        places[character] = places.get(character, 0) | 1 << place
    best, closest = 0.6 if any(map(str.isdigit, value)) else 0.8, ""
    for other in _promising(value, islice(candidates, _MOST_VALUES)):
        shared = _common_subsequence(places, len(value), other[:_LONGEST])
        ratio = 2 * shared / (len(value) + min(len(other), _LONGEST))
        if ratio > best:
            best, closest = ratio, other
    return closest


def _promising(value: str, others: Iterable[str]) -> list[str]:
    """Return the values that share an end, those with the most characters in place, in order."""
    head, tail = value[:_SHARED], value[-_SHARED:]
    near = [other for other in others if other.startswith(head) or other.endswith(tail)]
    if len(near) <= _COMPARED:
        return near
    back, length = value[::-1], len(value)
    in_place = [
        # In values of one length, both ends count the same characters.
        2 * sum(map(eq, value, o))
        if len(o) == length
        else sum(map(eq, value, o)) + sum(map(eq, back, reversed(o)))
        for o in near
    ]
    chosen = nlargest(_COMPARED, range(len(near)), key=in_place.__getitem__)
    return [near[n] for n in sorted(chosen)]


def _common_subsequence(places: dict[str, int], length: int, other: str) -> int:
    """
    Return the length of the longest common subsequence of a value and *other*.

    All columns of a row are computed in parallel, as the bits of one number: Hyyrö, "Bit-parallel
    LCS-length computation revisited" (2004).

    Args:
        places: The bits of the positions of each character of the value.
        length: The length of the value.
        other: The other value.
    """
    every = row = (1 << length) - 1
    for character in other:
        match = row & places.get(character, 0)
        row = (row + match) | (row - match)
    return length - (row & every).bit_count()


def is_misspelt(written: str, word: str) -> bool:
    """
    Return whether *written* is *word* with one slip, or with two in a long word.

    A slip is an additional, missing or wrong letter, or two swapped letters.

    >>> is_misspelt("philedelphia", "philadelphia"), is_misspelt("brain", "brian")
    (True, True)
    >>> is_misspelt("paris", "parma"), is_misspelt("anna", "anne")
    (False, False)
    """
    most = 0 if len(word) < _LEAST_SLIP else 1 if len(word) < _LEAST_SLIPS else 2
    # The first letter is seldom mistyped, and another one usually makes another word.
    if written[:1] != word[:1] or abs(len(written) - len(word)) > most:
        return False
    # The optimal string alignment distance, with the last three rows of its table only.
    row, before, last = [*range(len(word) + 1)], [0], [0]
    for i, one in enumerate(written, 1):
        row, before, last = [i], row, before
        for j, other in enumerate(word, 1):
            cost = min(before[j] + 1, row[-1] + 1, before[j - 1] + (one != other))
            if i > 1 and j > 1 and (one, written[i - 2]) == (word[j - 2], other):
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        # No later row can have a smaller distance.
        if min(row) > most:
            return False
    return bool(row[-1] <= most)
