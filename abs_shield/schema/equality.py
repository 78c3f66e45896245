"""When are two JSON values the same, and is a number a multiple of another?"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from fractions import Fraction
from typing import Any

from abs_shield.schema.bounds import size


def canonical(value: Any) -> Hashable:
    """Give a key that two values share exactly when JSON Schema calls them equal."""
    if isinstance(value, bool):
        return ("boolean", value)
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, list):
        return ("array", *map(canonical, value))
    if isinstance(value, dict):
        return ("object", frozenset((key, canonical(item)) for key, item in value.items()))
    return ("opaque", id(value))


class Choices:
    """
    Values that another one is compared with, at the cost of the largest of them.

    >>> [1] in Choices([[1.0], "a"]), [1, 2] in Choices([[1]]), True in Choices([1])
    (True, False, False)
    """

    __slots__ = ("_keys", "most")

    def __init__(self, values: Iterable[Any]) -> None:
        listed = list(values)
        self._keys = frozenset(map(canonical, listed))
        self.most = max(map(size, listed), default=0)
        """The parts of the largest value; a text or a number has none."""

    def __contains__(self, value: object) -> bool:
        return size(value, self.most) <= self.most and canonical(value) in self._keys


def unique(items: list[Any]) -> bool:
    """Tell whether no two items are equal, in linear time."""
    return len({canonical(item) for item in items}) == len(items)


def multiple_of(value: float, step: float) -> bool:
    """Tell whether a number is a whole multiple of a step, in the decimals both are written in."""
    if isinstance(value, int) and isinstance(step, int):
        return value % step == 0
    return (_exact(value) / _exact(step)).denominator == 1


def _exact(number: float) -> Fraction:
    return Fraction(number) if isinstance(number, int) else Fraction(repr(float(number)))
