"""Parsing of tools' results in messages: values, errors, and images that only the model sees."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from abs_shield.core.call_parsing import id_of
from abs_shield.core.events import Opaque, Returned
from abs_shield.core.message_parts import (
    TEXT_BLOCKS,
    UNSEEN,
    has_members,
    kind_of,
    mapping_of,
    require_body,
)

RESULT_BLOCKS = frozenset({"tool_result", "function_call_output", "custom_tool_call_output"})
"""Types of the blocks that hold a result."""
_UNSEEN_BLOCKS = frozenset(
    {"image", "image_url", "input_image", "document", "input_file", "audio", "input_audio"}
)
_UNSEEN_CONTENT = frozenset({"source", "data", "image_url", "file_id", "file_data", "input_audio"})


def read_tool_message(message: Mapping[str, Any], at: float | None) -> Returned:
    """Return the result in a message of role ``tool`` or ``function``."""
    require_body(message)
    call_id = message.get("tool_call_id") or message.get("call_id")
    error = is_failed(message)
    content = message.get("content")
    # Some hosts put the error in a member of its own, without content.
    if error and content in (None, "") and isinstance(message.get("error"), str):
        content = message["error"]
    return Returned(
        name=str(message.get("name") or ""),
        value=_value(content),
        call_id=id_of(call_id),
        error=error,
        at=at,
    )


def read_result_block(block: Mapping[str, Any], at: float | None) -> Returned:
    """Return the result in a block of a message, or in an item of a response."""
    call_id = block.get("tool_use_id") or block.get("call_id")
    return Returned(
        name=str(block.get("name") or ""),
        value=_value(block.get("content", block.get("output"))),
        call_id=id_of(call_id),
        error=is_failed(block),
        at=at,
    )


def find_unseen_parts(content: Any, at: float | None) -> Iterator[Opaque]:
    """Yield an event for each image and file of a result, which only the model can see."""
    for part in content if isinstance(content, (list, tuple)) else ():
        if not isinstance(part, Mapping) or _UNSEEN_CONTENT.isdisjoint(part.keys()):
            continue
        if (kind := kind_of(part)) in _UNSEEN_BLOCKS or kind in UNSEEN:
            yield Opaque(f"a tool result holds a block of type {kind}", at)


def decode_json(value: Any) -> Any:
    """Return the object or list that a JSON string contains; any other *value* unchanged."""
    # Only objects and lists: a text such as "007" is an id, not the number 7.
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def is_failed(message: Mapping[str, Any]) -> bool:
    """Return whether a tool message says that the call failed."""
    error = message.get("error")
    status = message.get("is_error") is True or message.get("isError") is True
    return status or error is True or (isinstance(error, str) and bool(error))


def _value(content: Any) -> Any:
    """Return a result's value, with text blocks joined and JSON strings decoded."""
    if isinstance(content, (list, tuple)) and content:
        parts = [mapping_of(part, "block") for part in content if has_members(part)]
        # Blocks with an image or another part among them are returned unchanged.
        if len(parts) == len(content) and all(kind_of(part) in TEXT_BLOCKS for part in parts):
            return decode_json("\n".join(str(part.get("text") or "") for part in parts))
    return decode_json(content)
