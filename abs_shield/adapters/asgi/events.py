"""The output in a stream of events: server-sent events, or one JSON value a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from abs_shield.adapters.asgi.body import (
    DuplicateKey,
    has_nothing_to_read,
    places_at,
    text_in,
    value_at,
    without_duplicates,
)

EVENT_STREAM = "text/event-stream"
_JSON_LINES = frozenset(
    {"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"}
)
_LINE_END = re.compile(r"\r\n|\n|\r")
"""What ends a line of server-sent events; a text may hold any other separator."""
_NUMBERS = ("index", "output_index", "content_index")
"""Of which output an event has a piece, in the streams of Anthropic and of OpenAI's responses."""
_ENDS = frozenset({"[DONE]"})
"""Data that ends a stream and is none of its text."""


class NoText(Exception):
    """No event of a stream has a text where its route has its outputs."""


def is_stream(kind: str) -> bool:
    """Return whether a media type is a stream of events that can be read."""
    return kind == EVENT_STREAM or kind in _JSON_LINES


def read_events(body: bytes, kind: str, charset: str, deltas: Sequence[str]) -> list[str] | None:
    r"""
    Return the texts of all events, joined place by place; None if the body is not text.

    Data that is JSON has its texts at *deltas*, or is a text itself; other data of server-sent
    events is text.

    Raises:
        DuplicateKey: An event has a key twice in one object.
        NoText: There are events, and none of them has anything at *deltas*.

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
    if not found and text.strip():
        raise NoText
    # a stream that ends with the whole text has it in pieces before
    joined = dict.fromkeys("".join(pieces) for pieces in found.values())
    return [one for one in joined if one.strip()]


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
        value: Any = json.loads(data, object_pairs_hook=without_duplicates)
    except DuplicateKey:
        raise
    except (ValueError, RecursionError):
        value = data if plain else None
    if isinstance(value, (dict, list)):
        for place in dict.fromkeys(one for each in deltas for one in places_at(value, each)):
            text = text_in(value_at(value, place))
            if text or has_nothing_to_read(value, [place]):
                yield _place_by_index(value, place), text
    elif isinstance(value, str):
        yield "", value
    elif plain and value is not None:
        yield "", data


def _place_by_index(value: Any, place: str) -> str:
    """
    Return a place in which an item of a list stands by the number that it has itself.

    The pieces of several choices come one by one, each the only item of its list, and say of which
    choice they are: ``{"index": 1}``. Of events without lists the numbers stand beside the piece.

    >>> _place_by_index({"choices": [{"index": 1, "delta": {"content": "Hi"}}]},
    ...                 "/choices/0/delta/content")
    '/choices/#1/delta/content'
    """
    steps: list[str] = []
    numbers: list[str] = []
    at = ""
    for step in place.split("/")[1:]:
        at = f"{at}/{step}"
        holder = value_at(value, at)
        own = holder.get("index") if isinstance(holder, dict) else None
        steps.append(f"#{own}" if step.isdecimal() and type(own) is int else step)
    if isinstance(value, dict):
        numbers = [f"{name}={value[name]}" for name in _NUMBERS if type(value.get(name)) is int]
    return "/".join(["", *steps, *numbers])
