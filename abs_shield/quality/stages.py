"""The stages of the cascade that need no model, in order, and their feedback for an agent."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from abs_shield.quality.consistency import contradictions
from abs_shield.quality.facts import FactsUnavailable, check_facts
from abs_shield.quality.guardrails import guardrail_violations
from abs_shield.quality.guardrails.guardrail_check import (
    domain_near,
    guardrails_of,
    is_for,
    names_domain,
)
from abs_shield.quality.guardrails.product_rules import DOMAIN as PRODUCT
from abs_shield.quality.hallucination_score import TITLES, WEIGHTS, SubCheck, hallucination_score
from abs_shield.quality.marked_sentences import unread
from abs_shield.quality.pii.pii_detector import TABLE, detect, is_allowed
from abs_shield.quality.pii.pii_feedback import feedback, finding
from abs_shield.quality.plausibility import check_plausibility
from abs_shield.quality.quality_config import QualityConfig
from abs_shield.quality.quality_score import is_sampled, score_quality
from abs_shield.quality.quality_types import (
    AgentOutput,
    OutputFinding,
    Stage,
    StageOutcome,
    StageReport,
)
from abs_shield.text.safe_display import escaped


def check_pii(output: AgentOutput, config: QualityConfig) -> StageReport:
    """Fail an output that exposes personal data; the message never repeats a value."""
    entities_of_text = detect(output.text, config.detectors or (TABLE,))
    allowed = [pattern.casefold() for pattern in config.public_contacts]
    entities = [
        one for one in entities_of_text if not is_allowed(output.text[one.start : one.end], allowed)
    ]
    if not entities:
        return StageReport()
    return StageReport(StageOutcome.FAILED, tuple(map(finding, entities)), feedback(entities))


def check_score(output: AgentOutput, config: QualityConfig) -> StageReport:
    """Score a sampled output; a score never holds an output back."""
    if not is_sampled(output.output_id, config.sample_rate):
        return StageReport(StageOutcome.SKIPPED, reason="not in the sample")
    score = score_quality(output.text, config.score)
    return StageReport(score=score.value, reason="; ".join(score.problems))


_MOST = 10
"""Maximum number of listed findings, because a model does not read a hundred of them."""


def guardrail_feedback(findings: Sequence[OutputFinding]) -> str:
    """Return four lines for each rule that an output violates."""
    return "\n\n".join(
        f"Guardrail violation: {one.code}\n"
        f'Claim: "{escaped(one.claim.rstrip(". "), limit=300)}"\n'
        f"Requirement: {one.requirement}\n"
        f"Action: {one.remedy}"
        for one in findings[:_MOST]
    )


def hallucination_feedback(score: float, threshold: float, checks: Mapping[str, SubCheck]) -> str:
    """Return the score, the sub-checks that failed, and what to correct."""
    some = [(TITLES[name], one) for name, check in checks.items() for one in check.findings][:_MOST]
    lines = [f"Hallucination detected (score: {score:.1f}%, threshold: {threshold:g}%)"]
    lines += ["Failed sub-checks:", *(f"- {title}: {one.detail}" for title, one in some)]
    lines += ["Please regenerate addressing:"]
    lines += [f"{n}. {one.remedy or one.detail}" for n, (_, one) in enumerate(some, 1)]
    return "\n".join(lines)


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


# personal data first, as it must never be sent; then from cheap to expensive
STAGES = (
    Stage("pii", check_pii),
    Stage("guardrails", check_guardrails),
    Stage("quality_score", check_score, gate=False),
    Stage("hallucination", check_hallucination),
)
