"""The text of a tool's result for the model: JSON that a parameter of the same type accepts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import Enum
from functools import partial
from typing import Any, Literal

from pydantic_core import to_json

from abs_shield.schema.argument_json import size_of
from abs_shield.schema.value_limits import MAX_NODES
from abs_shield.session.result_json import BYTES, UNREADABLE, as_json


def content_of(value: Any) -> str:
    """
    Return the text of a tool's message: *value* itself where it is text, else its JSON.

    Dates have their ISO form, enums their value; models, dataclasses, sets and tuples are objects
    and lists. Nothing is consumed, and any object has a text.

    >>> from datetime import date, timedelta
    >>> content_of({"on": date(2026, 3, 2), "for": timedelta(hours=1), "ids": {7}})
    '{"on": "2026-03-02", "for": "PT1H", "ids": [7]}'
    """
    # An enumeration of texts is written by its value, as in a parameter's JSON.
    if isinstance(value, str) and not isinstance(value, Enum):
        return value
    for write in _WAYS:
        # nested too deeply, or an object that breaks when it is read
        with suppress(Exception):
            return write(value)
    with suppress(Exception):
        return str(value)
    return f"<{type(value).__name__}>"


def _plainly(value: Any) -> str:
    """Return the JSON of a value with string keys and finite numbers, like most values."""
    return json.dumps(value, default=_one_level, allow_nan=False)


def _by_pydantic(value: Any, *, mode: Literal["utf8", "base64"]) -> str:
    """Return pydantic's JSON: keys may be dates or enums, and NaN becomes a text."""
    if size_of([value], MAX_NODES) is None:
        raise ValueError("it contains an iterator that reading would consume, or is too large")
    written = to_json(value, fallback=_text, bytes_mode=mode, inf_nan_mode="strings")
    # Read and written again, as `to_json` writes no blanks, and one style is enough for a model.
    return json.dumps(json.loads(written))


def _at_any_rate(value: Any) -> str:
    return json.dumps(value, default=_one_level)


_WAYS: tuple[Callable[[Any], str], ...] = (
    _plainly,
    *(partial(_by_pydantic, mode=mode) for mode in BYTES),
    _at_any_rate,
)


def _one_level(value: Any) -> Any:
    """Return the outermost level of an object as JSON data; its members stay unchanged."""
    level = as_json(value)
    if level is UNREADABLE:
        return _text(value)
    return dict(level) if isinstance(level, Mapping) else level


def _text(value: Any) -> str:
    return str(value)
