"""When are two JSON values the same, and is a number a multiple of another?"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import Any


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
