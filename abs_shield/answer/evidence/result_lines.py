"""Conversion of a tool result to readable lines, each with its JSON pointer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from abs_shield.answer.evidence.reading_limits import MOST_NUMBERS, beginning, count
from abs_shield.core.digest import canonical
from abs_shield.session.result_json import UNREADABLE, as_json
from abs_shield.text.json_leaves import DEEPEST, Path, leaves, parse_container, pointer
from abs_shield.text.safe_display import describe_exception
from abs_shield.text.yaml_scalars import decode_folded_scalars

MOST_LINES = 20_000
"""Values of one result that are read; each becomes a line."""
MOST_CHARACTERS = 1_000_000
"""Characters of one result that are read, as many as are compared word by word."""
# Python refuses to write integers of more than 4,300 digits; this is about 1,200
_MOST_BITS = 4_096
_LONGEST_NAME = 256  # a name is repeated in each line below it


@dataclass(frozen=True, slots=True)
class Flat:
    """
    A flattened result.

    Attributes:
        value: The result as a JSON value, with JSON in strings parsed; pointers refer to it.
        text: Lines of ``path: value``.
        lines: Start and end in *text*, and pointer, of each line.
        cut: Whether a part of it was too large, too deep, or unreadable.
        numbers: Approximate number of numbers and sentences in its values.
    """

    value: Any
    text: str
    lines: tuple[tuple[int, int, str], ...]
    cut: bool
    numbers: int = 0


def flatten(value: Any) -> Flat:
    """
    Flatten a result: at most 20,000 values, 1,000,000 characters and 64 levels.

    Its texts are read up to about 40,000 numbers and sentences.

    >>> print(flatten({"flights": [{"price": 79, "id": "HAT028"}]}).text)
    flights[0].price: 79
    flights[0].id: HAT028
    """
    converter = _Converter(opens=True)
    plain = converter.convert(value)
    texts: list[str] = []
    lines: list[tuple[int, int, str]] = []
    start = 0
    for path, leaf in leaves(plain, most=MOST_LINES):
        texts.append(f"{_label(path)}: {_render(leaf)}" if path else _render(leaf))
        end = start + len(texts[-1])
        lines.append((start, end, pointer(path)))
        start = end + 1
    return Flat(plain, "\n".join(texts), tuple(lines), converter.cut, converter.numbers)


def as_plain(value: Any) -> Any:
    """
    Return a value as plain JSON, within the limits of `flatten`; JSON in strings stays text.

    >>> as_plain({"of": {"a"}, "raw": '{"a": 1}', "n": float("nan")})
    {'n': 'nan', 'of': ['a'], 'raw': '{"a": 1}'}
    """
    return json.loads(canonical(_Converter(opens=False).convert(value)))


class _Converter:
    """
    Converter of one value to JSON, within the limits.

    Args:
        opens: Whether JSON in strings is parsed.
    """

    def __init__(self, *, opens: bool) -> None:
        self.cut = False
        self.numbers = 0
        self._opens = opens
        self._values = MOST_LINES
        self._characters = MOST_CHARACTERS

    def convert(self, value: Any, depth: int = 0) -> Any:
        try:
            value = as_json(value)
        except Exception:  # an object of the caller may raise when it is read
            value = UNREADABLE
        if isinstance(value, str):
            return self._string(value, depth)
        if isinstance(value, (Mapping, list, tuple)):
            return self._members(value, depth)
        self._values -= 1
        self.numbers += 1
        if value is None or isinstance(value, (bool, int, float)):
            return value
        self.cut = True
        return None

    def _members(self, value: Any, depth: int) -> Any:
        if depth >= DEEPEST:
            self.cut = self.cut or bool(value)
            return None
        # `_values` is below 0 after a text that used up the rest
        size = max(0, self._values)
        self.cut = self.cut or len(value) > size
        if not isinstance(value, Mapping):
            return [self.convert(item, depth + 1) for item in value[:size] if self._has_room()]
        return {
            _name(name): self.convert(item, depth + 1)
            for name, item in islice(value.items(), size)
            if self._has_room()
        }

    def _has_room(self) -> bool:
        room = self._values > 0 and self._characters > 0
        room = room and (self.numbers < MOST_NUMBERS or not self._opens)
        self.cut = self.cut or not room
        return room

    def _string(self, text: str, depth: int) -> Any:
        short = self._opens and len(text) <= self._characters and depth < DEEPEST
        if short and (inner := parse_container(text)) is not None:
            # JSON in a string counts as one level, so that it cannot nest without end
            return self.convert(inner, depth + 1)
        self._values -= 1
        self.cut = self.cut or len(text) > self._characters
        text = str.__str__(text)[: max(0, self._characters)]  # without the methods of a subclass
        self._characters -= len(text)
        if not self._opens:
            return text
        # in place, so that offsets in the result of a tool remain right
        return self._truncate(decode_folded_scalars(text, in_place=True))

    def _truncate(self, text: str) -> str:
        """Return the part of a text that fits into the remaining limit."""
        left = max(0, MOST_NUMBERS - self.numbers)
        size = count(text, left)
        if size > left:
            self.cut, size, text = True, left, beginning(text, left)
        self.numbers += size
        return text


def _name(name: Any) -> str:
    try:
        return str(name)[:_LONGEST_NAME]
    except Exception as error:  # a key's `__str__` may raise
        return describe_exception(error)[:_LONGEST_NAME]


def _label(path: Path) -> str:
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")


def _render(leaf: Any) -> str:
    if leaf is None:
        return "null"
    if isinstance(leaf, bool):
        return "true" if leaf else "false"
    if isinstance(leaf, int) and leaf.bit_length() > _MOST_BITS:
        return "a number too long to be written"
    return str(leaf)
