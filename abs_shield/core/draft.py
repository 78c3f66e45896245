"""A Decision while it is written: a frozen dataclass's own constructor costs three times more."""

from __future__ import annotations

from dataclasses import MISSING, field, fields, make_dataclass
from typing import Any, cast

from abs_shield.core.decision import Decision


def _again(given: Any) -> Any:
    if given.default is not MISSING:
        return field(default=given.default)
    if given.default_factory is not MISSING:
        return field(default_factory=given.default_factory)
    return field()


Draft = cast(
    "type[Decision]",
    make_dataclass(
        "Draft",
        [(given.name, Any, _again(given)) for given in fields(Decision)],
        slots=True,
        kw_only=True,
    ),
)
"""The same fields in the same slots, which may still be written."""


def sealed(draft: Decision) -> Decision:
    """
    Give a draft as the immutable record that it becomes.

    >>> from abs_shield.core import Action, Mode, Subject, Verdict
    >>> made = sealed(Draft(
    ...     id="d1", subject=Subject.CALL, tool="refund", verdict=Verdict.CLEAN,
    ...     action=Action.ALLOW, mode=Mode.AUDIT, blocked=False, would_block=False,
    ...     policy_revision="", at=0.0,
    ... ))
    >>> type(made).__name__, made.errors
    ('Decision', ())
    """
    draft.__class__ = Decision
    return draft
