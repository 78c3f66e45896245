"""Sequences of values of one parameter that represent all of its values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from abs_shield.plan.representative_dates import (
    format_datetime,
    representative_days,
    representative_seconds,
    representative_times,
)
from abs_shield.schema.samples.schema_shapes import shapes, types

_MAX_BETWEEN = 60
"""Whole numbers that are tried between two samples; answers change near numbers in the code."""
_MAX_NUMBER = 1e12  # larger numbers in code are bit masks, ids and timestamps
_MAX_LISTED = 500  # a longer range of integers counts as a line, not as a list
_MOMENTS = frozenset({"date", "date-time", "time"})
_NUMBERS = frozenset({"number", "integer"})


@dataclass(frozen=True, slots=True)
class ValueLine:
    """
    Values of one parameter in their order.

    Attributes:
        points: Numbers, days or times from which the values are computed, in order.
        value_at: Returns the value at a point.
        decides_alone: Whether the points cover every case; else a rule is compared only if its
            answer changes at most twice along the line, as values between points are not tried.
        whole: Whether the points are whole numbers.
    """

    points: tuple[Any, ...]
    value_at: Callable[[Any], Any]
    decides_alone: bool
    whole: bool = False


def schema_alternatives(root: Any, name: str) -> list[Mapping[str, Any]]:
    """Return the alternatives of a parameter's schema, without references and branches."""
    alternatives: list[Mapping[str, Any]] = []
    for shape in shapes(root, root):
        properties = shape.get("properties")
        alternatives += shapes(
            properties.get(name, True) if isinstance(properties, Mapping) else True, root
        )
    return alternatives


def schema_kind(parts: Iterable[Mapping[str, Any]]) -> str:
    """Return `number`, `integer`, `text`, `date`, `time` or `date-time`; empty if mixed."""
    kinds: set[str] = set()
    for part in parts:
        for kind in types(part.get("type")) or [""]:
            if kind == "string":
                form = part.get("format")
                kinds.add(form if form in _MOMENTS else "text")
            elif kind != "null":
                kinds.add(kind if kind in _NUMBERS else "")
    if kinds == _NUMBERS:
        return "number"
    return kinds.pop() if len(kinds) == 1 else ""


def listed_values(parts: Iterable[Mapping[str, Any]]) -> list[Any] | None:
    """Return every value that a parameter can have; None if the schema does not list them."""
    all_values: list[Any] = []
    for part in parts:
        part_values = _list_values(part)
        if part_values is None:
            return None
        all_values += part_values
    return all_values


def _list_values(part: Mapping[str, Any]) -> list[Any] | None:
    if "const" in part:
        return [part["const"]]
    if isinstance(part.get("enum"), list):
        return list(part["enum"])
    kinds = types(part.get("type"))
    low, high = part.get("minimum"), part.get("maximum")
    if kinds == ["integer"] and isinstance(low, int) and isinstance(high, int):
        return [*range(low, high + 1)] if high - low < _MAX_LISTED else None
    if kinds and {*kinds} <= {"boolean", "null"}:
        return [value for kind in kinds for value in ((None,) if kind == "null" else (True, False))]
    return None


def build_value_line(
    kind: str, words: Sequence[Any], samples: Sequence[Any], *, at: float, suffix: str
) -> ValueLine | None:
    """
    Return representative values of a parameter of this kind; None if there are none.

    Args:
        kind: Result of `schema_kind`.
        words: Numbers and strings in the code of the compared rules.
        samples: Values that the schema accepts.
        at: Time of the proof, in seconds since the epoch.
        suffix: The offset at the end of a time, such as ``Z``; may be empty.
    """
    if kind in _NUMBERS:
        whole = kind == "integer"
        points = _numbers([*samples, *words], whole=whole)
        return ValueLine(points, lambda point: point, decides_alone=False, whole=whole)
    if kind == "time":
        return ValueLine(
            (*representative_times(),), lambda point: f"{point}{suffix}", decides_alone=True
        )
    days = representative_days(words, at=at) if kind in _MOMENTS else None
    if days is None:
        return None
    if kind == "date":
        return ValueLine((*days,), lambda point: point.isoformat(), decides_alone=True)
    moments = (*representative_seconds(words, days),)
    shown = lambda point: format_datetime(point) + suffix  # noqa: E731
    return ValueLine(moments, shown, decides_alone=False, whole=True)


def _numbers(values: Iterable[Any], *, whole: bool) -> tuple[float, ...]:
    near = {
        value + off
        for value in values
        if isinstance(value, (int, float))
        and not isinstance(value, bool)
        and abs(value) < _MAX_NUMBER
        # A limit itself, and the numbers on each side of it.
        for off in (-1, 0, 1)
    }
    # Multiples of the powers of ten from 0.01 to 10^9, so that a limit is between two of them.
    far = {sign * n * 10**k for k in range(-2, 10) for n in range(1, 10) for sign in (1, -1)}
    # Ages, counts and percentages are all in this range.
    numbers = {*range(-50, 201), *near, *_values_between(sorted(near)), *far}
    return (*sorted({int(each) for each in numbers} if whole else numbers),)


def _values_between(numbers: Sequence[float]) -> Iterator[float]:
    for low, high in pairwise(numbers):
        yield (low + high) / 2
        yield from range(int(low) + 1, min(int(high), int(low) + _MAX_BETWEEN))


def midpoint(low: Any, high: Any, *, whole: bool) -> Any | None:
    """Return the point in the middle of two points; None if they are neighbours."""
    middle = (low + high) // 2 if whole else (low + high) / 2
    return None if middle in (low, high) else middle
