"""Stand-ins for values that have no JSON form: nothing in them can be compared."""

from __future__ import annotations

from typing import Any


class TypePlaceholder(str):
    """A value that has no JSON form, by its type, as in ``<generator>``."""

    __slots__ = ()


class UnreadIterator(list[Any]):
    """An iterator that only its tool reads; for a schema, an empty list."""

    __slots__ = ()
