"""A list of the newest items alone: an empty one takes a tenth of what a deque takes."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def keep(items: list[T], item: T, *, most: int) -> None:
    """
    Append *item*; the oldest makes room where there are more than *most*.

    >>> newest = [1, 2]
    >>> keep(newest, 3, most=2)
    >>> newest
    [2, 3]
    """
    items.append(item)
    if len(items) > most:
        del items[0]
