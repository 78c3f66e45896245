"""Conversion of results to JSON, whatever Python object a tool returns."""

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
"""Types of streams, whose ``str()`` says nothing about their content."""
_LONGEST = 1 << 20  # characters; patterns search no more of a result
_JSON = (str, int, float, Mapping, list, tuple, type(None))
BYTES: tuple[Literal["utf8", "base64"], ...] = ("utf8", "base64")
"""Encodings of bytes, in the order tried: base64 for bytes that are not UTF-8 text."""


class Unreadable:
    """The type of `UNREADABLE`: a value that cannot be read without running or consuming it."""


UNREADABLE = Unreadable()


class LevelReader:
    """
    Reads one result level by level, as a model reads it.

    The parts of a pydantic model or a dataclass are counted before pydantic serialises it, and at
    most `MAX_NODES` parts are serialised for one result; beyond that its fields are returned as
    they are.
    """

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = MAX_NODES  # of one result, all of its objects together

    def read(self, value: Any) -> Any:
        """Return one level of *value* as `as_json` does."""
        if isinstance(value, Enum):
            return self.read(value.value)
        if isinstance(value, _JSON):
            return value
        if isinstance(value, LISTS):  # a range may have billions of numbers
            return list(value[:MAX_NODES] if isinstance(value, range) else value)
        if (parts := parts_of(value)) is not None:
            return self._record(value, parts)
        if is_data(value):
            return _serialise(value, UNREADABLE)
        return _dump_model(value)

    def _record(self, value: Any, parts: dict[str, Any]) -> Any:
        size = size_of(parts.values(), self._left)
        if size is None:
            # the count is unknown; a cycle would be counted again at each level
            self._left -= self._left // 16 + 1
            return parts
        self._left -= size
        return _serialise(value, parts)


def as_json(value: Any) -> Any:
    """
    Return one level of *value* as JSON; `UNREADABLE` if the value has no JSON form.

    Models and dataclasses are serialised by pydantic, with computed fields and serialisers, unless
    that would consume something. Sets become lists; dates, decimals, paths and UUIDs become text.
    A generator is not consumed.

    >>> as_json({1, 1}), as_json(b"x"), as_json(object()) is UNREADABLE
    ([1], 'x', True)
    """
    return LevelReader().read(value)


def _serialise(value: Any, otherwise: Any) -> Any:
    for mode in BYTES:
        with suppress(Exception):  # a serialiser of the host may raise anything
            return to_jsonable_python(value, fallback=str, bytes_mode=mode)
    return otherwise


def _dump_model(value: Any) -> Any:
    """Return the result of an object's own `model_dump`; `UNREADABLE` if that is not JSON."""
    with suppress(Exception):
        dump = getattr(value, "model_dump", None)
        dumped = dump(mode="json") if callable(dump) else UNREADABLE
        return dumped if isinstance(dumped, _JSON) else UNREADABLE
    return UNREADABLE


def own_text(value: Any) -> str | None:
    """
    Return the ``str()`` of an object of an unknown class, which is what a model reads.

    It is cut to 1,048,576 characters. It is empty if the class has neither its own ``__str__`` nor
    its own ``__repr__``, and None for a stream, whose content is unknown.

    >>> own_text(range(3)), own_text(object()), own_text(iter(()))
    ('range(0, 3)', '', None)
    """
    if isinstance(value, _STREAMS):
        return None
    kind: Any = type(value)
    if kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__:
        return ""
    return str(value)[:_LONGEST]
