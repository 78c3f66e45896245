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


_TEXT_PARTS = frozenset({"text", "output_text"})
_CALL_PARTS = frozenset({"tool_use", "tool_call", "function_call", "server_tool_use"})
_EACH, _ENDS = "*", (".", "!", "?", ":")
_LONGEST_LENGTH = 18
"""Digits of a Content-Length that are read; one with more is too large in any case."""


class AnswerText(NamedTuple):
    """
    An answer, and where it stands.

    Attributes:
        text: The answer; of a list of parts their texts, joined.
        pointer: JSON pointer of the answer; None where the whole body is the answer.
    """

    text: str
    pointer: str | None


class ResponseBody(NamedTuple):
    """
    The body of a response.

    Attributes:
        answers: The answers in it, in order.
        data: Its JSON.
        encoding: The encoding of the body.
        problem: Why no answer can be read in it; empty where one can, or where it is blank or
            belongs to a message that calls tools.
    """

    answers: tuple[AnswerText, ...] = ()
    data: Any = None
    encoding: str = "utf-8"
    problem: str = ""

    def replaced(self, texts: Sequence[str]) -> bytes:
        """Return the body with other answers, in its own encoding."""
        for answer, text in zip(self.answers, texts, strict=True):
            if answer.pointer is None:
                return text.encode(self.encoding, "replace")
            if text != answer.text:
                _set(self.data, answer.pointer, text)
        try:
            return self._written(ensure_ascii=False)
        except UnicodeEncodeError:  # half of a pair, or a letter that the encoding lacks
            return self._written(ensure_ascii=True)

    def _written(self, *, ensure_ascii: bool) -> bytes:
        text = json.dumps(self.data, ensure_ascii=ensure_ascii, separators=(",", ":"))
        return text.encode(self.encoding)


def media_type(headers: Headers) -> tuple[str, str]:
    """Return the media type of a body, and its charset."""
    kind, *options = header(headers, b"content-type").lower().split(";")
    named = [part.strip().removeprefix("charset=") for part in options if "charset=" in part]
    return kind.strip(), named[0].strip("\"' ") if named else "utf-8"


def is_json(kind: str) -> bool:
    """Return whether a media type is JSON."""
    return kind in ("application/json", "text/json") or kind.endswith("+json")


def header(headers: Headers, name: bytes) -> str:
    """Return a header's value; empty where there is none."""
    return next((v.decode("latin-1") for k, v in headers if k.lower() == name), "")


def content_length(headers: Headers) -> int:
    """Return the length that a response states; 0 where it states none that can be read."""
    length = header(headers, b"content-length").strip()
    digits = length.lstrip("0")[: _LONGEST_LENGTH + 1]
    return int(digits) if length.isascii() and length.isdecimal() and digits else 0


def with_length(headers: Headers, length: int) -> list[tuple[bytes, bytes]]:
    """Return the headers of another body of *length* bytes."""
    others = [(k, v) for k, v in headers if k.lower() not in _DEPENDENT]
    return [*others, (b"content-length", b"%d" % length)]


def read_body(
    body: bytes, headers: Headers, pointers: Sequence[str], *, every: bool = False
) -> ResponseBody:
    """
    Return the answers in a body: all that the first of *pointers* with a text leads to.

    One is left out where it is blank, or where the message that holds it calls tools as well.

    Args:
        body: The body.
        headers: Its headers.
        pointers: Where an answer may stand.
        every: Whether the texts at all of *pointers* are returned, those beside calls included.
    """
    kind, charset = media_type(headers)
    try:
        if is_json(kind) or (every and not kind and body.lstrip()[:1] in (b"{", b"[")):
            encoding, text = _decoded(body, charset)
            if every:
                data = json.loads(text, object_pairs_hook=without_duplicates)
                texts = tuple(_texts(data, pointers))
                blank = bool(texts) or has_nothing_to_read(data, pointers)
                return ResponseBody(texts, data, encoding, "" if blank else NO_TEXT)
            data = json.loads(text)
            return _answers(data, encoding, pointers)
        text = body.decode(charset)
        return ResponseBody((AnswerText(text, None),) if text.strip() else (), encoding=charset)
    except Exception as error:
        problem = next((text for kinds, text in _PROBLEMS if isinstance(error, kinds)), "")
        if not problem:
            raise
        return ResponseBody(problem=problem)


class DuplicateKey(ValueError):
    """An object of JSON has a key twice: readers differ in which of its values counts."""


def without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """
    Return an object of JSON.

    Raises:
        DuplicateKey: It has a key twice.
    """
    members = dict(pairs)
    if len(members) != len(pairs):
        raise DuplicateKey
    return members


_PROBLEMS: tuple[tuple[type[Exception], str], ...] = (
    (DuplicateKey, "a response has a key twice in one object"),
    (UnicodeError, "a response is not text in its charset"),
    (LookupError, "a response has a charset that is not known here"),
    (json.JSONDecodeError, "a response is not valid JSON"),
    (RecursionError, "a response is nested too deeply"),
    (ValueError, "a response has a number of too many digits, or a charset that is no name"),
)
"""What an error says about a body; the first that fits counts."""
NO_ANSWER = "a JSON response has no text at any of `answers`"
NO_TEXT = "it has no text at `outputs` or `deltas` of its route"


def _decoded(body: bytes, charset: str) -> tuple[str, str]:
    """Return the encoding and the text of JSON: in Unicode, as it has to be, or in its charset."""
    encoding = json.detect_encoding(body)
    try:
        return encoding, body.decode(encoding)
    except UnicodeDecodeError:
        return charset, body.decode(charset)


def _answers(data: Any, encoding: str, pointers: Sequence[str]) -> ResponseBody:
    for pointer in pointers:
        places = [*places_at(data, pointer)]
        held = [(place, _text(value_at(data, place))) for place in places]
        texts = [(place, text) for place, text in held if text is not None]
        calls = {place for place in places if _calls(data, place)}
        if texts or calls:
            answers = (AnswerText(text, place) for place, text in texts if place not in calls)
            some = tuple(answer for answer in answers if answer.text.strip())
            return ResponseBody(some, data, encoding)
    return ResponseBody(problem=NO_ANSWER)


def _texts(data: Any, pointers: Sequence[str]) -> Iterator[AnswerText]:
    """Yield the texts at all pointers, each place once; the texts of a list are one text."""
    places = dict.fromkeys(place for one in pointers for place in places_at(data, one))
    for place in places:
        text = text_in(value_at(data, place))
        if text.strip():
            yield AnswerText(text, place)


def text_in(value: Any) -> str:
    r"""
    Return a text, or the texts among the items of a list: texts line by line, parts joined.

    >>> text_in(["One.", None, "Two."]), text_in([{"type": "text", "text": "One."}]), text_in(5)
    ('One.\nTwo.', 'One.', '')
    """
    if not isinstance(value, list):
        return _text(value) or ""
    lines = [text_in(item) for item in value if isinstance(item, (str, list))]
    return "\n".join(filter(None, (*lines, _text(value))))


def has_nothing_to_read(data: Any, pointers: Sequence[str]) -> bool:
    """Return whether a pointer leads to a null, a blank or nothing but calls of tools."""
    places = (place for one in pointers for place in places_at(data, one))
    return any(_is_blank(data, place) for place in places)


def _is_blank(data: Any, place: str) -> bool:
    value = value_at(data, place)
    if value is None:
        holder = value_at(data, place.rpartition("/")[0])
        return data is None or (isinstance(holder, dict) and _keys(place)[-1] in holder)
    if isinstance(value, list):
        return all(_kind(part) in _CALL_PARTS for part in value)
    return isinstance(value, str) and not value.strip()


def places_at(data: Any, pointer: str) -> Iterator[str]:
    """Yield the pointers that a pointer with `*` leads to; one that ends in it is a list's own."""
    before, each, after = pointer.partition(f"/{_EACH}/")
    if pointer == f"/{_EACH}" and isinstance(data, list):
        yield ""
    elif not each:
        whole = pointer.removesuffix(f"/{_EACH}")
        if whole == pointer or (whole and isinstance(value_at(data, whole), list)):
            yield whole
    else:
        items = value_at(data, before)
        for number in range(len(items)) if isinstance(items, list) else ():
            yield from places_at(data, f"{before}/{number}/{after}")


def _text(value: Any) -> str | None:
    """Return a text, or the joined texts of a list of parts; None of anything else."""
    if isinstance(value, str):
        return value
    texts = [part["text"] for part in value if _is_text(part)] if isinstance(value, list) else []
    return _joined(texts) if texts else None


def _joined(texts: Sequence[str]) -> str:
    r"""
    Return the texts of parts as one; a sentence that ends a part does not touch the next.

    >>> _joined(["It costs", " $9.", "It has shipped."])
    'It costs $9.\nIt has shipped.'
    """
    pairs = zip(texts, [*texts[1:], ""], strict=True)
    return "".join(
        f"{text}\n" if text[-1:] in _ENDS and after[:1].strip() else text for text, after in pairs
    )


def _is_text(part: Any) -> bool:
    return _kind(part) in _TEXT_PARTS and isinstance(part.get("text"), str)


def _kind(part: Any) -> str:
    """Return the type of a part; one without a type is a text, and what is no object has none."""
    return str(part.get("type", "text")) if isinstance(part, Mapping) else ""


def _calls(data: Any, place: str) -> bool:
    """Return whether the message that holds a text calls tools as well."""
    message, parts = place.rpartition("/")[0], value_at(data, place)
    if any(value_at(data, f"{message}/{name}") for name in ("tool_calls", "function_call")):
        return True
    kinds = (_kind(part) for part in parts) if isinstance(parts, list) else ()
    return any(kind in _CALL_PARTS for kind in kinds)


def _set(data: Any, pointer: str, text: str) -> None:
    """Set an answer; of a list of parts the first one's text, and leave out the other texts."""
    *parents, last = _keys(pointer)
    holder = data
    for key in parents:
        holder = _member(holder, key)
    place = int(last) if isinstance(holder, list) else last
    parts = holder[place]
    if isinstance(parts, list):
        first = next(part for part in parts if _is_text(part))
        kind = {"type": first["type"]} if "type" in first else {}
        others = (part for part in parts if part is first or not _is_text(part))
        holder[place] = [{**kind, "text": text} if part is first else part for part in others]
    else:
        holder[place] = text


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
