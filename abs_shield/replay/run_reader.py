"""Read run files: one recorded run per line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from abs_shield.core.events import Event
from abs_shield.core.messages import read_message
from abs_shield.policy import Tool
from abs_shield.replay.file_lines import BadLine, lines, read_record
from abs_shield.replay.toolsets import Toolsets
from abs_shield.text.safe_display import escaped, shown

# errors of hostile or broken JSON
UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError)
"""Errors raised for an invalid line of a run file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """
    One recorded run.

    Attributes:
        run_id: The id in the file, else the file and line.
        session_id: Runs of one session share their history; None for a run without a session.
        tools: The tools it could call; empty if unknown.
        toolset: The key of these tools; equal keys mean equal tools.
        messages: The messages as recorded.
        events: The parsed messages.
        labels: Labels of the run; `success` is true, false or null.
        source: The source named in the file, else the file's name.
        path: The file.
        line: Its line, from 1.
    """

    run_id: str
    session_id: str | None
    tools: tuple[Tool, ...]
    toolset: str
    messages: tuple[Any, ...]
    events: tuple[Event, ...]
    labels: Mapping[str, Any]
    source: str
    path: str
    line: int

    @property
    def success(self) -> bool | None:
        """True if the run succeeded; None if unknown."""
        success = self.labels.get("success")
        return success if isinstance(success, bool) else None  # other values are no outcome


def runs(
    paths: Iterable[str],
    toolsets: Toolsets,
    *,
    on_bytes: Callable[[int], object] | None = None,
) -> Iterator[Run | BadLine]:
    """
    Yield each run of each file; an invalid line as a `BadLine`.

    Raises:
        OSError: A file cannot be opened or read.
    """
    for path in paths:
        for line in lines(path, on_bytes=on_bytes):
            yield line if isinstance(line, BadLine) else read_run(path, *line, toolsets)


def session_of(line: bytes) -> str | None:
    """
    Return the session that a line names, even if the line is not a valid run.

    >>> session_of(b'{"session_id": 7}'), session_of(b"no JSON")
    ('7', None)
    """
    if b"session_id" not in line and b"\\u" not in line:  # a key may be written with escapes
        return None
    try:
        return _id(read_record(line).get("session_id"))
    except UNREADABLE:  # the line cannot be parsed
        return None


def read_run(path: str, number: int, line: bytes, toolsets: Toolsets) -> Run | BadLine:
    """Parse one line of a file; an invalid line becomes a `BadLine`."""
    try:
        record = read_record(line)
        toolset, tools = toolsets.of(record)
        messages = _messages(record)
        source = record.get("source")
        return Run(
            run_id=_id(record.get("run_id")) or f"{path}:{number}",
            session_id=_id(record.get("session_id")),
            tools=tools,
            toolset=toolset,
            messages=messages,
            events=tuple(_events(messages)),
            labels=_labels(record),
            # the name without folders, as it is printed
            source=source if isinstance(source, str) and source else PurePath(path).name,
            path=path,
            line=number,
        )
    except UNREADABLE as error:
        return BadLine(path, number, reason_of(error))


def _messages(record: Mapping[str, Any]) -> tuple[Any, ...]:
    if "messages" not in record:
        raise ValueError("there are no `messages`")
    messages = record["messages"]
    if not isinstance(messages, list):
        raise ValueError(f"`messages` is {shown(messages)}; give a list")
    return tuple(messages)


def _events(messages: Iterable[Any]) -> Iterator[Event]:
    for place, message in enumerate(messages):
        try:
            yield from read_message(message)
        except UNREADABLE as error:
            raise ValueError(f"message {place}: {reason_of(error)}") from None


def _labels(record: Mapping[str, Any]) -> Mapping[str, Any]:
    labels = record.get("labels")
    return labels if isinstance(labels, dict) else {}


def _id(value: Any) -> str | None:
    return None if value is None or value == "" else str(value)


def reason_of(error: Exception) -> str:
    """Return the reason why a line is invalid, in one line."""
    if isinstance(error, RecursionError):
        return "the line is nested too deeply"
    return escaped(str(error), limit=300)
