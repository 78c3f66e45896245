"""Setup and shutdown of the OpenTelemetry SDK and its OTLP exporters, from `OTEL_*` variables."""

from __future__ import annotations

import atexit
import logging
import os
import time
from collections.abc import Iterator, Sized
from importlib import import_module
from threading import Event, Lock, Thread
from typing import Any

from opentelemetry import _logs, metrics, trace
from opentelemetry.sdk._logs import LoggerProvider, ReadWriteLogRecord
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from abs_shield.core.fork_safety import renewed
from abs_shield.errors import ShieldError
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import describe_exception, escaped

_LOGGER = logging.getLogger("abs_shield")
_SILENT_S = 60.0  # often enough to be noticed, without flooding the log if a collector is down


class QueueOverflow:
    """
    Detects a full queue, and logs it at most once a minute.

    The SDK itself drops the oldest item, and logs each drop on the calling thread, which takes a
    tenth of the time of a whole check.
    """

    def __init__(self, processor: Any, *, items: str) -> None:
        # private attributes: without them the queue looks empty, and the SDK drops items itself
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
        # no lock: a slightly low count is better than a delay of every call
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


class ProviderShutdown:
    """
    A thread that shuts one provider down on request.

    The thread is started on construction: early releases of Python 3.12 start none at exit.
    """

    def __init__(self, provider: Any) -> None:
        self._provider = provider
        self._requested = Event()
        self._finished = Event()
        self._thread = self._start_thread()

    def begin(self) -> None:
        """Start to shut the provider down."""
        self._requested.set()
        if self._thread.is_alive():
            return
        try:
            self._thread = self._start_thread()  # a forked child has only the forking thread
        # no new thread can be started this late: shut down without a time limit
        except RuntimeError:
            self._run()

    def wait(self, timeout_s: float) -> bool:
        """Wait for the shutdown; return whether it finished within *timeout_s* seconds."""
        return self._finished.wait(timeout_s)

    def _start_thread(self) -> Thread:
        thread = Thread(target=self._run, name="abs_shield-shutdown", daemon=True)
        thread.start()
        return thread

    def _run(self) -> None:
        self._requested.wait()
        try:
            self._provider.shutdown()
        # a provider that raises must not make the program wait for the whole time limit
        finally:
            self._finished.set()


_GRPC = "opentelemetry.exporter.otlp.proto.grpc"
_HTTP = "opentelemetry.exporter.otlp.proto.http"
_EXPORTERS = {
    "traces": {
        "grpc": (f"{_GRPC}.trace_exporter", "OTLPSpanExporter"),
        "http/protobuf": (f"{_HTTP}.trace_exporter", "OTLPSpanExporter"),
        "console": ("opentelemetry.sdk.trace.export", "ConsoleSpanExporter"),
    },
    "metrics": {
        "grpc": (f"{_GRPC}.metric_exporter", "OTLPMetricExporter"),
        "http/protobuf": (f"{_HTTP}.metric_exporter", "OTLPMetricExporter"),
        "console": ("opentelemetry.sdk.metrics.export", "ConsoleMetricExporter"),
    },
    "logs": {
        "grpc": (f"{_GRPC}._log_exporter", "OTLPLogExporter"),
        "http/protobuf": (f"{_HTTP}._log_exporter", "OTLPLogExporter"),
        "console": ("opentelemetry.sdk._logs.export", "ConsoleLogRecordExporter"),
    },
}
_WORDS = ("otlp", "console", "none")  # the values of the specification that are supported
_PROTOCOLS = ("grpc", "http/protobuf")
_TIMEOUT_S = 5.0  # as for the decision log: a program must end even if no collector answers


class Telemetry:
    """
    The providers that `setup` created; providers set by the host are not included.

    Args:
        providers: Providers of the OpenTelemetry SDK.
    """

    def __init__(self, providers: tuple[Any, ...] = ()) -> None:
        self.providers = providers
        self._shutdowns = [ProviderShutdown(provider) for provider in providers]
        self._lock = renewed(Lock())
        self._closed = False

    def shutdown(self, *, timeout_s: float = _TIMEOUT_S) -> bool:
        """
        Export pending data and stop, within *timeout_s* seconds even if no collector answers.

        A second call does not wait.

        Args:
            timeout_s: How long to wait, in seconds.

        Returns:
            Whether all providers are shut down.
        """
        with self._lock:
            first, self._closed = not self._closed, True
        until = time.monotonic() + (timeout_s if first else 0.0)
        # all are started before any is waited for, so that they share the time limit
        for shutdown in self._shutdowns if first else ():
            shutdown.begin()
        return all(
            [shutdown.wait(max(0.0, until - time.monotonic())) for shutdown in self._shutdowns]
        )


_lock = renewed(Lock())
_telemetry: Telemetry | None = None


def setup() -> Telemetry:
    """
    Set the global providers for traces, metrics and logs; a second call changes nothing.

    A provider that the host has already set is not replaced. With ``OTEL_SDK_DISABLED=true``
    nothing is created.

    Raises:
        ShieldError: An ``OTEL_*`` variable has an unknown exporter or protocol, or a value that
            the SDK rejects; no provider is set then.
    """
    global _telemetry
    with _lock:
        if _telemetry is None:
            _telemetry = Telemetry() if _is_disabled() else _build()
            # rather than the SDK's `shutdown_on_exit`, which has no time limit
            atexit.register(_telemetry.shutdown)
        return _telemetry


def _is_disabled() -> bool:
    return os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"


def _build() -> Telemetry:
    exporters = {signal: list(_exporters(signal)) for signal in _EXPORTERS}
    missing: list[tuple[Any, Any, str]] = []
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        missing.append((trace.set_tracer_provider, _tracer_provider, "traces"))
    # the API's default is a proxy, not a provider of the SDK: the host has not set one
    if not isinstance(metrics.get_meter_provider(), MeterProvider):
        missing.append((metrics.set_meter_provider, _meter_provider, "metrics"))
    if not isinstance(_logs.get_logger_provider(), LoggerProvider):
        missing.append((_logs.set_logger_provider, _logger_provider, "logs"))
    resource = Resource.create()
    try:
        # all are built before any is set: the API allows each to be set only once
        built = [(use, make(resource, exporters[signal])) for use, make, signal in missing]
    except Exception as error:
        raise ShieldError(
            f"the SDK rejects an OTEL_* variable: {describe_exception(error)}"
        ) from error
    for use, provider in built:
        use(provider)
    return Telemetry(tuple(provider for _, provider in built))


def _tracer_provider(resource: Resource, exporters: list[type[Any]]) -> TracerProvider:
    batches = [DroppingSpanProcessor(exporter()) for exporter in exporters]
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    for batch in batches:
        provider.add_span_processor(batch)
    return provider


def _meter_provider(resource: Resource, exporters: list[type[Any]]) -> MeterProvider:
    readers = [PeriodicExportingMetricReader(exporter()) for exporter in exporters]
    return MeterProvider(readers, resource, shutdown_on_exit=False)


def _logger_provider(resource: Resource, exporters: list[type[Any]]) -> LoggerProvider:
    batches = [DroppingLogProcessor(exporter()) for exporter in exporters]
    provider = LoggerProvider(resource, shutdown_on_exit=False)
    for batch in batches:
        provider.add_log_record_processor(batch)
    return provider


def _exporters(signal: str) -> Iterator[type[Any]]:
    variable = f"OTEL_{signal.upper()}_EXPORTER"
    for word in (os.environ.get(variable) or "otlp").split(","):
        kind = _validate(variable, word.strip().lower(), _WORDS)
        if kind == "none":
            continue
        module, name = _EXPORTERS[signal][_protocol(signal) if kind == "otlp" else kind]
        yield getattr(import_module(module), name)


def _protocol(signal: str) -> str:
    own = f"OTEL_EXPORTER_OTLP_{signal.upper()}_PROTOCOL"
    variable = own if os.environ.get(own) else "OTEL_EXPORTER_OTLP_PROTOCOL"
    return _validate(variable, (os.environ.get(variable) or "grpc").strip(), _PROTOCOLS)


def _validate(variable: str, word: str, supported: tuple[str, ...]) -> str:
    if word in supported:
        return word
    meant = nearest(word, supported)
    hint = f"; did you mean `{meant[0]}`?" if meant else ""
    raise ShieldError(f"{variable} is `{escaped(word)}`; use one of {', '.join(supported)}{hint}")
