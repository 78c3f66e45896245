"""Values allowed without a passage: remembered by the session, or allowed by the policy."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any

from abs_shield.plan.allow_entry import compile_allow_entry
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of
from abs_shield.session.value_field import ANY_FIELD

Vouches = Callable[[str], bool]
logger = logging.getLogger("abs_shield")


def vouch(session: Session, allow: Iterable[Any], *, forgot: bool, strict: bool) -> Vouches | None:
    """
    Return a test for values that no passage contains; None if no such value is allowed.

    Args:
        session: The run.
        allow: Values, globs and callables that the policy allows.
        forgot: Whether the run forgot text, or not all of it is read here; the session remembers
            the values of such text.
        strict: Whether only tool results count.
    """
    # patterns only: plain values are passages
    tests = [] if strict else [_guard(entry) for entry in allow if is_pattern(entry)]
    if forgot:
        tests.append(lambda text: _remembers(session, text, strict))
    return (lambda text: any(test(text) for test in tests)) if tests else None


def is_pattern(entry: Any) -> bool:
    """Return whether an allowlist entry is a glob or a callable, and not a plain value."""
    return callable(entry) or (isinstance(entry, str) and any(mark in entry for mark in "*?["))


def _guard(entry: Any) -> Vouches:
    admits = compile_allow_entry(entry)

    def vouches(text: str) -> bool:
        try:
            return admits(text)
        except Exception:  # a callable of the policy may raise for a text it does not expect
            logger.exception("abs_shield: `allow` raised for a value of an answer; not allowed")
            return False

    return vouches


def _remembers(session: Session, text: str, strict: bool) -> bool:
    origin = mentions_of(session).origin(text, field=ANY_FIELD)
    return origin is not None and (origin.source == "tool" or not strict)
