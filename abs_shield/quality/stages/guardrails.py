"""Stage 2: the rules of an output's domain."""

from __future__ import annotations

from abs_shield.quality.feedback_texts import guardrail_feedback
from abs_shield.quality.guardrails import guardrail_violations
from abs_shield.quality.guardrails.domains.product import DOMAIN as PRODUCT
from abs_shield.quality.guardrails.guardrail_check import (
    domain_near,
    guardrails_of,
    is_for,
    names_domain,
)
from abs_shield.quality.quality_config import QualityConfig
from abs_shield.quality.quality_types import AgentOutput, StageOutcome
from abs_shield.quality.reading import unread
from abs_shield.quality.stage import StageReport
from abs_shield.text.safe_display import escaped

_LONGEST_TYPE = 60  # a task type is a word or two, and may be a model's text


def check_guardrails(output: AgentOutput, config: QualityConfig) -> StageReport:
    """Fail an output that violates a rule of its task type's domain."""
    if reason := _reason_to_skip(output, config):
        return StageReport(StageOutcome.SKIPPED, reason=reason)
    findings = guardrail_violations(
        output.text, output.task_type, rules=config.guardrails, catalogue=config.catalogue
    )
    if not findings:
        rules = guardrails_of(config.guardrails, config.catalogue)
        reason = unread(output.text) if any(is_for(one, output.task_type) for one in rules) else ""
        outcome = StageOutcome.UNAVAILABLE if reason else StageOutcome.PASSED
        return StageReport(outcome, reason=reason, partial=bool(reason))
    return StageReport(StageOutcome.FAILED, findings, guardrail_feedback(findings))


def _reason_to_skip(output: AgentOutput, config: QualityConfig) -> str:
    """Return why no rule can be checked; empty if one can be."""
    rules = guardrails_of(config.guardrails, config.catalogue)
    if any(is_for(one, output.task_type) for one in rules):
        return ""
    near = domain_near(output.task_type, {*(one.task_type for one in rules), PRODUCT})
    if near == PRODUCT and names_domain(output.task_type, PRODUCT):
        return "the rules of `product` need a catalogue, and none is configured"
    if not near:
        return "no guardrail is for this task type"
    written = escaped(output.task_type, limit=_LONGEST_TYPE)
    return f"no guardrails for task type `{written}`; did you mean `{near}`?"
