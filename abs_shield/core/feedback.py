"""The text that the model reads in place of a result that is blocked or withheld."""

from __future__ import annotations

from typing import Any, Literal, TypedDict


class FeedbackProblem(TypedDict):
    """
    One thing that is wrong with a call or a result.

    Attributes:
        code: A stable code, such as ``"wrong_type"`` or ``"not_seen"``.
        field: JSON pointer of the argument, or of the field of the result.
        got: The value that was sent; None where it is not shown.
        expected: What is expected, in words.
        allowed: The values that are allowed, where these are few.
        nearest: The nearest allowed value; empty where there is none.
        hint: What to do.
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
    A decision as the model reads it, JSON-able.

    Attributes:
        status: ``"blocked"``, ``"flagged"`` or ``"allowed"``; ``"withheld"`` of a result that is
            not given out although its call has run.
        tool: The tool's name.
        problems: What is wrong; empty where nothing is.
        retryable: Whether a corrected call may be tried.
        attempts_left: How many more attempts there are; None where they are not counted.
    """

    status: Literal["blocked", "flagged", "allowed", "withheld"]
    tool: str
    problems: list[FeedbackProblem]
    retryable: bool
    attempts_left: int | None
