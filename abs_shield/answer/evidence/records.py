"""Records of a tool result: which values of it belong together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from abs_shield.answer.evidence.fields import names_measure
from abs_shield.text.leaves import DEEPEST, MOST, pointer

_DIGIT = re.compile(r"\d")
_NAME = re.compile(r"[^\W\d_a-z]|[^\W_]+[ ]")
"""How the name of a thing begins, and seldom that of a field."""
_FIELD = re.compile(r"[ \t\-*|]{0,40}[\"']?([A-Za-z_][\w .-]{0,40}?)[\"']?[ ]?[:=][ \t]")


class Row(str):
    """A name that tells one record of many from the others, as an index does: an id, a day."""

    __slots__ = ()


Steps = tuple[str | int, ...]
"""The names and indices on the way to a value; a `Row` counts as an index."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """
    One value of a result.

    Attributes:
        steps: The way to it.
        value: The scalar; of a `Row` its own text.
        named: Whether it is the name of an object instead of a value.
    """

    steps: Steps
    value: Any
    named: bool = False

    @property
    def field(self) -> str:
        """The innermost name on its way that is no index."""
        return next((step for step in reversed(self.steps) if type(step) is str), "")

    @property
    def pointer(self) -> str:
        """Its JSON pointer."""
        return pointer(self.steps)


def walked(value: Any) -> Iterator[Leaf]:
    """Yield every scalar of a JSON value, and every name that tells records apart, in order."""
    left: list[tuple[Steps, Any]] = [((), value)]
    count = 0
    while left and count < MOST:
        steps, item = left.pop()
        count += 1
        if isinstance(item, Mapping) and len(steps) < DEEPEST:
            rows = _tells_apart(item)
            inside: list[tuple[Steps, Any]] = []
            for name, inner in ((str(name), inner) for name, inner in item.items()):
                step = Row(name) if rows or (_DIGIT.search(name) and _is_inner(inner)) else name
                inside.append(((*steps, step), inner))
                if isinstance(step, Row):
                    yield Leaf((*steps, step), str(name), named=True)
            left += reversed(inside)
        elif isinstance(item, (list, tuple)) and len(steps) < DEEPEST:
            left += reversed([((*steps, n), inner) for n, inner in enumerate(item)])
        elif not isinstance(item, (Mapping, list, tuple)):
            yield Leaf(steps, item)


def _is_inner(value: Any) -> bool:
    return isinstance(value, (Mapping, list, tuple))


def _tells_apart(item: Mapping[str, Any]) -> bool:
    """Whether the names of an object are those of records: ``{"Alder": {...}, "Birch": {...}}``."""
    if len(item) < 2:
        return False
    if all(_DIGIT.search(str(name)) for name in item):
        return True
    return _is_named(item)


def _is_named(item: Mapping[str, Any]) -> bool:
    """Whether the names of an object are those of things that have the same fields, or a number."""
    if not all(_NAME.match(str(name)) for name in item):
        return False
    values = [*item.values()]
    if all(isinstance(value, Mapping) for value in values):
        return bool(values[0]) and all(value.keys() == values[0].keys() for value in values)
    is_plain = all(type(value) in (int, float) for value in values)
    return is_plain and not any(names_measure(str(name)) for name in item)


def is_foreign(key: Steps, other: Steps) -> bool:
    """
    Return whether two ways part at an index: the values belong to different records.

    >>> is_foreign(("flights", 0, "number"), ("flights", 1, "date"))
    True
    >>> is_foreign(("flights", 0, "number"), ("created_at",)), is_foreign((0, "id"), (0, "at", 3))
    (False, False)
    """
    for one, another in zip(key, other, strict=False):
        if one != another:
            return not (type(one) is str or type(another) is str)
    return False


def common_length(one: Steps, other: Steps) -> int:
    """
    Return the number of steps that two ways share.

    >>> common_length(("flights", 0, "number"), ("flights", 0, "date"))
    2
    """
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def enclosing(steps: Steps) -> Iterator[Steps]:
    """
    Yield the ways to the records that hold a value, the smallest first, the whole result last.

    >>> [*enclosing(("flights", 0, "legs", 1, "at"))]
    [('flights', 0, 'legs', 1), ('flights', 0), ()]
    """
    for n in range(len(steps), 0, -1):
        if type(steps[n - 1]) is not str:
            yield steps[:n]
    yield ()


def record_of(steps: Steps) -> Steps:
    """Return the way to the smallest record that holds a value."""
    return next(enclosing(steps))


def without_indices(steps: Steps) -> Steps:
    """
    Return the way with its indices left empty: the same for a field of all records of a list.

    >>> without_indices(("flights", 0, "at"))
    ('flights', '', 'at')
    """
    return tuple(step if type(step) is str else "" for step in steps)


def field_of(text: str, at: int) -> str:
    """
    Return the name before the colon on the line of *text* that holds the place *at*.

    >>> field_of("to: Mia\\nstart_time: 2024-05-15 10:00", 20)
    'start_time'
    """
    start = text.rfind("\n", max(0, at - 200), at) + 1
    found = _FIELD.match(text, start, max(start, min(at, start + 60)))
    return found[1] if found else ""
