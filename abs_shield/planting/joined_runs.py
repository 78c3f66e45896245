"""Join the runs of one session into one run, and identify its right calls."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from abs_shield.backtest.call_labels import run_labels
from abs_shield.core.call_arguments import read_arguments
from abs_shield.core.digest import digest
from abs_shield.core.events import Event, Proposed, Returned
from abs_shield.core.label import Truth
from abs_shield.planting.run_text import RecordedCall, RunText
from abs_shield.policy import Tool
from abs_shield.replay.file_lines import BadLine
from abs_shield.replay.line_chunks import Chunk, SessionStart, readable_runs
from abs_shield.replay.planted_cases import set_aside
from abs_shield.replay.recorded_turns import Turn, turns
from abs_shield.replay.run_reader import Run
from abs_shield.replay.toolsets import Toolsets
from abs_shield.session.call_states import is_feedback
from abs_shield.text.failure_results import is_failure_result

FAILED = "the tool refused it"
BAD_RUN = "its run failed, or was attacked"
BAD_LABEL = "a label says that it is hallucinated"


@dataclass(frozen=True)
class Joined:
    """
    The runs of one session as one run, or a run without a session.

    Attributes:
        set_aside: The reason for each call that does not count as right, by index.
        path: The file of the first run.
        line: Its line, from 1.
    """

    run_id: str
    source: str
    toolset: str
    tools: Mapping[str, Tool]
    events: Sequence[Event]
    calls: Sequence[RecordedCall]
    set_aside: Mapping[int, str]
    path: str = ""
    line: int = 0

    @cached_property
    def run_text(self) -> RunText:
        """The text of the run."""
        return RunText(self.events, self.tools, self.calls)

    def right(self) -> Iterator[RecordedCall]:
        """Yield the right calls whose arguments are an object."""
        return (call for call in self.calls if call.right and call.arguments is not None)


def sessions(
    chunk: Chunk, toolsets: Toolsets, *, noted: list[BadLine | SessionStart]
) -> Iterator[Joined]:
    """
    Yield the sessions of a chunk, and the runs without a session.

    Args:
        chunk: Lines that do not split a session.
        toolsets: The toolsets that runs name.
        noted: Receives invalid lines, and the starts of sessions.
    """
    group: list[Run] = []
    begins = [False]
    for run in readable_runs(
        chunk, toolsets, notes=noted, forget=lambda: begins.__setitem__(0, True)
    ):
        if begins[0] and group:
            yield from _readable(group, noted)
            group = []
        begins[0] = False
        group.append(run)
    if group:
        yield from _readable(group, noted)


def _readable(runs: Sequence[Run], noted: list[BadLine | SessionStart]) -> Iterator[Joined]:
    try:
        yield join_runs(runs)
    except ValueError as error:
        noted.append(BadLine(runs[0].path, runs[0].line, str(error)))


def join_runs(runs: Sequence[Run]) -> Joined:
    """
    Return *runs* (one session in order, or one run) as one.

    Raises:
        ValueError: The labels of a run's calls cannot be read.
    """
    first = runs[0]
    tools = {tool.name: tool for run in runs for tool in run.tools}
    keys = dict.fromkeys(run.toolset for run in runs)
    calls: list[RecordedCall] = []
    reasons: dict[int, str] = {}
    events: list[Event] = []
    for run in runs:
        for call, why in _calls(run, start=len(calls), turn=len(events)):
            calls.append(call)
            if why:
                reasons[call.index] = why
        events += run.events
    return Joined(
        run_id=first.run_id,
        source=first.source,
        # runs of one session may have different toolsets
        toolset=first.toolset if len(keys) == 1 else _key(keys),
        tools=tools,
        events=events,
        calls=calls,
        set_aside=reasons,
        path=first.path,
        line=first.line,
    )


def _key(toolsets: Iterable[str]) -> str:
    return f"joined:{digest(json.dumps(list(toolsets)), size=16).hex()}"


def _calls(run: Run, *, start: int, turn: int) -> Iterator[tuple[RecordedCall, str]]:
    """Yield the calls of one run, each with the reason why it is not right; empty if it is."""
    hallucinated = {
        key[2] for key, (_, truth) in run_labels(run).by_key.items() if truth is Truth.HALLUCINATED
    }
    aside = set_aside(run)
    # such runs have wrong calls at unknown places
    bad = run.success is False or bool(run.labels.get("attack"))
    places = [
        place
        for place, event in enumerate(run.events)
        if isinstance(event, Proposed)
        for _ in event.calls
    ]
    for number, (proposed, result) in enumerate(_answered_calls(run)):
        call = proposed.calls[0]
        labelled = number in hallucinated or call.id in hallucinated
        why = BAD_RUN if bad else BAD_LABEL if labelled else ""
        if _has_failed(result) or number in aside:
            why = why or FAILED
        arguments = read_arguments(call.arguments)
        yield (
            RecordedCall(
                index=start + number,
                turn=turn + places[number],
                name=call.name,
                arguments=arguments if isinstance(arguments, dict) else None,
                result=result,
                right=not why,
            ),
            why,
        )


def _answered_calls(run: Run) -> Iterator[tuple[Proposed, Returned | None]]:
    for event in turns(run.events):
        if isinstance(event, Turn):
            yield from zip(event.proposals, event.results, strict=True)


def _has_failed(result: Returned | None) -> bool:
    if result is None:
        return False  # without a result nothing shows that it failed
    return result.error or is_failure_result(result.value) or is_feedback(result.value, "blocked")
