"""What is taken out of a run before it is written to a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Redact = Callable[[dict[str, Any]], dict[str, Any] | None]
"""Takes a line as plain JSON data and gives what is written instead; None for nothing."""


def redacted(text: Callable[[str], str]) -> Redact:
    """
    Make a hook that changes every text of a line's messages, keys of objects included.

    Give equal texts equal replacements, or a replay finds targets that nobody mentioned. Roles,
    call ids, tools' names and numbers stay as they are.

    >>> hide = redacted(lambda text: text.replace("ann", "someone"))
    >>> hide({"messages": [{"role": "user", "content": "I am ann"}]})["messages"]
    [{'role': 'user', 'content': 'I am someone'}]
    """

    def changed(value: Any) -> Any:
        if isinstance(value, str):
            return text(value)
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
