"""The redaction of a run before it is written to a file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from abs_shield.core.logprobs import name_logprobs

_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")

Redact = Callable[[dict[str, Any]], dict[str, Any] | None]
"""Takes a line as JSON data and returns the line to write; None to write nothing."""


def redacted(text: Callable[[str], str]) -> Redact:
    """
    Return a hook that redacts every text in a line's messages and reports, including object keys.

    Equal texts must be replaced equally, or a replay finds targets that were never mentioned.
    JSON inside a text is parsed first, because its escapes could hide what should be redacted.
    Roles, tool names, numbers, and the ids of calls, sessions and runs stay unchanged.
    Log-probabilities are reduced to the numbers of the tool name's tokens, because the other
    tokens spell the arguments.

    Args:
        text: Receives each text and returns the redacted text.

    >>> hide = redacted(lambda text: text.replace("ann", "someone"))
    >>> hide({"messages": [{"role": "user", "content": "I am ann"}]})["messages"]
    [{'role': 'user', 'content': 'I am someone'}]
    """
    return _Redaction(text).redact_run


class _Redaction:
    """
    Redaction of the texts in a line of a run file.

    Args:
        text: Receives each text and returns the redacted text.
    """

    def __init__(self, text: Callable[[str], str]) -> None:
        self._text = text

    def redact_run(self, line: dict[str, Any]) -> dict[str, Any]:
        """Return a line with its messages, answers and outputs redacted."""
        messages = [self._redact_message(one) for one in remove_tokens(line)["messages"]]
        redacted_run = {**line, "messages": messages}
        for name in ("answers", "outputs"):
            if name in line:
                redacted_run[name] = [_redact_quotes(one, self._redact_value) for one in line[name]]
        return redacted_run

    def _redact_message(self, shape: dict[str, Any]) -> dict[str, Any]:
        redacted_message = dict(shape)
        if "content" in shape:
            redacted_message["content"] = self._redact_value(shape["content"])
        if "tool_calls" in shape:
            redacted_message["tool_calls"] = [self._redact_call(one) for one in shape["tool_calls"]]
        return redacted_message

    def _redact_call(self, shape: dict[str, Any]) -> dict[str, Any]:
        return {**shape, "arguments": self._redact_value(shape.get("arguments"))}

    def _redact_value(self, value: Any) -> Any:
        if isinstance(value, str):
            # In JSON, an escape such as `\u0061` would hide a name from the hook.
            decoded = _decode_json(value)
            if decoded is None:
                return self._text(_decode_escapes(value))
            return json.dumps(self._redact_value(decoded))
        if isinstance(value, list):
            return [self._redact_value(item) for item in value]
        if isinstance(value, dict):
            return {self._text(key): self._redact_value(member) for key, member in value.items()}
        return value


_QUOTES = frozenset({"text", "args", "errors", "claim", "original", "probe_answers"})
"""Members of an answer report that quote the answer, its evidence or a call."""


def _redact_quotes(part: Any, redact: Callable[[Any], Any]) -> Any:
    """Return a report with redacted quotes."""
    if isinstance(part, list):
        return [_redact_quotes(item, redact) for item in part]
    if not isinstance(part, dict):
        return part
    return {
        key: redact(value) if key in _QUOTES else _redact_quotes(value, redact)
        for key, value in part.items()
    }


def remove_tokens(line: dict[str, Any]) -> dict[str, Any]:
    """
    Return a line whose log-probabilities are only the numbers of each tool name's tokens.

    The tokens and bytes of a turn spell its arguments and prose, which a hook may have redacted.
    A replay judges the numbers like the tokens.
    """
    return {**line, "messages": [_remove_message_tokens(one) for one in line["messages"]]}


def _remove_message_tokens(message: dict[str, Any]) -> dict[str, Any]:
    if "tool_calls" not in message:
        return message
    calls = [
        {**call, "logprobs": _logprob_numbers(call)} if "logprobs" in call else call
        for call in message["tool_calls"]
    ]
    return {**message, "tool_calls": calls}


def _logprob_numbers(call: dict[str, Any]) -> Any:
    """Return the numbers; an invalid one becomes False, which is invalid as well."""
    try:
        numbers = name_logprobs(str(call.get("name")), call["logprobs"])
    except ValueError:
        return False
    if numbers is None:
        return None
    return [one if one is None or isinstance(one, (int, float)) else False for one in numbers]


def _decode_json(text: str) -> Any:
    """Return the object or list of a JSON text with escapes; None for any other text."""
    # Without a backslash there are no escapes, and the text itself is redacted.
    if "\\" not in text or not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _decode_escapes(text: str) -> str:
    """Return a text that is not valid JSON with its escapes decoded."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text) if "\\" in text else text
