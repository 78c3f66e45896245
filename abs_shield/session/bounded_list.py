"""A list of the newest items alone; tables and lists that take no room while they are empty."""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")
E = TypeVar("E", list[Any], dict[Any, Any])

NO_ITEMS: list[Any] = []
NO_ENTRIES: dict[Any, Any] = {}
"""Of every object that has none yet; nothing is added to them, see `own`."""


def own(entries: E) -> E:
    """
    Return what an object may add to: a new list or dict in place of the shared empty one.

    >>> own(NO_ITEMS) is NO_ITEMS, own([1])
    (False, [1])
    """
    return entries.copy() if entries is NO_ITEMS or entries is NO_ENTRIES else entries


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
