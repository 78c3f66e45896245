"""The items of several lists in turn: the first of each, then the second of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def in_turn(lists: Sequence[Sequence[T]]) -> Iterator[T]:
    """
    Yield the first item of each list, then the second of each, until all lists end.

    >>> [*in_turn([[1, 2, 3], [], [10]])]
    [1, 10, 2, 3]
    """
    for place in range(max(map(len, lists), default=0)):
        yield from (items[place] for items in lists if place < len(items))
