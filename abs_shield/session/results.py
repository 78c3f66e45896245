"""What a tool returned, in the shape of JSON, whatever Python object it was."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from io import IOBase
from pathlib import PurePath
from typing import Any
from uuid import UUID

_TEXTS = (UUID, Decimal, date, datetime, time, timedelta, PurePath)
_STREAMS = (Iterator, AsyncIterable, Awaitable, IOBase)
"""What is read later, piece by piece: its own text says nothing of that."""
_LONGEST = 1 << 20


class Unreadable:
    """Stands for what cannot be read without running or consuming it."""


UNREADABLE = Unreadable()


def as_json(value: Any) -> Any:
    """
    Give one level of *value* as JSON has it; `UNREADABLE` for what nobody could read.

    Models, dataclasses and sets become objects and lists; dates, decimals, paths and UUIDs their
    text. Nothing is called that could have effects: a generator is not consumed.

    >>> as_json({1, 1}), as_json(b"x"), as_json(object()) is UNREADABLE
    ([1], 'x', True)
    """
    if value is None or isinstance(value, (str, int, float, Mapping, list, tuple)):
        return value.value if isinstance(value, Enum) else value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (set, frozenset)):
        return list(value)
    if isinstance(value, (bytes, bytearray)):
        return bytes(value[:_LONGEST]).decode(errors="replace")
    if isinstance(value, _TEXTS):
        return str(value)
    return _members(value)


def _members(value: Any) -> Any:
    """The fields of a model or a dataclass, read from where it keeps them."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name, None) for field in fields(value)}
    kept = getattr(type(value), "model_fields", None)
    inside = getattr(value, "__dict__", None)
    if isinstance(kept, Mapping) and isinstance(inside, dict):
        return dict(inside)
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
