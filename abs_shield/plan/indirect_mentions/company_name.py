"""A company is known by its first word: ``Acme Holdings Ltd`` after the user wrote ``Acme``."""

from __future__ import annotations

from abs_shield.plan.judged_arguments import Argument
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of

_COMPANY_SUFFIXES = frozenset(
    "inc ltd llc llp plc corp corporation co company gmbh ag kg se sa s.a sarl srl spa ab a/s "
    "as oy bv nv pty group holding holdings limited incorporated foundation bank".split()
)


def company_name(argument: Argument, session: Session) -> bool:
    """Return whether the first word of a company's name was mentioned."""
    first, *rest = argument.text.split()
    if not any(word.strip(".,").casefold() in _COMPANY_SUFFIXES for word in rest):
        return False
    return mentions_of(session).origin(first, apart=True) is not None
