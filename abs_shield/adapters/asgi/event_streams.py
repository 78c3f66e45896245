"""Output in a stream of events: server-sent events, or one JSON value per line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from abs_shield.adapters.asgi.http_body import (
    DuplicateKey,
    expand_pointer,
    is_blank_output,
    join_text,
    reject_duplicates,
    value_at,
)

EVENT_STREAM = "text/event-stream"
_JSON_LINES = frozenset(
    {"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"}
)
_LINE_END = re.compile(r"\r\n|\n|\r")
"""Line ends of server-sent events; other separators may be part of a text."""
_INDEX_FIELDS = ("index", "output_index", "content_index")
"""Fields with the index of an event's output, in streams of Anthropic and OpenAI Responses."""
_END_MARKERS = frozenset({"[DONE]"})
"""Data that ends a stream and is not part of its text."""


class NoOutputText(Exception):
    """No event of a stream has a text at the pointers of its route."""


def is_stream(kind: str) -> bool:
    """Return whether a media type is a stream of events that can be read."""
    return kind == EVENT_STREAM or kind in _JSON_LINES


def read_events(body: bytes, kind: str, charset: str, deltas: Sequence[str]) -> list[str] | None:
    r"""
    Return the texts of all events, joined by location; None if the body is not text.

    JSON data is a string, or has texts at the pointers *deltas*; other data of server-sent events
    is text itself.

    Args:
        body: The body.
        kind: Its media type.
        charset: Its charset.
        deltas: JSON pointers to the texts in an event.

    Raises:
        DuplicateKey: An event has a key twice in one object.
        NoOutputText: There are events, but none of them has a value at *deltas*.

    >>> read_events(b'data: {"delta": "Hi "}\n\ndata: {"delta": "Ann"}\n\n', EVENT_STREAM,
    ...             "utf-8", ["/delta"])
    ['Hi Ann']
    """
    try:
        # the standard allows a byte order mark at the start
        text = body.decode(charset).removeprefix("\ufeff")
    except (UnicodeError, LookupError):
        return None
    is_events = kind == EVENT_STREAM
    by_place: dict[str, list[str]] = {}
    for data in _event_data(text) if is_events else text.split("\n"):
        for place, piece in _event_texts(data, deltas, plain_is_text=is_events):
            by_place.setdefault(place, []).append(piece)
    if not by_place and text.strip():
        raise NoOutputText
    # deduplicated, because a stream may end with the whole text that it sent in pieces
    joined = dict.fromkeys("".join(pieces) for pieces in by_place.values())
    return [one for one in joined if one.strip()]


def _event_data(text: str) -> Iterator[str]:
    """Yield the data of each event, its lines joined."""
    lines: list[str] = []
    for line in (*_LINE_END.split(text), ""):  # an empty line ends the last event
        if not line:
            if lines:
                yield "\n".join(lines)
            lines = []
            continue
        field, _, value = line.partition(":")
        if field == "data":
            lines.append(value.removeprefix(" "))


def _event_texts(
    data: str, deltas: Sequence[str], *, plain_is_text: bool
) -> Iterator[tuple[str, str]]:
    """Yield the texts of one event with their locations; a plain text has an empty location."""
    if data.strip() in _END_MARKERS:
        return
    try:
        value: Any = json.loads(data, object_pairs_hook=reject_duplicates)
    # raised, unlike other JSON errors: a client may read the value that was not checked
    except DuplicateKey:
        raise
    except (ValueError, RecursionError):
        value = data if plain_is_text else None
    if isinstance(value, (dict, list)):
        for place in dict.fromkeys(one for each in deltas for one in expand_pointer(value, each)):
            text = join_text(value_at(value, place))
            if text or is_blank_output(value, [place]):
                yield _indexed_path(value, place), text
    elif isinstance(value, str):
        yield "", value
    elif plain_is_text and value is not None:
        yield "", data


def _indexed_path(value: Any, place: str) -> str:
    """
    Return a path in which list items are identified by their field ``index``.

    Each event contains a piece of one choice, as the only item of a list, with the index of the
    choice: ``{"index": 1}``. In events without lists, the indexes are at the top level.

    >>> _indexed_path({"choices": [{"index": 1, "delta": {"content": "Hi"}}]},
    ...               "/choices/0/delta/content")
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
        numbers = [
            f"{name}={value[name]}" for name in _INDEX_FIELDS if type(value.get(name)) is int
        ]
    return "/".join(["", *steps, *numbers])
