"""
Identify the calls of a run that do not count as right, so that flagging one is not a false alarm.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from abs_shield.replay.runs import Run

_DIGITS = 10  # an index of ten digits and more is no index; `int` of thousands of digits raises


def set_aside(run: Run) -> frozenset[int]:
    """
    Return the indexes of the calls that the run's labels exclude.

    ``failed_calls`` lists calls that the tool refused; ``unfounded`` maps indexes of calls that a
    reader judged wrong to the reason.
    """
    return frozenset(
        [*_indices(run.labels.get("failed_calls")), *_indices(run.labels.get("unfounded"))]
    )


def _indices(labels: Any) -> Iterator[int]:
    for label in labels if isinstance(labels, (list, dict)) else ():
        if type(label) is int:  # JSON objects have texts as keys
            yield label
        elif (
            isinstance(label, str)
            and label.isascii()
            and label.isdecimal()
            and len(label) < _DIGITS
        ):
            yield int(label)
