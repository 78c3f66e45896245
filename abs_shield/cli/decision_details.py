"""The details of a decision, collected from the log and from the run around it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, Self

from abs_shield.cli.input_warnings import render_line
from abs_shield.core import Decision, Subject, ToolCall
from abs_shield.core.events import Event, Proposed, Returned
from abs_shield.core.label import Label
from abs_shield.core.messages import read_message
from abs_shield.replay.file_lines import BadLine, read_record
from abs_shield.replay.line_chunks import RawLine, raw_lines
from abs_shield.replay.replay_counts import blocking_layers
from abs_shield.replay.run_reader import UNREADABLE, reason_of
from abs_shield.stores.durable_store import DurableStore
from abs_shield.stores.record_bodies import Skipped

_BEFORE, _AFTER = 6, 4  # the question and the calls that led to it, and the reaction
"""Messages before and after the one in question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """
    Messages of a recorded run, around a call or at the end of the run.

    Attributes:
        path: The run file.
        line: The line of the message in question, from 1.
        run_id: The run, as the file names it.
        messages: The messages as they were recorded.
        place: Index of the message with the call, from 0; None if the call is not in the run.
        matches: Number of calls with this id and name; more than one if ids repeat.
        arguments: The call's recorded arguments.
        result: The recorded result of the call; None without one.
        output: The text of the judged output; None for other subjects.
    """

    path: str
    line: int
    run_id: str
    messages: tuple[Any, ...] = ()
    place: int | None = None
    matches: int = 0
    arguments: Any = None
    result: Any = None
    output: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the excerpt as JSON-able data."""
        return asdict(self)


@dataclass(slots=True)
class _RunMessage:
    """A recorded message with its file, line and run."""

    path: str
    line: int
    run_id: str
    message: Any

    def events(self) -> list[Event]:
        with suppress(*UNREADABLE):
            return [*read_message(self.message)]
        return []


class Excerpts:
    """
    Run files that are searched for decisions.

    Attributes:
        bad_lines: Number of unreadable lines about the decision; each is printed.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = tuple(paths)
        self.bad_lines = 0

    def around(self, decision: Decision, *, call_ids: Iterable[str]) -> Excerpt | None:
        """
        Return the messages around a decision's call, result or answer; None without its run.

        Args:
            decision: The decision.
            call_ids: The possible ids of its call in the file.

        Raises:
            OSError: A file cannot be read.
        """
        lines = [*self._lines_of(decision)]
        if decision.subject is Subject.OUTPUT:
            return _output(lines, decision)
        messages = [*_messages(lines, decision)]
        if not messages:
            return None
        if decision.subject is Subject.ANSWER:
            return _ending(messages)
        return _around(messages, decision, {*call_ids}) or _ending(messages)

    def _lines_of(self, decision: Decision) -> Iterator[tuple[RawLine, dict[str, Any]]]:
        """Yield the lines of the decision's session or run with their records."""
        ids = {one for one in (decision.session_id, decision.run_id) if one}
        # searched as bytes, because parsing every line of a large file takes minutes
        words = [json.dumps(one)[1:-1].encode() for one in ids]
        for line in raw_lines(self.paths):
            if isinstance(line, BadLine):
                self._report(line)
                continue
            # the first line shows whether the file is a run file
            has_id = line.number == 1 or any(word in line.data for word in words)
            if not has_id and b"\\u" not in line.data:  # an id may be written with escapes
                continue
            try:
                record = read_record(line.data)
            except UNREADABLE as error:
                if has_id:
                    self._report(BadLine(line.path, line.number, reason_of(error)))
                continue
            if _is_of(record, decision):
                yield line, record

    def _report(self, line: BadLine) -> None:
        self.bad_lines += 1
        print(render_line(line), file=sys.stderr)


def _is_of(record: Mapping[str, Any], decision: Decision) -> bool:
    pairs = (("session_id", decision.session_id), ("run_id", decision.run_id))
    return any(value and str(record.get(name)) == value for name, value in pairs)


def _messages(
    lines: Iterable[tuple[RawLine, dict[str, Any]]], decision: Decision
) -> Iterator[_RunMessage]:
    """Yield the messages of a session; for an answer, up to the line with its report."""
    for line, record in lines:
        messages = record.get("messages")
        for message in messages if isinstance(messages, list) else ():
            yield _RunMessage(line.path, line.number, str(record.get("run_id") or ""), message)
        if decision.subject is Subject.ANSWER and _answers(record, decision):
            return


def _answers(record: Mapping[str, Any], decision: Decision) -> bool:
    reports = record.get("answers")
    return isinstance(reports, list) and any(
        isinstance(one, Mapping) and one.get("run_id") == decision.run_id for one in reports
    )


def _output(lines: Iterable[tuple[RawLine, dict[str, Any]]], decision: Decision) -> Excerpt | None:
    for line, record in lines:
        outputs = record.get("outputs")
        for one in outputs if isinstance(outputs, list) else ():
            if isinstance(one, Mapping) and one.get("decision_id") == decision.id:
                run_id, text = str(record.get("run_id") or ""), str(one.get("text", ""))
                return Excerpt(path=line.path, line=line.number, run_id=run_id, output=text)
    return None


def _ending(messages: list[_RunMessage]) -> Excerpt:
    last = messages[-1]
    shown = tuple(one.message for one in messages[-_BEFORE:])
    return Excerpt(path=last.path, line=last.line, run_id=last.run_id, messages=shown)


def _around(messages: list[_RunMessage], decision: Decision, ids: set[str]) -> Excerpt | None:
    candidates = [
        (place, call)
        for place, one in enumerate(messages)
        for call in _calls(one)
        if call.name == decision.tool
    ]
    matches = [(place, call) for place, call in candidates if call.id in ids]
    matches = matches or _without_id(candidates, messages, decision)
    if not matches:
        return None
    same_run = [match for match in matches if messages[match[0]].run_id == decision.run_id]
    place, call = (same_run or matches)[0]
    first = max(0, place - _BEFORE)
    one = messages[place]
    return Excerpt(
        path=one.path,
        line=one.line,
        run_id=one.run_id,
        messages=tuple(each.message for each in messages[first : place + 1 + _AFTER]),
        place=place - first,
        matches=len(same_run or matches),
        arguments=call.arguments,
        result=_result(messages[place + 1 :], call),
    )


def _without_id(
    candidates: list[tuple[int, ToolCall]], messages: list[_RunMessage], decision: Decision
) -> list[tuple[int, ToolCall]]:
    """Return the only call of the run with the decision's tool, if neither has an id."""
    matches = [
        (place, call)
        for place, call in candidates
        if not (call.id or decision.call_id) and messages[place].run_id == decision.run_id
    ]
    # of several calls without an id, a wrong one could be shown
    return matches if len(matches) == 1 else []


def _calls(recorded: _RunMessage) -> Iterator[ToolCall]:
    for event in recorded.events():
        if isinstance(event, Proposed):
            yield from event.calls


def _result(later: Iterable[_RunMessage], call: ToolCall) -> Any:
    """Return the first result with the call's id; without an id, with its name."""
    for one in later:
        for event in one.events():
            if not isinstance(event, Returned) or event.call_id != call.id:
                continue
            if call.id or event.name == call.name:
                return event.value
    return None


_AROUND = 5  # calls before and after: what led to it, and what followed


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionDetails:
    """
    A decision with its context.

    Attributes:
        decision: The decision.
        labels: All its labels, oldest first; the last one applies.
        before: Decisions before it in its session, in the order of the log.
        after: Decisions after it in its session.
        report: The report of an answer; None for other subjects, or if the log has none.
        excerpt: The surrounding part of the run; None if no run file has it.
        reads_runs: Whether run files were read.
    """

    decision: Decision
    labels: tuple[Label, ...] = ()
    before: tuple[Decision, ...] = ()
    after: tuple[Decision, ...] = ()
    report: dict[str, Any] | None = None
    excerpt: Excerpt | None = None
    reads_runs: bool = False

    @classmethod
    def of(
        cls,
        decision: Decision,
        store: DurableStore,
        *,
        excerpts: Excerpts | None,
        skipped: Skipped | None = None,
    ) -> Self:
        """
        Collect the details of a decision.

        Args:
            decision: The decision.
            store: Its log.
            excerpts: The run files to search; None for none.
            skipped: Called with each unreadable record near it; None to raise instead.

        Raises:
            StoreError: The log, or a record without *skipped*, cannot be read.
            OSError: A run file cannot be read.
        """
        before, after = store.around(decision.id, most=_AROUND, skipped=skipped)
        excerpt = None
        if excerpts is not None:
            excerpt = excerpts.around(decision, call_ids=_call_ids(decision, before))
        is_answer = decision.subject is Subject.ANSWER
        return cls(
            decision=decision,
            labels=tuple(store.labels_of(decision.id, skipped=skipped)),
            before=tuple(before),
            after=tuple(after),
            report=store.report(decision.id, skipped=skipped) if is_answer else None,
            excerpt=excerpt,
            reads_runs=excerpts is not None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the details as JSON-able data."""
        decision = self.decision
        return {
            "decision": decision.to_dict(),
            "to_blame": sorted(blocking_layers(decision)),
            "labels": [label.to_dict() for label in self.labels],
            "session": {
                "before": [_entry(one) for one in self.before],
                "after": [_entry(one) for one in self.after],
            },
            "feedback": decision.feedback(),
            "report": self.report,
            "run": None if self.excerpt is None else self.excerpt.to_dict(),
        }


def _call_ids(decision: Decision, before: list[Decision]) -> Iterator[str]:
    """
    Yield the ids that the call may have in a run file.

    A call without an id is recorded under its decision's id. A result has another decision,
    which follows that of its call.
    """
    if decision.call_id:
        yield decision.call_id
    elif decision.subject is Subject.RESULT:
        calls = (one for one in reversed(before) if one.subject is Subject.CALL)
        yield from (one.id for one in [*calls][:1] if one.tool == decision.tool)
    else:
        yield decision.id


_ENTRY = ("id", "at", "subject", "tool", "call_id", "verdict", "action", "blocked", "would_block")


def _entry(decision: Decision) -> dict[str, Any]:
    return {name: getattr(decision, name) for name in _ENTRY}
