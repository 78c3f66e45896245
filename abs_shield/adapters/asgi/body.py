"""The answer in the body of a response, and the user's words in the body of a request."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

Headers = Sequence[tuple[bytes, bytes]]

_DEPENDENT = frozenset(
    {b"content-length", b"etag", b"content-md5", b"digest", b"content-digest", b"repr-digest"}
)
"""Headers that are wrong of any other body."""


class Answer(NamedTuple):
    """
    An answer, and where it stands.

    Attributes:
        text: The answer.
        pointer: JSON pointer of the answer; None where the whole body is the answer.
        data: The JSON of the body.
        charset: The encoding of the body.
    """

    text: str
    pointer: str | None
    data: Any
    charset: str

    def replaced(self, text: str) -> bytes:
        """Return the body with another answer."""
        if self.pointer is None:
            return text.encode(self.charset, "replace")
        *parents, last = _keys(self.pointer)
        holder = self.data
        for key in parents:
            holder = _member(holder, key)
        holder[int(last) if isinstance(holder, list) else last] = text
        return json.dumps(self.data, ensure_ascii=False, separators=(",", ":")).encode()


def media_type(headers: Headers) -> tuple[str, str]:
    """Return the media type of a body, and its charset."""
    kind, *options = header(headers, b"content-type").lower().split(";")
    named = [part.strip().removeprefix("charset=") for part in options if "charset=" in part]
    return kind.strip(), named[0].strip("\"' ") if named else "utf-8"


def is_json(kind: str) -> bool:
    """Return whether a media type is JSON."""
    return kind == "application/json" or kind.endswith("+json")


def header(headers: Headers, name: bytes) -> str:
    """Return a header's value; empty where there is none."""
    return next((v.decode("latin-1") for k, v in headers if k.lower() == name), "")


def with_length(headers: Headers, length: int) -> list[tuple[bytes, bytes]]:
    """Return the headers of another body of *length* bytes."""
    others = [(k, v) for k, v in headers if k.lower() not in _DEPENDENT]
    return [*others, (b"content-length", b"%d" % length)]


def answer_in(body: bytes, headers: Headers, pointers: Sequence[str]) -> Answer | None:
    """
    Return the answer in a body, at the first of *pointers* that leads to text.

    None where there is no answer, it is blank, or the message that holds it calls tools as well.
    """
    kind, charset = media_type(headers)
    try:
        if not is_json(kind):
            text = body.decode(charset)
            return Answer(text, None, None, charset) if text.strip() else None
        data = json.loads(body)
    except (ValueError, LookupError, RecursionError):
        return None
    for pointer in pointers:
        text = value_at(data, pointer)
        if isinstance(text, str) and text.strip():
            calls = value_at(data, f"{pointer.rpartition('/')[0]}/tool_calls")
            return None if calls else Answer(text, pointer, data, "utf-8")
    return None


def messages_in(
    body: bytes, pointers: Sequence[str], *, whole: bool
) -> Iterator[Mapping[str, Any]]:
    """
    Yield the messages of a request: its user's, or all of them.

    Args:
        body: The body of the request, as JSON.
        pointers: Where a text or a list of messages may stand; the first that leads to one counts.
        whole: Whether messages of other roles than the user's are yielded too.
    """
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return
    for pointer in pointers:
        found = value_at(data, pointer)
        if isinstance(found, str) and found.strip():
            yield {"role": "user", "content": found}
            return
        if isinstance(found, list):
            items = [item for item in found if isinstance(item, Mapping)]
            yield from (item for item in items if whole or item.get("role") == "user")
            return


def value_at(data: Any, pointer: str) -> Any:
    """Return the value at a JSON pointer; None where there is none."""
    for key in _keys(pointer):
        data = _member(data, key)
        if data is None:
            return None
    return data


def _keys(pointer: str) -> list[str]:
    return [key.replace("~1", "/").replace("~0", "~") for key in pointer.split("/")[1:]]


def _member(data: Any, key: str) -> Any:
    if isinstance(data, list):
        return data[int(key)] if key.isdecimal() and int(key) < len(data) else None
    return data.get(key) if isinstance(data, dict) else None
