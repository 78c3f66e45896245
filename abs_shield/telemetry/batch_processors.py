"""Batches whose queue, once it is full, costs the calling thread next to nothing."""

from __future__ import annotations

import logging
import time
from collections.abc import Sized
from typing import Any

from opentelemetry.sdk._logs import ReadWriteLogRecord
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor

_LOGGER = logging.getLogger("abs_shield")
_SILENT_S = 60.0


class QueueOverflow:
    """
    What a full queue does: it takes nothing more, and says so once a minute.

    The SDK's own drops the oldest and makes a log record of each, on the thread that calls; that
    is a tenth of a whole check.
    """

    def __init__(self, processor: Any, *, of: str) -> None:
        batches = getattr(processor, "_batch_processor", None)
        self._queue: Sized = getattr(batches, "_queue", ())
        self._most = getattr(batches, "_max_queue_size", 1)
        self._of = of
        self._dropped = 0
        self._silent_until = 0.0

    def full(self) -> bool:
        """Whether there is no room for one more."""
        if len(self._queue) < self._most:
            return False
        self._dropped += 1
        now = time.monotonic()
        if now >= self._silent_until:
            self._silent_until = now + _SILENT_S
            _LOGGER.warning(
                "the collector does not take %s fast enough: %d dropped so far; see whether "
                "OTEL_EXPORTER_OTLP_ENDPOINT answers",
                self._of,
                self._dropped,
            )
        return True


class SpanBatches(BatchSpanProcessor):
    """The SDK's batches of spans, with our overflow."""

    def __init__(self, exporter: Any) -> None:
        super().__init__(exporter)
        self._overflow = QueueOverflow(self, of="spans")

    def on_end(self, span: ReadableSpan) -> None:
        """Take a span that has ended, where there is room."""
        if not self._overflow.full():
            super().on_end(span)


class EventBatches(BatchLogRecordProcessor):
    """The SDK's batches of log records, with our overflow."""

    def __init__(self, exporter: Any) -> None:
        super().__init__(exporter)
        self._overflow = QueueOverflow(self, of="log records")

    def on_emit(self, log_record: ReadWriteLogRecord) -> None:
        """Take a log record, where there is room."""
        if not self._overflow.full():
            super().on_emit(log_record)
