"""Counters of decisions and checks, read on export, and their reset in forked children."""

from __future__ import annotations

import os
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterable, Mapping
from functools import partial
from threading import Lock
from typing import Any, Protocol
from weakref import WeakSet, ref

from opentelemetry.metrics import (
    CallbackOptions,
    Meter,
    MeterProvider,
    Observation,
    get_meter_provider,
)

from abs_shield.core import Coverage
from abs_shield.core.fork_safety import renewed
from abs_shield.telemetry import semconv
from abs_shield.telemetry.watched_stores import WatchedStore, WatchedStores
from abs_shield.text.safe_display import escaped


class Restartable(Protocol):
    """Counters or instruments of one meter."""

    def restart(self) -> None:
        """Reset all measurements."""
        ...


_MEASURING: WeakSet[Restartable] = WeakSet()


def restart_in_children(measuring: Restartable) -> None:
    """Reset *measuring* in every forked child; it is weakly referenced."""
    _MEASURING.add(measuring)


def clear_measurements(instruments: Iterable[Any]) -> None:
    """
    Clear the SDK's aggregated data of these instruments, so that it is not exported again.

    The SDK has no API for this; if its internals are named differently, nothing happens.
    """
    for instrument in instruments:
        real = getattr(instrument, "_real_instrument", None) or instrument
        consumer = getattr(real, "_measurement_consumer", None)
        for storage in getattr(consumer, "_reader_storages", {}).values():
            matches = getattr(storage, "_instrument_view_instrument_matches", {})
            for match in matches.get(real, ()):
                getattr(match, "_attributes_aggregation", {}).clear()


def _restart_all() -> None:
    for measuring in [*_MEASURING]:  # a copy: a restart may run the garbage collector
        measuring.restart()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_restart_all)


_MOST_WAITING = 256  # a lock taken once per 256 decisions costs a call almost nothing
_MOST_CHECKS = 300
"""Maximum number of check and outcome pairs: a custom layer may have any name."""
_MOST_SERIES = 20_000
"""Maximum number of series of checks by outcome and tool: each is exported once a minute."""

Labels = tuple[tuple[str, str | bool], ...]
Observer = Generator[Iterable[Observation], CallbackOptions, None]


class DecisionCounters:
    """
    Counts decisions and checks for observable instruments.

    Seven SDK counters would cost more per call than evaluating the call.

    Attributes:
        has_reader: Whether an SDK reads the counters; without one nothing is counted.
    """

    def __init__(self) -> None:
        self.has_reader = False
        self._lock = renewed(Lock())
        # appending to a deque is atomic, so a call takes no lock
        self._waiting: deque[tuple[Labels, Mapping[str, Coverage], str]] = deque()
        self._decisions: defaultdict[Labels, int] = defaultdict(int)
        self._checks: defaultdict[tuple[str, str, str], int] = defaultdict(int)
        self._outcomes: set[tuple[str, str]] = set()
        self._logs = WatchedStores()
        self._instruments: list[Any] = []
        restart_in_children(self)

    def restart(self) -> None:
        """Reset the counters in a forked child."""
        self._waiting.clear()
        self._decisions.clear()
        self._checks.clear()
        self._logs.restart()
        # or the child would report the parent's decisions as its own
        clear_measurements(self._instruments)

    def watch(self, log: WatchedStore) -> None:
        """Report the lost and the waiting decisions of a decision log from now on."""
        with self._lock:
            self._logs.watch(log)

    def add(self, labels: Labels, coverage: Mapping[str, Coverage], *, tool: str) -> None:
        """Count one decision and the outcomes of its checks; the sums are updated in batches."""
        self._waiting.append((labels, coverage, tool))
        if len(self._waiting) >= _MOST_WAITING:
            with self._lock:
                self._add_waiting()

    def _add_waiting(self) -> None:
        waiting, checks = self._waiting, self._checks
        while waiting:
            labels, coverage, tool = waiting.popleft()
            self._decisions[labels] += 1
            for check, entry in coverage.items():
                # read by position and without the property `value`, for speed: this runs for every
                # check of every call
                key = (check, entry[0]._value_, tool)
                if key not in checks:  # only a new series is compared with the limits
                    key = self._bounded_key(*key)
                checks[key] += 1

    def _bounded_key(self, check: str, outcome: str, tool: str) -> tuple[str, str, str]:
        """Return the key of a new series; beyond the limits, the name is `_other`."""
        pair = (check, outcome)
        if pair not in self._outcomes and len(self._outcomes) >= _MOST_CHECKS:
            check = semconv.VALUE_OTHER
        else:
            self._outcomes.add(pair)
        return check, outcome, tool if len(self._checks) < _MOST_SERIES else semconv.VALUE_OTHER

    def observe(self, meter: Meter) -> None:
        """Register observable instruments; an SDK that is set later reads them from then on."""
        self._instruments += [
            meter.create_observable_counter(
                semconv.METRIC_DECISIONS,
                callbacks=[self._observations(self._observe_decisions)],
                unit="{decision}",
                description="Decisions taken",
            ),
            meter.create_observable_counter(
                semconv.METRIC_COVERAGE,
                callbacks=[self._observations(self._observe_coverage)],
                unit="{check}",
                description="Checks by outcome",
            ),
            meter.create_observable_counter(
                semconv.METRIC_LOG_DROPPED,
                callbacks=[self._observations(self._observe_dropped)],
                unit="{decision}",
                description="Decisions that the decision log lost",
            ),
            meter.create_observable_gauge(
                semconv.METRIC_LOG_WAITING,
                callbacks=[self._observations(self._observe_waiting)],
                unit="{decision}",
                description="Decisions that wait for the decision log",
            ),
        ]

    def _observations(self, read: Callable[[], list[Observation]]) -> Observer:
        """Yield observations; only an SDK starts this generator, the bare API never does."""
        # reached only when an SDK reads the counters; until then decisions are not counted
        self.has_reader = True
        observations: list[Observation] = []
        while True:
            yield observations
            observations = read()

    def _observe_decisions(self) -> list[Observation]:
        with self._lock:
            self._add_waiting()
            decisions = dict(self._decisions)
        return [Observation(count, dict(labels)) for labels, count in decisions.items()]

    def _observe_dropped(self) -> list[Observation]:
        with self._lock:
            # no series without a log: a constant 0 would look like a log that loses nothing
            return [Observation(self._logs.dropped())] if self._logs.watched else []

    def _observe_waiting(self) -> list[Observation]:
        with self._lock:
            return [Observation(self._logs.waiting())] if self._logs.watched else []

    def _observe_coverage(self) -> list[Observation]:
        with self._lock:
            self._add_waiting()
            checks = dict(self._checks)
        return [
            Observation(
                count,
                {
                    semconv.ATTRIBUTE_CHECK: escaped(check),
                    semconv.ATTRIBUTE_OUTCOME: outcome,
                    semconv.ATTRIBUTE_TOOL: tool,
                },
            )
            for (check, outcome, tool), count in checks.items()
        ]


_counts: dict[int, tuple[Callable[[], MeterProvider | None], DecisionCounters]] = {}
"""By the id of the provider, because not every provider is hashable: Logfire's is not."""
_global: DecisionCounters | None = None
_lock = renewed(Lock())


def counters_for(meter: Meter, provider: MeterProvider | None) -> DecisionCounters:
    """
    Return the counters of a provider.

    Each provider has one, because the SDK silently drops a second observer of the same name. The
    global provider keeps its counters if the SDK is set between two calls.
    """
    global _global
    current = get_meter_provider()
    key = current if provider is None else provider
    with _lock:
        reference, counters = _counts.get(id(key), (None, None))
        # the id of a deleted provider may belong to another one
        if reference is None or reference() is not key:
            counters = _global if key is current else None
        if counters is None:
            counters = DecisionCounters()
            counters.observe(meter)
        _counts[id(key)] = (_reference(key), counters)
        if key is current:
            _global = counters
    return counters


def _reference(provider: MeterProvider) -> Callable[[], MeterProvider | None]:
    """Return a weak reference to the provider; a strong one if it does not support weak ones."""
    try:
        return ref(provider, partial(_forget, id(provider)))
    except TypeError:
        return lambda: provider


def _forget(key: int, gone: ref[MeterProvider]) -> None:
    """Remove the counters of a deleted provider; another one may have its id by now."""
    entry = _counts.get(key)
    if entry is not None and entry[0] is gone:
        del _counts[key]
