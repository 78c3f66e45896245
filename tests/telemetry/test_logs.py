"""Decision logs are counted while they are referenced, and the count keeps no log alive."""

from __future__ import annotations

import gc
from types import SimpleNamespace
from weakref import ref

import pytest

from abs_shield.telemetry.watched_stores import WatchedStores


class LogSample:
    def __init__(self, *, waiting: int, dropped: int) -> None:
        self.status = SimpleNamespace(waiting=waiting, dropped=dropped)


class Slotted:
    __slots__ = ("status",)

    def __init__(self, *, waiting: int, dropped: int) -> None:
        self.status = SimpleNamespace(waiting=waiting, dropped=dropped)


@pytest.mark.parametrize("kind", [LogSample, Slotted])
def test_each_log_is_counted_once(kind):
    """Logs of a class without weak references are counted as well."""
    logs, one, other = WatchedStores(), kind(waiting=1, dropped=2), kind(waiting=3, dropped=4)
    for log in (one, other, one):
        logs.watch(log)

    assert (4, 6) == (logs.waiting(), logs.dropped())


@pytest.mark.slow
def test_dropped_records_of_a_deleted_log_stay_counted():
    """The counter never decreases, and the log is garbage-collected."""
    logs, log = WatchedStores(), LogSample(waiting=1, dropped=2)
    logs.watch(log)
    assert 2 == logs.dropped()
    gone = ref(log)
    del log
    gc.collect()
    for _ in range(1_000):
        logs.watch(LogSample(waiting=0, dropped=0))
    gc.collect()

    assert (None, 0, 2) == (gone(), logs.waiting(), logs.dropped())
    assert logs.watched
    assert [] == logs._logs
