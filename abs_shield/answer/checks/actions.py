"""What an answer says was done, and whether a call that ran stands behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from abs_shield.answer.checks.action_forms import (
    AND,
    CLAUSE,
    CLAUSE_END,
    FIRST,
    MANAGED,
    OPEN,
    PASSIVE,
    RELATIVE,
    SHORT,
    SPOKEN_OF,
    STATE,
)
from abs_shield.answer.checks.action_verbs import BEGUN, ENDED, TALK, infinitive, is_deed

_LONGEST_WORD = 8
_LONGEST_CLAUSE = 300
_PAYING = frozenset("issue add process apply credit return release initiate".split())
_PAST = re.compile(
    r"ed$|^(?:found|seen|sent|made|paid|set|put|read|gone|got|taken)$", re.IGNORECASE
)
_REFUND = re.compile(r"\brefund", re.IGNORECASE)


class Said(NamedTuple):
    """
    One deed that a claim says was done.

    Attributes:
        verb: Its verb, in the infinitive.
        text: How it stands in the claim.
        start: Offset of its first character there.
        end: Offset behind its last character.
        passive: Whether it is not said who did it.
        loose: Whether it is a deed only in a run that did nothing at all.
        state: Whether it may as well be what a result told in other words.
    """

    verb: str
    text: str
    start: int
    end: int
    passive: bool = False
    loose: bool = False
    state: bool = False


def said_done(text: str) -> Iterator[Said]:
    """
    Give the deeds that an English claim says were done; plans, offers and negations are none.

    >>> [said.verb for said in said_done("I have cancelled the booking and I will send an email.")]
    ['cancel']
    >>> [*said_done("I can cancel it once you have confirmed. I found two flights.")]
    []
    """
    if text.rstrip(" *_\"')").endswith("?"):
        return
    for form in (FIRST, MANAGED, PASSIVE, SHORT, STATE):
        for found in form.finditer(text):
            if said := _said(text, found, form):
                yield said
            if form is FIRST and _PAST.search(found["verb"]) and _done(text, found):
                more = (
                    _said(text, also, form) for also in AND.finditer(text, *_behind(text, found))
                )
                yield from filter(None, more)


def _said(text: str, found: re.Match[str], form: re.Pattern[str]) -> Said | None:
    """The deed that a form has found; None where it is talk, a plan or a description."""
    word = found["verb"].casefold()
    verb = infinitive(word) if form is not MANAGED else word if is_deed(word) else ""
    passive = form in (PASSIVE, STATE)
    if passive and verb in _PAYING and _REFUND.search(_clause(text, found)):
        verb = "refund"  # what follows from a cancellation, whoever issues it
    if not verb or not _done(text, found) or (form is STATE and verb not in ENDED):
        return None
    said = Said(verb, found[0].strip(" ,"), *found.span(), passive, state=form is STATE)
    if verb not in TALK or _firm(verb, found[0]):
        return said
    begun = verb in BEGUN and form in (FIRST, MANAGED) and not SPOKEN_OF.match(text, found.end())
    return said._replace(loose=True) if begun else None


def _behind(text: str, found: re.Match[str]) -> tuple[int, int]:
    """Where the clause of a deed goes on."""
    end = CLAUSE_END.search(text, found.end(), found.end() + _LONGEST_CLAUSE)
    return found.end(), end.start() if end else found.end() + _LONGEST_CLAUSE


def _firm(verb: str, text: str) -> bool:
    """Whether a verb that may be talk is said of something that was carried out."""
    return "successfully" in text.casefold() and verb not in ("note", "confirm", "show", "generate")


def _done(text: str, found: re.Match[str]) -> bool:
    relative = RELATIVE.search(text, max(0, found.start() - _LONGEST_WORD), found.start())
    return relative is None and OPEN.search(_clause(text, found)) is None


def _clause(text: str, found: re.Match[str]) -> str:
    """What stands in front of a deed, and it, as far as the clause goes."""
    first = max(0, found.start() - _LONGEST_CLAUSE)
    ends = [clause.end() for clause in CLAUSE.finditer(text, first, found.start())]
    return text[ends[-1] if ends else first : found.end()]
