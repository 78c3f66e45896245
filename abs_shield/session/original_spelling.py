"""The spelling in which a run first mentions a value, with its capitals."""

from __future__ import annotations

from abs_shield.core.events import Event
from abs_shield.session.event_texts import texts_of
from abs_shield.session.origin import Origin
from abs_shield.session.session import Session
from abs_shield.session.session_record import record_of


def original_spelling(text: str, origin: Origin, session: Session) -> str:
    """
    Return *text* in the spelling of its first mention; unchanged if that is no longer stored.

    >>> session = Session()
    >>> session.user("Please refund TX-12345.")
    >>> original_spelling("tx-12345", session.origin("tx-12345"), session)
    'TX-12345'
    """
    runs = [record_of(session)]
    while runs[-1].parent is not None:
        runs.append(runs[-1].parent)
    for run in runs:
        event = run.log.at(origin.version)
        if event is not None and (original := _find_in(event, text)):
            return original
    return text


def occurs_as_written(text: str, session: Session) -> bool:
    """
    Return whether a person's text or a result contains *text* verbatim, with its brackets.

    The result is also True if older text was dropped, which may have contained it.
    """
    log = record_of(session).log
    occurs = log.is_truncated or any(_find_in(entry.event, text) for entry in log)
    return occurs or (session.parent is not None and occurs_as_written(text, session.parent))


def _find_in(event: Event, text: str) -> str:
    wanted = text.casefold()
    return next(
        (original for passage in texts_of(event) if (original := _extract(passage, wanted))), ""
    )


def _extract(passage: str, wanted: str) -> str:
    """Return the whole-word match of *wanted* in *passage*; empty if there is none."""
    folded = passage.casefold()
    place = folded.find(wanted)
    # Case-folding may change the length, as for "ß"; then positions in the two texts differ.
    while place >= 0 and len(folded) == len(passage):
        end = place + len(wanted)
        if not (
            _is_inside_word(passage, place - 1, place) or _is_inside_word(passage, end - 1, end)
        ):
            return passage[place:end]
        place = folded.find(wanted, place + 1)
    return ""


def _is_inside_word(passage: str, left: int, right: int) -> bool:
    """Return whether a word continues across the boundary between two positions."""
    if left < 0 or right >= len(passage):
        return False
    return (passage[left] + passage[right]).replace("_", "a").isalnum()  # an underscore joins words
