"""The steps of a scripted session, written in a test or read from a recorded run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from os import PathLike, fspath
from typing import Any, NamedTuple

from abs_shield.core import ToolCall
from abs_shield.core.events import Event, MessageText, Opaque, Returned
from abs_shield.core.messages import UnreadableMessage, read_message
from abs_shield.errors import ShieldError
from abs_shield.replay.file_lines import BadLine, lines
from abs_shield.replay.recorded_turns import Turn, turns
from abs_shield.testing.decision_list import no_match_text
from abs_shield.text.safe_display import escaped, shown

Step = MessageText | ToolCall | Returned | Mapping[str, Any]
"""One step; a mapping is a message in any provider's shape."""


def user(text: str, /) -> Step:
    """
    Return a message of the user.

    Args:
        text: The message.
    """
    return MessageText("user", text)


def system(text: str, /) -> Step:
    """
    Return a system message.

    Args:
        text: The message.
    """
    return MessageText("system", text)


def assistant(text: str, /) -> Step:
    """
    Return a message of the agent to its user.

    Args:
        text: The message.
    """
    return MessageText("assistant", text)


def call(name: str, arguments: Any = None, /, **keywords: Any) -> Step:
    """
    Return a call of the model, with keyword arguments, an object, or the raw JSON string.

    Args:
        name: The name of the tool.
        arguments: An object, or the JSON text that the model wrote, which may be malformed.
        keywords: The arguments, instead of *arguments*.

    >>> call("refund", transaction_id="tx_1", amount=5).arguments
    {'transaction_id': 'tx_1', 'amount': 5}
    >>> call("refund", '{"amount": 5').arguments
    '{"amount": 5'

    Raises:
        TypeError: Both an object and keyword arguments are given.
    """
    if arguments is None:
        return ToolCall(name, keywords)
    if keywords:
        raise TypeError("`call` takes an object of arguments, or named ones, not both")
    return ToolCall(name, arguments)


def result(value: Any, /, *, error: bool = False) -> Step:
    """
    Return the result of the preceding call, whose registered function does not run.

    Args:
        value: What the tool returned: any JSON value.
        error: Whether the tool failed.
    """
    return Returned(name="", value=value, error=error)


class ScriptedCall(NamedTuple):
    """A call of the script itself; without a *result* its registered function runs."""

    call: ToolCall
    result: Returned | None


ScriptItem = ScriptedCall | Turn | MessageText | Returned | Opaque


def script_items(steps: Iterable[Step]) -> list[ScriptItem]:
    """
    Return the steps as items, each call joined with its result.

    Raises:
        UnreadableMessage: A step has an unknown shape, or a result follows no call.
    """
    items: list[ScriptItem] = []
    # messages in a row are read together, as the result of one may be in the next
    for is_message, group in groupby(enumerate(steps), lambda step: isinstance(step[1], Mapping)):
        numbered = [*group]
        items += _recorded_items(numbered) if is_message else _own_items(numbered)
    return items


def _recorded_items(messages: Sequence[tuple[int, Any]]) -> Iterator[ScriptItem]:
    """Return the turns of recorded messages, whose calls do not run again."""
    events: list[Event] = []
    for number, message in messages:
        try:
            events += read_message(message)
        except UnreadableMessage as error:
            raise UnreadableMessage(f"step {number}: {error}") from None
    return turns(events)


def _own_items(steps: Iterable[tuple[int, Any]]) -> Iterator[ScriptItem]:
    # a call waits for the next step, which may be its result
    call: ToolCall | None = None
    for number, step in steps:
        if isinstance(step, Returned):
            if call is None:
                raise UnreadableMessage(f"step {number}: `result(...)` follows no `call(...)`")
            yield ScriptedCall(call, step)
            call = None
            continue
        if call is not None:
            yield ScriptedCall(call, None)
        call = step if isinstance(step, ToolCall) else None
        if isinstance(step, MessageText):
            yield step
        elif call is None:
            raise UnreadableMessage(
                f"step {number} is {shown(step)}; give `user(...)`, `call(...)`, `result(...)` "
                "or a message"
            )
    if call is not None:
        yield ScriptedCall(call, None)


_Messages = list[dict[str, Any]]
_READABLE = "give a run file that can be read"
_HINTS = {
    FileNotFoundError: "give the path of a run file, as `Shield(record=...)` writes it",
    IsADirectoryError: "name a run file in it",
    PermissionError: "make it readable",
}


def recorded(path: str | PathLike[str], *, run_id: str | None = None) -> _Messages:
    """
    Read the messages of a run from a run file, plain or gzip: steps for `scripted`.

    Lines of one session are joined in the file's order.

    Args:
        path: A file of ``Shield(record=...)``, or any file that ``abs-shield replay`` reads.
        run_id: The run, if the file holds several.

    Raises:
        ShieldError: The file cannot be read, a line is not a run, or the file holds several runs
            and *run_id* does not select one.
    """
    messages_by_run: dict[str, _Messages] = {}
    for number, line in enumerate(_lines(fspath(path)), 1):
        if isinstance(line, BadLine):
            raise ShieldError(str(line))
        name, session, messages = _run(f"{fspath(path)}:{line[0]}", line[1])
        # lines without a session are separate runs, even if they have the same name
        key = name if run_id is not None else session or f"{number}: {name}"
        messages_by_run.setdefault(key, []).extend(messages if run_id in (None, name) else ())
    return _only_run(messages_by_run, fspath(path), run_id)


def _lines(path: str) -> Iterator[tuple[int, bytes] | BadLine]:
    try:
        yield from lines(path)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        hint = next((hint for kind, hint in _HINTS.items() if isinstance(error, kind)), _READABLE)
        raise ShieldError(f"{escaped(path, limit=400)}: {escaped(why)}; {hint}") from None


def _run(place: str, line: bytes) -> tuple[str, str, _Messages]:
    try:
        run = json.loads(line)
        messages = run["messages"]
        if not isinstance(messages, list):
            raise TypeError
        return str(run.get("run_id", "")), str(run.get("session_id") or ""), messages
    # RecursionError: a line nested too deeply for Python's parser
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ShieldError(f"{place}: a run is an object with a list of `messages`") from None


def _only_run(messages_by_run: dict[str, _Messages], path: str, run_id: str | None) -> _Messages:
    if run_id is not None and run_id not in messages_by_run:
        raise ShieldError(
            f"{escaped(path)}: {no_match_text('no run is named', run_id, messages_by_run)}"
        )
    # joining the runs would judge one by what the other has seen
    if run_id is None and len(messages_by_run) != 1:
        raise ShieldError(
            f"{escaped(path)} holds {len(messages_by_run)} runs; name one with `run_id=`"
        )
    return messages_by_run[next(iter(messages_by_run)) if run_id is None else run_id]
