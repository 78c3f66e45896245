"""Mutable drafts of frozen records, which are faster to construct than the records themselves."""

from __future__ import annotations

from typing import Any


def draft_class(record: type) -> Any:
    """
    Return a class with the slots of a frozen dataclass, for fast construction.

    The constructor of a frozen dataclass sets each field by `object.__setattr__`, which takes five
    times as long. A draft is filled like any object, and frozen by setting its ``__class__``, which
    is possible because both classes have the same slots.

    Args:
        record: A dataclass with ``frozen=True, slots=True``.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, slots=True)
    ... class Point:
    ...     x: int
    >>> point = draft_class(Point)()
    >>> point.x = 3
    >>> point.__class__ = Point
    >>> point
    Point(x=3)
    """
    return type(f"{record.__name__}Draft", (), {"__slots__": tuple(record.__slots__)})  # type: ignore[attr-defined]
