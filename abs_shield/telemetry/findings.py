"""A finding as a log event that holds no value the model wrote."""

from __future__ import annotations

import re

from opentelemetry._logs import Logger, SeverityNumber
from opentelemetry.context import Context

from abs_shield.core import Decision, Finding, Verdict
from abs_shield.telemetry import semconv
from abs_shield.telemetry.traits import Value, shown_tool
from abs_shield.text.show import escaped

DETAIL = 1_000
"""Longest detail that is exported where the operator opted in, in characters."""

_NAME = re.compile(r"(?:[^\W\d][\w.$:-]{0,63}|\d{1,4})?")


def tell_findings(
    logger: Logger, decision: Decision, *, at_ns: int, context: Context, details: bool
) -> None:
    """Emit one log event for each finding of *decision*, in the trace of *context*."""
    tool = shown_tool(decision)
    for finding in decision.findings:
        attributes = _attributes(finding, decision.id, tool)
        if details:
            attributes[semconv.ATTRIBUTE_FINDING_DETAIL] = escaped(finding.detail, limit=DETAIL)
        logger.emit(
            timestamp=at_ns,
            context=context,
            severity_number=_severity(finding),
            event_name=semconv.EVENT_FINDING,
            attributes=attributes,
        )


def safe_pointer(finding: Finding) -> str:
    """
    Give where the finding points, without what the model may have written there.

    An unknown argument's name is the model's, and so is a key that is no name.
    """
    segments = finding.where.split("/")
    if finding.code == "unknown_argument":
        segments.pop()
    return "/".join(part if _NAME.fullmatch(part) else "*" for part in segments)


def _attributes(finding: Finding, decision_id: str, tool: str) -> dict[str, Value]:
    attributes: dict[str, Value] = {
        semconv.ATTRIBUTE_FINDING_CHECK: finding.check,
        semconv.ATTRIBUTE_FINDING_CODE: finding.code,
        semconv.ATTRIBUTE_FINDING_VERDICT: finding.verdict.value,
        semconv.ATTRIBUTE_FINDING_STRENGTH: finding.strength,
        semconv.ATTRIBUTE_FINDING_WHERE: safe_pointer(finding),
        semconv.ATTRIBUTE_FINDING_MODE: finding.mode.value,
        semconv.ATTRIBUTE_FINDING_COUNTED: finding.counted,
        semconv.ATTRIBUTE_FINDING_SUPPRESSED: finding.suppressed,
        semconv.ATTRIBUTE_DECISION_ID: decision_id,
        semconv.ATTRIBUTE_TOOL: tool,
    }
    if finding.weighs:
        attributes[semconv.ATTRIBUTE_THREAT_TYPE] = semconv.VALUE_HALLUCINATION
    return attributes


def _severity(finding: Finding) -> SeverityNumber:
    if not finding.weighs:
        return SeverityNumber.INFO
    if finding.verdict is Verdict.HALLUCINATED:
        return SeverityNumber.ERROR
    return SeverityNumber.WARN
