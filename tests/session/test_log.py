"""The log is append-only, versioned and bounded."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield.core import ToolCall
from abs_shield.core.events import MessageText, Opaque, Proposed, Returned
from abs_shield.session.event_log import EventLog


def log_of(limit: int, *texts: str) -> EventLog:
    log = EventLog(limit)
    for text in texts:
        log.append(MessageText("user", text))
    return log


def texts(log: EventLog) -> list[str]:
    return [entry.event.text for entry in log if isinstance(entry.event, MessageText)]


def test_versions_count_every_event() -> None:
    """Each event has the version after it, from 1."""

    assert [entry.version for entry in log_of(10_000, "a", "b", "c")] == [1, 2, 3]


def test_the_oldest_events_are_dropped() -> None:
    """Beyond its limit the log has only the newest events."""
    log = log_of(1_000, *(f"{n}" + "x" * 200 for n in range(10)))

    assert ([t[0] for t in texts(log)], log.is_truncated, log.version) == (
        ["7", "8", "9"],
        True,
        10,
    )


def test_within_the_limit_nothing_is_dropped() -> None:
    """A log within its limit is not truncated."""
    log = log_of(1_000, "a", "b")

    assert (texts(log), log.is_truncated) == (["a", "b"], False)


def test_newest_returns_the_last_events() -> None:
    """Zero events are none, and a larger number than there are returns all."""
    log = EventLog(1_000)
    for word in ("a", "b"):
        log.append(MessageText("user", word))

    counts = {most: [event.text for event in log.newest(most)] for most in (-1, 0, 1, 9)}
    assert {-1: [], 0: [], 1: ["b"], 9: ["a", "b"]} == counts


def test_the_newest_event_is_kept_whole() -> None:
    """An event above the limit is stored while it is the newest, and the others are dropped."""
    log = log_of(100, "a", "x" * 1_000)

    assert (len(log), log.is_truncated) == (1, True)


CYCLE: list[Any] = []
CYCLE.append(CYCLE)


@pytest.mark.parametrize(
    "value",
    [
        "x" * 5_000,
        ["x" * 50] * 100,
        {"k" * 50 + str(n): n for n in range(100)},
        {"a": {"b": ["x" * 5_000]}},
        list(range(1_000)),
        [[]] * 1_000,
        [{}] * 1_000,
        CYCLE,
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_large_result_counts(value: Any) -> None:
    """A large result of any type makes the log drop older events."""
    log = log_of(3_000, "a")
    log.append(Returned(name="f", value=value))

    assert (len(log), log.is_truncated) == (1, True)


def test_arguments_count() -> None:
    """The arguments of proposed calls count towards the limit."""
    log = log_of(3_000, "a")
    log.append(Proposed((ToolCall("f", "x" * 5_000),)))

    assert (len(log), log.is_truncated) == (1, True)


def test_many_small_events_are_bounded() -> None:
    """Empty events count as well, so their number is bounded."""
    log = EventLog(6_400)
    for _ in range(1_000):
        log.append(Opaque(""))

    assert (len(log), log.version) == (100, 1_000)


def test_reading_while_writing() -> None:
    """An iteration yields the events that the log had when it began."""
    log = log_of(10_000, "a", "b")
    count = 0
    for _ in log:
        log.append(MessageText("user", "c"))
        count += 1

    assert (count, len(log)) == (2, 4)
