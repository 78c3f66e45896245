"""How grave a gap is: tiers 1 to 3, whether it is systematic, and whether it is general."""

from __future__ import annotations

from collections.abc import Mapping

from abs_shield.flywheel.gap import Scope

SYSTEMATIC_DECISIONS, SYSTEMATIC_SESSIONS = 3, 2
"""Decisions and sessions from which a gap is systematic: one session may repeat one mistake."""
FREQUENT_FROM = 0.005
"""Lower end of the rate's interval from which a systematic gap is frequent."""
HIGH_IMPACT_FROM, MEDIUM_IMPACT_FROM = 0.7, 0.3
"""Mean impact of its catches (`priority.WEIGHTS`) from which a gap's is high, and medium."""
GENERAL_AGENTS, GENERAL_CATCHES = 2, 2
"""Agents from which a gap is general, and the catches that each of them has at least."""


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


def scope_of(agents: Mapping[str, int]) -> Scope:
    """
    Return how far a gap reaches, by its catches of each agent.

    >>> str(scope_of({"analyst": 9, "writer": 2})), str(scope_of({"analyst": 9, "writer": 1}))
    ('general', 'task-specific')
    """
    if not agents:
        return Scope.UNKNOWN
    affected = sum(count >= GENERAL_CATCHES for count in agents.values())
    return Scope.GENERAL if affected >= GENERAL_AGENTS else Scope.TASK_SPECIFIC
