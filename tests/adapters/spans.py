"""Records the spans of one scene with a real SDK."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.adapters.scenes import Ran


@cache
def exporter() -> InMemorySpanExporter:
    """Return the exporter of the global provider, which frameworks use."""
    spans = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    trace.set_tracer_provider(provider)
    return spans


@contextmanager
def record_spans(ran: Ran) -> Iterator[None]:
    """Store the spans of the block, and an error that ends it, in *ran*."""
    exporter().clear()
    try:
        yield
    except Exception as error:
        ran.error = error
    ran.spans = [
        (span.name, dict(span.attributes or {}))
        for span in exporter().get_finished_spans()
        if not _is_of_client(span)
    ]


def _is_of_client(span: ReadableSpan) -> bool:
    """Return whether it is the client's of an MCP request, which runs in this process by chance."""
    return span.kind is trace.SpanKind.CLIENT and "mcp.method.name" in (span.attributes or {})
