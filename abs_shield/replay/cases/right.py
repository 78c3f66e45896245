"""The calls of a run that count as right, so that a flag on one is a false alarm."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from abs_shield.replay.runs import Run


def is_set_aside(run: Run, index: int) -> bool:
    """Whether the run's labels set a call aside: it failed, or a reader found it unfounded."""
    return index in _held(run.labels.get("failed_calls")) or str(index) in _held(
        run.labels.get("unfounded")
    )


def _held(labels: Any) -> Container[Any]:
    return labels if isinstance(labels, (list, dict)) else ()
