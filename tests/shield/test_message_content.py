"""The text of a result for the model: JSON, without consuming iterators."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass
from datetime import date
from enum import IntEnum, StrEnum
from itertools import count
from typing import Any

import pytest

from abs_shield.shield.message_content import content_of

CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)


class Size(StrEnum):
    """A string enum."""

    BIG = "big"


class Level(IntEnum):
    """An integer enum."""

    LOW = 1


@dataclass
class Page:
    """A dataclass with a value that must not be consumed."""

    rows: Any


class Silent:
    """An object whose `__str__` raises."""

    def __str__(self) -> str:
        raise RuntimeError


class Row:
    """An object with its own `__str__`."""

    def __str__(self) -> str:
        return "row 7"


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ("as it is", "as it is"),
        (Size.BIG, '"big"'),
        ([Size.BIG, Level.LOW, None, 1.5], '["big", 1, null, 1.5]'),
        ({date(2026, 3, 2): Level.LOW}, '{"2026-03-02": 1}'),
        ({1: deque([2]), 2: range(2)}, '{"1": [2], "2": [0, 1]}'),
        ([float("nan"), float("inf")], '["NaN", "Infinity"]'),
        ({date(2026, 3, 2): b"\xff"}, '{"2026-03-02": "_w=="}'),
        ([b"\xff"], '["_w=="]'),
        ([Row()], '["row 7"]'),
        (Row(), '"row 7"'),
        (CIRCLE, "[[...]]"),
        (Silent(), "<Silent>"),
    ],
)
def test_any_value_has_a_text(value: Any, content: str) -> None:
    """JSON if possible, else the object's text, else its type."""
    assert content == content_of(value)


def test_nothing_is_consumed() -> None:
    """A generator inside a result is not read, not even an endless one."""
    rows = (n for n in range(3))
    content_of({"rows": rows})
    content_of(Page(rows))
    content_of([count()])

    assert [0, 1, 2] == list(rows)


def test_a_large_and_a_deep_result_have_a_text() -> None:
    """Neither is truncated, and neither raises."""
    deep: Any = date(2026, 3, 2)
    for _ in range(5_000):
        deep = [deep]
    large = [date(2026, 3, 2)] * 200_000

    assert 200_000 == len(json.loads(content_of(large)))
    assert isinstance(content_of(deep), str)
