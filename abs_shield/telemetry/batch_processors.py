"""Batch processors that drop items cheaply when the queue is full."""

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
_SILENT_S = 60.0  # often enough to notice, and no flood while a collector is down for hours


class QueueOverflow:
    """
    Detects a full queue, and logs it once a minute.

    The SDK itself drops the oldest item and writes a log record for each on the calling thread,
    which takes a tenth of the time of a whole check.
    """

    def __init__(self, processor: Any, *, items: str) -> None:
        # private attributes: without them the queue looks empty, and the SDK drops in its own way
        batches = getattr(processor, "_batch_processor", None)
        self._queue: Sized = getattr(batches, "_queue", ())
        self._most = getattr(batches, "_max_queue_size", 1)
        self._items = items
        self._dropped = 0
        self._silent_until = 0.0

    def is_full(self) -> bool:
        """Return whether the queue is full; if so, count a dropped item."""
        if len(self._queue) < self._most:
            return False
        # without a lock: a count that is slightly low is better than waiting in every call
        self._dropped += 1
        now = time.monotonic()
        if now >= self._silent_until:
            self._silent_until = now + _SILENT_S
            _LOGGER.warning(
                "the collector does not accept %s fast enough: %d dropped so far; check that "
                "OTEL_EXPORTER_OTLP_ENDPOINT is reachable",
                self._items,
                self._dropped,
            )
        return True


class DroppingSpanProcessor(BatchSpanProcessor):
    """The SDK's batch span processor, which drops new spans when its queue is full."""

    def __init__(self, exporter: Any) -> None:
        super().__init__(exporter)
        self._overflow = QueueOverflow(self, items="spans")

    def on_end(self, span: ReadableSpan) -> None:
        """Queue an ended span, if there is room."""
        if not self._overflow.is_full():
            super().on_end(span)


class DroppingLogProcessor(BatchLogRecordProcessor):
    """The SDK's batch log processor, which drops new records when its queue is full."""

    def __init__(self, exporter: Any) -> None:
        super().__init__(exporter)
        self._overflow = QueueOverflow(self, items="log records")

    def on_emit(self, log_record: ReadWriteLogRecord) -> None:
        """Queue a log record, if there is room."""
        if not self._overflow.is_full():
            super().on_emit(log_record)
