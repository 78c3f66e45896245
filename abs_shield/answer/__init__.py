"""Answer checks: compare the claims of an answer with the results of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abs_shield.core.module_names import lazy_names

if TYPE_CHECKING:
    from abs_shield.answer.answer_revision import Settled, asettled, feedback_on, settled
    from abs_shield.answer.check_pipeline import acheck_answer, achecked, check_answer, checked
    from abs_shield.answer.claim_reader import claims_of
    from abs_shield.answer.claim_types import Claim, MissingValue, Opinion, Span
    from abs_shield.answer.evidence.evidence_collection import evidence_from, evidence_of
    from abs_shield.answer.evidence.evidence_passages import Evidence
    from abs_shield.answer.faithfulness import Faithfulness, FaithfulnessResult
    from abs_shield.answer.gate_calibration import GateFit, fit_gate
    from abs_shield.answer.hallucination_report import REPORT_SCHEMA, HallucinationReport
    from abs_shield.answer.report_assembly import Checked
    from abs_shield.answer.verifier import Odds, Verifier
    from abs_shield.policy.check_config import AnswerConfig

_MODULES = {
    "AnswerConfig": "abs_shield.policy.check_config",
    "Checked": "abs_shield.answer.report_assembly",
    "Claim": "abs_shield.answer.claim_types",
    "Evidence": "abs_shield.answer.evidence.evidence_passages",
    "Faithfulness": "abs_shield.answer.faithfulness",
    "FaithfulnessResult": "abs_shield.answer.faithfulness",
    "GateFit": "abs_shield.answer.gate_calibration",
    "HallucinationReport": "abs_shield.answer.hallucination_report",
    "MissingValue": "abs_shield.answer.claim_types",
    "Odds": "abs_shield.answer.verifier",
    "REPORT_SCHEMA": "abs_shield.answer.hallucination_report",
    "Opinion": "abs_shield.answer.claim_types",
    "Settled": "abs_shield.answer.answer_revision",
    "Span": "abs_shield.answer.claim_types",
    "Verifier": "abs_shield.answer.verifier",
    "acheck_answer": "abs_shield.answer.check_pipeline",
    "achecked": "abs_shield.answer.check_pipeline",
    "asettled": "abs_shield.answer.answer_revision",
    "check_answer": "abs_shield.answer.check_pipeline",
    "checked": "abs_shield.answer.check_pipeline",
    "claims_of": "abs_shield.answer.claim_reader",
    "evidence_from": "abs_shield.answer.evidence.evidence_collection",
    "evidence_of": "abs_shield.answer.evidence.evidence_collection",
    "feedback_on": "abs_shield.answer.answer_revision",
    "fit_gate": "abs_shield.answer.gate_calibration",
    "settled": "abs_shield.answer.answer_revision",
}
"""Imported on first use, so that a program with one scorer does not load the guardrail."""

__all__ = [
    "REPORT_SCHEMA",
    "AnswerConfig",
    "Checked",
    "Claim",
    "Evidence",
    "Faithfulness",
    "FaithfulnessResult",
    "GateFit",
    "HallucinationReport",
    "MissingValue",
    "Odds",
    "Opinion",
    "Settled",
    "Span",
    "Verifier",
    "acheck_answer",
    "achecked",
    "asettled",
    "check_answer",
    "checked",
    "claims_of",
    "evidence_from",
    "evidence_of",
    "feedback_on",
    "fit_gate",
    "settled",
]

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
