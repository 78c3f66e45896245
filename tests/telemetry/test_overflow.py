"""A full queue drops further items, and reports it once."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any

import pytest
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import LogRecordExporter, LogRecordExportResult
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from abs_shield.telemetry.otel_setup import DroppingLogProcessor, DroppingSpanProcessor

MOST = 8


class Stuck:
    """An exporter that blocks until it is released."""

    def __init__(self, result: Any) -> None:
        self.result = result
        self.reached, self.go = Event(), Event()
        self.taken: list[Any] = []

    def export(self, batch: Sequence[Any]) -> Any:
        self.reached.set()
        self.go.wait(30)
        self.taken += batch
        return self.result

    def shutdown(self) -> None:
        self.go.set()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return True


class StuckSpans(Stuck, SpanExporter):
    """A blocked exporter of spans."""


class StuckEvents(Stuck, LogRecordExporter):
    """A blocked exporter of log records."""


@dataclass
class StuckExport:
    """A blocked exporter with functions to emit one item and to flush."""

    stuck: Stuck
    tell: Callable[[str], None]
    flush: Callable[[], bool]

    def fill(self, more: int) -> None:
        """Emit one item to block the exporter, fill the queue, and emit *more* beyond it."""
        self.tell("first")
        assert self.stuck.reached.wait(30)
        for i in range(MOST + more):
            self.tell(f"next {i}")


@pytest.fixture(autouse=True)
def small(monkeypatch: Any) -> None:
    for kind in ("BSP", "BLRP"):
        monkeypatch.setenv(f"OTEL_{kind}_MAX_QUEUE_SIZE", str(MOST))
        monkeypatch.setenv(f"OTEL_{kind}_MAX_EXPORT_BATCH_SIZE", "1")


@pytest.fixture
def spans() -> Iterator[StuckExport]:
    stuck = StuckSpans(SpanExportResult.SUCCESS)
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(DroppingSpanProcessor(stuck))
    tracer = provider.get_tracer("t")
    yield StuckExport(stuck, lambda name: tracer.start_span(name).end(), provider.force_flush)
    stuck.go.set()
    provider.shutdown()


@pytest.fixture
def events() -> Iterator[StuckExport]:
    stuck = StuckEvents(LogRecordExportResult.SUCCESS)
    provider = LoggerProvider(shutdown_on_exit=False)
    provider.add_log_record_processor(DroppingLogProcessor(stuck))
    logger = provider.get_logger("t")
    yield StuckExport(stuck, lambda name: logger.emit(event_name=name), provider.force_flush)
    stuck.go.set()
    provider.shutdown()


@pytest.mark.parametrize(("signal", "called"), [("spans", "spans"), ("events", "log records")])
def test_a_full_queue_logs_one_warning(request: Any, caplog: Any, signal: str, called: str) -> None:
    """A hundred dropped items are one warning of the package, and none of the SDK."""
    with caplog.at_level(logging.WARNING):
        request.getfixturevalue(signal).fill(100)

    messages = [(record.name, record.getMessage()) for record in caplog.records]
    assert [name for name, _ in messages] == ["abs_shield"]
    assert messages[0][1].startswith(f"the collector does not accept {called} fast enough")


@pytest.mark.parametrize("signal", ["spans", "events"])
def test_queued_items_are_exported_after_the_collector_recovers(request: Any, signal: str) -> None:
    """Items queued before and items emitted later are all exported."""
    message = request.getfixturevalue(signal)
    message.fill(5)
    message.stuck.go.set()
    message.flush()
    message.tell("later")
    message.flush()

    names = [
        getattr(item, "name", "") or item.log_record.event_name for item in message.stuck.taken
    ]
    assert names == ["first", *(f"next {i}" for i in range(MOST)), "later"]
