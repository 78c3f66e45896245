"""What a tool returned, in the shape of JSON, whatever Python object it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

_TEXTS = (UUID, Decimal, date, datetime, time, timedelta, PurePath)
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
