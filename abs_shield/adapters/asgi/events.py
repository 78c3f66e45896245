"""The output in a stream of events: server-sent events, or one JSON value a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from abs_shield.adapters.asgi.body import places_at, value_at

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


def read_events(body: bytes, kind: str, charset: str, deltas: Sequence[str]) -> list[str] | None:
    r"""
    Return the texts of all events, joined place by place; None if the body is not text.

    Data that is JSON has its texts at *deltas*, or is a text itself; other data of server-sent
    events is text.

    >>> read_events(b'data: {"delta": "Hi "}\n\ndata: {"delta": "Ann"}\n\n', EVENT_STREAM,
    ...             "utf-8", ["/delta"])
    ['Hi Ann']
    """
    try:
        text = body.decode(charset).removeprefix("\ufeff")
    except (UnicodeError, LookupError):
        return None
    is_events = kind == EVENT_STREAM
    found: dict[str, list[str]] = {}
    for data in _data(text) if is_events else text.split("\n"):
        for place, piece in _pieces(data, deltas, plain=is_events):
            found.setdefault(place, []).append(piece)
    return [joined for pieces in found.values() if (joined := "".join(pieces)).strip()]


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


def _pieces(data: str, deltas: Sequence[str], *, plain: bool) -> Iterator[tuple[str, str]]:
    """Yield the texts of one event, each with its place; the place of a text itself is empty."""
    if data.strip() in _ENDS:
        return
    try:
        value: Any = json.loads(data)
    except (ValueError, RecursionError):
        value = data if plain else None
    if isinstance(value, (dict, list)):
        for place in dict.fromkeys(one for each in deltas for one in places_at(value, each)):
            text = value_at(value, place)
            if isinstance(text, str):
                yield place, text
    elif isinstance(value, str):
        yield "", value
    elif plain and value is not None:
        yield "", data
