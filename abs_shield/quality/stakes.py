"""High-stakes tasks: the ones that a premium judge reads before anybody else does."""

from __future__ import annotations

from abs_shield.quality.types import Task

HIGH_STAKES = frozenset({"CLIENT_FACING", "FINANCIAL", "LEGAL", "SECURITY"})
"""Classifications that are high-stakes whatever the money at stake."""
LARGE_IMPACT = 100_000
"""Money at stake above which any task is high-stakes."""


def is_high_stakes(task: Task) -> bool:
    """
    Return whether an output of a task needs the premium judge.

    >>> is_high_stakes(Task(output_classification="SECURITY"))
    True
    >>> is_high_stakes(Task(estimated_impact_value=100_000))
    False
    """
    return (
        task.output_classification.upper() in HIGH_STAKES
        or task.estimated_impact_value > LARGE_IMPACT
    )
