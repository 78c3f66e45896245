"""A finding as a log event that holds no value the model wrote."""

from __future__ import annotations

import re

from opentelemetry._logs import Logger, SeverityNumber
from opentelemetry.context import Context

from abs_shield.core import Decision, Finding, Subject, Verdict
from abs_shield.telemetry import semconv
from abs_shield.telemetry.traits import Value, nanoseconds, shown_tool
from abs_shield.text.show import escaped

DETAIL = 1_000
"""Longest detail that is exported where the operator opted in, in characters."""

_BEGIN = {Subject.CALL: 2, Subject.RESULT: 1}
_POSITION = re.compile(r"\d{1,2}")
_NAME = re.compile(r"(?:[^\W\d][\w.$:-]{0,63}|\d{1,2})?")


def tell_findings(
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
        logger: Where the events go.
        decision: Whose findings are told.
        context: The context of the check span.
        names: Argument names that the tool's author wrote; None where they are not known.
        details: Whether the operator lets details out.
    """
    tool = shown_tool(decision)
    at_ns = nanoseconds(decision.at)
    for finding in decision.findings:
        attributes = _attributes(finding, decision.id, tool)
        attributes[semconv.ATTRIBUTE_FINDING_WHERE] = _where(finding, decision.subject, names)
        if details:
            attributes[semconv.ATTRIBUTE_FINDING_DETAIL] = escaped(finding.detail, limit=DETAIL)
        logger.emit(
            timestamp=at_ns,
            context=context,
            severity_number=_severity(finding),
            event_name=semconv.EVENT_FINDING,
            attributes=attributes,
        )


def _where(finding: Finding, subject: Subject, names: frozenset[str] | None) -> str:
    """Where a finding points; a pointer into a report has no step that a model wrote."""
    if subject not in _BEGIN:
        return finding.where
    return safe_pointer(finding, names=names, begin=_BEGIN[subject])


def safe_pointer(finding: Finding, *, names: frozenset[str] | None = None, begin: int = 2) -> str:
    """
    Give where the finding points, without what the model may have written there.

    The steps from *begin* on are names of the judged data; those before are ours: ``/arguments``.

    An unknown argument's name is the model's, and so is a key that the tool's author did not
    write; where *names* are not known, a key that is no name.
    """
    segments = finding.where.split("/")
    if finding.code == "unknown_argument":
        segments.pop()
    if names is None or len(segments) <= begin:
        return "/".join(part if _NAME.fullmatch(part) else "*" for part in segments)
    head, inside = segments[:begin], segments[begin:]
    return "/".join((*head, *(part if _is_own(part, names) else "*" for part in inside)))


def _is_own(part: str, names: frozenset[str]) -> bool:
    """Whether a step of a pointer is a position in a list, or a name that the author wrote."""
    return bool(_POSITION.fullmatch(part)) or (part in names and bool(_NAME.fullmatch(part)))


def _attributes(finding: Finding, decision_id: str, tool: str) -> dict[str, Value]:
    attributes: dict[str, Value] = {
        semconv.ATTRIBUTE_FINDING_CHECK: finding.check,
        semconv.ATTRIBUTE_FINDING_CODE: finding.code,
        semconv.ATTRIBUTE_FINDING_VERDICT: finding.verdict.value,
        semconv.ATTRIBUTE_FINDING_STRENGTH: finding.strength,
        semconv.ATTRIBUTE_FINDING_MODE: finding.mode.value,
        semconv.ATTRIBUTE_FINDING_COUNTED: finding.counted,
        semconv.ATTRIBUTE_FINDING_SUPPRESSED: finding.suppressed,
        semconv.ATTRIBUTE_DECISION_ID: decision_id,
    }
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
