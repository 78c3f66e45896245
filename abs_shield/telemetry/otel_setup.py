"""Setup of the OpenTelemetry SDK and its OTLP exporters from the standard `OTEL_*` variables."""

from __future__ import annotations

import atexit
import os
import time
from collections.abc import Iterator
from importlib import import_module
from threading import Lock
from typing import Any

from opentelemetry import _logs, metrics, trace
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider

from abs_shield.core.fork_safety import renewed
from abs_shield.errors import ShieldError
from abs_shield.telemetry.batch_processors import DroppingLogProcessor, DroppingSpanProcessor
from abs_shield.telemetry.provider_shutdown import ProviderShutdown
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import describe_exception, escaped

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
_WORDS = ("otlp", "console", "none")  # the values of the specification that this package serves
_PROTOCOLS = ("grpc", "http/protobuf")
_TIMEOUT_S = 5.0  # as for the decision log: a program must end although no collector answers


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
        # all begin before any is waited for, so that they share the time
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
            _telemetry = Telemetry() if _disabled() else _build()
            # by this function rather than the SDK's `shutdown_on_exit`, which has no time limit
            atexit.register(_telemetry.shutdown)
        return _telemetry


def _disabled() -> bool:
    return os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"


def _build() -> Telemetry:
    exporters = {signal: list(_exporters(signal)) for signal in _EXPORTERS}
    wanted: list[tuple[Any, Any, str]] = []
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        wanted.append((trace.set_tracer_provider, _traces, "traces"))
    # the API's own proxies are no SDK providers; the host has set none
    if not isinstance(metrics.get_meter_provider(), MeterProvider):
        wanted.append((metrics.set_meter_provider, _metrics, "metrics"))
    if not isinstance(_logs.get_logger_provider(), LoggerProvider):
        wanted.append((_logs.set_logger_provider, _events, "logs"))
    resource = Resource.create()
    try:
        # all are built before any is set: the API allows to set each only once
        built = [(use, make(resource, exporters[signal])) for use, make, signal in wanted]
    except Exception as error:
        raise ShieldError(
            f"the SDK rejects an OTEL_* variable: {describe_exception(error)}"
        ) from error
    for use, provider in built:
        use(provider)
    return Telemetry(tuple(provider for _, provider in built))


def _traces(resource: Resource, exporters: list[type[Any]]) -> TracerProvider:
    batches = [DroppingSpanProcessor(exporter()) for exporter in exporters]
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    for batch in batches:
        provider.add_span_processor(batch)
    return provider


def _metrics(resource: Resource, exporters: list[type[Any]]) -> MeterProvider:
    readers = [PeriodicExportingMetricReader(exporter()) for exporter in exporters]
    return MeterProvider(readers, resource, shutdown_on_exit=False)


def _events(resource: Resource, exporters: list[type[Any]]) -> LoggerProvider:
    batches = [DroppingLogProcessor(exporter()) for exporter in exporters]
    provider = LoggerProvider(resource, shutdown_on_exit=False)
    for batch in batches:
        provider.add_log_record_processor(batch)
    return provider


def _exporters(signal: str) -> Iterator[type[Any]]:
    variable = f"OTEL_{signal.upper()}_EXPORTER"
    for word in (os.environ.get(variable) or "otlp").split(","):
        kind = _validated(variable, word.strip().lower(), _WORDS)
        if kind == "none":
            continue
        module, name = _EXPORTERS[signal][_protocol(signal) if kind == "otlp" else kind]
        yield getattr(import_module(module), name)


def _protocol(signal: str) -> str:
    own = f"OTEL_EXPORTER_OTLP_{signal.upper()}_PROTOCOL"
    variable = own if os.environ.get(own) else "OTEL_EXPORTER_OTLP_PROTOCOL"
    return _validated(variable, (os.environ.get(variable) or "grpc").strip(), _PROTOCOLS)


def _validated(variable: str, word: str, supported: tuple[str, ...]) -> str:
    if word in supported:
        return word
    meant = nearest(word, supported)
    hint = f"; did you mean `{meant[0]}`?" if meant else ""
    raise ShieldError(f"{variable} is `{escaped(word)}`; use one of {', '.join(supported)}{hint}")
