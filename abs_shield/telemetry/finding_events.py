"""Log events for findings, without values that the model wrote."""

from __future__ import annotations

from opentelemetry._logs import Logger, SeverityNumber
from opentelemetry.context import Context

from abs_shield.core import Decision, Finding, Verdict
from abs_shield.core.decision_summary import safe_where
from abs_shield.telemetry import semconv
from abs_shield.telemetry.decision_attributes import Value, nanoseconds, shown_tool
from abs_shield.text.safe_display import escaped

DETAIL = 1_000
"""Maximum length of an exported detail (opt-in), in characters: some sentences with values."""


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
    tool = shown_tool(decision)
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
