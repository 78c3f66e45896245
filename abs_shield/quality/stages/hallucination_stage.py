"""Stage 4: entity verification, plausibility and self-contradiction."""

from __future__ import annotations

import logging

from abs_shield.quality.consistency import contradictions
from abs_shield.quality.facts import FactsUnavailable, check_facts
from abs_shield.quality.feedback_texts import hallucination_feedback
from abs_shield.quality.hallucination import WEIGHTS, SubCheck, hallucination_score
from abs_shield.quality.plausibility import check_plausibility
from abs_shield.quality.quality_config import QualityConfig
from abs_shield.quality.quality_types import AgentOutput, StageOutcome
from abs_shield.quality.reading import unread
from abs_shield.quality.stage import StageReport
from abs_shield.text.safe_display import escaped

logger = logging.getLogger("abs_shield")


def check_hallucination(output: AgentOutput, config: QualityConfig) -> StageReport:
    """
    Compare an output with facts, with declared constraints and with itself.

    It fails above the threshold, and for any critical finding whatever the average. The weight of
    a sub-check that is not configured is distributed to the others, which is reported; if one
    could not run, the stage is unavailable, with the findings of the others.
    """
    checks, unavailable = _checks(output.text, config)
    missing = [name for name in WEIGHTS if name not in checks and name not in unavailable]
    reasons = [f"not configured: {', '.join(missing)}"] if missing else []
    reason = "; ".join([*(f"{name}: {why}" for name, why in unavailable.items()), *reasons])
    score = hallucination_score(checks)
    if score is None:
        outcome = StageOutcome.UNAVAILABLE if unavailable else StageOutcome.SKIPPED
        return StageReport(outcome, reason=reason)
    findings = tuple(one for check in checks.values() for one in check.findings)
    threshold = config.hallucination_threshold
    # an average hides one wrong figure among a hundred right ones
    if score <= threshold and not any(one.critical for one in findings):
        rest = unread(output.text)
        partial = bool(rest or unavailable)
        outcome = StageOutcome.UNAVAILABLE if partial else StageOutcome.PASSED
        reason = "; ".join(filter(None, (rest, reason)))
        return StageReport(outcome, findings, score=score, reason=reason, partial=partial)
    message = hallucination_feedback(score, threshold, checks)
    return StageReport(StageOutcome.FAILED, findings, message, score, reason)


def _checks(text: str, config: QualityConfig) -> tuple[dict[str, SubCheck], dict[str, str]]:
    """Return the sub-checks that ran, and the reasons why others could not."""
    checks: dict[str, SubCheck] = {}
    unavailable: dict[str, str] = {}
    if config.facts is not None:
        try:
            checks["entity"] = check_facts(text, config.facts)
        except FactsUnavailable as error:
            unavailable["entity"] = escaped(str(error), limit=200)
            logger.warning("quality: facts are unavailable: %s", unavailable["entity"])
    if config.constraints:
        checks["plausibility"] = check_plausibility(text, config.constraints)
    if config.self_contradiction:
        report = contradictions(text)
        checks["self_contradiction"] = SubCheck(report.checked, report.findings)
    return checks, unavailable
