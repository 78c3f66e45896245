"""The OpenTelemetry hook: spans, log events and metrics of decisions, without values."""

from __future__ import annotations

import os
from collections.abc import Container
from contextlib import AbstractContextManager, nullcontext

from opentelemetry import metrics, trace
from opentelemetry._logs import LoggerProvider, get_logger
from opentelemetry.context import get_current
from opentelemetry.trace import INVALID_SPAN, Span, Status, StatusCode
from opentelemetry.util.types import AttributeValue

from abs_shield.core import Decision, Subject, Verdict
from abs_shield.telemetry import semconv
from abs_shield.telemetry.decision_attributes import (
    AttributeCache,
    host_names,
    nanoseconds,
    tool_display_name,
    tool_name,
    verdict_checks,
)
from abs_shield.telemetry.decision_counters import counters_for
from abs_shield.telemetry.decision_metrics import MetricInstruments
from abs_shield.telemetry.decision_span import remember_span
from abs_shield.telemetry.log_events import DETAIL, emit_errors, emit_findings
from abs_shield.telemetry.tool_span import (
    SCOPE,
    ArgumentNames,
    ToolRegistry,
    ToolSpan,
    executes_tool,
    is_new_span,
    is_own_span,
)
from abs_shield.telemetry.watched_stores import WatchedStore
from abs_shield.text.safe_display import escaped
from abs_shield.version import __version__

CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"

_ID = 256  # ids come from hosts and models; a UUID has 36 characters
_NOTHING = nullcontext()  # shared: it has no state
_OWN_OF_TOOL_SPAN = (
    semconv.ATTRIBUTE_TOOL,
    semconv.ATTRIBUTE_CALL_ID,
    semconv.ATTRIBUTE_DETAILS,
    semconv.ATTRIBUTE_ERROR,
)
"""Attributes not copied to the tool span: it has its own, and a broken check is not its error."""
_THREAT = (
    semconv.ATTRIBUTE_THREAT_TYPE,
    semconv.ATTRIBUTE_THREAT_VERDICT,
    semconv.ATTRIBUTE_THREAT_LAYERS,
)
"""Attributes of the tool span for a result that is not clean."""


class Otel:
    """
    A hook that exports every decision to OpenTelemetry.

    It uses only the API: without an SDK it costs almost nothing.

    Args:
        tracer_provider: Receives spans; by default the global provider, even if set later.
        meter_provider: Receives metrics; likewise.
        logger_provider: Receives findings as log events; likewise.
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
        self._attributes = AttributeCache()
        self._argument_names = ArgumentNames()
        self._in_spans, self._in_events = _content_capture()

    def learn(self, tools: ToolRegistry) -> None:
        """
        Export only the declared argument names of registered tools in pointers from now on.

        Args:
            tools: The registry of the Shield.
        """
        self._argument_names.add(tools)

    def watch(self, log: WatchedStore) -> None:
        """
        Export the lost and the waiting decisions of a decision log as metrics.

        Args:
            log: The decision log of the Shield.
        """
        self._counts.watch(log)

    def __call__(self, decision: Decision) -> None:
        """Export *decision* in the current trace."""
        # usually the decision is clean and no SDK is set: there is nothing to export
        has_events = decision.findings or decision.errors
        if has_events or self._counts.has_reader or self.is_traced():
            self._record(decision)

    def _record(self, decision: Decision) -> None:
        common = self._attributes.get(decision)
        self._instruments.record(decision, common)
        parent = trace.get_current_span()
        if _is_clean_result(decision):  # no second check span for the same call
            if executes_tool(parent):
                parent.set_attributes(_result_attributes(decision))
            remember_span(decision, parent)
            return
        attributes: dict[str, AttributeValue] = {**common.span}
        attributes[semconv.ATTRIBUTE_DECISION_ID] = decision.id
        self._add_individual(attributes, decision)
        if executes_tool(parent):
            _annotate_tool_span(parent, decision, attributes)
        at_ns = nanoseconds(decision.at)
        span = self._tracer.start_span(
            common.span_name,
            attributes=attributes,
            start_time=at_ns,
            record_exception=False,
        )
        remember_span(decision, span)
        if (decision.findings or decision.errors) and self._exports_events():
            self._emit_events(decision, span)
        if decision.errors:
            span.set_status(Status(StatusCode.ERROR, semconv.VALUE_LAYER_ERROR))
        span.end(at_ns + nanoseconds(decision.elapsed_ms / 1e3))

    def _emit_events(self, decision: Decision, span: Span) -> None:
        """Emit the findings and internal errors of a decision as log events of its span."""
        context = trace.set_span_in_context(span)
        names = self._argument_names.names(decision.tool) if decision.findings else None
        emit_findings(self._logger, decision, context=context, names=names, details=self._in_events)
        emit_errors(self._logger, decision, context=context)

    def execute_tool(
        self, tool: str, call_id: str | None = None, registered: Container[str] | None = None
    ) -> AbstractContextManager[None]:
        """
        Return a context manager that opens a tool span around a tool's run.

        It does nothing if a framework's tool span is current, or if no span is recorded.

        Args:
            tool: The tool's name.
            call_id: The call's id.
            registered: The tool names that a span may show; None for any.
        """
        if not self.is_traced():
            return _NOTHING
        parent = trace.get_current_span()
        # a framework's span is that of this call, our own is that of the tool that made the call
        if executes_tool(parent) and not is_own_span(parent):
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

    def _exports_events(self) -> bool:
        """Return whether a log record could be exported; always True before OpenTelemetry 1.45."""
        enabled = getattr(self._logger, "enabled", None)
        return enabled is None or bool(enabled(event_name=semconv.EVENT_FINDING))

    def is_traced(self) -> bool:
        """
        Return whether a span could be recorded: an SDK is set, or a span of the host is current.

        `get_tracer_provider` would cost more than all other work for a decision that is not
        exported. If the API moves its private attribute, the result is True, which is only slower.
        """
        if not self._proxied or getattr(trace, "_TRACER_PROVIDER", trace) is not None:
            return True
        # An empty context has no span; `get_current_span` would take twice as long to return that.
        return bool(get_current()) and trace.get_current_span() is not INVALID_SPAN

    def _add_individual(self, attributes: dict[str, AttributeValue], decision: Decision) -> None:
        """Add the attributes that are specific to this decision."""
        if decision.session_id:
            attributes[semconv.ATTRIBUTE_SESSION_ID] = escaped(decision.session_id, limit=_ID)
        for name, value in host_names(decision).items():
            attributes[name] = escaped(value, limit=_ID)
        if decision.call_id is not None:
            attributes[semconv.ATTRIBUTE_CALL_ID] = escaped(decision.call_id, limit=_ID)
        if decision.verdict is not Verdict.CLEAN:
            attributes[semconv.ATTRIBUTE_THREAT_LAYERS] = verdict_checks(decision)
        if decision.tool and semconv.ATTRIBUTE_TOOL not in attributes:
            attributes[semconv.ATTRIBUTE_TOOL] = tool_display_name(decision)
        if self._in_spans and decision.findings:
            details = [escaped(finding.detail, limit=DETAIL) for finding in decision.findings]
            attributes[semconv.ATTRIBUTE_DETAILS] = details


def _annotate_tool_span(
    run: Span, decision: Decision, attributes: dict[str, AttributeValue]
) -> None:
    """Add the decision about the call, or the verdict about the result, to the tool span."""
    if decision.subject is Subject.CALL:
        run.set_attributes(_call_attributes(decision, attributes, is_own=is_own_span(run)))
    elif decision.subject is Subject.RESULT:
        threat = {name: value for name, value in attributes.items() if name in _THREAT}
        run.set_attributes(threat | _result_attributes(decision))
    else:
        return  # an answer inside a tool span is that of an agent used as a tool
    # a call blocked by a finding is the intended outcome, not a failure
    if decision.blocked and decision.errors:
        run.set_attribute(semconv.ATTRIBUTE_ERROR, semconv.VALUE_LAYER_ERROR)
        run.set_status(Status(StatusCode.ERROR, semconv.VALUE_LAYER_ERROR))


def _call_attributes(
    decision: Decision, attributes: dict[str, AttributeValue], *, is_own: bool
) -> dict[str, AttributeValue]:
    """Return the call's attributes for a tool span; a framework's span has its own GenAI ones."""
    selected = {
        name: value
        for name, value in attributes.items()
        if name not in _OWN_OF_TOOL_SPAN and (is_own or not name.startswith("gen_ai."))
    }
    if decision.blocked:
        selected[semconv.ATTRIBUTE_EXECUTION] = semconv.VALUE_BLOCKED
    return selected


def _is_clean_result(decision: Decision) -> bool:
    """Return whether a decision is about a result and has neither findings nor errors."""
    if decision.subject is not Subject.RESULT or decision.verdict is not Verdict.CLEAN:
        return False
    return not (decision.findings or decision.errors)


def _result_attributes(decision: Decision) -> dict[str, AttributeValue]:
    """Return the attributes of a tool span for any result."""
    attributes: dict[str, AttributeValue] = {
        semconv.ATTRIBUTE_RESULT_VERDICT: decision.verdict.value,
        semconv.ATTRIBUTE_RESULT_DECISION_ID: decision.id,
    }
    if decision.blocked:
        attributes[semconv.ATTRIBUTE_EXECUTION] = semconv.VALUE_WITHHELD
    return attributes


def _content_capture() -> tuple[bool, bool]:
    """Return whether the operator allows content in spans, and in events."""
    word = os.environ.get(CAPTURE, "").strip().upper()
    both = word in ("SPAN_AND_EVENT", "TRUE")
    return both or word == "SPAN_ONLY", both or word == "EVENT_ONLY"
