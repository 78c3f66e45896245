"""The OpenTelemetry hook: spans, log events and metrics of decisions, no values in them."""

from __future__ import annotations

import os
from collections.abc import Container
from contextlib import AbstractContextManager, nullcontext

from opentelemetry import metrics, trace
from opentelemetry._logs import LoggerProvider, get_logger
from opentelemetry.trace import INVALID_SPAN, Span, Status, StatusCode
from opentelemetry.util.types import AttributeValue

from abs_shield.core import Decision, Subject, Verdict
from abs_shield.telemetry import semconv
from abs_shield.telemetry.argument_names import ArgumentNames, ToolRegistry
from abs_shield.telemetry.counters import counters_for
from abs_shield.telemetry.decision_attributes import (
    AttributeCache,
    host_names,
    nanoseconds,
    shown_tool,
    tool_name,
    weighing_layers,
)
from abs_shield.telemetry.decision_span import remember_span
from abs_shield.telemetry.finding_events import DETAIL, emit_findings
from abs_shield.telemetry.internal_errors import emit_errors
from abs_shield.telemetry.metrics import MetricInstruments
from abs_shield.telemetry.tool_span import SCOPE, ToolSpan, executes_tool, is_new_span, is_ours
from abs_shield.telemetry.watched_stores import WatchedStore
from abs_shield.text.show import escaped
from abs_shield.version import __version__

CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"

_ID = 256
_NOTHING = nullcontext()
_SAID_BY_THE_RUN = (
    semconv.ATTRIBUTE_TOOL,
    semconv.ATTRIBUTE_CALL_ID,
    semconv.ATTRIBUTE_DETAILS,
    semconv.ATTRIBUTE_ERROR,
)
"""What the span of the tool's run says itself, or should not say: a check may break, and it run."""
_THREAT = (
    semconv.ATTRIBUTE_THREAT_TYPE,
    semconv.ATTRIBUTE_THREAT_VERDICT,
    semconv.ATTRIBUTE_THREAT_LAYERS,
)
"""What it is told of a result that is not clean."""


class Otel:
    """
    A hook that tells OpenTelemetry of every decision.

    Depends on the API alone: without an SDK it costs next to nothing.

    Args:
        tracer_provider: Where spans go; the global provider by default, also one set later.
        meter_provider: Where metrics go; likewise.
        logger_provider: Where findings go as log events; likewise.
    """

    def __init__(
        self,
        *,
        tracer_provider: trace.TracerProvider | None = None,
        meter_provider: metrics.MeterProvider | None = None,
        logger_provider: LoggerProvider | None = None,
    ) -> None:
        meter = metrics.get_meter(SCOPE, __version__, meter_provider=meter_provider)
        self._tracer = trace.get_tracer(SCOPE, __version__, tracer_provider=tracer_provider)
        self._proxied = isinstance(self._tracer, trace.ProxyTracer)
        self._logger = get_logger(SCOPE, __version__, logger_provider=logger_provider)
        self._counts = counters_for(meter, meter_provider)
        self._instruments = MetricInstruments(meter, self._counts)
        self._kinds = AttributeCache()
        self._declared = ArgumentNames()
        self._in_spans, self._in_events = _captures()

    def learn(self, tools: ToolRegistry) -> None:
        """Show the argument names of these tools in pointers, and no other ones from now on."""
        self._declared.learn(tools)

    def watch(self, log: WatchedStore) -> None:
        """Tell by metrics how many decisions a decision log lost, and how many wait for it."""
        self._counts.watch(log)

    def __call__(self, decision: Decision) -> None:
        """Tell of *decision*, in the current trace."""
        told = decision.findings or decision.errors
        if told or self._counts.heard or self._traced():
            self._tell(decision)

    def _tell(self, decision: Decision) -> None:
        traits = self._kinds.of(decision)
        self._instruments.record(decision, traits)
        parent = trace.get_current_span()
        if _is_clean_result(decision):  # one check span a call: that of the call itself
            if executes_tool(parent):
                parent.set_attributes(_result_of_the_run(decision))
            remember_span(decision, parent)
            return
        told: dict[str, AttributeValue] = {**traits.span}
        told[semconv.ATTRIBUTE_DECISION_ID] = decision.id
        self._add_own(told, decision)
        if executes_tool(parent):
            _annotate_run(parent, decision, told)
        at_ns = nanoseconds(decision.at)
        span = self._tracer.start_span(
            traits.span_name,
            attributes=told,
            start_time=at_ns,
            record_exception=False,
        )
        remember_span(decision, span)
        if (decision.findings or decision.errors) and self._takes_events():
            self._emit_events(decision, span)
        if decision.errors:
            span.set_status(Status(StatusCode.ERROR, semconv.VALUE_LAYER_ERROR))
        span.end(at_ns + nanoseconds(decision.elapsed_ms / 1e3))

    def _emit_events(self, decision: Decision, span: Span) -> None:
        """Emit the findings and the internal errors of a decision as log events of its span."""
        context = trace.set_span_in_context(span)
        names = self._declared.names(decision.tool) if decision.findings else None
        emit_findings(self._logger, decision, context=context, names=names, details=self._in_events)
        emit_errors(self._logger, decision, context=context)

    def execute_tool(
        self, tool: str, call_id: str | None = None, registered: Container[str] | None = None
    ) -> AbstractContextManager[None]:
        """
        Return a span around a tool's run; nothing where one is current or nobody records.

        Args:
            tool: The tool's name.
            call_id: The call's id.
            registered: The names of tools that a span may show; any where None.
        """
        if not self._traced():
            return _NOTHING
        parent = trace.get_current_span()
        if executes_tool(parent) and not is_ours(parent):
            return _NOTHING
        name = tool_name(
            tool if registered is None or tool in registered else semconv.VALUE_UNREGISTERED
        )
        attributes = {
            semconv.ATTRIBUTE_OPERATION: semconv.VALUE_EXECUTE_TOOL,
            semconv.ATTRIBUTE_TOOL: name,
            semconv.ATTRIBUTE_TOOL_TYPE: semconv.VALUE_FUNCTION,
        }
        if call_id is not None:
            attributes[semconv.ATTRIBUTE_CALL_ID] = escaped(call_id, limit=_ID)
        span = self._tracer.start_span(
            f"{semconv.SPAN_EXECUTE_TOOL} {name}",
            attributes=attributes,
            record_exception=False,
            set_status_on_exception=False,
        )
        return ToolSpan(span) if is_new_span(span, parent) else _NOTHING

    def _takes_events(self) -> bool:
        """Return whether a log record could be exported; always before OpenTelemetry 1.45."""
        enabled = getattr(self._logger, "enabled", None)
        return enabled is None or bool(enabled(event_name=semconv.EVENT_FINDING))

    def _traced(self) -> bool:
        """
        Whether a span could be recorded: an SDK is set, or a span of the host's is current.

        Asking the API by `get_tracer_provider` costs more than all the rest of an unheard call;
        where it keeps its provider elsewhere, the answer is yes, which is only slower.
        """
        if not self._proxied or getattr(trace, "_TRACER_PROVIDER", trace) is not None:
            return True
        return trace.get_current_span() is not INVALID_SPAN

    def _add_own(self, told: dict[str, AttributeValue], decision: Decision) -> None:
        """Add what no other decision of the kind says alike."""
        if decision.session_id:
            told[semconv.ATTRIBUTE_SESSION_ID] = escaped(decision.session_id, limit=_ID)
        for name, value in host_names(decision).items():
            told[name] = escaped(value, limit=_ID)
        if decision.call_id is not None:
            told[semconv.ATTRIBUTE_CALL_ID] = escaped(decision.call_id, limit=_ID)
        if decision.verdict is not Verdict.CLEAN:
            told[semconv.ATTRIBUTE_THREAT_LAYERS] = weighing_layers(decision)
        if decision.tool and semconv.ATTRIBUTE_TOOL not in told:
            told[semconv.ATTRIBUTE_TOOL] = shown_tool(decision)
        if self._in_spans and decision.findings:
            details = [escaped(finding.detail, limit=DETAIL) for finding in decision.findings]
            told[semconv.ATTRIBUTE_DETAILS] = details


def _annotate_run(run: Span, decision: Decision, told: dict[str, AttributeValue]) -> None:
    """Add to the span of a tool's run its call's decision, or its result's verdict."""
    if decision.subject is Subject.CALL:
        run.set_attributes(_call_of_the_run(decision, told, ours=is_ours(run)))
    elif decision.subject is Subject.RESULT:
        threat = {name: value for name, value in told.items() if name in _THREAT}
        run.set_attributes(threat | _result_of_the_run(decision))
    else:
        return  # an agent that is a tool answers inside its own run
    if decision.blocked and decision.errors:
        run.set_attribute(semconv.ATTRIBUTE_ERROR, semconv.VALUE_LAYER_ERROR)
        run.set_status(Status(StatusCode.ERROR, semconv.VALUE_LAYER_ERROR))


def _call_of_the_run(
    decision: Decision, told: dict[str, AttributeValue], *, ours: bool
) -> dict[str, AttributeValue]:
    """Return what a run's span has of its call; a framework's span says itself who runs what."""
    kept = {
        name: value
        for name, value in told.items()
        if name not in _SAID_BY_THE_RUN and (ours or not name.startswith("gen_ai."))
    }
    if decision.blocked:
        kept[semconv.ATTRIBUTE_EXECUTION] = semconv.VALUE_BLOCKED
    return kept


def _is_clean_result(decision: Decision) -> bool:
    """Return whether a decision is about a result in which nothing was found, and nothing broke."""
    if decision.subject is not Subject.RESULT or decision.verdict is not Verdict.CLEAN:
        return False
    return not (decision.findings or decision.errors)


def _result_of_the_run(decision: Decision) -> dict[str, AttributeValue]:
    """Return what the span of a tool's run is told of every result."""
    told: dict[str, AttributeValue] = {
        semconv.ATTRIBUTE_RESULT_VERDICT: decision.verdict.value,
        semconv.ATTRIBUTE_RESULT_DECISION_ID: decision.id,
    }
    if decision.blocked:
        told[semconv.ATTRIBUTE_EXECUTION] = semconv.VALUE_WITHHELD
    return told


def _captures() -> tuple[bool, bool]:
    """Whether the operator lets content into spans, and into events."""
    word = os.environ.get(CAPTURE, "").strip().upper()
    both = word in ("SPAN_AND_EVENT", "TRUE")
    return both or word == "SPAN_ONLY", both or word == "EVENT_ONLY"
