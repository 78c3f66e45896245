"""Where a value stands in a result, and which values stand in another record than a key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from abs_shield.text.leaves import DEEPEST, MOST, pointer

_DIGIT = re.compile(r"\d")
_ITEM = re.compile(r"^(?:[-*\u2022][ ]|\|)", re.MULTILINE)
_FIELD = re.compile(r"[ \t\-*|]{0,40}[\"']?([A-Za-z_][\w .-]{0,40}?)[\"']?[ ]?[:=][ \t]")


class Row(str):
    """A name that tells one record of many from the others, as an index does: an id, a day."""

    __slots__ = ()


Steps = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """
    One value of a result.

    Attributes:
        steps: The names and indices on the way to it; an object's name that is a `Row` counts as
            an index.
        value: The scalar; of a `Row` its own text.
        named: Whether it is a name of an object, and no value.
    """

    steps: Steps
    value: Any
    named: bool = False

    @property
    def field(self) -> str:
        """The innermost name on its way that is none of many."""
        return next((s for s in reversed(self.steps) if type(s) is str), "")

    @property
    def pointer(self) -> str:
        """Its JSON pointer."""
        return pointer(self.steps)


def walked(value: Any) -> Iterator[Leaf]:
    """Give every scalar of a JSON value, and every name that tells records apart, in order."""
    left: list[tuple[Steps, Any]] = [((), value)]
    given = 0
    while left and given < MOST:
        steps, item = left.pop()
        given += 1
        if isinstance(item, Mapping) and len(steps) < DEEPEST:
            rows = _tells_apart(item)
            inside: list[tuple[Steps, Any]] = []
            for name, inner in ((str(name), inner) for name, inner in item.items()):
                step = Row(name) if rows or (_DIGIT.search(name) and _inner(inner)) else name
                inside.append(((*steps, step), inner))
                if isinstance(step, Row):
                    yield Leaf((*steps, step), str(name), named=True)
            left += reversed(inside)
        elif isinstance(item, (list, tuple)) and len(steps) < DEEPEST:
            left += reversed([((*steps, n), inner) for n, inner in enumerate(item)])
        elif not isinstance(item, (Mapping, list, tuple)):
            yield Leaf(steps, item)


def _inner(value: Any) -> bool:
    return isinstance(value, (Mapping, list, tuple))


def _tells_apart(item: Mapping[str, Any]) -> bool:
    return len(item) > 1 and all(_DIGIT.search(str(name)) for name in item)


def foreign(key: Steps, other: Steps) -> bool:
    """
    Whether two ways part at an index: what stands there belongs to another record.

    >>> foreign(("flights", 0, "number"), ("flights", 1, "date"))
    True
    >>> foreign(("flights", 0, "number"), ("created_at",)), foreign((0, "id"), (0, "at", 3))
    (False, False)
    """
    for one, another in zip(key, other, strict=False):
        if one != another:
            return not (type(one) is str or type(another) is str)
    return False


def shared(one: Steps, other: Steps) -> int:
    """
    How many steps two ways have in common.

    >>> shared(("flights", 0, "number"), ("flights", 0, "date"))
    2
    """
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def blocks(text: str) -> list[int]:
    """
    Give where the items of a list or the rows of a table begin in running text; none for prose.

    >>> blocks("- id: 1\\n  at: 5\\n- id: 2")
    [0, 16]
    """
    starts = [item.start() for item in _ITEM.finditer(text)]
    return starts if len(starts) > 1 else []


def field_of(text: str, at: int) -> str:
    """
    Give the name before the colon on the line of *text* that holds the place *at*.

    >>> field_of("to: Mia\\nstart_time: 2024-05-15 10:00", 20)
    'start_time'
    """
    start = text.rfind("\n", max(0, at - 200), at) + 1
    found = _FIELD.match(text, start, max(start, min(at, start + 60)))
    return found[1] if found else ""
