"""A tool result as lines that a person reads, each with its JSON pointer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from abs_shield.answer.evidence.tables import tabled
from abs_shield.core.canonical import canonical
from abs_shield.session.results import UNREADABLE, as_json
from abs_shield.text.leaves import DEEPEST, Path, leaves, opened, pointer
from abs_shield.text.show import told

MOST_LINES = 20_000
"""Values of one result that are read; what stands behind them is not."""
MOST_CHARACTERS = 1_000_000
"""Characters of one result that are read."""
_MOST_DIGITS = 4_096
_LONGEST_NAME = 256


@dataclass(frozen=True, slots=True)
class Flat:
    """
    A result, flattened.

    Attributes:
        value: It in JSON's shape: objects with string names, lists and scalars, JSON in strings
            opened; a pointer leads into this.
        text: One ``path: value`` a line.
        lines: Of each line its start and end in *text*, and its pointer.
        cut: Whether something of it was too large, too deep, or could not be read.
    """

    value: Any
    text: str
    lines: tuple[tuple[int, int, str], ...]
    cut: bool


def flattened(value: Any, *, tables: bool = False) -> Flat:
    """
    Flatten a result: at most 20,000 values, 1,000,000 characters and 64 levels of it.

    With *tables* a text that is a table becomes the list of its rows.

    >>> print(flattened({"flights": [{"price": 79, "id": "HAT028"}]}).text)
    flights[0].price: 79
    flights[0].id: HAT028
    """
    reader = _Reader(tables=tables)
    plain = reader.plain(value, 0)
    pieces: list[str] = []
    lines: list[tuple[int, int, str]] = []
    at = 0
    for path, leaf in leaves(plain, most=MOST_LINES):
        line = f"{_way(path)}: {_said(leaf)}" if path else _said(leaf)
        pieces.append(line)
        lines.append((at, at + len(line), pointer(path)))
        at += len(line) + 1
    return Flat(plain, "\n".join(pieces), tuple(lines), reader.cut)


def as_written(value: Any) -> Any:
    """
    Give a value as plain JSON has it, within the bounds of `flattened`; texts stay texts.

    >>> as_written({"of": {"a"}, "raw": '{"a": 1}', "n": float("nan")})
    {'n': 'nan', 'of': ['a'], 'raw': '{"a": 1}'}
    """
    return json.loads(canonical(_Reader(opens=False).plain(value, 0)))


class _Reader:
    """Reads values within one bound; *opens* JSON in texts, and *tables* as well."""

    def __init__(self, *, opens: bool = True, tables: bool = False) -> None:
        self.cut = False
        self._tables = tables
        self._opens = opens
        self._values = MOST_LINES
        self._characters = MOST_CHARACTERS

    def plain(self, value: Any, depth: int) -> Any:
        """Give *value* in JSON's shape, as far as the bounds reach."""
        value = self._level(value)
        if isinstance(value, str):
            return self._string(value, depth)
        if isinstance(value, (Mapping, list, tuple)):
            return self._members(value, depth)
        self._values -= 1
        if value is None or isinstance(value, (bool, int, float)):
            return value
        self.cut = True
        return None

    def _level(self, value: Any) -> Any:
        try:
            return as_json(value)
        except Exception:  # an object of the caller's may break when it is read
            return UNREADABLE

    def _members(self, value: Any, depth: int) -> Any:
        if depth >= DEEPEST:
            self.cut = self.cut or bool(value)
            return None
        size = max(0, self._values)
        self.cut = self.cut or len(value) > size
        if not isinstance(value, Mapping):
            return [self.plain(item, depth + 1) for item in islice(value, size) if self._room()]
        return {
            _name(name): self.plain(item, depth + 1)
            for name, item in islice(value.items(), size)
            if self._room()
        }

    def _room(self) -> bool:
        room = self._values > 0 and self._characters > 0
        self.cut = self.cut or not room
        return room

    def _opened(self, text: str) -> Any:
        inner = opened(text)
        return tabled(text) if inner is None and self._tables else inner

    def _string(self, text: str, depth: int) -> Any:
        inner = self._opened(text) if self._opens and len(text) <= self._characters else None
        if inner is not None and depth < DEEPEST:
            return self.plain(inner, depth + 1)
        self._values -= 1
        self.cut = self.cut or len(text) > self._characters
        text = str.__str__(text)[: max(0, self._characters)]
        self._characters -= len(text)
        return text


def _name(name: Any) -> str:
    try:
        return str(name)[:_LONGEST_NAME]
    except Exception as error:
        return told(error)[:_LONGEST_NAME]


def _way(path: Path) -> str:
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")


def _said(leaf: Any) -> str:
    match leaf:
        case None:
            return "null"
        case bool():
            return "true" if leaf else "false"
        case int() if leaf.bit_length() > _MOST_DIGITS:
            return "a number too long to be written"
        case _:
            return str(leaf)
