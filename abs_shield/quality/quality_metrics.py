"""OpenTelemetry metrics of the cascade, with one set of instruments per process."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from opentelemetry.metrics import CallbackOptions, Meter, Observation, get_meter

from abs_shield.core.fork_safety import renewed
from abs_shield.quality.calibration import false_positive_rate
from abs_shield.quality.quality_types import AgentOutput, QualityResult, StageOutcome, StageResult
from abs_shield.quality.trends import SeriesKey, Shift
from abs_shield.telemetry import semconv
from abs_shield.telemetry.decision_counters import clear_measurements, restart_in_children
from abs_shield.text.safe_display import escaped
from abs_shield.version import __version__

if TYPE_CHECKING:
    from abs_shield.quality.quality_pipeline import QualityPipeline

# from half a millisecond, as a stage without a model takes, to a judge's ten seconds
_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
# fine around 1 %, the default threshold
_PERCENT = (0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 25.0, 50.0, 75.0, 100.0)
# fine at the top, where nearly all scores are
_SCORES = (10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 75.0, 80.0, 85.0, 90.0, 95.0, 100.0)
_RAN = (StageOutcome.PASSED, StageOutcome.FAILED, StageOutcome.ERROR)
_NOT_CHECKED = (StageOutcome.UNAVAILABLE, StageOutcome.ERROR)
_LABELS_EVERY_S = 60.0
"""Seconds for which a rate from labels is cached, so that not every scrape reads the log."""
_MOST_SERIES = 200
"""Maximum number of combinations of agent, task type and model; further ones share one."""


class Metrics:
    """The metrics; their instruments are created at the first output."""

    def __init__(self) -> None:
        self._lock = renewed(Lock())
        self._pipelines: WeakSet[QualityPipeline] = WeakSet()
        self._cached_instruments: _Instruments | None = None
        self._series: set[SeriesKey] = set()
        self._rate: tuple[float, float | None] = (float("-inf"), None)
        restart_in_children(self)

    def restart(self) -> None:
        """Reset the measurements in a forked child."""
        if self._cached_instruments is not None:
            clear_measurements(vars(self._cached_instruments).values())

    def watch(self, pipeline: QualityPipeline) -> None:
        """Include a pipeline in the gauges; it is weakly referenced."""
        with self._lock:
            self._pipelines.add(pipeline)

    def record(self, result: QualityResult) -> None:
        """Record the result of an output."""
        self.record_stages(result.stages)
        instruments = self._instruments
        if result.held:
            instruments.blocks.add(1, {semconv.LABEL_REASON: result.held_by})
        if result.hallucination_score is not None:
            instruments.hallucination.record(result.hallucination_score)

    def record_stages(self, stages: Iterable[StageResult]) -> None:
        """Record the durations of stages and the costs of judges."""
        instruments = self._instruments
        for stage in stages:
            if stage.outcome in _RAN:
                seconds = stage.elapsed_ms / 1e3
                instruments.duration.record(seconds, {semconv.LABEL_STAGE: stage.name})
            if stage.outcome in _NOT_CHECKED:
                labels = {semconv.LABEL_STAGE: stage.name, semconv.LABEL_OUTCOME: stage.outcome}
                instruments.failures.add(1, labels)
            if stage.cost_usd:
                instruments.cost.add(stage.cost_usd)

    def record_score(self, output: AgentOutput, score: float) -> None:
        """Record the quality score of an output."""
        self._instruments.score.record(score, self._labels(SeriesKey.of(output)))

    def record_shift(self, shift: Shift) -> None:
        """Record a shift of a series of scores."""
        self._instruments.shifts.add(1, self._labels(shift.key))

    @property
    def _instruments(self) -> _Instruments:
        if self._cached_instruments is None:
            with self._lock:
                if self._cached_instruments is None:
                    self._cached_instruments = _Instruments(
                        get_meter("abs_shield.quality", __version__), self
                    )
        return self._cached_instruments

    def _labels(self, key: SeriesKey) -> dict[str, str]:
        with self._lock:
            if key not in self._series and len(self._series) >= _MOST_SERIES:
                key = SeriesKey(*[semconv.VALUE_OTHER] * 3)
            self._series.add(key)
        names = (semconv.LABEL_AGENT, semconv.LABEL_TASK_TYPE, semconv.LABEL_MODEL)
        return {name: escaped(part, limit=80) for name, part in zip(names, key, strict=True)}

    def averages(self, options: CallbackOptions) -> Iterator[Observation]:
        """Observe the moving average of each series of quality scores."""
        averages = {key: average for one in self._alive() for key, average in one.trends.averages()}
        for key, average in averages.items():
            yield Observation(average, self._labels(key))

    def dropped(self, options: CallbackOptions) -> Iterator[Observation]:
        """Observe the number of outputs dropped in the background."""
        yield Observation(sum(one.dropped for one in self._alive()))

    def false_positives(self, options: CallbackOptions) -> Iterator[Observation]:
        """Observe the share of false positives among labelled outputs; nothing without labels."""
        at, rate = self._rate
        if time.monotonic() - at > _LABELS_EVERY_S:
            rate = false_positive_rate(self._stores())
            self._rate = (time.monotonic(), rate)
        if rate is not None:
            yield Observation(rate)

    def _stores(self) -> list[Any]:
        # several pipelines may record in one log, which is read once
        shields = {id(one.shield): one.shield for one in self._alive() if one.shield is not None}
        return [shield.store for shield in shields.values()]

    def _alive(self) -> list[QualityPipeline]:
        with self._lock:
            return list(self._pipelines)


class _Instruments:
    """The instruments of one meter."""

    def __init__(self, meter: Meter, owner: Metrics) -> None:
        self.duration = meter.create_histogram(
            semconv.METRIC_STAGE_DURATION, unit="s", description="How long a stage took",
            explicit_bucket_boundaries_advisory=_SECONDS,
        )  # fmt: skip
        self.failures = meter.create_counter(
            semconv.METRIC_QUALITY_FAILURES,
            description="Stages that were unavailable or failed, by outcome",
        )
        self.blocks = meter.create_counter(
            semconv.METRIC_QUALITY_BLOCKS, description="Outputs that were held back, by reason"
        )
        self.hallucination = meter.create_histogram(
            semconv.METRIC_HALLUCINATION_SCORE, description="Hallucination score in percent",
            explicit_bucket_boundaries_advisory=_PERCENT,
        )  # fmt: skip
        self.score = meter.create_histogram(
            semconv.METRIC_QUALITY_SCORE, description="Quality score of sampled outputs, 0 to 100",
            explicit_bucket_boundaries_advisory=_SCORES,
        )  # fmt: skip
        self.shifts = meter.create_counter(
            semconv.METRIC_QUALITY_SHIFTS, description="Shifts of a series of quality scores"
        )
        self.cost = meter.create_counter(
            semconv.METRIC_JUDGE_COST, description="What judges cost, about, in US dollars"
        )
        meter.create_observable_gauge(
            semconv.METRIC_QUALITY_AVERAGE, callbacks=[owner.averages],
            description="Moving average of the quality score, 0 to 100",
        )  # fmt: skip
        meter.create_observable_counter(
            semconv.METRIC_QUALITY_DROPPED, callbacks=[owner.dropped],
            description="Outputs that were not judged or scored in the background",
        )  # fmt: skip
        meter.create_observable_gauge(
            semconv.METRIC_FALSE_POSITIVES, callbacks=[owner.false_positives],
            description="Share of false positives among labelled outputs that were held back",
        )  # fmt: skip


METRICS = Metrics()
"""The metrics of all pipelines of this process."""
