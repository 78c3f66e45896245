"""Decision logs are counted as long as they are referenced, and are not kept alive."""

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
def test_all_logs_are_summed_each_once(kind):
    """Also those of a class that cannot be referred to weakly."""
    logs, one, other = WatchedStores(), kind(waiting=1, dropped=2), kind(waiting=3, dropped=4)
    for log in (one, other, one):
        logs.watch(log)

    assert (4, 6) == (logs.waiting(), logs.dropped())


@pytest.mark.slow
def test_what_a_log_lost_stays_counted_when_it_is_gone():
    """A counter never goes back; the log itself is free."""
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
