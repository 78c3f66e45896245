"""The outcome of a call's execution."""

from __future__ import annotations

from typing import Any, NamedTuple

UNKNOWN: Any = object()
"""Marks a result that the host did not provide, or that is incomplete."""
IN_PARTS: Any = object()
"""Marks a generator's several items, which are not a single result."""


class ExecutionOutcome(NamedTuple):
    """
    The outcome of a call's execution.

    Attributes:
        elapsed_ms: The duration in milliseconds; None if unknown.
        error: Whether the call failed; its result is then not judged.
        nested: Whether another tool made the call.
        decision_id: The id of the decision about the call, if known.
        delivered: Whether the caller already has the result, so that it cannot be withheld.
        judges: The value to judge instead of the result; None for the result itself, `UNKNOWN`
            without a result, and `IN_PARTS` for several items.
    """

    elapsed_ms: float | None
    error: bool = False
    nested: bool = False
    decision_id: str | None = None
    delivered: bool = False
    judges: Any = None
