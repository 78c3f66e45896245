"""Names that the world knows, of which the run has one half and the call another."""

from __future__ import annotations

from abs_shield.core.events import Said
from abs_shield.plan.targets import Argument
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of
from abs_shield.text.mentions import Kind, mentions
from abs_shield.text.normal import normal, words

_LEAST = 3
_LONGEST = 8_192
_ANYTHING: frozenset[str] = frozenset()


def has_other_half_in_run(argument: Argument, session: Session) -> bool:
    """
    Return whether somebody named something of which *argument* has a part, and another part.

    ``Anneliese James`` where the user or the agent wrote ``LeBron James``. A name of which
    nothing was said may be what the agent knows.
    """
    own = frozenset(words(normal(argument.text)))
    said = {
        word
        for word in own
        if len(word) >= _LEAST and mentions_of(session).vouches(word, _ANYTHING)
    }
    if not said or said == own:
        return False
    return any(
        not said.isdisjoint(named) and not named <= own
        for entry in session.entries()
        if isinstance(entry.event, Said) and entry.event.role != "system"
        for named in _names(entry.event.text[:_LONGEST])
    )


def _names(text: str) -> list[frozenset[str]]:
    found = (frozenset(words(normal(m.text))) for m in mentions(text) if m.kind is Kind.NAME)
    return [named for named in found if len(named) > 1]
