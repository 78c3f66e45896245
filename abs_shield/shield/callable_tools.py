"""Which tools a session may call: those its host names, within its parent's, and its own."""

from __future__ import annotations

from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.shield.session_tools import SessionTools


def narrow(session: Session, tools: frozenset[str], own: SessionTools | None) -> None:
    """
    Let *session* call *tools*, as far as its parent may; its own functions are its host's word.

    Args:
        session: The session.
        tools: What its host names.
        own: Its own functions; None where it has none.
    """
    granted = None if session.parent is None else record_of(session.parent).grant
    if granted is not None:
        tools &= granted if own is None else granted | own.own_names()
    if own is not None:
        own.added = frozenset()
    session.tools = record_of(session).grant = tools


def admit(session: Session, own: SessionTools, before: SessionTools | None) -> None:
    """
    Let *session* call its own functions, whatever it was narrowed to, and no longer other ones.

    Args:
        session: The session.
        own: Its functions from now on.
        before: Those it had; None where it had none.
    """
    gone = frozenset() if before is None else before.added
    record = record_of(session)
    if record.grant is not None:
        remaining = record.grant - gone
        own.added = own.own_names() - remaining
        record.grant = remaining | own.own_names()
    if session.tools is not None:
        session.tools = (session.tools - gone) | own.own_names()
