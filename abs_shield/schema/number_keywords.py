"""Access to the numbers of keywords such as `minItems`, which may be missing or invalid."""

from __future__ import annotations

from fractions import Fraction
from typing import Any


def exact_fraction(value: Any) -> Fraction | None:
    """Return the exact decimal value of a number; None for other values."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return Fraction(value) if isinstance(value, int) else Fraction(repr(value))


def number_or(usual: float, value: Any) -> float:
    """Return *value* if it is a number, else *usual*."""
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else usual


def count_or(usual: int, value: Any) -> int:
    """Return *value* if it is a number of at least 0, else *usual*."""
    number = number_or(usual, value)
    return int(number) if number >= 0 else usual
