"""Gate of an answer (stage 4): emit, revise or block, by the assessments of its claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from abs_shield.answer.hallucination_report import ReportAction
from abs_shield.policy.check_config import AnswerConfig

_WEAK = "below_emit_threshold"


class GateClaim(NamedTuple):
    """
    The properties of one claim that the gate uses.

    Attributes:
        score: P(grounded), in [0, 1]; None if no scorer could score it.
        critical: Whether a mistake in it has consequences.
        confirmed: Whether a scorer that may block says that it is wrong.
        divergent: Whether the model answered differently when it was asked again.
    """

    score: float | None
    critical: bool = False
    confirmed: bool = False
    divergent: bool = False


class GateDecision(NamedTuple):
    """
    The outcome of the gate.

    Attributes:
        overall: The gating score; None if there was nothing to score.
        action: emit, revise or block.
        notes: The reasons, in stable words.
    """

    overall: float | None
    action: ReportAction
    notes: tuple[str, ...] = ()


def overall_of(claims: Sequence[GateClaim], config: AnswerConfig) -> float | None:
    """
    Compute the overall score: the worst claim's, or a mean in which critical claims count twice.

    >>> overall_of([GateClaim(0.9), GateClaim(0.3, critical=True)], AnswerConfig(aggregate="mean"))
    0.5
    """
    scored = [(c.score, 1 + c.critical) for c in claims if c.score is not None]
    if not scored:
        return None
    if config.aggregate == "min":
        return min(score for score, _ in scored)
    return sum(s * w for s, w in scored) / sum(w for _, w in scored)


def gate(
    claims: Sequence[GateClaim],
    config: AnswerConfig,
    *,
    overall: float | None = None,
    rejected: bool = False,
    probed: bool = True,
) -> GateDecision:
    """
    Decide whether to emit, revise or block an answer; the gravest applicable action wins.

    Args:
        claims: Its claims.
        config: The thresholds.
        overall: The overall score, if it is more precise than that of `overall_of`.
        rejected: Whether stage 1 blocked a call of the final turn.
        probed: Whether every critical claim was asked again.
    """
    score = overall_of(claims, config) if overall is None else overall
    if any(_blocks(claim, config) for claim in claims):
        return GateDecision(score, "block", ("critical_claim_refuted",))
    notes = [*_reasons_to_revise(claims, config, score)]
    if rejected:
        notes.append("call_rejected")
    if config.high_stakes and not probed and any(claim.critical for claim in claims):
        notes.append("not_probed")
    if notes == [_WEAK] and config.below_emit == "annotate":
        return GateDecision(score, "emit", (_WEAK,))
    if notes:
        return GateDecision(score, "revise", tuple(notes))
    return GateDecision(score, "emit", () if claims else ("no_claims",))


def _blocks(claim: GateClaim, config: AnswerConfig) -> bool:
    """Return whether a claim blocks: a low score that a scorer confirms, never the score alone."""
    low = claim.score is not None and claim.score < config.block_threshold
    # all three: a lexical score alone also rejects true paraphrases
    return claim.critical and claim.confirmed and low


def _reasons_to_revise(
    claims: Sequence[GateClaim], config: AnswerConfig, overall: float | None
) -> Iterator[str]:
    """Yield the reasons to revise an answer."""
    scores = [claim.score for claim in claims if claim.score is not None]
    low = any(score < config.revise_threshold for score in scores)
    open_ = len(scores) < len(claims)
    divergent = any(claim.divergent and claim.critical for claim in claims)
    if low:
        yield "unsupported_claim"
    if open_:
        yield "unverified_claim"
    if divergent:
        yield "divergent_claim"
    # a weak score is implied by the other reasons
    if not (low or open_ or divergent) and overall is not None and overall < config.emit_threshold:
        yield _WEAK
