"""The output in a stream of events: server-sent events, or one JSON value a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from abs_shield.adapters.asgi.body import value_at

EVENT_STREAM = "text/event-stream"
_JSON_LINES = frozenset(
    {"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"}
)
_LINE_END = re.compile(r"\r\n|\n|\r")
"""What ends a line of server-sent events; a text may hold any other separator."""
_ENDS = frozenset({"[DONE]"})
"""Data that ends a stream and is none of its text."""


def is_stream(kind: str) -> bool:
    """Return whether a media type is a stream of events that can be read."""
    return kind == EVENT_STREAM or kind in _JSON_LINES


def read_events(body: bytes, kind: str, charset: str, deltas: Sequence[str]) -> str | None:
    r"""
    Return the texts of all events, joined; None if the body is not text in its charset.

    Data that is JSON has its text at the first of *deltas* that leads to one; other data of
    server-sent events is text itself.

    >>> read_events(b'data: {"delta": "Hi "}\n\ndata: {"delta": "Ann"}\n\n', EVENT_STREAM,
    ...             "utf-8", ["/delta"])
    'Hi Ann'
    """
    try:
        text = body.decode(charset)
    except (UnicodeError, LookupError):
        return None
    if kind == EVENT_STREAM:
        return "".join(_piece(data, deltas, plain=True) for data in _data(text))
    return "".join(_piece(line, deltas, plain=False) for line in text.split("\n"))


def _data(text: str) -> Iterator[str]:
    """Yield the data of each event, its lines joined."""
    lines: list[str] = []
    for line in (*_LINE_END.split(text), ""):
        if not line:
            if lines:
                yield "\n".join(lines)
            lines = []
            continue
        field, _, value = line.partition(":")
        if field == "data":
            lines.append(value.removeprefix(" "))


def _piece(data: str, deltas: Sequence[str], *, plain: bool) -> str:
    if data.strip() in _ENDS:
        return ""
    try:
        value: Any = json.loads(data)
    except (ValueError, RecursionError):
        return data if plain else ""
    if not isinstance(value, (dict, list)):
        return data if plain else ""
    found = (value_at(value, pointer) for pointer in deltas)
    return next((text for text in found if isinstance(text, str)), "")
