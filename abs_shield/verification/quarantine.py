"""Which of the results that were held back a label is about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from abs_shield.verification.kept import Kept
from abs_shield.verification.record import VerificationResult

_DIGITS = 3
"""Digits to which a score has to agree with that of a result in quarantine."""


def meant(
    quarantine: Iterable[Kept],
    score: float,
    result: VerificationResult | None,
    *,
    session: str = "",
) -> list[Kept]:
    """
    Give the results that a label may mean: one where it is clear, of those alike the newest.

    Args:
        quarantine: What was held back, oldest first.
        score: The score that the label names.
        result: The result that it names; None where it names none.
        session: The session that the result came in; empty where that is not known. Where none
            of that score came in it, all are candidates.
    """
    if result is not None and result._id:
        return [kept for kept in quarantine if kept.id == result._id]
    told = round(score, _DIGITS)
    found = [kept for kept in quarantine if round(kept.probability, _DIGITS) == told]
    found = [kept for kept in found if session and kept.session == session] or found
    differ: list[Kept] = []
    for kept in reversed(found):
        if all(_taught(kept) != _taught(other) for other in differ):
            differ.append(kept)
    return differ


def _taught(kept: Kept) -> tuple[Any, ...]:
    """What a result teaches, but for how long its call took."""
    return kept.key, kept.session, kept.numbers, kept.size, kept.shape, kept.kinds
