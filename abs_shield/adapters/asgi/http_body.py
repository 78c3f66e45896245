"""Answers in the body of a response, and the user's messages in the body of a request."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

Headers = Sequence[tuple[bytes, bytes]]

_BODY_DEPENDENT_HEADERS = frozenset(
    {b"content-length", b"etag", b"content-md5", b"digest", b"content-digest", b"repr-digest"}
)
"""Headers that are wrong after the body is replaced."""


_TEXT_PARTS = frozenset({"text", "output_text"})
_CALL_PARTS = frozenset({"tool_use", "tool_call", "function_call", "server_tool_use"})
_EACH, _ENDS = "*", (".", "!", "?", ":")
_LONGEST_LENGTH = 18
"""Maximum number of digits of a Content-Length; a longer one is too large in any case."""


class AnswerText(NamedTuple):
    """
    An answer in a response body, and its location.

    Attributes:
        text: The answer; for a list of parts, their joined texts.
        pointer: JSON pointer to the answer; None if the whole body is the answer.
    """

    text: str
    pointer: str | None


class ResponseBody(NamedTuple):
    """
    A parsed response body.

    Attributes:
        answers: The answers, in order.
        data: The parsed JSON; None for other media types.
        encoding: The encoding of the body.
        problem: Why no answer could be read; empty otherwise, and if the answer is blank or
            belongs to a message with tool calls.
    """

    answers: tuple[AnswerText, ...] = ()
    data: Any = None
    encoding: str = "utf-8"
    problem: str = ""

    def with_texts(self, texts: Sequence[str]) -> bytes:
        """Return the body with other answers, in its own encoding."""
        for answer, text in zip(self.answers, texts, strict=True):
            if answer.pointer is None:
                # the refusal of a policy may contain characters that the charset does not support
                return text.encode(self.encoding, "replace")
            if text != answer.text:
                _set(self.data, answer.pointer, text)
        try:
            return self._encode(ensure_ascii=False)
        except UnicodeEncodeError:  # a lone surrogate, or a character that the encoding lacks
            return self._encode(ensure_ascii=True)

    def _encode(self, *, ensure_ascii: bool) -> bytes:
        text = json.dumps(self.data, ensure_ascii=ensure_ascii, separators=(",", ":"))
        return text.encode(self.encoding)


def media_type(headers: Headers) -> tuple[str, str]:
    """Return the media type of a body, and its charset, by default UTF-8."""
    kind, *options = header(headers, b"content-type").lower().split(";")
    charsets = [part.strip().removeprefix("charset=") for part in options if "charset=" in part]
    return kind.strip(), charsets[0].strip("\"' ") if charsets else "utf-8"


def is_json(kind: str) -> bool:
    """Return whether a media type is JSON."""
    return kind in ("application/json", "text/json") or kind.endswith("+json")


def header(headers: Headers, name: bytes) -> str:
    """Return a header's value; empty if it is missing."""
    return next((v.decode("latin-1") for k, v in headers if k.lower() == name), "")


def content_length(headers: Headers) -> int:
    """Return the declared Content-Length in bytes; 0 if it is missing or invalid."""
    length = header(headers, b"content-length").strip()
    digits = length.lstrip("0")[: _LONGEST_LENGTH + 1]
    return int(digits) if length.isascii() and length.isdecimal() and digits else 0


def with_content_length(headers: Headers, length: int) -> list[tuple[bytes, bytes]]:
    """Return the headers for another body of *length* bytes."""
    others = [(k, v) for k, v in headers if k.lower() not in _BODY_DEPENDENT_HEADERS]
    return [*others, (b"content-length", b"%d" % length)]


def parse_response_body(
    body: bytes, headers: Headers, pointers: Sequence[str], *, every: bool = False
) -> ResponseBody:
    """
    Return the answers in a body: all matches of the first of *pointers* that matches a text.

    Blank answers, and answers of messages with tool calls, are left out.

    Args:
        body: The body.
        headers: Its headers.
        pointers: JSON pointers to answers.
        every: Whether the texts at all of *pointers* are returned, including those of messages
            with tool calls.
    """
    kind, charset = media_type(headers)
    try:
        if is_json(kind) or (every and not kind and body.lstrip()[:1] in (b"{", b"[")):
            encoding, text = _decode(body, charset)
            if every:
                # strict, because the output that is checked must be the one that the client reads
                data = json.loads(text, object_pairs_hook=reject_duplicates)
                texts = tuple(_texts(data, pointers))
                blank = bool(texts) or is_blank_output(data, pointers)
                return ResponseBody(texts, data, encoding, "" if blank else NO_TEXT)
            data = json.loads(text)
            return _read_answers(data, encoding, pointers)
        text = body.decode(charset)
        return ResponseBody((AnswerText(text, None),) if text.strip() else (), encoding=charset)
    except Exception as error:
        problem = next((text for kinds, text in _PROBLEMS if isinstance(error, kinds)), "")
        if not problem:
            raise
        return ResponseBody(problem=problem)


class DuplicateKey(ValueError):
    """A JSON object has a key twice; parsers differ in which value they return."""


def reject_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """
    Return a JSON object as a dict.

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
    (LookupError, "a response has an unknown charset"),
    (json.JSONDecodeError, "a response is not valid JSON"),
    (RecursionError, "a response is nested too deeply"),
    (ValueError, "a response has a number of too many digits, or an invalid charset"),
)
"""The problem to report for each error; the first match is used."""
NO_ANSWER = "a JSON response has no text at any of `answers`"
NO_TEXT = "it has no text at `outputs` or `deltas` of its route"


def _decode(body: bytes, charset: str) -> tuple[str, str]:
    """
    Return the encoding and the text of JSON: Unicode, as the standard requires, else its charset.
    """
    # RFC 8259 allows only UTF-8, but servers also send UTF-16 and legacy charsets
    encoding = json.detect_encoding(body)
    try:
        return encoding, body.decode(encoding)
    except UnicodeDecodeError:
        return charset, body.decode(charset)


def _read_answers(data: Any, encoding: str, pointers: Sequence[str]) -> ResponseBody:
    for pointer in pointers:
        matches = [*expand_pointer(data, pointer)]
        values = [(place, _text(value_at(data, place))) for place in matches]
        texts = [(place, text) for place, text in values if text is not None]
        # a text with tool calls is not the answer: the run continues
        calls = {place for place in matches if _has_calls(data, place)}
        if texts or calls:  # only the first pointer that matches, or texts could be read twice
            answers = (AnswerText(text, place) for place, text in texts if place not in calls)
            some = tuple(answer for answer in answers if answer.text.strip())
            return ResponseBody(some, data, encoding)
    return ResponseBody(problem=NO_ANSWER)


def _texts(data: Any, pointers: Sequence[str]) -> Iterator[AnswerText]:
    """Yield the texts at all pointers, each location once; the texts of a list are one text."""
    places = dict.fromkeys(place for one in pointers for place in expand_pointer(data, one))
    for place in places:
        text = join_text(value_at(data, place))
        if text.strip():
            yield AnswerText(text, place)


def join_text(value: Any) -> str:
    r"""
    Return a text, or the texts in a list: strings on lines of their own, parts joined.

    >>> join_text(["One.", None, "Two."]), join_text([{"type": "text", "text": "One."}])
    ('One.\nTwo.', 'One.')
    >>> join_text(5)
    ''
    """
    if not isinstance(value, list):
        return _text(value) or ""
    lines = [join_text(item) for item in value if isinstance(item, (str, list))]
    return "\n".join(filter(None, (*lines, _text(value))))


def is_blank_output(data: Any, pointers: Sequence[str]) -> bool:
    """Return whether a pointer matches null, a blank text, or only tool calls."""
    places = (place for one in pointers for place in expand_pointer(data, one))
    return any(_is_blank(data, place) for place in places)


def _is_blank(data: Any, place: str) -> bool:
    value = value_at(data, place)
    if value is None:
        holder = value_at(data, place.rpartition("/")[0])
        return data is None or (isinstance(holder, dict) and _keys(place)[-1] in holder)
    if isinstance(value, list):
        return all(_kind(part) in _CALL_PARTS for part in value)
    return isinstance(value, str) and not value.strip()


def expand_pointer(data: Any, pointer: str) -> Iterator[str]:
    """Yield the pointers that a pointer with `*` matches; a final `*` matches the list itself."""
    before, wildcard, after = pointer.partition(f"/{_EACH}/")
    if pointer == f"/{_EACH}" and isinstance(data, list):
        yield ""
    elif not wildcard:
        whole = pointer.removesuffix(f"/{_EACH}")
        if whole == pointer or (whole and isinstance(value_at(data, whole), list)):
            yield whole
    else:
        items = value_at(data, before)
        for number in range(len(items)) if isinstance(items, list) else ():
            yield from expand_pointer(data, f"{before}/{number}/{after}")


def _text(value: Any) -> str | None:
    """Return a text, or the joined texts of a list of parts; None for anything else."""
    if isinstance(value, str):
        return value
    texts = [part["text"] for part in value if _is_text(part)] if isinstance(value, list) else []
    return _join(texts) if texts else None


def _join(texts: Sequence[str]) -> str:
    r"""
    Join the texts of parts; a sentence at the end of a part is separated from the next part.

    >>> _join(["It costs", " $9.", "It has shipped."])
    'It costs $9.\nIt has shipped.'
    """
    pairs = zip(texts, [*texts[1:], ""], strict=True)
    return "".join(
        f"{text}\n" if text[-1:] in _ENDS and following[:1].strip() else text
        for text, following in pairs
    )


def _is_text(part: Any) -> bool:
    return _kind(part) in _TEXT_PARTS and isinstance(part.get("text"), str)


def _kind(part: Any) -> str:
    """Return the type of a part: `text` without one, empty if it is not an object."""
    return str(part.get("type", "text")) if isinstance(part, Mapping) else ""


def _has_calls(data: Any, place: str) -> bool:
    """Return whether the message of a text has tool calls."""
    message, parts = place.rpartition("/")[0], value_at(data, place)
    if any(value_at(data, f"{message}/{name}") for name in ("tool_calls", "function_call")):
        return True
    kinds = (_kind(part) for part in parts) if isinstance(parts, list) else ()
    return any(kind in _CALL_PARTS for kind in kinds)


def _set(data: Any, pointer: str, text: str) -> None:
    """Replace an answer; in a list of parts, replace the first text and remove the others."""
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


def request_messages(
    body: bytes, pointers: Sequence[str], *, whole: bool
) -> Iterator[Mapping[str, Any]]:
    """
    Yield the messages of a request: those of the user, or all.

    Args:
        body: The body of the request, as JSON.
        pointers: JSON pointers to a text or a list of messages; the first match is used.
        whole: Whether messages of other roles are included.
    """
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return
    for pointer in pointers:
        value = value_at(data, pointer)
        if isinstance(value, str) and value.strip():
            yield {"role": "user", "content": value}
            return
        if isinstance(value, list):
            items = [item for item in value if isinstance(item, Mapping)]
            yield from (item for item in items if whole or item.get("role") == "user")
            return


def value_at(data: Any, pointer: str) -> Any:
    """Return the value at a JSON pointer; None if it is missing."""
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
