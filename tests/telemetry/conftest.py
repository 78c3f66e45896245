"""In-memory SDK providers for the telemetry tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from opentelemetry.sdk._logs import LoggerProvider, ReadableLogRecord
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from abs_shield.core import RAN, Action, Decision, Finding, Mode, Subject, Verdict
from abs_shield.telemetry import Otel

Decide = Callable[..., Decision]


@dataclass
class MemoryBackend:
    """An `Otel` hook and all telemetry that it exported."""

    tracers: TracerProvider
    meters: MeterProvider
    loggers: LoggerProvider
    spans_out: InMemorySpanExporter
    metrics_out: InMemoryMetricReader
    events_out: InMemoryLogRecordExporter

    def otel(self) -> Otel:
        return Otel(
            tracer_provider=self.tracers, meter_provider=self.meters, logger_provider=self.loggers
        )

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        return self.spans_out.get_finished_spans()

    @property
    def events(self) -> tuple[ReadableLogRecord, ...]:
        return self.events_out.get_finished_logs()

    def span(self, start: str = "abs_shield.check") -> ReadableSpan:
        (result,) = [span for span in self.spans if span.name.startswith(start)]
        return result

    def points(self, metric: str) -> list[Any]:
        data = self.metrics_out.get_metrics_data()
        return [
            point
            for resource in (data.resource_metrics if data else ())
            for scope in resource.scope_metrics
            for result in scope.metrics
            if result.name == metric
            for point in result.data.data_points
        ]

    def everything(self) -> str:
        data = self.metrics_out.get_metrics_data()
        parts = [span.to_json() for span in self.spans] + [e.to_json() for e in self.events]
        return "\n".join([*parts, data.to_json() if data else ""])


@pytest.fixture
def backend() -> Iterator[MemoryBackend]:
    spans, reader, events = (
        InMemorySpanExporter(),
        InMemoryMetricReader(),
        InMemoryLogRecordExporter(),
    )
    tracers = TracerProvider(shutdown_on_exit=False)
    tracers.add_span_processor(SimpleSpanProcessor(spans))
    loggers = LoggerProvider(shutdown_on_exit=False)
    loggers.add_log_record_processor(SimpleLogRecordProcessor(events))
    meters = MeterProvider([reader], shutdown_on_exit=False)
    yield MemoryBackend(tracers, meters, loggers, spans, reader, events)
    for provider in (tracers, meters, loggers):
        provider.shutdown()


@pytest.fixture
def finding() -> Callable[..., Finding]:
    def make(**changes: Any) -> Finding:
        fields: dict[str, Any] = {
            "check": "phantom_target",
            "verdict": Verdict.SUSPICIOUS,
            "strength": 0.95,
            "where": "/arguments/transaction_id",
            "detail": "tx_99999 was never seen",
            "code": "unseen_identifier",
        }
        return Finding(**(fields | changes))

    return make


@pytest.fixture
def decide() -> Decide:
    def make(*findings: Finding, **changes: Any) -> Decision:
        verdict = Verdict.worst(f.verdict for f in findings if f.weighs)
        fields: dict[str, Any] = {
            "id": "d-1",
            "subject": Subject.CALL,
            "tool": "refund",
            "verdict": verdict,
            "action": Action.ALLOW if verdict is Verdict.CLEAN else Action.FLAG,
            "mode": Mode.STRICT,
            "blocked": False,
            "would_block": False,
            "policy_revision": "4f1c",
            "at": 1_767_225_600.0,
            "elapsed_ms": 2.0,
            "findings": findings,
            "coverage": {"phantom_tool": RAN, "phantom_target": RAN},
            "session_id": "s-1",
            "call_id": "c-1",
        }
        return Decision(**(fields | changes))

    return make
