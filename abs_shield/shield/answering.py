"""Makes the one Decision about an answer from its report."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING, Any

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
from abs_shield.core.ids import new_id
from abs_shield.core.names import ANSWER
from abs_shield.policy import Policy
from abs_shield.session import Session
from abs_shield.text.show import escaped

if TYPE_CHECKING:
    from abs_shield.answer.combine import Combined
    from abs_shield.answer.report import ReportedClaim
    from abs_shield.answer.reported import Checked

_VERDICTS = {
    "emit": Verdict.CLEAN, "revise": Verdict.SUSPICIOUS, "block": Verdict.HALLUCINATED,
}  # fmt: skip
_ACTIONS = {"emit": Action.ALLOW, "revise": Action.REVISE, "block": Action.BLOCK}
_GROUNDED = ("grounded", "unverified")
NOT_CHECKED = "not_checked"
_NOTHING = frozenset({"no_claims", "no_evidence", "grounding_skipped"})


def decision_about(found: Checked, session: Session, policy: Policy, mode: Mode) -> Decision:
    """
    Give the record of an answer.

    Args:
        found: What was found out of it.
        session: The run that it ends.
        policy: Who judged.
        mode: Whether what it says holds.
    """
    report = found.report
    verdict = Verdict.CLEAN if NOT_CHECKED in found.notes else _VERDICTS[report.action]
    would_block = report.action == "block"
    fields: dict[str, Any] = {
        "id": new_id(),
        "subject": Subject.ANSWER,
        "tool": "",
        "verdict": verdict,
        "action": _ACTIONS[report.action],
        "mode": mode,
        "blocked": would_block and mode is Mode.STRICT,
        "would_block": would_block,
        "policy_revision": policy.revision,
        "at": time(),
        "session_id": session.id,
        "run_id": report.run_id,
        "agent": session.agent,
        "model": session.model,
        "findings": _findings(found, verdict, mode),
        "coverage": {ANSWER: _coverage(found)},
        "probability": None if report.overall_score is None else 1 - report.overall_score,
        "notes": found.notes,
        "errors": found.errors,
    }
    return Decision.of(fields)


def _coverage(found: Checked) -> Coverage:
    if NOT_CHECKED in found.notes:
        return Coverage(Outcome.ERROR, found.errors[0])
    nothing = sorted(_NOTHING.intersection(found.notes))
    return Coverage(Outcome.UNAVAILABLE, ", ".join(nothing)) if nothing else RAN


def _findings(found: Checked, verdict: Verdict, mode: Mode) -> tuple[Finding, ...]:
    """Give one finding for each claim that is not grounded."""
    return tuple(
        _finding(place, claim, one, verdict, mode)
        for place, (claim, one) in enumerate(zip(found.report.claims, found.claims, strict=True))
        if claim.status not in _GROUNDED
    )


def _finding(
    place: int, claim: ReportedClaim, one: Combined, verdict: Verdict, mode: Mode
) -> Finding:
    missed = ", ".join(f"`{escaped(miss.text, limit=80)}`" for miss in one.misses[:5])
    detail = one.contradicted or (f"{missed} stands nowhere in the evidence" if missed else "")
    return Finding(
        check=ANSWER,
        verdict=max(verdict, Verdict.SUSPICIOUS, key=lambda said: said.gravity),
        strength=1 - (claim.score or 0.0),
        where=f"/claims/{place}",
        detail=detail or "the evidence does not say this",
        code=claim.status,
        mode=mode,
        counted=verdict is not Verdict.CLEAN,
    )
