"""The priority of a catch by its label, verdict and strength."""

from __future__ import annotations

from abs_shield.core.label import Truth
from abs_shield.core.vocabularies import Verdict

HIGH, MEDIUM, LOW = "high", "medium", "low"
STRONG_FROM = 0.8
"""Minimum strength of a SUSPICIOUS finding with medium priority."""
WEIGHTS = {HIGH: 1.0, MEDIUM: 0.5, LOW: 0.1}
"""Impact of one catch of each priority, in [0, 1]."""


def priority_of(*, label: str, weighs: bool, verdict: str, blocked: bool, confidence: float) -> str:
    """
    Return the priority of a catch, by the first row that applies.

    ========================================================== ========
    labelled ``ok``: a false alarm                             low
    labelled ``hallucinated``                                  high
    the policy does not count the finding, or suppresses it    low
    HALLUCINATED, and strict mode blocks the decision          high
    HALLUCINATED, or SUSPICIOUS with a strength of 0.8 or more medium
    any other                                                  low
    ========================================================== ========

    >>> priority_of(label="", weighs=True, verdict="SUSPICIOUS", blocked=False, confidence=0.87)
    'medium'
    """
    if label:  # a person's label outweighs every check
        return HIGH if label == Truth.HALLUCINATED else LOW
    if not weighs:
        return LOW
    hallucinated = verdict == Verdict.HALLUCINATED
    if hallucinated and blocked:
        return HIGH
    return MEDIUM if hallucinated or confidence >= STRONG_FROM else LOW
