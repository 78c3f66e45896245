"""Identification of the quarantined results that a label is about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from abs_shield.verification.result_shape import Observation
from abs_shield.verification.verification_result import VerificationResult

_DIGITS = 3
"""
Number of digits to which a label's score must agree with a quarantined result's, the precision of
`confidence`.
"""


def matching_results(
    quarantine: Iterable[Observation],
    score: float,
    result: VerificationResult | None,
    *,
    session: str = "",
) -> list[Observation]:
    """
    Return the candidates for a label: one if it is unambiguous, the newest of equal ones.

    Args:
        quarantine: Rejected results, oldest first.
        score: The score in the label.
        result: The labelled result; None if unknown.
        session: The session of the result; empty if unknown. If no result of that score is in
            it, all are candidates.
    """
    # The id is certain; scores may be equal by chance.
    if result is not None and result._id:
        return [observation for observation in quarantine if observation.id == result._id]
    score_rounded = round(score, _DIGITS)
    candidates = [
        observation
        for observation in quarantine
        if round(observation.probability, _DIGITS) == score_rounded
    ]
    # A session that is unknown here must not hide the result.
    candidates = [
        observation for observation in candidates if session and observation.session == session
    ] or candidates
    differ: list[Observation] = []
    # The newest first: of equal results, it is the one that the label is about.
    for observation in reversed(candidates):
        if all(_learnt_properties(observation) != _learnt_properties(other) for other in differ):
            differ.append(observation)
    return differ


def _learnt_properties(observation: Observation) -> tuple[Any, ...]:
    """Return all learnt properties of a result except its duration."""
    return (
        observation.key,
        observation.session,
        observation.numbers,
        observation.size,
        observation.shape,
        observation.kinds,
    )
