"""Lists of the newest items, and shared empty containers, which take no memory per session."""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")
E = TypeVar("E", list[Any], dict[Any, Any])

NO_ITEMS: list[Any] = []
NO_ENTRIES: dict[Any, Any] = {}
"""Shared by all objects without entries; they are never changed, see `copy_if_shared`."""


def copy_if_shared(entries: E) -> E:
    """
    Return a container that may be changed: a copy if *entries* is a shared empty one.

    >>> copy_if_shared(NO_ITEMS) is NO_ITEMS, copy_if_shared([1])
    (False, [1])
    """
    return entries.copy() if entries is NO_ITEMS or entries is NO_ENTRIES else entries


def append_bounded(items: list[T], item: T, *, most: int) -> None:
    """
    Append *item*, and remove the oldest item if there are more than *most*.

    >>> newest = [1, 2]
    >>> append_bounded(newest, 3, most=2)
    >>> newest
    [2, 3]
    """
    items.append(item)
    if len(items) > most:
        del items[0]
