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
    Return a hook that changes every text in a line's messages and reports, including object keys.

    Replace equal texts equally, or a replay finds targets that were never mentioned. JSON
    inside a text is taken apart, as its escapes could hide what is looked for. Roles, tools'
    names, numbers, and the ids of calls, sessions and runs stay as they are. Of log-probabilities
    the numbers of the name's tokens stay: the other tokens spell the arguments.

    Args:
        text: Receives each text and returns it without what has to be hidden.

    >>> hide = redacted(lambda text: text.replace("ann", "someone"))
    >>> hide({"messages": [{"role": "user", "content": "I am ann"}]})["messages"]
    [{'role': 'user', 'content': 'I am someone'}]
    """

    def changed(value: Any) -> Any:
        if isinstance(value, str):
            # JSON inside a text: an escape such as `\u0061` would hide a name from the hook.
            decoded = _decoded(value)
            return (
                text(_without_escapes(value)) if decoded is None else json.dumps(changed(decoded))
            )
        if isinstance(value, list):
            return [changed(item) for item in value]
        if isinstance(value, dict):
            return {text(key): changed(member) for key, member in value.items()}
        return value

    def call(shape: dict[str, Any]) -> dict[str, Any]:
        return {**shape, "arguments": changed(shape.get("arguments"))}

    def message(shape: dict[str, Any]) -> dict[str, Any]:
        redacted_message = dict(shape)
        if "content" in redacted_message:
            redacted_message["content"] = changed(redacted_message["content"])
        if "tool_calls" in redacted_message:
            redacted_message["tool_calls"] = [call(one) for one in redacted_message["tool_calls"]]
        return redacted_message

    def run(line: dict[str, Any]) -> dict[str, Any]:
        redacted_run = {
            **line,
            "messages": [message(one) for one in without_tokens(line)["messages"]],
        }
        if "answers" in line:
            redacted_run["answers"] = [
                _redact_quotes(report, changed) for report in line["answers"]
            ]
        if "outputs" in line:
            redacted_run["outputs"] = [
                _redact_quotes(output, changed) for output in line["outputs"]
            ]
        return redacted_run

    return run


_QUOTES = frozenset({"text", "args", "errors", "claim", "original", "probe_answers"})
"""Members of an answer report that quote the answer, its evidence or a call."""


def _redact_quotes(part: Any, changed: Callable[[Any], Any]) -> Any:
    """Return a report with every quote in it changed."""
    if isinstance(part, list):
        return [_redact_quotes(item, changed) for item in part]
    if not isinstance(part, dict):
        return part
    return {
        key: changed(value) if key in _QUOTES else _redact_quotes(value, changed)
        for key, value in part.items()
    }


def without_tokens(line: dict[str, Any]) -> dict[str, Any]:
    """
    Return a line whose log-probabilities are only the numbers of each name's tokens.

    The tokens and bytes of a whole turn spell arguments and prose, whatever a hook takes out of
    these. A replay judges the numbers as it would have judged the tokens.
    """
    return {**line, "messages": [_message_without_tokens(one) for one in line["messages"]]}


def _message_without_tokens(message: dict[str, Any]) -> dict[str, Any]:
    if "tool_calls" not in message:
        return message
    calls = [
        {**call, "logprobs": _logprob_numbers(call)} if "logprobs" in call else call
        for call in message["tool_calls"]
    ]
    return {**message, "tool_calls": calls}


def _logprob_numbers(call: dict[str, Any]) -> Any:
    """Return the numbers; an invalid one becomes False, which is as invalid but reveals nothing."""
    try:
        numbers = name_logprobs(str(call.get("name")), call["logprobs"])
    except ValueError:
        return False
    if numbers is None:
        return None
    return [one if one is None or isinstance(one, (int, float)) else False for one in numbers]


def _decoded(text: str) -> Any:
    """Return the object or list of a JSON text with escapes; None for any other text."""
    # Without a backslash nothing is hidden, and the text itself is what is changed.
    if "\\" not in text or not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _without_escapes(text: str) -> str:
    """Return a text with the escapes of broken JSON decoded."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text) if "\\" in text else text
