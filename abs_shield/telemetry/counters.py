"""Decisions and checks, counted as plain integers that are read when metrics are exported."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterable, Mapping
from functools import partial
from threading import Lock
from typing import Any
from weakref import ref

from opentelemetry.metrics import (
    CallbackOptions,
    Meter,
    MeterProvider,
    Observation,
    get_meter_provider,
)

from abs_shield.core import Coverage
from abs_shield.core.forked import renewed
from abs_shield.telemetry import semconv
from abs_shield.telemetry.measurements import forget_measurements, restart_in_children
from abs_shield.telemetry.watched_stores import WatchedStore, WatchedStores
from abs_shield.text.show import escaped

_MOST_WAITING = 256
_MOST_CHECKS = 300
"""Checks by outcome; a layer of the user's may have any name."""
_MOST_SERIES = 20_000
"""Checks by outcome and tool."""

Labels = tuple[tuple[str, str | bool], ...]
Observer = Generator[Iterable[Observation], CallbackOptions, None]


class DecisionCounters:
    """
    Seven counters a call would cost more than the call's whole judgement.

    Attributes:
        heard: Whether there is an SDK that will read them; without one nothing is counted.
    """

    def __init__(self) -> None:
        self.heard = False
        self._lock = renewed(Lock())
        self._waiting: deque[tuple[Labels, Mapping[str, Coverage], str]] = deque()
        self._decisions: defaultdict[Labels, int] = defaultdict(int)
        self._checks: defaultdict[tuple[str, str, str], int] = defaultdict(int)
        self._outcomes: set[tuple[str, str]] = set()
        self._logs = WatchedStores()
        self._instruments: list[Any] = []
        restart_in_children(self)

    def restart(self) -> None:
        """Forget in a forked child what its parent counted."""
        self._waiting.clear()
        self._decisions.clear()
        self._checks.clear()
        self._logs.restart()
        forget_measurements(self._instruments)

    def watch(self, log: WatchedStore) -> None:
        """Tell from now on how many decisions a decision log lost, and how many wait for it."""
        with self._lock:
            self._logs.watch(log)

    def add(self, labels: Labels, coverage: Mapping[str, Coverage], *, tool: str) -> None:
        """Count one decision, and what became of its checks, now or a little later."""
        self._waiting.append((labels, coverage, tool))
        if len(self._waiting) >= _MOST_WAITING:
            with self._lock:
                self._sum()

    def _sum(self) -> None:
        waiting, checks = self._waiting, self._checks
        while waiting:
            labels, coverage, tool = waiting.popleft()
            self._decisions[labels] += 1
            for check, entry in coverage.items():
                key = (check, entry[0]._value_, tool)
                if key not in checks:
                    key = self._bounded(*key)
                checks[key] += 1

    def _bounded(self, check: str, outcome: str, tool: str) -> tuple[str, str, str]:
        """Return the key of a series that is new; past so many the rest shares one name."""
        pair = (check, outcome)
        if pair not in self._outcomes and len(self._outcomes) >= _MOST_CHECKS:
            check = semconv.VALUE_OTHER
        else:
            self._outcomes.add(pair)
        return check, outcome, tool if len(self._checks) < _MOST_SERIES else semconv.VALUE_OTHER

    def observe(self, meter: Meter) -> None:
        """Have *meter* read both sums; an SDK that comes later reads them from then on."""
        self._instruments += [
            meter.create_observable_counter(
                semconv.METRIC_DECISIONS,
                callbacks=[self._observer(self._decided)],
                unit="{decision}",
                description="Decisions taken",
            ),
            meter.create_observable_counter(
                semconv.METRIC_COVERAGE,
                callbacks=[self._observer(self._covered)],
                unit="{check}",
                description="Checks by outcome",
            ),
            meter.create_observable_counter(
                semconv.METRIC_LOG_DROPPED,
                callbacks=[self._observer(self._dropped)],
                unit="{decision}",
                description="Decisions that the decision log lost",
            ),
            meter.create_observable_gauge(
                semconv.METRIC_LOG_WAITING,
                callbacks=[self._observer(self._kept_waiting)],
                unit="{decision}",
                description="Decisions that wait for the decision log",
            ),
        ]

    def _observer(self, read: Callable[[], list[Observation]]) -> Observer:
        """An SDK starts an observer when it takes the instrument in; the bare API never does."""
        self.heard = True
        told: list[Observation] = []
        while True:
            yield told
            told = read()

    def _decided(self) -> list[Observation]:
        with self._lock:
            self._sum()
            decisions = dict(self._decisions)
        return [Observation(count, dict(labels)) for labels, count in decisions.items()]

    def _dropped(self) -> list[Observation]:
        with self._lock:
            return [Observation(self._logs.dropped())] if self._logs.watched else []

    def _kept_waiting(self) -> list[Observation]:
        with self._lock:
            return [Observation(self._logs.waiting())] if self._logs.watched else []

    def _covered(self) -> list[Observation]:
        with self._lock:
            self._sum()
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
"""By the id of a provider, which may compare and hash as it likes: Logfire's cannot be hashed."""
_global: DecisionCounters | None = None
_lock = renewed(Lock())


def counters_for(meter: Meter, provider: MeterProvider | None) -> DecisionCounters:
    """
    Return the provider's one count: the SDK silently drops a second observer of one name.

    The global provider's is one also where the SDK is set between two calls.
    """
    global _global
    current = get_meter_provider()
    key = current if provider is None else provider
    with _lock:
        held, found = _counts.get(id(key), (None, None))
        if held is None or held() is not key:
            found = _global if key is current else None
        if found is None:
            found = DecisionCounters()
            found.observe(meter)
        _counts[id(key)] = (_held(key), found)
        if key is current:
            _global = found
    return found


def _held(provider: MeterProvider) -> Callable[[], MeterProvider | None]:
    """Return what gives the provider as long as it lives; for ever, where it takes no reference."""
    try:
        return ref(provider, partial(_forget, id(provider)))
    except TypeError:
        return lambda: provider


def _forget(key: int, gone: ref[MeterProvider]) -> None:
    """Let go of the count of a provider that is gone; another one may have its id by now."""
    held = _counts.get(key)
    if held is not None and held[0] is gone:
        del _counts[key]
