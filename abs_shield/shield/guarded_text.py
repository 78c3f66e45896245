"""The recorder of a text that the faithfulness guardrail judged on behalf of a Shield."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from abs_shield.core import RAN, Action, Coverage, Finding, Outcome, Verdict
from abs_shield.core.vocabularies import FAITHFULNESS
from abs_shield.session import Session
from abs_shield.shield.answer_decision import CheckStart, answer_decision
from abs_shield.shield.lifecycle import Lifecycle
from abs_shield.shield.off_switch import NOT_JUDGED, NOTE, SWITCH

if TYPE_CHECKING:
    from abs_shield.answer.faithfulness import FaithfulnessResult

_ONLY_OUT_OF_SCOPE = "only_out_of_scope"
_NOTHING = frozenset({"no_statements", "no_context"})
_STABLE = frozenset({*_NOTHING, _ONLY_OUT_OF_SCOPE, "undetermined"})
"""Notes that are recorded; other notes may quote the text."""
_INPUT = "user_input"


class GuardedText:
    """
    Records the decision about one text; created at the start of its check.

    Args:
        lifecycle: Records the decision.
        session: The session of the text.

    Attributes:
        mode: The mode of the guardrail when the check began.
        off: The reason why nothing is judged; empty if the Shield is on.
    """

    def __init__(self, lifecycle: Lifecycle, session: Session) -> None:
        self._lifecycle, self._session = lifecycle, session
        self._began = CheckStart.now()
        self.mode = lifecycle.mode_of(FAITHFULNESS)
        self.off = "the shield is off" if SWITCH.off else ""

    def record(self, result: FaithfulnessResult) -> None:
        """Record the decision about the text."""
        findings = (*_statement_findings(result), *_text_findings(result))
        notes = [NOTE] if self.off else [one for one in result.notes if one in _STABLE]
        decision = answer_decision(
            self._session,
            {"mode": result.mode, "policy_revision": self._lifecycle.policy.revision},
            began=self._began,
            verdict=Verdict.worst(one.verdict for one in findings),
            action=_action(result, findings),
            blocked=result.denied,
            would_block=not result.passed,
            findings=findings,
            coverage={FAITHFULNESS: NOT_JUDGED if self.off else _coverage(result)},
            errors=(f"{FAITHFULNESS}: {result.undetermined}",) if result.undetermined else (),
            notes=(*notes, _INPUT) if result.phase == "before" else tuple(notes),
        )
        self._lifecycle.record(decision, self._session)


def _action(result: FaithfulnessResult, findings: tuple[Finding, ...]) -> Action:
    if not result.passed:
        return Action.BLOCK
    return Action.FLAG if findings else Action.ALLOW


def _coverage(result: FaithfulnessResult) -> Coverage:
    if result.undetermined:
        return Coverage(Outcome.ERROR, result.undetermined)
    nothing = sorted(_NOTHING.intersection(result.notes))
    return Coverage(Outcome.UNAVAILABLE, ", ".join(nothing)) if nothing else RAN


def _statement_findings(result: FaithfulnessResult) -> Iterator[Finding]:
    """Yield one finding for each statement that lowers the score."""
    for place, one in enumerate(result.statements):
        if one.counted and not one.verdict:
            where, strength = f"/statements/{place}", 1 - (one.score or 0.0)
            yield _finding(result, where, "unfaithful", one.reason, strength=strength)


def _text_findings(result: FaithfulnessResult) -> Iterator[Finding]:
    """Yield the findings about the text as a whole."""
    if _ONLY_OUT_OF_SCOPE in result.notes:
        yield _finding(result, "/statements", _ONLY_OUT_OF_SCOPE, "no statement is in scope")
    if not result.passed and result.score is not None:
        detail = f"score {float(result.score):.3g} is below {float(result.threshold):.3g}"
        yield _finding(result, "/score", "below_threshold", detail, verdict=Verdict.HALLUCINATED)


def _finding(
    result: FaithfulnessResult,
    where: str,
    code: str,
    detail: str,
    *,
    verdict: Verdict = Verdict.SUSPICIOUS,
    strength: float = 1.0,
) -> Finding:
    return Finding(
        check=FAITHFULNESS,
        verdict=verdict,
        strength=strength,
        where=where,
        detail=detail,
        code=code,
        mode=result.mode,
    )
