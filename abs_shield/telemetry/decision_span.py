"""The span of the last decision in a thread, for the hook that runs next."""

from __future__ import annotations

from threading import local

from opentelemetry import trace
from opentelemetry.trace import Span, SpanContext

from abs_shield.core import Decision


# a hook's span has ended before the next hook runs, so it is not the current span any more
class _Last(local):
    decision: Decision | None = None
    span: SpanContext | None = None


_last = _Last()


def remember_span(decision: Decision, span: Span) -> None:
    """Remember the span of a decision for later hooks in this thread."""
    _last.decision, _last.span = decision, span.get_span_context()


def span_of(decision: Decision) -> SpanContext:
    """Return the decision's own span, or the current one if it has none."""
    # compared by identity: the stored span may be that of an earlier decision
    if _last.decision is decision and _last.span is not None and _last.span.is_valid:
        return _last.span
    return trace.get_current_span().get_span_context()
