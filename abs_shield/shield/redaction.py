"""What is taken out of a run before it is written to a file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")

Redact = Callable[[dict[str, Any]], dict[str, Any] | None]
"""Takes a line as plain JSON data and gives what is written instead; None for nothing."""


def redacted(text: Callable[[str], str]) -> Redact:
    """
    Make a hook that changes every text of a line's messages, keys of objects included.

    Give equal texts equal replacements, or a replay finds targets that nobody mentioned. JSON
    inside a text is taken apart, as its escapes could hide what is looked for. Roles, tools'
    names, numbers, and the ids of calls, sessions and runs stay as they are.

    >>> hide = redacted(lambda text: text.replace("ann", "someone"))
    >>> hide({"messages": [{"role": "user", "content": "I am ann"}]})["messages"]
    [{'role': 'user', 'content': 'I am someone'}]
    """

    def changed(value: Any) -> Any:
        if isinstance(value, str):
            held = _held(value)
            return text(_plain(value)) if held is None else json.dumps(changed(held))
        if isinstance(value, list):
            return [changed(item) for item in value]
        if isinstance(value, dict):
            return {text(key): changed(member) for key, member in value.items()}
        return value

    def call(shape: dict[str, Any]) -> dict[str, Any]:
        return {**shape, "arguments": changed(shape.get("arguments"))}

    def message(shape: dict[str, Any]) -> dict[str, Any]:
        made = dict(shape)
        if "content" in made:
            made["content"] = changed(made["content"])
        if "tool_calls" in made:
            made["tool_calls"] = [call(one) for one in made["tool_calls"]]
        return made

    def run(line: dict[str, Any]) -> dict[str, Any]:
        return {**line, "messages": [message(one) for one in line["messages"]]}

    return run


def _held(text: str) -> Any:
    """The object or list that a text with escapes is the JSON of; None for any other text."""
    if "\\" not in text or not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _plain(text: str) -> str:
    """A text without the escapes of broken JSON."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text) if "\\" in text else text
