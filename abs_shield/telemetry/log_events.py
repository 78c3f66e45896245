"""Log events for findings and internal errors, without values that the model wrote."""

from __future__ import annotations

import re

from opentelemetry._logs import Logger, SeverityNumber
from opentelemetry.context import Context

from abs_shield.core import Decision, Finding, Outcome, Verdict
from abs_shield.core.decision_summary import safe_where
from abs_shield.core.vocabularies import IMPOSSIBLE_STATE
from abs_shield.telemetry import semconv
from abs_shield.telemetry.decision_attributes import Value, nanoseconds, tool_display_name
from abs_shield.text.safe_display import escaped

DETAIL = 1_000
"""Maximum length of an exported detail (opt-in), in characters: a few sentences with values."""


def emit_findings(
    logger: Logger,
    decision: Decision,
    *,
    context: Context,
    names: frozenset[str] | None,
    details: bool,
) -> None:
    """
    Emit one log event for each finding of *decision*, in the trace of *context*.

    Args:
        logger: Receives the events.
        decision: The decision with the findings.
        context: The context of the check span.
        names: The declared argument names of the tool; None if unknown.
        details: Whether the operator opted in to exporting details.
    """
    tool = tool_display_name(decision)
    at_ns = nanoseconds(decision.at)
    for finding in decision.findings:
        attributes = _attributes(finding, decision, tool)
        where = safe_where(finding, decision.subject, names)
        attributes[semconv.ATTRIBUTE_FINDING_WHERE] = where
        if details:
            attributes[semconv.ATTRIBUTE_FINDING_DETAIL] = escaped(finding.detail, limit=DETAIL)
        logger.emit(
            timestamp=at_ns,
            context=context,
            severity_number=(severity := _severity(finding)),
            severity_text=severity.name,
            # without the detail, which quotes the model's values
            body=f"{finding.check} at {where or '/'}: {finding.code}",
            event_name=semconv.EVENT_FINDING,
            attributes=attributes,
        )


def _attributes(finding: Finding, decision: Decision, tool: str) -> dict[str, Value]:
    attributes: dict[str, Value] = {
        semconv.ATTRIBUTE_FINDING_CHECK: finding.check,
        semconv.ATTRIBUTE_FINDING_CODE: finding.code,
        semconv.ATTRIBUTE_FINDING_VERDICT: finding.verdict.value,
        semconv.ATTRIBUTE_FINDING_STRENGTH: finding.strength,
        semconv.ATTRIBUTE_FINDING_MODE: finding.mode.value,
        semconv.ATTRIBUTE_FINDING_COUNTED: finding.counted,
        semconv.ATTRIBUTE_FINDING_SUPPRESSED: finding.suppressed,
        semconv.ATTRIBUTE_DECISION_ID: decision.id,
    }
    if decision.approval:
        attributes[semconv.ATTRIBUTE_APPROVAL] = decision.approval
    if tool:
        attributes[semconv.ATTRIBUTE_TOOL] = tool
    if finding.weighs:
        attributes[semconv.ATTRIBUTE_THREAT_TYPE] = semconv.VALUE_HALLUCINATION
    return attributes


def _severity(finding: Finding) -> SeverityNumber:
    if not finding.weighs:
        return SeverityNumber.INFO
    if finding.verdict is Verdict.HALLUCINATED:
        return SeverityNumber.ERROR
    return SeverityNumber.WARN


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
            attributes[semconv.ATTRIBUTE_TOOL] = tool_display_name(decision)
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
    failed = [
        (escaped(check), _error_type(check, entry.reason))
        for check, entry in decision.coverage.items()
        if entry.outcome is Outcome.ERROR
    ]
    for name in _OUTSIDE_CHECKS:
        failed += [
            (name, _exception_type(error)) for error in decision.errors if error.startswith(name)
        ]
    return failed or [(decision.subject.value, semconv.VALUE_LAYER_ERROR)]


def _error_type(check: str, reason: str) -> str:
    match = _RAISED.fullmatch(reason)
    # only this layer runs rules; another layer's reason could contain such a text by chance
    if match is None and check == IMPOSSIBLE_STATE:
        match = _RULE_RAISED.fullmatch(reason)
    return semconv.VALUE_LAYER_ERROR if match is None else match[1]


def _exception_type(error: str) -> str:
    return _error_type("", error.partition(" could not run: ")[2])
