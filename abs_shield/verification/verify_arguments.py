"""Validation of the arguments that callers pass to an engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from abs_shield.errors import ShieldError
from abs_shield.text.safe_display import shown
from abs_shield.verification.verification_result import VerificationResult

_ROUNDED = 0.00051
"""
Largest rounding difference between a score and its posterior: half of the third digit, and the
rounding of floats.
"""


LONGEST_MS = 1e15
"""Bound of a duration, 30,000 years; it excludes infinity."""


def tool_and_labels(
    tool: Any, labelled: Iterable[tuple[Any, bool]] | None
) -> tuple[str | None, Iterable[tuple[Any, bool]] | None]:
    """Return the tool's name and the labels, also if the labels are the first argument."""
    if tool is None or isinstance(tool, str):
        return tool if tool is None else tool_name_of(tool, "calibrate"), labelled
    if labelled is None and isinstance(tool, Iterable) and not isinstance(tool, (bytes, Mapping)):
        return None, tool
    return tool_name_of(tool, "calibrate"), labelled


def tool_name_of(tool: object, where: str) -> str:
    """Return a tool's name as a plain text."""
    return tool if type(tool) is str else text(tool, f"{where}: `tool_name`")


def text(value: object, what: str) -> str:
    """
    Return a text as a plain ``str``, without the behaviour of a subclass.

    Raises:
        ShieldError: It is not a text.
    """
    if type(value) is str:
        return value
    if isinstance(value, str):
        # Methods of a subclass may raise, or return something else.
        return str.__str__(value)
    raise ShieldError(f"{what} is {shown(value)}; give a text")


def milliseconds(value: object) -> float:
    """
    Return a duration as a float.

    Raises:
        ShieldError: It is not a number of milliseconds, 0 or more.
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < LONGEST_MS:
        return float(value)
    raise ShieldError(
        f"verify: `execution_time_ms` is {shown(value)}; give milliseconds, 0 or more"
    )


def label(score: object, hallucinated: object, result: object) -> tuple[float, bool]:
    """
    Return the score and the answer of a label, validated.

    Raises:
        ShieldError: The score is not in [0, 1], the answer is neither true nor false, or the
            result is not a `VerificationResult`, or has another score.
    """
    if not isinstance(hallucinated, bool):
        raise ShieldError(
            f"record_feedback: `was_hallucination` is {shown(hallucinated)}; give True or False"
        )
    if isinstance(score, bool) or not (isinstance(score, (int, float)) and 0 <= score <= 1):
        raise ShieldError(
            f"record_feedback: `confidence_score` is {shown(score)};"
            " give the result's `confidence`, in [0, 1]"
        )
    if result is not None and not isinstance(result, VerificationResult):
        raise ShieldError(
            f"record_feedback: `result` is {shown(result)}; give the result of `verify`"
        )
    if result is not None and abs(result.posterior - score) > _ROUNDED:
        raise ShieldError(
            f"record_feedback: `confidence_score` is {shown(score)}, and that of `result` is"
            f" {result.confidence}; give the result's own `confidence`"
        )
    return float(score), hallucinated
