"""The tools that a session may call: those that the host grants, and its own functions."""

from __future__ import annotations

from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.shield.session_tools import SessionTools


def narrow(session: Session, tools: frozenset[str], own: SessionTools | None) -> None:
    """
    Restrict *session* to those of *tools* that its parent may call, and its own functions.

    Args:
        session: The session.
        tools: The tool names that the host passed.
        own: The session's own functions; None without any.
    """
    granted = None if session.parent is None else record_of(session.parent).grant
    # A sub-agent can never call more than the agent that started it.
    if granted is not None:
        tools &= granted if own is None else granted | own.own_names()
    if own is not None:
        own.added = frozenset()
    session.tools = record_of(session).grant = tools


def admit(session: Session, own: SessionTools, before: SessionTools | None) -> None:
    """
    Allow *session* to call its new functions, and no longer its earlier ones.

    Args:
        session: The session.
        own: Its new functions.
        before: Its earlier functions; None without any.
    """
    gone = frozenset() if before is None else before.added
    record = record_of(session)
    if record.grant is not None:
        # Tools that were granted independently of its own functions remain.
        remaining = record.grant - gone
        own.added = own.own_names() - remaining
        record.grant = remaining | own.own_names()
    if session.tools is not None:
        session.tools = (session.tools - gone) | own.own_names()
