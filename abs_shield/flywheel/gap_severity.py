"""Severity of a gap: its tier, the deviation of a value, and the priority of its catches."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import isfinite

from abs_shield.core.label import Truth
from abs_shield.core.vocabularies import Verdict
from abs_shield.flywheel.gap import GapScope
from abs_shield.text.values.figure import SUMS
from abs_shield.text.values.figure_reader import figures


# the same claims come back in each curation
@lru_cache(maxsize=4096)
def deviation_of(claim: str, right: str) -> float | None:
    """
    Return the difference of two values as a share of the right one.

    None if one of the texts is not a single value, or if their kinds or units differ.

    >>> deviation_of("$3.2T", "$3.2 trillion"), deviation_of("110 EUR", "100.00 EUR")
    (0.0, 0.1)
    >>> deviation_of("$3.2T", "3.1T EUR"), deviation_of("W12", "W13"), deviation_of("5", "0")
    (None, None, None)
    """
    read = [figures(text) for text in (claim, right)]
    # of several values, it is unknown which ones belong together
    if any(len(values) != 1 for values in read):
        return None
    (one,), (other,) = read
    if one.kind not in SUMS or (one.kind, one.unit) != (other.kind, other.unit):
        return None
    if not other.numbers[0]:  # no share of zero
        return None
    share = float(abs(one.numbers[0] - other.numbers[0]) / abs(other.numbers[0]))
    return share if isfinite(share) else None  # a number of a thousand digits is no float


SYSTEMATIC_DECISIONS, SYSTEMATIC_SESSIONS = 3, 2
"""Minimum decisions and sessions of a systematic gap: one session may repeat one mistake."""
FREQUENT_FROM = 0.005
"""Minimum lower end of the rate's interval of a frequent gap: certainly 1 decision in 200."""
HIGH_IMPACT_FROM, MEDIUM_IMPACT_FROM = 0.7, 0.3  # between the weights 1.0, 0.5 and 0.1
"""Minimum mean impact of its catches (`priority.WEIGHTS`) for high and for medium impact."""
GENERAL_AGENTS, GENERAL_CATCHES = 2, 2
"""Minimum number of agents of a general gap, and of catches of each: one may be chance."""


def is_systematic(*, affected: int, sessions: int) -> bool:
    """
    Return whether a gap happens repeatedly.

    >>> is_systematic(affected=5, sessions=1), is_systematic(affected=5, sessions=2)
    (False, True)
    """
    return affected >= SYSTEMATIC_DECISIONS and sessions >= SYSTEMATIC_SESSIONS


def tier_of(*, impact: float, low: float, systematic: bool) -> int:
    """
    Return the tier of a gap.

    * 1: its impact is high, it is systematic, and it is frequent
    * 2: its impact is high or medium
    * 3: its impact is low

    Args:
        impact: Mean impact of its catches, in [0, 1].
        low: Lower end of the interval of its rate, in [0, 1].
        systematic: Whether it happens repeatedly.

    >>> tier_of(impact=1.0, low=0.02, systematic=True)
    1
    >>> tier_of(impact=1.0, low=0.02, systematic=False)
    2
    >>> tier_of(impact=0.1, low=0.5, systematic=True)
    3
    """
    if impact >= HIGH_IMPACT_FROM and systematic and low >= FREQUENT_FROM:
        return 1
    return 2 if impact >= MEDIUM_IMPACT_FROM else 3


def scope_of(agents: Mapping[str, int]) -> GapScope:
    """
    Return the scope of a gap, by the number of its catches per agent.

    >>> str(scope_of({"analyst": 9, "writer": 2})), str(scope_of({"analyst": 9, "writer": 1}))
    ('general', 'task-specific')
    """
    if not agents:
        return GapScope.UNKNOWN
    affected = sum(count >= GENERAL_CATCHES for count in agents.values())
    return GapScope.GENERAL if affected >= GENERAL_AGENTS else GapScope.TASK_SPECIFIC


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
