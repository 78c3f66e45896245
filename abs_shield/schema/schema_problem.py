"""A problem of a value with its schema: location, code and hint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MAX_PROBLEMS = 100
"""Maximum number of reported problems of one value; a long list may have one in every item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaProblem:
    """One problem of a value.

    Attributes:
        where: JSON pointer (RFC 6901) into the value, ``""`` for the value itself. A missing
            argument is named by its expected place; names over 200 characters are cut.
        code: Stable name of the kind of problem, such as ``wrong_type``.
        detail: One line with the actual and the expected value.
        hint: One line about what to send instead, or ``""``.
        got: The offending value, shortened so that it is always small and JSON-able.
        expected: A description of what is expected, such as ``"number"``.
        allowed: At most 20 allowed values or names.
        nearest: The allowed value or name closest to the actual one, or ``""``.
    """

    where: str
    code: str
    detail: str
    hint: str = ""
    got: Any = None
    expected: str = ""
    allowed: tuple[Any, ...] = ()
    nearest: str = ""


def not_finite(where: str) -> SchemaProblem:
    """Return the problem of a number that JSON cannot represent."""
    return SchemaProblem(
        where=where,
        code="not_finite",
        detail="got NaN or an infinity, expected a finite number",
        hint="send a finite number, or leave it out",
        expected="a finite number",
    )


def pointer(path: tuple[object, ...]) -> str:
    """Return a path as a JSON pointer."""
    return "".join("/" + _token(part) for part in path)


def _token(part: object) -> str:
    text = str(part)
    if len(text) > 200:  # a name of a hostile value may have megabytes
        text = text[:199] + "…"
    return text.replace("~", "~0").replace("/", "~1")
