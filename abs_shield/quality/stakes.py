"""High-stakes tasks, whose outputs the premium judge reads before they are sent."""

from __future__ import annotations

import re

from abs_shield.quality.quality_types import Task

# with the amount below, the criteria of the cascade's specification
HIGH_STAKES = frozenset({"CLIENT_FACING", "FINANCIAL", "LEGAL", "SECURITY"})
"""Classifications that are high-stakes regardless of the amount."""
_BETWEEN = re.compile(r"[\s_-]+")
LARGE_IMPACT = 100_000  # as the specification of the cascade has it
"""Amount above which any task is high-stakes."""


def is_high_stakes(task: Task) -> bool:
    """
    Return whether an output of a task needs the premium judge.

    Classifications are case-insensitive, with blanks, hyphens or underscores.

    >>> is_high_stakes(Task(output_classification="client-facing"))
    True
    >>> is_high_stakes(Task(estimated_impact_value=100_000))
    False
    """
    classification = _BETWEEN.sub("_", task.output_classification.strip()).upper()
    return classification in HIGH_STAKES or task.estimated_impact_value > LARGE_IMPACT
