"""Log events for internal errors: the check and the exception type, without the error's text."""

from __future__ import annotations

import re

from opentelemetry._logs import Logger, SeverityNumber
from opentelemetry.context import Context

from abs_shield.core import Decision, Outcome
from abs_shield.core.vocabularies import IMPOSSIBLE_STATE
from abs_shield.telemetry import semconv
from abs_shield.telemetry.decision_attributes import Value, nanoseconds, shown_tool
from abs_shield.text.safe_display import escaped

_RAISED = re.compile(r"(\w+) at .+:\d+")
"""An exception in `Decision.errors`: its type and location."""
# a rule's text is the author's, and only the exception's type is exported
_RULE_RAISED = re.compile(r"rule `.*\) raised (\w+)(?:;.*)?", re.DOTALL)
_OUTSIDE_CHECKS = ("call check", "decision log")
"""Prefixes of errors outside any check."""


def emit_errors(logger: Logger, decision: Decision, *, context: Context) -> None:
    """Emit one log event for each check that could not run, in the trace of *context*."""
    # an error that blocked a call needs action now
    severity = SeverityNumber.ERROR if decision.blocked else SeverityNumber.WARN
    outcome = "blocked" if decision.blocked else "not blocked"
    for check, kind in internal_errors(decision):
        attributes: dict[str, Value] = {
            semconv.ATTRIBUTE_CHECK: check,
            semconv.ATTRIBUTE_ERROR: kind,
            semconv.ATTRIBUTE_SUBJECT: decision.subject.value,
            semconv.ATTRIBUTE_BLOCKED: decision.blocked,
            semconv.ATTRIBUTE_MODE: decision.mode.value,
            semconv.ATTRIBUTE_DECISION_ID: decision.id,
        }
        if decision.tool:
            attributes[semconv.ATTRIBUTE_TOOL] = shown_tool(decision)
        logger.emit(
            timestamp=nanoseconds(decision.at),
            context=context,
            severity_number=severity,
            severity_text=severity.name,
            body=f"internal error: {check} could not run ({kind}); {outcome}",
            event_name=semconv.EVENT_ERROR,
            attributes=attributes,
        )


def internal_errors(decision: Decision) -> list[tuple[str, str]]:
    """
    Return the checks that could not run, each with the type of its exception.

    The type is ``layer_error`` if the check raised no exception.
    """
    if not decision.errors:
        return []
    broken = [
        (escaped(check), _error_type(check, entry.reason))
        for check, entry in decision.coverage.items()
        if entry.outcome is Outcome.ERROR
    ]
    for name in _OUTSIDE_CHECKS:
        broken += [
            (name, _raised_type(error)) for error in decision.errors if error.startswith(name)
        ]
    return broken or [(decision.subject.value, semconv.VALUE_LAYER_ERROR)]


def _error_type(check: str, reason: str) -> str:
    match = _RAISED.fullmatch(reason)
    # only this layer runs rules; another layer's reason could contain such a text by chance
    if match is None and check == IMPOSSIBLE_STATE:
        match = _RULE_RAISED.fullmatch(reason)
    return semconv.VALUE_LAYER_ERROR if match is None else match[1]


def _raised_type(error: str) -> str:
    return _error_type("", error.partition(" could not run: ")[2])
