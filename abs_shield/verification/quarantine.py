"""Which of the results that were held back a label is about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from abs_shield.verification.observation import Observation
from abs_shield.verification.verification_result import VerificationResult

_DIGITS = 3
"""Digits to which a score has to agree with that of a result in quarantine."""


def matching_results(
    quarantine: Iterable[Observation],
    score: float,
    result: VerificationResult | None,
    *,
    session: str = "",
) -> list[Observation]:
    """
    Return the results that a label may mean: one where it is clear, of those alike the newest.

    Args:
        quarantine: What was held back, oldest first.
        score: The score that the label names.
        result: The result that it names; None where it names none.
        session: The session that the result came in; empty where that is not known. Where none
            of that score came in it, all are candidates.
    """
    if result is not None and result._id:
        return [observation for observation in quarantine if observation.id == result._id]
    score_rounded = round(score, _DIGITS)
    candidates = [
        observation
        for observation in quarantine
        if round(observation.probability, _DIGITS) == score_rounded
    ]
    candidates = [
        observation for observation in candidates if session and observation.session == session
    ] or candidates
    differ: list[Observation] = []
    for observation in reversed(candidates):
        if all(_taught(observation) != _taught(other) for other in differ):
            differ.append(observation)
    return differ


def _taught(observation: Observation) -> tuple[Any, ...]:
    """What a result teaches, but for how long its call took."""
    return (
        observation.key,
        observation.session,
        observation.numbers,
        observation.size,
        observation.shape,
        observation.kinds,
    )
