"""The severity of a gap: its tier, and whether it is systematic and general."""

from __future__ import annotations

from collections.abc import Mapping

from abs_shield.flywheel.gap import GapScope

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
