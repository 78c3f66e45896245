"""Sample lists with related items: repeated, of one sign, or of the pool's values."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from abs_shield.schema.samples.round_robin import in_turn
from abs_shield.schema.samples.sample_pool import Pool

_PAIRED = 7  # items: 21 pairs, in both orders
_REPEATED = 12  # items that are repeated; further ones differ little
_LONG = 10  # items of a long list, as rules on sums and counts need


def mixtures(items: list[Any], low: int, high: int, pool: Pool) -> Iterator[list[Any]]:
    """
    Yield lists of *items*, *low* to *high* long; repetitions may break the schema.

    >>> [[2, 2], [3, 3, 3]] == [
    ...     one for one in mixtures([2, 3, -1], 2, 3, Pool()) if one in ([2, 2], [3, 3, 3])]
    True
    """
    lists = [
        [*_of_one_sign(items, low)],
        [*_equal_parts(low, pool)],
        [*_pairs(items, low, pool)],
        [*_repetitions(items, low, high)],
    ]
    yield from (one for one in in_turn(lists) if low <= len(one) <= high)


def _of_one_sign(items: list[Any], low: int) -> Iterator[list[Any]]:
    """Yield lists of positive and of negative numbers."""
    numbers = [n for n in items if isinstance(n, (int, float)) and not isinstance(n, bool)]
    for some in ([n for n in numbers if n > 0], [n for n in numbers if n < 0]):
        yield from (some[: max(low, length)] for length in (2, 1, 3) if len(some) >= length)
        yield sorted(some[: max(low, 3)])


def _equal_parts(low: int, pool: Pool) -> Iterator[list[Any]]:
    """Yield lists of equal numbers that add up to a number of the pool."""
    for number in pool.numbers:
        for parts in dict.fromkeys((max(low, 2), max(low, 4))):
            share = number / parts
            yield [int(share) if share == int(share) else share] * parts


def _pairs(items: list[Any], low: int, pool: Pool) -> Iterator[list[Any]]:
    """Yield lists of two different items, the pool's texts first."""
    compared = {text for text in pool.texts if text}
    first = sorted(items, key=lambda item: not (isinstance(item, str) and item in compared))
    for one, other in combinations(first[:_PAIRED], 2):
        others = [item for item in first if item not in (one, other)]
        yield [one, other, *others[: max(0, low - 2)]]
        yield [other, one, *others[: max(0, low - 2)]]


def _repetitions(items: list[Any], low: int, high: int) -> Iterator[list[Any]]:
    """Yield lists of one repeated item."""
    for item in items[:_REPEATED]:
        for length in dict.fromkeys((max(low, 2), max(low, 3), min(high, max(low, _LONG)))):
            yield [item] * length
