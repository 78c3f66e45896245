"""Internal errors: which checks could not run, by name and type, without the text of an error."""

from __future__ import annotations

import re

from opentelemetry._logs import Logger, SeverityNumber
from opentelemetry.context import Context

from abs_shield.core import Decision, Outcome
from abs_shield.core.names import IMPOSSIBLE_STATE
from abs_shield.telemetry import semconv
from abs_shield.telemetry.decision_attributes import Value, nanoseconds, shown_tool
from abs_shield.text.show import escaped

_RAISED = re.compile(r"(\w+) at .+:\d+")
"""An exception as `Decision.errors` names it: its type and its place."""
_RULE_RAISED = re.compile(r"rule `.*\) raised (\w+)(?:;.*)?", re.DOTALL)
_OF_NO_CHECK = ("door", "decision log")
"""What begins an error that no check had."""


def emit_errors(logger: Logger, decision: Decision, *, context: Context) -> None:
    """Emit one log event for each check that could not run, in the trace of *context*."""
    severity = SeverityNumber.ERROR if decision.blocked else SeverityNumber.WARN
    became = "blocked" if decision.blocked else "not blocked"
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
            body=f"internal error: {check} could not run ({kind}); {became}",
            event_name=semconv.EVENT_ERROR,
            attributes=attributes,
        )


def internal_errors(decision: Decision) -> list[tuple[str, str]]:
    """
    Return the checks that could not run, and the type of the exception that each raised.

    The type is ``layer_error`` where the check raised none.
    """
    if not decision.errors:
        return []
    broken = [
        (escaped(check), _kind(check, entry.reason))
        for check, entry in decision.coverage.items()
        if entry.outcome is Outcome.ERROR
    ]
    for name in _OF_NO_CHECK:
        broken += [(name, _raised(error)) for error in decision.errors if error.startswith(name)]
    return broken or [(decision.subject.value, semconv.VALUE_LAYER_ERROR)]


def _kind(check: str, reason: str) -> str:
    found = _RAISED.fullmatch(reason)
    if found is None and check == IMPOSSIBLE_STATE:
        found = _RULE_RAISED.fullmatch(reason)
    return semconv.VALUE_LAYER_ERROR if found is None else found[1]


def _raised(error: str) -> str:
    return _kind("", error.partition(" could not run: ")[2])
