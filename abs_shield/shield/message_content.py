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
    Return the text of a tool's message: *value* itself if it is text, else its JSON.

    Dates are written in ISO form, and enums as their value; models and dataclasses become
    objects, sets and tuples lists. Iterators are not consumed. Never raises.

    >>> from datetime import date, timedelta
    >>> content_of({"on": date(2026, 3, 2), "for": timedelta(hours=1), "ids": {7}})
    '{"on": "2026-03-02", "for": "PT1H", "ids": [7]}'
    """
    # A string enum is written as its value, as in a parameter's JSON.
    if isinstance(value, str) and not isinstance(value, Enum):
        return value
    for write in _WRITERS:
        # e.g. nested too deeply, or an object that raises when it is read
        with suppress(Exception):
            return write(value)
    with suppress(Exception):
        return str(value)
    return f"<{type(value).__name__}>"


def _plain_json(value: Any) -> str:
    """Return the JSON of a value with string keys and finite numbers, as most values have."""
    return json.dumps(value, default=_outermost_level, allow_nan=False)


def _pydantic_json(value: Any, *, mode: Literal["utf8", "base64"]) -> str:
    """Return pydantic's JSON, which allows dates and enums as keys, and writes NaN as a text."""
    if size_of([value], MAX_NODES) is None:
        raise ValueError("it contains an iterator, or is too large")
    written = to_json(value, fallback=_text, bytes_mode=mode, inf_nan_mode="strings")
    # Written again by `json`, so that all results have the same blanks.
    return json.dumps(json.loads(written))


def _lenient_json(value: Any) -> str:
    return json.dumps(value, default=_outermost_level)


_WRITERS: tuple[Callable[[Any], str], ...] = (
    _plain_json,
    *(partial(_pydantic_json, mode=mode) for mode in BYTES),
    _lenient_json,
)


def _outermost_level(value: Any) -> Any:
    """Return the outermost level of an object as JSON data, with unchanged members."""
    level = as_json(value)
    if level is UNREADABLE:
        return _text(value)
    return dict(level) if isinstance(level, Mapping) else level


def _text(value: Any) -> str:
    return str(value)
