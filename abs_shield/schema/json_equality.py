"""Equality of JSON values, and exact multiples of numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from fractions import Fraction
from typing import Any

from abs_shield.schema.value_limits import count_parts


def canonical_key(value: Any) -> Hashable:
    """Return a key that is equal for two values if and only if JSON Schema treats them as equal."""
    if isinstance(value, bool):  # first: True equals 1 in Python, but not in JSON
        return ("boolean", value)
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, list):
        return ("array", *map(canonical_key, value))
    if isinstance(value, dict):
        return ("object", frozenset((key, canonical_key(item)) for key, item in value.items()))
    return ("opaque", id(value))


class EnumValues:
    """
    A set of allowed values; a lookup takes time in proportion to the largest of them.

    >>> [1] in EnumValues([[1.0], "a"]), [1, 2] in EnumValues([[1]]), True in EnumValues([1])
    (True, False, False)
    """

    __slots__ = ("_keys", "most")

    def __init__(self, values: Iterable[Any]) -> None:
        listed = list(values)
        self._keys = frozenset(map(canonical_key, listed))
        self.most = max(map(count_parts, listed), default=0)
        """The number of parts of the largest value; 0 for texts and numbers."""

    def __contains__(self, value: object) -> bool:
        # The size first, so that a large hostile value is not read completely.
        return count_parts(value, self.most) <= self.most and canonical_key(value) in self._keys


def are_unique(items: list[Any]) -> bool:
    """Return whether no two items are equal, in linear time."""
    return len({canonical_key(item) for item in items}) == len(items)


def is_multiple_of(value: float, step: float) -> bool:
    """Return whether a number is a multiple of a step, computed in decimals."""
    if isinstance(value, int) and isinstance(step, int):
        return value % step == 0
    return (_fraction(value) / _fraction(step)).denominator == 1


def _fraction(number: float) -> Fraction:
    # From its decimal text: the binary value of 0.1 is not a multiple of 0.01.
    return Fraction(number) if isinstance(number, int) else Fraction(repr(float(number)))
