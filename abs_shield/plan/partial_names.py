"""Well-known names that share one part with a name in the run and differ in another."""

from __future__ import annotations

from abs_shield.core.events import MessageText
from abs_shield.plan.judged_arguments import Argument
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of
from abs_shield.text.mentions import MentionKind, mentions
from abs_shield.text.normal_form import normal, words

_MIN_LENGTH = 3  # initials and particles occur in many names
# a longer text is a document, and to extract its names takes too long
_MAX_TEXT_LENGTH = 8_192
_NO_WORDS: frozenset[str] = frozenset()


def shares_part_with_another_name(argument: Argument, session: Session) -> bool:
    """
    Return whether another name in the run shares a part with *argument*.

    ``Anneliese James`` is wrong if the user or the agent wrote ``LeBron James``. A name without
    any mentioned part may be the agent's own knowledge.
    """
    own = frozenset(words(normal(argument.text)))
    mentioned = {
        word
        for word in own
        if len(word) >= _MIN_LENGTH and mentions_of(session).vouches(word, _NO_WORDS)
    }
    # If no part or every part is mentioned, that proves nothing.
    if not mentioned or mentioned == own:
        return False
    return any(
        not mentioned.isdisjoint(name) and not name <= own
        for entry in session.entries()
        if isinstance(entry.event, MessageText) and entry.event.role != "system"
        for name in _names(entry.event.text[:_MAX_TEXT_LENGTH])
    )


def _names(text: str) -> list[frozenset[str]]:
    names = (frozenset(words(normal(m.text))) for m in mentions(text) if m.kind is MentionKind.NAME)
    return [name for name in names if len(name) > 1]
