"""The Decision about an answer, built from its report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import perf_counter, time
from typing import TYPE_CHECKING, Any, NamedTuple

from abs_shield.core import (
    RAN,
    Action,
    Coverage,
    Decision,
    Finding,
    Mode,
    Outcome,
    Subject,
    Verdict,
)
from abs_shield.core.decision import make_decision
from abs_shield.core.fork_safety import new_id
from abs_shield.core.vocabularies import ANSWER
from abs_shield.policy import Policy
from abs_shield.session import Session
from abs_shield.shield.off_switch import NOT_JUDGED, NOTE, SWITCH
from abs_shield.text.safe_display import escaped

if TYPE_CHECKING:
    from abs_shield.answer.claim_types import Assessment
    from abs_shield.answer.hallucination_report import ReportedClaim
    from abs_shield.answer.report_assembly import Checked

_VERDICTS = {
    "emit": Verdict.CLEAN, "revise": Verdict.SUSPICIOUS, "block": Verdict.HALLUCINATED,
}  # fmt: skip
_ACTIONS = {"emit": Action.ALLOW, "revise": Action.REVISE, "block": Action.BLOCK}
_GROUNDED = ("grounded", "unverified")
_NOTHING = frozenset({"no_claims", "no_evidence", "grounding_skipped"})
_ANSWER_REASONS = {
    "no_evidence": ("/claims", "there is no evidence to check its claims against"),
    "below_emit_threshold": (
        "/overall_score",
        "its score is below the emit threshold of the policy",
    ),
    "call_rejected": ("/tool_call_validations", "a call of the final turn was blocked"),
    "not_probed": ("/consistency_probes", "its critical claims were not checked by a probe"),
}
"""Notes that count against a whole answer: the pointer into its report, and the detail."""

_MOST_TOKENS = 5
"""Maximum number of missing values or words that a finding quotes: it should fit on one line."""


class CheckStart(NamedTuple):
    """
    The start of a check.

    Attributes:
        at: Seconds since the epoch.
        clock: A reading of `perf_counter`, to measure the duration.
    """

    at: float
    clock: float

    @classmethod
    def now(cls) -> CheckStart:
        """Return the start of a check that begins now."""
        return cls(time(), perf_counter())


def answer_mode(policy: Policy, check: str, *, enforcement_off: bool) -> Mode:
    """Return the mode of a check of answers; audit if the kill switch stops enforcement."""
    return Mode.AUDIT if enforcement_off or SWITCH.off else policy.modes.get(check, policy.mode)


def answer_decision(
    session: Session, mode_fields: Mapping[str, Any], *, began: CheckStart, **fields: Any
) -> Decision:
    """
    Return the Decision about a text of a session.

    Args:
        session: The session of the text.
        mode_fields: The mode of the check, and the policy's revision.
        began: The start of the check.
        fields: The other fields of the Decision.
    """
    usual = {
        "id": new_id(),
        "subject": Subject.ANSWER,
        "tool": "",
        "at": began.at,
        "elapsed_ms": (perf_counter() - began.clock) * 1e3,
        "session_id": session.id,
        "run_id": session.run_id,
        "agent": session.agent,
        "model": session.model,
    }
    return make_decision(**{**usual, **mode_fields, **fields})


def report_decision(
    result: Checked,
    session: Session,
    mode_fields: dict[str, Any],
    *,
    began: CheckStart,
    error: str = "",
) -> Decision:
    """
    Return the Decision about an answer.

    Args:
        result: The result of its check.
        session: The session of the answer.
        mode_fields: The mode of the check, and the policy's revision.
        began: The start of the check.
        error: The internal error that prevented the check, which is not a verdict.
    """
    report, mode = result.report, mode_fields["mode"]
    would_block = report.action == "block"
    findings = (*_claim_findings(result, mode), *_answer_findings(result, mode))
    # With findings, part of the answer was judged, and the verdict of that part is valid.
    failed = bool(error or (result.errors and not findings))
    return answer_decision(
        session,
        mode_fields,
        began=began,
        verdict=Verdict.CLEAN if failed else _VERDICTS[report.action],
        action=_ACTIONS[report.action],
        blocked=would_block and mode is Mode.STRICT,
        would_block=would_block,
        run_id=report.run_id,
        findings=findings,
        coverage={ANSWER: _coverage(result, error)},
        # The score is the support of the answer; a Decision has the probability of a hallucination.
        probability=None if report.overall_score is None else 1 - report.overall_score,
        errors=(*result.errors, error) if error else result.errors,
        notes=result.notes,
    )


def _coverage(result: Checked, error: str) -> Coverage:
    if error:
        return Coverage(Outcome.ERROR, error)
    if NOTE in result.notes:
        return NOT_JUDGED
    nothing = sorted(_NOTHING.intersection(result.notes))
    return Coverage(Outcome.UNAVAILABLE, ", ".join(nothing)) if nothing else RAN


def _claim_findings(result: Checked, mode: Mode) -> Iterator[Finding]:
    """Yield one finding for each claim that is not grounded."""
    for place, (claim, one) in enumerate(zip(result.report.claims, result.claims, strict=True)):
        if claim.status not in _GROUNDED:
            # Only if a hard check, a verifier or a judge confirmed it: missing words alone do not
            # block.
            blocks = result.report.action == "block" and claim.critical and one.confirmed
            yield Finding(
                check=ANSWER,
                verdict=Verdict.HALLUCINATED if blocks else Verdict.SUSPICIOUS,
                # A claim without a score has no support.
                strength=1 - (claim.score or 0.0),
                where=f"/claims/{place}",
                detail=_claim_detail(claim, one),
                code=claim.status,
                mode=mode,
                counted=result.report.action != "emit",
            )


def _claim_detail(claim: ReportedClaim, one: Assessment) -> str:
    if one.contradicted:
        return one.contradicted
    if claim.status == "divergent":
        return "the model gave another answer when asked again"
    values = [miss.text for miss in one.missing if miss.kind != "words"]
    texts = values or [" ".join(miss.text.split()[:_MOST_TOKENS]) for miss in one.missing[:1]]
    missed = ", ".join(f"`{escaped(text, limit=80)}`" for text in texts[:_MOST_TOKENS])
    return f"{missed} is not in the evidence" if missed else "no evidence supports this"


def _answer_findings(result: Checked, mode: Mode) -> Iterator[Finding]:
    """Yield one finding for each reason against the answer as a whole."""
    for note in result.notes:
        if note in _ANSWER_REASONS:
            where, detail = _ANSWER_REASONS[note]
            yield Finding(
                check=ANSWER,
                verdict=Verdict.SUSPICIOUS,
                strength=1.0,
                where=where,
                detail=detail,
                code=note,
                mode=mode,
                counted=result.report.action != "emit",
            )
