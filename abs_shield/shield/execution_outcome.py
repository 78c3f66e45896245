"""How a call ran."""

from __future__ import annotations

from typing import Any, NamedTuple

UNKNOWN: Any = object()
"""Stands for a result that the host did not give, or of which only a part came."""
IN_PARTS: Any = object()
"""Stands for several items of a generator, which are no one result."""


class ExecutionOutcome(NamedTuple):
    """
    How a call ran.

    Attributes:
        elapsed_ms: For how long; None where nobody knows.
        error: Whether it failed: then there is no result to judge.
        nested: Whether another tool called it.
        decision_id: What was decided of the call, where that is known.
        given: Whether the caller has the result already, so that it cannot be withheld.
        judges: What is judged in place of what it returned; None where that is the same,
            `UNKNOWN` where there is none, and `IN_PARTS` where there is no one result to judge.
    """

    elapsed_ms: float | None
    error: bool = False
    nested: bool = False
    decision_id: str | None = None
    delivered: bool = False
    judges: Any = None
