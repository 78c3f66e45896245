"""The writer of run files for `abs-shield replay`; a session is appended when it is left."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from threading import RLock
from typing import IO, Any
from weakref import WeakKeyDictionary, WeakSet

from abs_shield.core import Decision, ToolCall
from abs_shield.core.events import Event, MessageText, Proposed, Returned
from abs_shield.core.fork_safety import renewed
from abs_shield.errors import StoreError
from abs_shield.policy import Tool
from abs_shield.session import Session
from abs_shield.session.event_log import LogEntry
from abs_shield.session.session_record import record_of
from abs_shield.shield.message_content import content_of
from abs_shield.shield.run_redaction import Redact, remove_tokens
from abs_shield.shield.tool_call_loop import feedback_text
from abs_shield.shield.tool_registry import Registry

logger = logging.getLogger("abs_shield")
_Call = tuple[str, str | None]
_MOST_UNWRITTEN = 10_000  # a full disk must not fill the memory with ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """
    The file for recorded runs, and the redaction of its lines.

    Args:
        path: The file; lines are appended.
        redact: Receives every line before it is written, and returns the line to write, e.g.
            `redacted`. Log-probabilities are reduced to the numbers of the tool names' tokens.
            With None, argument values and results are written as they are: keep the file private.
    """

    path: str | PathLike[str]
    redact: Redact | None = None


class Recorder:
    """
    Appends the new events of a session as one JSON line each time the session is left.

    A line is ``{run_id, session_id, tools, messages}``. Later lines of a session contain only its
    new events; a replay joins them by ``session_id``. An output that the quality cascade judged
    is a line of its own, with ``outputs``. ``"truncated": true`` means that messages before the
    first one of this line were dropped, because of the session's limits.

    If a write fails or a hook raises, the error is logged, and the events are written with the
    next line. Nothing is written unredacted.

    Raises:
        StoreError: The folder of the file does not exist, or the path is a folder.
    """

    def __init__(self, recording: Recording, registry: Registry) -> None:
        self._path = Path(recording.path)
        self._redact = recording.redact
        if not self._path.parent.is_dir():
            raise StoreError(f"cannot record to `{self._path}`: its folder does not exist")
        if self._path.is_dir():
            raise StoreError(f"cannot record to `{self._path}`: it is a folder; give a file")
        self._registry = registry
        self._lock = renewed(RLock())
        # Weak: recording must not keep sessions alive.
        self._written: WeakKeyDictionary[Session, int] = WeakKeyDictionary()
        self._reported: WeakKeyDictionary[Session, int] = WeakKeyDictionary()
        self._open: WeakSet[Session] = WeakSet()
        # Ids, because a session that could not be written may be gone at `close`.
        self._unwritten: set[str] = set()
        self._lost_outputs = 0

    def follow(self, session: Session) -> None:
        """Record *session* when it is left, or at `close` if it is never left."""
        record_of(session).add_closer(self)
        self._open.add(session)

    def close(self) -> bool:
        """Write the new events of every session; return whether the file has all records."""
        for session in list(self._open):
            self(session)
        return not (self._unwritten or self._lost_outputs)

    def __call__(self, session: Session) -> None:
        # A later write of the session repeats what an earlier one could not write.
        if self._write_logged(session, lambda: self._append(session)):
            self._unwritten.discard(session.id)
        elif len(self._unwritten) < _MOST_UNWRITTEN:
            self._unwritten.add(session.id)

    def append_output(self, session: Session, output: Mapping[str, Any]) -> None:
        """Append an output that the quality cascade judged as a line of its own."""
        line = {
            "run_id": session.run_id,
            "session_id": session.id,
            "tools": [],
            "messages": [],
            "outputs": [dict(output)],
        }
        if not self._write_logged(session, lambda: self._write(line)):
            self._lost_outputs += 1

    def _write_logged(self, session: Session, write: Callable[[], None]) -> bool:
        """Return whether *write* succeeded; log its error."""
        try:
            with self._lock:
                write()
            return True
        except Exception as error:
            kind = type(error).__name__
            logger.error(
                "abs_shield cannot record session %s to `%s`: %s",
                # An `OSError` names the file; the text of another exception may quote the run.
                session.id, self._path, error if isinstance(error, OSError) else kind,
            )  # fmt: skip
            return False

    def _append(self, session: Session) -> None:
        written = self._written.get(session)
        new = [entry for entry in session.entries() if entry.version > (written or 0)]
        if written is not None and not new:
            return
        run = self._run(session, new) | self._answers(session)
        # Versions have gaps only if the log's limits removed events.
        if new and new[0].version > (written or 0) + 1:
            run["truncated"] = True
        self._write(run)
        # After the write, so that a failed line is repeated with the next one.
        self._written[session] = new[-1].version if new else 0
        self._reported[session] = record_of(session).decisions.report_count

    def _write(self, run: Mapping[str, Any]) -> None:
        line: str | None = json.dumps(run, ensure_ascii=True, default=str)
        if self._redact is not None and line is not None:
            # Parsed again, so that a hook receives plain JSON and cannot change the session.
            changed = self._redact(remove_tokens(json.loads(line)))
            line = None if changed is None else json.dumps(changed, ensure_ascii=True)
        if line is not None:
            # "a" appends even if several processes write; "+" allows reading the last character.
            with open(self._path, "ab+", opener=_open_private) as file:
                begin = "\n" if _ends_with_partial_line(file) else ""
                file.write(f"{begin}{line}\n".encode())

    def _answers(self, session: Session) -> dict[str, Any]:
        """Return the answer reports that were not written yet, under the key ``answers``."""
        reports = session.answer_reports
        left = record_of(session).decisions.report_count - self._reported.get(session, 0)
        new = reports[max(0, len(reports) - left) :]
        return {"answers": [report.to_dict() for report in new]} if new else {}

    def _run(self, session: Session, new: list[LogEntry]) -> dict[str, Any]:
        withheld = _withheld_results(session)
        tools = self._registry.of(session)
        return {
            "run_id": session.run_id,
            "session_id": session.id,
            "tools": [_tool(name, entry.plan.tool) for name, entry in tools.items()],
            "messages": [
                message
                for entry in new
                for message in _messages(entry.event, withheld.get(entry.version))
            ],
        }


def _ends_with_partial_line(file: IO[bytes]) -> bool:
    """Return whether the file ends with the partial line of a failed write."""
    if not file.seek(0, os.SEEK_END):
        return False
    file.seek(-1, os.SEEK_END)
    return file.read(1) != b"\n"


def _open_private(path: str, flags: int) -> int:
    """Open a file; a new file can be read only by its owner."""
    return os.open(path, flags, 0o600)


def _tool(name: str, tool: Tool) -> Mapping[str, Any]:
    shape: dict[str, Any] = {"name": name, "description": tool.description}
    if tool.parameters is not None:
        shape["parameters"] = tool.parameters
    return shape


def _withheld_results(session: Session) -> dict[int, Decision]:
    """
    Return the decisions that withheld a result, by the log version of that result.

    The log contains only a missing value. Results are matched by call, from the newest to the
    oldest: ids may be missing or reused, and both lists evict the oldest first.
    """
    left: dict[_Call, list[Decision]] = {}
    for decision in session.result_decisions:
        left.setdefault((decision.tool, decision.call_id), []).append(decision)
    if not any(decision.blocked for each in left.values() for decision in each):
        return {}
    withheld = {}
    for entry in reversed([*session.entries()]):
        event = entry.event
        if not isinstance(event, Returned) or event.error:
            continue
        decisions = left.get((event.name, event.call_id))
        if decisions and (event.value is None or not decisions[-1].blocked):
            decision = decisions.pop()
            if decision.blocked:
                withheld[entry.version] = decision
    return withheld


def _messages(event: Event, withheld: Decision | None) -> Iterator[dict[str, Any]]:
    match event:
        case MessageText():
            yield {"role": event.role, "content": event.text}
        case Proposed():
            calls = [_call(call, event.decision_id) for call in event.calls]
            yield {"role": "assistant", "tool_calls": calls}
        case Returned():
            yield _tool_message(event, withheld)


def _tool_message(event: Returned, withheld: Decision | None) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "tool", "name": event.name}
    message["content"] = content_of(event.value) if withheld is None else feedback_text(withheld)
    if call_id := event.call_id or event.decision_id:
        message["tool_call_id"] = call_id
    if event.error:
        message["error"] = True
    return message


def _call(call: ToolCall, decision_id: str | None) -> dict[str, Any]:
    """Return a call as JSON; without an id, it has the id of its decision."""
    shape = {"id": call.id or decision_id, "name": call.name, "arguments": call.arguments}
    return shape if call.logprobs is None else {**shape, "logprobs": call.logprobs}
