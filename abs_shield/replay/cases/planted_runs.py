"""Puts a planted call into its run: with all that happened before it, and nothing after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.core.events import Event, Proposed
from abs_shield.replay.recorded_turns import Turn, turns
from abs_shield.replay.runs import Run


def before_call(run: Run, index: int, *, after: bool) -> list[Event]:
    """
    Return the events before the call at *index*; with *after* its result is the last of them.

    Raises:
        ValueError: The run has no such call.
    """
    events: list[Event] = []
    count = 0
    for event in turns(run.events):
        if not isinstance(event, Turn):
            events.append(event)
            continue
        for proposed, result in zip(event.proposals, event.results, strict=True):
            if count == index and not after:
                return events
            events += [proposed] if result is None else [proposed, result]
            if count == index:
                return events
            count += 1
        events += event.rest
    raise ValueError(f"run {run.run_id} has {count} calls; call {index} is none of them")


def call_count(run: Run) -> int:
    """Return the number of calls that *run* proposes."""
    return sum(len(event.calls) for event in run.events if isinstance(event, Proposed))


def with_call(run: Run, events: Sequence[Event], call: Mapping[str, Any]) -> Run:
    """Return *run* as it would be with *call* as the next one after *events*; it stands alone."""
    proposed = Proposed((ToolCall(call["name"], call.get("arguments"), "planted"),))
    return replace(run, events=(*events, proposed), session_id=None)
