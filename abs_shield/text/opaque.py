"""Placeholders for values without a JSON form, which are never compared."""

from __future__ import annotations

from typing import Any


class TypePlaceholder(str):
    """The type of a value without a JSON form, as in ``<generator>``."""

    __slots__ = ()


class UnreadIterator(list[Any]):
    """An iterator that is left to the tool; an empty list for a schema."""

    __slots__ = ()
