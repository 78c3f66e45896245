"""The numbers of a result by name, within bounds; what any result weighs."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from abs_shield.session.results import as_json

LARGEST = 1e150
"""Numbers beyond count as this one: their squares still add up."""
MOST_NUMBERS = 1_000
"""Numbers of one result that are compared with earlier ones."""
MOST_NODES = 20_000
"""Members and items of one result that are looked at."""
DEEPEST = 64


def read_numbers(result: Any) -> tuple[dict[str, float], int]:
    """
    Read the numbers of *result*: what is no finite number is passed over.

    Items of lists are not among them: the third of today is not the third of yesterday.

    Returns:
        The numbers by JSON pointer without the first slash; about how many characters the JSON
        of the result has, as far as it was looked at.

    >>> read_numbers({"user": {"age": 30}, "ok": True, "x": float("nan"), "ids": [7]})[0]
    {'user/age': 30}
    """
    numbers: dict[str, float] = {}
    size = 2
    nodes = 0
    left: list[tuple[str, Any, int, bool]] = [("", result, 0, True)]
    while left:
        prefix, holder, depth, named = left.pop()
        if type(holder) is dict or isinstance(holder, Mapping):
            members = holder.items()
        elif isinstance(holder, (list, tuple)):
            members = (("", item) for item in holder)  # type: ignore[assignment]
            named = False
        else:
            size += _weight(holder)
            continue
        for key, value in members:
            nodes += 1
            if nodes > MOST_NODES:
                return numbers, size
            kind = type(value)
            if kind is float or kind is int:
                size += len(key) + 12 if type(key) is str else 24
                if named and len(numbers) < MOST_NUMBERS:
                    if not -LARGEST < value < LARGEST:
                        if value != value:
                            continue
                        if kind is float and not isfinite(value):
                            continue
                        value = LARGEST if value > 0 else -LARGEST
                    plain = type(key) is str and key.isidentifier()
                    numbers[prefix + key if plain else _joined(prefix, key)] = value
            elif kind is str:
                size += len(value) + len(key) + 6 if type(key) is str else len(value) + 24
            elif kind is bool or value is None:
                size += 10
            elif depth < DEEPEST:
                inner = value if kind is dict or kind is list else as_json(value)
                at = _joined(prefix, key) + "/" if named else ""
                left.append((at, inner, depth + 1, named))
    return numbers, size


def _joined(prefix: str, key: Any) -> str:
    name = key if type(key) is str else str(key)[:80]
    if "/" in name or "~" in name:
        name = name.replace("~", "~0").replace("/", "~1")
    return prefix + name if prefix else name


def _weight(value: Any) -> int:
    return len(value) + 2 if isinstance(value, (str, bytes)) else 8
