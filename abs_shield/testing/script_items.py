"""Conversion of a script's steps to the items that are played in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from abs_shield.core import ToolCall
from abs_shield.core.events import Event, MessageText, Opaque, Returned
from abs_shield.core.messages import UnreadableMessage, read_message
from abs_shield.replay.recorded_turns import Turn, turns
from abs_shield.testing.script_steps import Step
from abs_shield.text.safe_display import shown


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
