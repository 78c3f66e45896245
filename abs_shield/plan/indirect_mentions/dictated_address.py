"""The user dictated it: ``ana.petrova@gmail.com`` as "ana dot petrova at gmail dot com"."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.core.events import MessageText
from abs_shield.plan.judged_arguments import Argument
from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.text.spoken_addresses import is_spoken

_MAX_MESSAGES = 200
"""Messages that are searched, the newest first: people dictate what the next steps need."""


def dictated_address(argument: Argument, session: Session) -> bool:
    """Return whether a person wrote the value with the names of its signs."""
    return is_spoken(argument.text, texts_of_people(session))


def texts_of_people(session: Session | None) -> Iterator[str]:
    """Yield the texts of users and the host, the newest message of a run first."""
    while session is not None:
        # the user of a sub-agent is its parent agent
        roles = ("system",) if session.parent is not None else ("system", "user")
        for event in reversed(record_of(session).log.newest(_MAX_MESSAGES)):
            if isinstance(event, MessageText) and event.role in roles:
                yield event.text
        session = session.parent
