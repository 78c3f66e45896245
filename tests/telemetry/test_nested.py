"""Spans of a tool that calls another shielded tool from code."""

from __future__ import annotations

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from abs_shield import Shield, shield, shielded
from abs_shield.telemetry import Otel


def test_a_nested_tool_has_a_span_of_its_own() -> None:
    """Each tool's check stands under that tool's own span, and annotates no other."""
    spans = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    firewall = Shield(shield.configure(), hooks=[Otel(tracer_provider=provider)])

    @shielded(firewall)
    def inner() -> int:
        """Count."""
        return 1

    @shielded(firewall)
    def outer() -> int:
        """Count twice."""
        return 2 * inner()

    with firewall.session():
        outer()

    names = {span.context.span_id: span.name for span in spans.get_finished_spans()}
    parents = {s.name: s.parent and names[s.parent.span_id] for s in spans.get_finished_spans()}
    assert parents == {
        "execute_tool outer": None,
        "abs_shield.check outer": "execute_tool outer",
        "execute_tool inner": "execute_tool outer",
        "abs_shield.check inner": "execute_tool inner",
    }
