"""How often each check ran, counted as plain integers and read when metrics are exported."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from threading import Lock
from weakref import WeakKeyDictionary

from opentelemetry.metrics import (
    CallbackOptions,
    Meter,
    MeterProvider,
    Observation,
    get_meter_provider,
)

from abs_shield.core import Coverage
from abs_shield.telemetry import semconv


class CoverageCount:
    """Six counters a call would cost more than the call's whole judgement."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._counts: defaultdict[tuple[str, str], int] = defaultdict(int)

    def add(self, coverage: Mapping[str, Coverage]) -> None:
        """Count one decision's coverage."""
        counts = self._counts
        with self._lock:
            for check, entry in coverage.items():
                counts[check, entry[0]._value_] += 1

    def observe(self, options: CallbackOptions) -> Iterable[Observation]:
        """Give the sums so far, one for each check and outcome."""
        with self._lock:
            counts = dict(self._counts)
        for (check, outcome), count in counts.items():
            yield Observation(count, {semconv.LABEL_CHECK: check, semconv.LABEL_OUTCOME: outcome})


_counts: WeakKeyDictionary[MeterProvider, CoverageCount] = WeakKeyDictionary()
_lock = Lock()


def coverage_count(meter: Meter, provider: MeterProvider | None) -> CoverageCount:
    """Give the provider's one count: the SDK silently drops a second observer of one name."""
    key = get_meter_provider() if provider is None else provider
    with _lock:
        count = _counts.get(key)
        if count is None:
            count = _counts[key] = CoverageCount()
            meter.create_observable_counter(
                semconv.METRIC_COVERAGE,
                callbacks=[count.observe],
                unit="{check}",
                description="Checks by what became of them",
            )
    return count
