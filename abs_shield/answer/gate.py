"""Emit, revise or block: stage 4, from what the stages before it said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from abs_shield.answer.report import ReportAction
from abs_shield.policy.answer import AnswerConfig

_WEAK = "below_emit_threshold"


class Judged(NamedTuple):
    """
    One claim as the gate sees it.

    Attributes:
        score: P(grounded), in [0, 1]; None where nothing could score it.
        critical: Whether a mistake in it has consequences.
        confirmed: Whether a hard check, a verifier or a judge says that it is wrong.
        divergent: Whether the model answered otherwise when it was asked again.
    """

    score: float | None
    critical: bool = False
    confirmed: bool = False
    divergent: bool = False


class Verdict(NamedTuple):
    """
    What the gate says.

    Attributes:
        overall: The gating score; None where there was nothing to score.
        action: emit, revise or block.
        notes: Why, in stable words.
    """

    overall: float | None
    action: ReportAction
    notes: tuple[str, ...] = ()


def overall_of(claims: Sequence[Judged], config: AnswerConfig) -> float | None:
    """
    Give the score of the whole: the worst claim's, or a mean in which critical claims count twice.

    >>> overall_of([Judged(0.9), Judged(0.3, critical=True)], AnswerConfig(aggregate="mean"))
    0.5
    """
    scored = [(c.score, 1 + c.critical) for c in claims if c.score is not None]
    if not scored:
        return None
    if config.aggregate == "min":
        return min(score for score, _ in scored)
    return sum(s * w for s, w in scored) / sum(w for _, w in scored)


def gate(
    claims: Sequence[Judged],
    config: AnswerConfig,
    *,
    overall: float | None = None,
    rejected: bool = False,
    probed: bool = True,
) -> Verdict:
    """
    Say what becomes of an answer; block goes before revise, and revise before emit.

    Args:
        claims: Its claims.
        config: The thresholds.
        overall: The score of the whole, where it is known better than by `overall_of`.
        rejected: Whether stage 1 stopped a call of the final turn.
        probed: Whether every critical claim was asked again.
    """
    found = overall_of(claims, config) if overall is None else overall
    notes = [*_blocks(claims, config)]
    if notes:
        return Verdict(found, "block", tuple(notes))
    notes = [*_revises(claims, config, found)]
    if rejected:
        notes.append("call_rejected")
    if config.high_stakes and not probed and any(claim.critical for claim in claims):
        notes.append("not_probed")
    if notes == [_WEAK] and config.below_emit == "annotate":
        return Verdict(found, "emit", (_WEAK,))
    if notes:
        return Verdict(found, "revise", tuple(notes))
    return Verdict(found, "emit", () if claims else ("no_claims",))


def _blocks(claims: Sequence[Judged], config: AnswerConfig) -> list[str]:
    """A low score alone never blocks: a hard check, a verifier or a judge has to agree."""
    blocks = any(
        claim.critical
        and claim.confirmed
        and claim.score is not None
        and claim.score < config.block_threshold
        for claim in claims
    )
    return ["critical_claim_refuted"] if blocks else []


def _revises(claims: Sequence[Judged], config: AnswerConfig, overall: float | None) -> list[str]:
    notes = []
    if any(c.score is not None and c.score < config.revise_threshold for c in claims):
        notes.append("unsupported_claim")
    if any(claim.score is None for claim in claims):
        notes.append("unverified_claim")
    if any(claim.divergent and claim.critical for claim in claims):
        notes.append("divergent_claim")
    if overall is not None and overall < config.emit_threshold and not notes:
        notes.append(_WEAK)
    return notes
