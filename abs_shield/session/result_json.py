"""Results as JSON, whatever Python object a tool returns."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Iterator, Mapping
from contextlib import suppress
from enum import Enum
from io import IOBase
from typing import Any, Literal

from pydantic_core import to_jsonable_python

from abs_shield.schema.argument_json import LISTS, is_data, parts_of, size_of
from abs_shield.schema.value_limits import MAX_NODES

_STREAMS = (Iterator, AsyncIterable, Awaitable, IOBase)
"""Streams: their ``str()`` says nothing about their content."""
_LONGEST = 1 << 20  # characters, as many as patterns search of a result
_JSON = (str, int, float, Mapping, list, tuple, type(None))
BYTES: tuple[Literal["utf8", "base64"], ...] = ("utf8", "base64")
"""Encodings of bytes, in the order tried: base64 for bytes that are not UTF-8 text."""


class Unreadable:
    """Stands for what cannot be read without running or consuming it."""


UNREADABLE = Unreadable()


class Levels:
    """
    Reads one result level by level, as a model reads it.

    What a model or a dataclass holds is counted before pydantic writes it, and the count of all
    of them is bounded; beyond the bound its fields are given as they are.
    """

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = MAX_NODES  # of one result, all of its objects together

    def of(self, value: Any) -> Any:
        """Return one level of *value* as `as_json` does."""
        if isinstance(value, Enum):
            return self.of(value.value)
        if isinstance(value, _JSON):
            return value
        if isinstance(value, LISTS):  # a range may have billions of numbers
            return list(value[:MAX_NODES] if isinstance(value, range) else value)
        if (parts := parts_of(value)) is not None:
            return self._record(value, parts)
        if is_data(value):
            return _written(value, UNREADABLE)
        return _dumped(value)

    def _record(self, value: Any, parts: dict[str, Any]) -> Any:
        size = size_of(parts.values(), self._left)
        if size is None:
            # how far it was counted is not known; a cycle is counted again at each level
            self._left -= self._left // 16 + 1
            return parts
        self._left -= size
        return _written(value, parts)


def as_json(value: Any) -> Any:
    """
    Return one level of *value* as JSON has it; `UNREADABLE` for what has no text of its own.

    Models and dataclasses are written by pydantic, with what they compute and serialise, unless
    that would consume something; sets become lists; dates, decimals, paths and UUIDs their text.
    A generator is not consumed.

    >>> as_json({1, 1}), as_json(b"x"), as_json(object()) is UNREADABLE
    ([1], 'x', True)
    """
    return Levels().of(value)


def _written(value: Any, otherwise: Any) -> Any:
    for mode in BYTES:
        with suppress(Exception):  # a serializer of the host's may raise anything
            return to_jsonable_python(value, fallback=str, bytes_mode=mode)
    return otherwise


def _dumped(value: Any) -> Any:
    """Return what an object's own `model_dump` returns."""
    with suppress(Exception):
        dump = getattr(value, "model_dump", None)
        dumped = dump(mode="json") if callable(dump) else UNREADABLE
        return dumped if isinstance(dumped, _JSON) else UNREADABLE
    return UNREADABLE


def own_text(value: Any) -> str | None:
    """
    Return what an object of an unknown class says of itself, which is what a model reads of it.

    Empty where its class has neither a ``__str__`` nor a ``__repr__`` of its own; None of a stream,
    for what will be read from it is not known. At most 1 MiB of the text is returned.

    >>> own_text(range(3)), own_text(object()), own_text(iter(()))
    ('range(0, 3)', '', None)
    """
    if isinstance(value, _STREAMS):
        return None
    kind: Any = type(value)
    if kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__:
        return ""
    return str(value)[:_LONGEST]
