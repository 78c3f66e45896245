"""Extraction of the numbers of a result by name, within limits, and of its size."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from enum import Enum
from math import isfinite
from numbers import Real
from typing import Any

from abs_shield.session.result_json import as_json
from abs_shield.text.json_leaves import DEEPEST, escape_step

LARGEST = 1e150
"""Larger numbers are clipped to this one, so that sums of squares stay finite."""
MOST_NUMBERS = 1_000
"""
Most numbers of one result that are compared with earlier ones, as many as a baseline has series.
"""
MOST_NODES = 20_000
"""Most members and items of one result that are read; each result is read while its call waits."""
LONGEST_NAME = 200
"""Most characters of a member's name; a longer one is data."""
# Characters of a path; names at longer paths are data, and would fill the memory.
_LONGEST_WAY = 1_000


def read_numbers(
    result: Any, endless: list[str] | None = None
) -> tuple[dict[str, float], int, bool]:
    """
    Return the finite numbers of *result*, with its size.

    The pointers to floats that are NaN or infinite are added to *endless*.

    Items of lists are left out, since their order may change, and so are values under names that
    are so long that they are data.

    Returns:
        The numbers by JSON pointer without the first slash (empty for the result itself); the
        approximate number of JSON characters that were read; whether all of it was read.

    >>> read_numbers({"user": {"age": 30}, "ok": True, "x": float("nan"), "ids": [7]})[0]
    {'user/age': 30}
    >>> read_numbers(Decimal("650.5"))[0]
    {'': 650.5}
    """
    if type(result) is str:
        return {}, len(result) + 4, True
    root = as_number(result)
    if root is None and type(result) is float and endless is not None:
        endless.append("")
    numbers: dict[str, float] = {} if root is None else {"": root}
    size = 2
    nodes = 0
    left: list[tuple[str, Any, int, bool]] = [("", result, 0, True)]
    while left:
        prefix, holder, depth, has_name = left.pop()
        if type(holder) is dict or isinstance(holder, Mapping):
            members = holder.items()
        elif isinstance(holder, (list, tuple)):
            members = (("", item) for item in holder)  # type: ignore[assignment]
            has_name = False
        else:
            size += _weight(holder)
            continue
        for key, value in members:
            nodes += 1
            if nodes > MOST_NODES:
                return numbers, size, False
            kind = type(value)
            # The common types first, inline: this loop runs over each member of each result.
            if kind is float or kind is int:
                length = len(key) if type(key) is str else LONGEST_NAME + 1
                size += length + 12
                if has_name and len(numbers) < MOST_NUMBERS:
                    # such a name needs no escaping
                    if length <= LONGEST_NAME and -LARGEST < value < LARGEST and key.isidentifier():
                        numbers[prefix + key] = value
                    else:
                        _add_number(prefix, key, value, numbers, endless)
            elif kind is str:
                size += len(value) + len(key) + 6 if type(key) is str else len(value) + 24
            elif kind is bool or value is None:
                size += 10
            elif depth < DEEPEST:
                name = member_pointer(prefix, key) if has_name else None
                number = as_number(value) if name is not None else None
                if name is not None and number is not None and len(numbers) < MOST_NUMBERS:
                    size += 24
                    numbers[name] = number
                    continue
                inner = value if kind is dict or kind is list else as_json(value)
                left.append((f"{name}/", inner, depth + 1, name is not None))
    return numbers, size, True


def _add_number(
    prefix: str, key: Any, value: float, numbers: dict[str, float], endless: list[str] | None
) -> None:
    """Add a number whose name must be escaped, or that is large, or not finite."""
    name = member_pointer(prefix, key)
    if name is None:
        return
    if -LARGEST < value < LARGEST:
        numbers[name] = value
    elif (number := as_number(value)) is not None:
        numbers[name] = number
    elif endless is not None:
        endless.append(name)


def as_number(value: Any) -> float | None:
    """
    Return a number of any type as a float; None for other values, and for NaN and infinity.

    >>> as_number(Decimal("9.99")), as_number(True), as_number("7"), as_number(10**400)
    (9.99, None, None, 1e+150)
    """
    # Booleans and enum members are not measurements.
    if not isinstance(value, (Real, Decimal)) or isinstance(value, (bool, Enum)):
        return None
    try:
        number = float(value)
    except OverflowError:
        number = LARGEST if value > 0 else -LARGEST  # type: ignore[operator]
    return max(-LARGEST, min(LARGEST, number)) if isfinite(number) else None


def member_pointer(prefix: str, key: Any) -> str | None:
    """Return the pointer of a member; None if its name, or the path to it, is too long."""
    # `str` of a key that is not a text may be long
    name = key if type(key) is str else str(key)[:80]
    if len(name) > LONGEST_NAME or len(prefix) > _LONGEST_WAY:
        return None
    return prefix + escape_step(name)


def pointer_to(name: str) -> str:
    """Return the JSON pointer of a number; empty for the result itself."""
    return f"/{name}" if name else ""


def _weight(value: Any) -> int:
    return len(value) + 2 if isinstance(value, (str, bytes)) else 8
