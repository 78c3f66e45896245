"""The text that the model receives in place of a blocked or withheld result."""

from __future__ import annotations

from typing import Any, Literal, TypedDict


class FeedbackProblem(TypedDict):
    """
    One problem of a call or a result.

    Attributes:
        code: A stable code, such as ``"wrong_type"`` or ``"not_seen"``.
        field: JSON pointer of the argument, or of the field of the result.
        got: The value that was sent; None if it is not shown.
        expected: A description of what is expected.
        allowed: The allowed values, if there are few.
        nearest: The nearest allowed value; empty if none is near.
        hint: What to do instead.
    """

    code: str
    field: str
    got: Any
    expected: str
    allowed: list[Any]
    nearest: str
    hint: str


class Feedback(TypedDict):
    """
    The JSON-able form of a decision that the model receives.

    Attributes:
        status: ``"blocked"``, ``"flagged"`` or ``"allowed"``; ``"withheld"`` for a result that
            the model does not receive although its call has run.
        tool: The tool's name.
        problems: The problems; empty if there are none.
        retryable: Whether a corrected call may be tried.
        attempts_left: Number of attempts left; None if they are not counted.
    """

    status: Literal["blocked", "flagged", "allowed", "withheld"]
    tool: str
    problems: list[FeedbackProblem]
    retryable: bool
    attempts_left: int | None
