"""Requests at a receiver: their bytes in a folder, and their contents."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

REQUESTS = {
    "traces": trace_service_pb2.ExportTraceServiceRequest,
    "metrics": metrics_service_pb2.ExportMetricsServiceRequest,
    "logs": logs_service_pb2.ExportLogsServiceRequest,
}
RESPONSES = {
    "traces": trace_service_pb2.ExportTraceServiceResponse,
    "metrics": metrics_service_pb2.ExportMetricsServiceResponse,
    "logs": logs_service_pb2.ExportLogsServiceResponse,
}


class Folder:
    """Stores each request as three files: its headers, the bytes as sent, and unpacked."""

    def __init__(self, path: str | Path, *, before_answer: Callable[[], None]) -> None:
        self._path = Path(path)
        self._next = itertools.count().__next__
        self._before_answer = before_answer

    def keep(self, signal: str, body: bytes, *, heading: str, sent: bytes) -> bytes:
        """Store a request and return the response; raise for an invalid body."""
        REQUESTS[signal].FromString(body)
        start = self._path / f"{self._next():05d}.{signal}"
        start.with_suffix(f".{signal}.heading").write_text(heading, encoding="utf-8")
        start.with_suffix(f".{signal}.sent").write_bytes(sent)
        start.with_suffix(f".{signal}.body").write_bytes(body)
        self._before_answer()
        return bytes(RESPONSES[signal]().SerializeToString())


@dataclass(frozen=True, slots=True)
class TelemetryRecord:
    """A span or a log event: its message, its attributes in plain Python, and who made it."""

    name: str
    message: Any
    attributes: dict[str, Any]
    scope: str

    @property
    def trace(self) -> str:
        return self.message.trace_id.hex()

    @property
    def span(self) -> str:
        return self.message.span_id.hex()


class Arrivals:
    """The contents of a folder, which is read again at each call."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def files(self) -> dict[str, bytes]:
        return {file.name: file.read_bytes() for file in sorted(self._path.iterdir())}

    @property
    def spans(self) -> list[TelemetryRecord]:
        return [
            _record_of(span.name, span, scope)
            for request in self._requests("traces")
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    @property
    def events(self) -> list[TelemetryRecord]:
        return [
            _record_of(record.event_name, record, scope)
            for request in self._requests("logs")
            for resource in request.resource_logs
            for scope in resource.scope_logs
            for record in scope.log_records
        ]

    def points(self, metric: str) -> dict[frozenset[tuple[str, Any]], Any]:
        """The last point of each series of *metric*; sums go on from export to export."""
        last: dict[frozenset[tuple[str, Any]], Any] = {}
        for point in self._points(metric):
            key = frozenset(_plain_pairs(point).items())
            if key not in last or last[key].time_unix_nano <= point.time_unix_nano:
                last[key] = point
        return last

    @property
    def metrics(self) -> set[str]:
        return {result.name for result in self._metrics()}

    def _points(self, metric: str) -> Iterator[Any]:
        for result in self._metrics():
            if result.name == metric:
                yield from getattr(result, result.WhichOneof("data")).data_points

    def _metrics(self) -> Iterator[Any]:
        for request in self._requests("metrics"):
            for resource in request.resource_metrics:
                for scope in resource.scope_metrics:
                    yield from scope.metrics

    def _requests(self, signal: str) -> Iterator[Any]:
        for file in sorted(self._path.glob(f"*.{signal}.body")):
            yield REQUESTS[signal].FromString(file.read_bytes())


def _record_of(name: str, message: Any, scope: Any) -> TelemetryRecord:
    return TelemetryRecord(name, message, _plain_pairs(message), scope.scope.name)


def _plain_pairs(message: Any) -> dict[str, Any]:
    return {pair.key: _plain(pair.value) for pair in message.attributes}


def _plain(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_plain(item) for item in value.array_value.values]
    return getattr(value, kind)
