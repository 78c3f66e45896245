"""How a value was written where the run was told it: with its capitals, as a tool will take it."""

from __future__ import annotations

from abs_shield.core.events import Event
from abs_shield.session.event_texts import texts_of
from abs_shield.session.origin import Origin
from abs_shield.session.session import Session
from abs_shield.session.session_record import record_of


def spelling(text: str, origin: Origin, session: Session) -> str:
    """
    Give *text* as it stood where it first came from; as it is, where that is not kept.

    >>> session = Session()
    >>> session.user("Please refund TX-12345.")
    >>> spelling("tx-12345", session.origin("tx-12345"), session)
    'TX-12345'
    """
    runs = [record_of(session)]
    while runs[-1].parent is not None:
        runs.append(runs[-1].parent)
    for run in runs:
        event = run.log.at(origin.version)
        if event is not None and (found := _in(event, text)):
            return found
    return text


def is_told(text: str, session: Session) -> bool:
    """Whether *text* stood so, or may have, in a person's words or a result; brackets and all."""
    log = record_of(session).log
    told = log.forgot or any(_in(entry.event, text) for entry in log)
    return told or (session.parent is not None and is_told(text, session.parent))


def _in(event: Event, text: str) -> str:
    wanted = text.casefold()
    return next((found for said in texts_of(event) if (found := _cut_out(said, wanted))), "")


def _cut_out(said: str, wanted: str) -> str:
    """What stands in *said* in place of *wanted*, as a whole; empty where nothing does."""
    folded = said.casefold()
    place = folded.find(wanted)
    while place >= 0 and len(folded) == len(said):
        end = place + len(wanted)
        if not (_goes_on(said, place - 1, place) or _goes_on(said, end - 1, end)):
            return said[place:end]
        place = folded.find(wanted, place + 1)
    return ""


def _goes_on(said: str, left: int, right: int) -> bool:
    """Whether one word stands on both sides of a border."""
    if left < 0 or right >= len(said):
        return False
    return (said[left] + said[right]).replace("_", "a").isalnum()
