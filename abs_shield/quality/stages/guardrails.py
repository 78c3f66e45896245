"""Stage 2: the rules of an output's domain."""

from __future__ import annotations

from abs_shield.quality.config import QualityConfig
from abs_shield.quality.feedback import guardrail_feedback
from abs_shield.quality.guardrails import guardrail_violations
from abs_shield.quality.guardrails.check import guardrails_of, is_for
from abs_shield.quality.reading import unread
from abs_shield.quality.stage import StageReport
from abs_shield.quality.types import AgentOutput, StageOutcome


def check_guardrails(output: AgentOutput, config: QualityConfig) -> StageReport:
    """Fail an output that violates a rule of the domain that its task type names."""
    findings = guardrail_violations(
        output.text, output.task_type, rules=config.guardrails, catalogue=config.catalogue
    )
    if not findings:
        rules = guardrails_of(config.guardrails, config.catalogue)
        reason = unread(output.text) if any(is_for(one, output.task_type) for one in rules) else ""
        outcome = StageOutcome.UNAVAILABLE if reason else StageOutcome.PASSED
        return StageReport(outcome, reason=reason, partial=bool(reason))
    return StageReport(StageOutcome.FAILED, findings, guardrail_feedback(findings))
