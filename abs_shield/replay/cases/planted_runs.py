"""Place a planted call in its run: after all earlier events, and before no later one."""

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
    Return the events before the call at *index*; with *after*, up to and including its result.

    Raises:
        ValueError: The run does not have this call.
    """
    events: list[Event] = []
    count = 0
    for event in turns(run.events):
        if not isinstance(event, Turn):
            events.append(event)
            continue
        for proposed, result in zip(event.proposals, event.results, strict=True):
            if count == index and not after:
                return events  # the planted call takes the place of this one
            events += [proposed] if result is None else [proposed, result]
            if count == index:
                return events
            count += 1
        events += event.rest
    raise ValueError(f"run {run.run_id} has {count} calls; call {index} does not exist")


def call_count(run: Run) -> int:
    """Return the number of calls that *run* proposes."""
    return sum(len(event.calls) for event in run.events if isinstance(event, Proposed))


def with_call(run: Run, events: Sequence[Event], call: Mapping[str, Any]) -> Run:
    """Return *run* with *call* as the next call after *events*, outside any session."""
    proposed = Proposed((ToolCall(call["name"], call.get("arguments"), "planted"),))
    # outside any session, so that a case changes no later run
    return replace(run, events=(*events, proposed), session_id=None)
